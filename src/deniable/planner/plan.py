"""What was asked, bound to the policy; what it costs; what will run."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from deniable.core.algebra.expression import Expression, Kind, names
from deniable.core.algebra.query import GroupQuery, Source
from deniable.core.event import Event
from deniable.core.loss import Loss
from deniable.core.sensitivity import Neighbours
from deniable.core.shown import percent
from deniable.display import Sheet, SheetColumn, Tabular
from deniable.mechanisms import Gaussian, Laplace, PartitionSelection
from deniable.planner.aggregates.statistics import Base, Statistic
from deniable.planner.choices.price import Chosen
from deniable.planner.choices.running_counts import Counted
from deniable.planner.expressions.evaluate import Band, Result
from deniable.planner.expressions.keys import GroupKey
from deniable.planner.intervals.columns import Material
from deniable.planner.intervals.law import AddedNoise


@dataclass(frozen=True)
class Output:
    """A column of the answer: post-processing of keys and noisy statistics."""

    name: str
    value: Expression

    @cached_property
    def rests_on(self) -> frozenset[str]:
        """The keys and statistics that it is made of."""
        return names(self.value)


@dataclass(frozen=True, slots=True)
class OutputColumn:
    """A column of an answer that is not paid yet."""

    name: str
    kind: Kind
    noisy: bool
    """Whether it has an interval."""


@dataclass(frozen=True, slots=True)
class Order:
    """One term of ORDER BY."""

    value: Expression
    descending: bool


@dataclass(frozen=True, slots=True)
class Bound:
    """A question in terms of the policy: what it rests on, and what is made of it afterwards."""

    source: Source
    person: bool
    """Whether the protected unit is a person, and not a row."""
    neighbours: Neighbours
    most_keys: int
    """In how many groups a unit may count, if keys are private."""
    keys: tuple[GroupKey, ...]
    statistics: tuple[Base, ...]
    outputs: tuple[Output, ...]
    having: Expression | None
    order: tuple[Order, ...]
    limit: int | None
    offset: int
    shared: tuple[frozenset[str], ...] = ()
    """Names of statistics that are about different rows, or about different parts of a row, and share a spend."""
    divided: frozenset[str] = frozenset()
    """Of these, the two that count and sum of the same rows follow from."""
    possible: tuple[tuple[tuple[str, ...], tuple[tuple[object, ...], ...]], ...] = ()
    """Names of keys from one public table, and the values that stand side by side there: other groups are not shown."""
    clock: tuple[str, ...] = ()
    """What CURRENT_DATE and its like were when the question was bound, in sentences."""
    crowd: int = 0
    """How many known groups there would be: too many to list, so that the keys are private instead."""
    usual: tuple[str, ...] = ()
    """What was cut to where it usually lies, in sentences."""

    @property
    def private_keys(self) -> bool:
        """Whether the keys must be selected privately."""
        return any(key.domain is None for key in self.keys)

    @property
    def listed(self) -> bool:
        """Whether nothing is asked but which values the policy declares: for nothing, and without looking at rows."""
        return not self.statistics and not self.private_keys

    @property
    def size(self) -> int:
        """How many noisy numbers the answer has; of private keys, only the data knows how many groups there are."""
        groups = 1 if self.private_keys else prod(len(key.domain or ()) for key in self.keys)
        return groups * sum(len(statistic.names) for statistic in self.statistics)


@dataclass(frozen=True, slots=True)
class Noisy:
    """A statistic and its noise."""

    statistic: Statistic
    mechanism: Laplace | Gaussian

    @property
    def names(self) -> frozenset[str]:
        """What the answer's algebra calls it."""
        return self.statistic.names

    @property
    def label(self) -> str:
        """For people."""
        return self.statistic.label

    @property
    def loss(self) -> Loss:
        """What it costs."""
        return self.mechanism.loss

    @property
    def events(self) -> tuple[Event, ...]:
        """For the ledger."""
        return (self.mechanism.event,)

    @property
    def sensitivity(self) -> float:
        """How far one unit can move it, in the answer's unit."""
        return float(self.mechanism.sensitivity) * float(self.statistic.worth)

    @property
    def scale(self) -> float:
        """The width of the noise, in the answer's unit."""
        scale = float(self.mechanism.scale) if isinstance(self.mechanism, Laplace) else self.mechanism.sigma
        return scale * float(self.statistic.worth)

    def error(self, confidence: Fraction, rows: int = 0) -> float:
        """How far the noisy statistic stays from the exact one, in the answer's unit, however many rows there are."""
        del rows
        return float(self.mechanism.error(confidence) * self.statistic.worth)

    @property
    def noise(self) -> AddedNoise:
        """For intervals of what is computed from it."""
        return AddedNoise(self.mechanism, self.statistic.worth)

    def results(self, recorded: Mapping[str, NDArray[np.int64]], confidence: Fraction) -> dict[str, Result]:
        """The statistic with its interval, in the answer's unit."""
        values = recorded[self.statistic.name].astype(np.float64) * float(self.statistic.worth)
        return {self.statistic.name: Band.around(values, self.error(confidence))}

    def expected(self, confidence: Fraction, rows: int, fractions: NDArray[np.float64]) -> dict[str, Result]:
        """What `results` may look like for groups of so many rows whose values lie in the middle.

        Where counts are weighed they need not be whole, and rounding can add to the width: so with some fractions.
        """
        middle = np.full(fractions.size, 0.0 if self.statistic.signed else float(rows * self.statistic.typical))
        values = middle + fractions if self.statistic.worth.denominator > 1 else middle
        return {self.statistic.name: Band.around(values, self.error(confidence))}


@dataclass(frozen=True, slots=True)
class Parallel:
    """Statistics of different rows, each with its noise, for one price.

    One row counts in one of them at most, or in two by parts that make one (the statement sees to that), so the shares
    of their sensitivities by which one unit moves them add up to one at most. Proof: docs/proofs/parallel.md
    """

    members: tuple[Noisy, ...]

    @property
    def names(self) -> frozenset[str]:
        """What the answer's algebra calls them."""
        return frozenset().union(*(member.names for member in self.members))

    @property
    def loss(self) -> Loss:
        """What all of them together cost: as much as the dearest, which are equal but for rounding."""
        return self._dearest.loss

    @property
    def events(self) -> tuple[Event, ...]:
        """For the ledger: one mechanism, whose vector is divided by each entry's own sensitivity."""
        return self._dearest.events

    @property
    def _dearest(self) -> Noisy:
        return max(self.members, key=lambda member: (member.loss.epsilon or 0, member.loss.rho or 0))


Single = Noisy | Chosen | Counted
"""Something that has noise."""
Part = Single | Parallel
"""Something that is paid for."""
Results = Callable[[Single, Fraction], Mapping[str, Result]]
"""What parts become, with intervals of a confidence."""


def material(parts: Sequence[Part], results: Results, keys: Mapping[str, Result], rows: int) -> Material:
    """What outputs are computed from: keys, statistics with their noise, and choices as they were made."""
    noisy = [part for part in singly(parts) if isinstance(part, Noisy)]
    choices = [part for part in singly(parts) if not isinstance(part, Noisy)]
    values = {name: value for part in noisy for name, value in results(part, _ANY).items()}
    return Material(
        {**keys, **values},
        {part.statistic.name: part.noise for part in noisy},
        lambda confidence: {name: value for part in choices for name, value in results(part, confidence).items()},
        rows,
    )


_ANY = Fraction(1, 2)
"""A confidence that does not matter."""


def singly(parts: Iterable[Part]) -> tuple[Single, ...]:
    """Each statistic with its noise, whoever it shares its price with."""
    return tuple(one for part in parts for one in (part.members if isinstance(part, Parallel) else (part,)))


def each(confidence: Fraction, number: int) -> Fraction:
    """What each of so many must hold with, so that all of them hold at once with this confidence (Boole).

    Example:
        >>> each(Fraction(19, 20), 10)
        Fraction(199, 200)
    """
    return 1 - (1 - confidence) / max(1, number)


@dataclass(frozen=True, slots=True)
class Priced:
    """One line of a quote."""

    column: str
    mechanism: str
    sensitivity: float
    """How far one unit can move it."""
    scale: float
    """The width of the noise."""
    error: float
    """At the quote's confidence."""


@dataclass(frozen=True, slots=True, repr=False)
class Quote(Tabular):
    """The price before paying. Follows from public facts alone."""

    loss: Loss
    lines: tuple[Priced, ...]
    groups: int | None
    """How many rows the answer has before HAVING and LIMIT; None if only the data knows."""
    shown_from: int | None
    """For private keys: the number of units from which on a key is shown at least half of the time."""
    confidence: Fraction
    notes: tuple[str, ...]
    """What the answer leaves out besides noise: bias, which no interval covers."""
    person: bool = False
    """Whether the protected unit is a person, and not a row."""
    rows: int | None = None
    """For how many rows in a group the errors are said, if that was given."""
    sizes: tuple[str, ...] = ()
    """The errors of averages and their like, for groups of a few sizes."""
    simultaneous: bool = False
    """Whether all intervals of the answer hold at once, and not each by itself."""
    after: tuple[str, ...] = ()
    """What is made of the answer after the noise."""
    outer: tuple[str, ...] = ()
    """The columns that are computed from the noisy ones, where the answer is an outer query's; else nothing."""

    @property
    def table(self) -> pa.Table:
        """A row for each noisy column: its noise, how far one unit moves it, the noise's scale, the error."""
        return pa.Table.from_pylist([asdict(line) for line in self.lines], schema=_PRICED)

    def with_notes(self, notes: Iterable[str]) -> Self:
        """The same quote, with more to be said: what the account makes of it."""
        return replace(self, notes=(*self.notes, *notes))

    def sheet(self) -> Sheet:
        """What is shown of it."""
        lines, unit = self.lines, "person" if self.person else "row"
        columns = (
            SheetColumn.texts("column", [line.column for line in lines]),
            SheetColumn.texts("noise", [line.mechanism for line in lines]),
            SheetColumn.numbers(f"one {unit} moves it by", [line.sensitivity for line in lines]),
            SheetColumn.numbers("noise scale", [line.scale for line in lines]),
            SheetColumn.errors("error", [line.error for line in lines]),
        )
        size = f"{self.rows or 1000:,}"
        title = f"Errors at {percent(self.confidence)} confidence (of averages and ratios: for a group of {size})"
        return Sheet(columns, f"price {self.loss} · {self._size}", (*self.sizes, *self._hidden, *self.notes), title)

    def to_dict(self) -> dict[str, object]:
        """All of it in values that JSON can say, for front ends."""
        return {
            "columns": [asdict(line) for line in self.lines],
            "confidence": float(self.confidence),
            "loss": self.loss.to_dict(),
            "groups": self.groups,
            "shown_from": self.shown_from,
            "notes": list(self.notes),
            **({"sizes": list(self.sizes)} if self.sizes else {}),
            **({"outer": list(self.outer)} if self.outer else {}),
        }

    @property
    def _size(self) -> str:
        """How many rows to expect."""
        if self.outer:
            return f"then, for nothing, the columns {', '.join(self.outer)}"
        if self.groups is None:
            return "one row for each group that is shown"
        return f"{self.groups:,} group{'s' * (self.groups != 1)}"

    @property
    def _hidden(self) -> tuple[str, ...]:
        """What private keys mean for small groups."""
        if self.shown_from is None:
            return ()
        unit = "people" if self.person else "rows"
        shown = f"a group of {self.shown_from:,} or more {unit} is shown at least half of the time"
        return (f"{shown}; smaller groups are usually hidden",)


_PRICED = pa.schema(
    [
        ("column", pa.string()),
        ("mechanism", pa.string()),
        *((name, pa.float64()) for name in ("sensitivity", "scale", "error")),
    ]
)


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that is needed to answer, and nothing that depends on the data."""

    bound: Bound
    queries: tuple[GroupQuery, ...]
    noise: tuple[Part, ...]
    selection: PartitionSelection | None
    quote: Quote

    @property
    def losses(self) -> tuple[Loss, ...]:
        """What each part of the noise gives away."""
        chosen = () if self.selection is None else (self.selection.loss,)
        return (*(part.loss for part in self.noise), *chosen)

    @property
    def events(self) -> tuple[Event, ...]:
        """For the ledger."""
        chosen = () if self.selection is None else (self.selection.event,)
        return (*(event for part in self.noise for event in part.events), *chosen)

    @property
    def digest(self) -> str:
        """The same for every spelling of the same question: what runs, with which noise, on which groups."""
        keys = tuple((key.name, key.value, key.domain) for key in self.bound.keys)
        choices = tuple(part for part in self.noise if not isinstance(part, Noisy))
        return hashlib.sha256(repr((self.queries, self.events, keys, choices)).encode()).hexdigest()
