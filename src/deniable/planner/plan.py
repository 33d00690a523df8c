"""What was asked, bound to the policy; what it costs; what will run."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from fractions import Fraction

from deniable.core.event import Event
from deniable.core.expression import Expression
from deniable.core.loss import Loss
from deniable.core.query import ExactQuery, Source
from deniable.core.sensitivity import Neighbours
from deniable.mechanisms import Gaussian, Laplace, PartitionSelection
from deniable.planner.keys import GroupKey
from deniable.planner.statistics import Statistic


@dataclass(frozen=True, slots=True)
class Output:
    """A column of the answer: post-processing of keys and noisy statistics."""

    name: str
    value: Expression


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
    statistics: tuple[Statistic, ...]
    outputs: tuple[Output, ...]
    having: Expression | None
    order: tuple[Order, ...]
    limit: int | None
    offset: int

    @property
    def private_keys(self) -> bool:
        """Whether the keys must be selected privately."""
        return any(key.domain is None for key in self.keys)


@dataclass(frozen=True, slots=True)
class Noisy:
    """A statistic and its noise."""

    statistic: Statistic
    mechanism: Laplace | Gaussian

    def error(self, confidence: Fraction) -> float:
        """How far the noisy statistic stays from the exact one, in the answer's unit."""
        return float(self.mechanism.error(confidence) * self.statistic.worth)


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


@dataclass(frozen=True, slots=True)
class Quote:
    """The price before paying. Follows from public facts alone."""

    loss: Loss
    lines: tuple[Priced, ...]
    groups: int | None
    """How many rows the answer has before HAVING and LIMIT; None if only the data knows."""
    shown_from: int | None
    """For private keys: the number of units from which on a key is shown at least half of the time."""
    confidence: Fraction
    cautions: tuple[str, ...]
    """What the answer leaves out besides noise: bias, which no interval covers."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that is needed to answer, and nothing that depends on the data."""

    bound: Bound
    queries: tuple[ExactQuery, ...]
    noise: tuple[Noisy, ...]
    selection: PartitionSelection | None
    quote: Quote

    @property
    def events(self) -> tuple[Event, ...]:
        """For the ledger."""
        chosen = () if self.selection is None else (self.selection.event,)
        return (*(noisy.mechanism.event for noisy in self.noise), *chosen)

    @property
    def digest(self) -> str:
        """The same for every spelling of the same question: what runs, with which noise, on which groups."""
        keys = tuple((key.name, key.value, key.domain) for key in self.bound.keys)
        return hashlib.sha256(repr((self.queries, self.events, keys)).encode()).hexdigest()
