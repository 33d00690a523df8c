"""What every mechanism can do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import fields
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from deniable.core.errors import InvalidArgumentError
from deniable.core.event import Event
from deniable.core.loss import Loss
from deniable.core.number import Number

OPEN_DELTA = Fraction(1, 100)
"""The delta of `typical` mechanisms that need one: large enough for an audit to see."""


class Mechanism(ABC):
    """Noise with a theorem. Its settings are public; what it is given to release is not.

    A subclass is a frozen dataclass whose fields are exactly what its loss follows from.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def loss(self) -> Loss:
        """What one use gives away, in every form that is proven."""

    @classmethod
    @abstractmethod
    def typical(cls, epsilon: Number) -> Self:
        """An ordinary instance that loses this much, for audits and demonstrations."""

    @abstractmethod
    def neighbours(self) -> tuple[Any, Any]:
        """Two neighbouring inputs, as far apart as the theorem allows."""

    @abstractmethod
    def sample(self, data: Any, count: int) -> NDArray[Any]:  # noqa: ANN401 - each mechanism has its own input
        """The outcomes of `count` independent uses on the same input. Costs `count` losses if the input is private."""

    @property
    def event(self) -> Event:
        """This mechanism, for the ledger."""
        settings = {item.name: getattr(self, item.name) for item in fields(self)}  # type: ignore[arg-type]
        return Event(
            type(self).__name__, {name: Fraction(value) for name, value in settings.items() if value is not None}
        )

    @classmethod
    def recall(cls, event: Event) -> Mechanism:
        """The mechanism that an event speaks of: `Mechanism.recall(event)`."""
        # slots=True makes a new class and may leave the one it replaces among the subclasses: the later one counts
        kinds = {kind.__name__: kind for kind in _kinds(cls)}
        if event.mechanism not in kinds:
            raise InvalidArgumentError("event", f"names no mechanism that is known here: {event.mechanism}")
        return kinds[event.mechanism](**event.settings)

    def _set(self, **settings: object) -> None:
        """Fill the fields of a frozen dataclass, once, from its __init__."""
        for name, value in settings.items():
            object.__setattr__(self, name, value)


def _kinds(kind: type[Mechanism]) -> list[type[Mechanism]]:
    """All subclasses, at any depth."""
    return [deeper for child in kind.__subclasses__() for deeper in (child, *_kinds(child))]


def one_or_many(values: object, outcomes: NDArray[Any]) -> Any:  # noqa: ANN401 - a number in, a number out
    """A plain number if the input was one, otherwise the array."""
    return outcomes if np.ndim(values) else outcomes[0].item()  # type: ignore[arg-type]
