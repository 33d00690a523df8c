"""What was asked, bound to the policy."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod

from deniable.core.algebra.expression import Expression, Kind, names
from deniable.core.algebra.query import Source
from deniable.core.sensitivity import Neighbours
from deniable.planner.aggregates.statistics import Base
from deniable.planner.expressions.keys import GroupKey


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
class OrderTerm:
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
    order: tuple[OrderTerm, ...]
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
    alone: bool = False
    """Whether rows of a public table come first, also those that no private row belongs to."""

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
