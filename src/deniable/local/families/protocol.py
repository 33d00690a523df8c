"""What every protocol can do: both halves, the respondent's and the collector's."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Self

from numpy.typing import ArrayLike, NDArray

from deniable.core.bits import BitSource, OperatingSystem
from deniable.core.errors import InvalidArgumentError
from deniable.core.loss import Loss
from deniable.core.number import Number
from deniable.local.estimate import Estimate
from deniable.local.reports import Reports

Law = Mapping[Any, Fraction]
"""A report, as a number or a tuple of them, to its exact probability."""


class Protocol(ABC):
    """Noise at the source. Settings are public; a value never leaves the respondent, only a report does.

    A subclass is a frozen dataclass with its `epsilon`: whatever the value, no report's probability changes by more
    than a factor e^epsilon. That holds against everybody who sees the report, the collector included.
    """

    __slots__ = ()

    epsilon: Fraction

    @property
    def loss(self) -> Loss:
        """Of one respondent's one report."""
        return Loss.pure(self.epsilon)

    @property
    @abstractmethod
    def settings(self) -> Mapping[str, Any]:
        """Everything that the meaning of a report follows from, in plain values; it travels with the reports."""

    @classmethod
    @abstractmethod
    def typical(cls, epsilon: Number) -> Self:
        """A small instance whose every report can be listed, for audits."""

    @abstractmethod
    def inputs(self) -> Sequence[Any]:
        """Values such that no other value is farther from any of them; for finite questions, all."""

    @abstractmethod
    def law(self, value: Any) -> Law:  # noqa: ANN401 - each protocol has its own values
        """The exact probability of every report of this value. Only for small questions."""

    def perturb(self, values: ArrayLike) -> Reports:
        """What the respondents send: one value or many, each with its own draw from the operating system."""
        return Reports(self.settings, self._perturb(values, OperatingSystem()))

    @abstractmethod
    def estimate(self, reports: Reports, confidence: Number = 0.95) -> Estimate:
        """What the collector learns, with intervals."""

    @abstractmethod
    def check(self, values: ArrayLike) -> None:
        """Refuse values that are no answers to this question, before anything is drawn."""

    @abstractmethod
    def _perturb(self, values: ArrayLike, bits: BitSource) -> NDArray[Any]:
        """Perturb with randomness passed in."""

    @abstractmethod
    def _valid(self, data: NDArray[Any]) -> bool:
        """Whether every row is a report that this protocol could have made."""

    def _read(self, reports: Reports) -> NDArray[Any]:
        """The rows, if they were made by this very protocol."""
        if not isinstance(reports, Reports):
            raise InvalidArgumentError("reports", "must come from `perturb`, or be read by `Reports.load`")
        if dict(reports.settings) != dict(self.settings):
            theirs, ours = dict(reports.settings), dict(self.settings)
            differ = [name for name in {**ours, **theirs} if theirs.get(name) != ours.get(name)]
            said = "; ".join(f"{name} {_short(theirs.get(name))} is not {_short(ours.get(name))}" for name in differ)
            raise InvalidArgumentError("reports", f"were made for another survey: {said}")
        if len(reports) == 0:
            raise InvalidArgumentError("reports", "must be at least one")
        if not self._valid(reports.data):
            raise InvalidArgumentError("reports", "hold a message that this protocol cannot have sent")
        return reports.data

    def _set(self, **settings: object) -> None:
        """Fill the fields of a frozen dataclass, once, from its __init__."""
        for name, value in settings.items():
            object.__setattr__(self, name, value)


def below(data: NDArray[Any], bound: int) -> bool:
    """Whether the rows are single whole numbers under a bound."""
    return data.ndim == 1 and data.dtype.kind == "u" and int(data.max()) < bound


def mixed(parts: Sequence[tuple[Fraction, Law]]) -> Law:
    """The law of a public choice among laws, each with its chance."""
    total: dict[Any, Fraction] = {}
    for chance, law in parts:
        for report, probability in law.items() if chance else ():
            total[report] = total.get(report, Fraction(0)) + chance * probability
    return total


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 40 else text[:37] + "..."  # noqa: PLR2004 - a line's worth
