"""What a class has to be: k-anonymous, l-diverse. Closeness is next door.

A model judges classes, and says for each one that fails how many of its rows *every* refinement must suppress. That
number is what makes the search for the optimum fast where nothing is monotone:

Theorem (what must be suppressed). Let C be a class of a node, and let a finer node part C into classes C_1, ..., C_j.
(a) If the model is closed under adding rows (size, distinct values) and C fails, every C_i fails: all of C is
    suppressed.
(b) If the model is g(C) <= 0 for a function g of the counts of sensitive values that is convex and homogeneous, and
    g(C) <= G |C| always, then at least g(C) / G rows of C are suppressed.
Proof of (b). Such a g is subadditive: g(C) <= sum g(C_i) <= sum over failing i of g(C_i) <= G * (rows in failing C_i).

- Entropy: g = n (log l - H), since n H is concave (log sum inequality); G = log l.
- Recursive (c, l): g = r_1 - c (r_l + ... + r_m), since sums of the largest counts are convex; G = 1.
- t-closeness: g = n (EMD - t), since EMD is convex in its first argument; G = (largest EMD of a single value) - t.

Without suppression this is the classic monotonicity of each model (Machanavajjhala et al. 2007; Li, Li,
Venkatasubramanian 2007). Also by subadditivity, classes that meet a model meet it when they are merged.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from math import log

import numpy as np

from deniable.core.errors import InvalidArgumentError
from deniable.core.number import Number, positive, whole
from deniable.releases.syntactic.search.cells import Sensitive
from deniable.releases.syntactic.search.classes import ClassValues, EquivalenceClasses
from deniable.releases.syntactic.search.grouping import BoolArray, FloatArray, IntArray, added

SLACK = 1e-9
"""Logarithms and distances are doubles: a class that misses its bound by less than this meets it. Declared, tested."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a model says of classes."""

    fails: BoolArray
    least: FloatArray
    """For each class: how many of its rows every refinement must suppress, at least."""


class FittedModel(ABC):
    """A model that knows its table: it can judge."""

    @abstractmethod
    def judge(self, classes: EquivalenceClasses) -> Verdict:
        """Which classes fail, and what that means for finer ones."""


class PrivacyModel(ABC):
    """A demand on the sensitive values of every class."""

    @abstractmethod
    def bound(self, column: int, sensitive: Sensitive) -> FittedModel:
        """The model for one sensitive column, with its distribution over the whole table."""


@dataclass(frozen=True, slots=True)
class Size(FittedModel):
    """k-anonymity: every class has at least k rows (Samarati, Sweeney 1998)."""

    k: int

    def judge(self, classes: EquivalenceClasses) -> Verdict:
        """Closed under adding rows."""
        return _closed(classes.sizes < self.k, classes)


@dataclass(frozen=True, slots=True)
class Distinct(PrivacyModel):
    """Distinct l-diversity: every class has at least l sensitive values (Machanavajjhala et al. 2007)."""

    l: int

    def __post_init__(self) -> None:
        """A whole number from 1."""
        object.__setattr__(self, "l", whole("l", self.l))

    def bound(self, column: int, sensitive: Sensitive) -> FittedModel:
        """Counts values; the table's distribution does not matter."""
        _enough("l", self.l, sensitive)
        return _Distinct(column, self.l)

    def __str__(self) -> str:
        """As it is spoken."""
        return f"distinct {self.l}-diversity"


@dataclass(frozen=True, slots=True)
class Entropy(PrivacyModel):
    """Entropy l-diversity: the entropy of the sensitive values of every class is at least log l (same)."""

    l: int

    def __post_init__(self) -> None:
        """A whole number from 1."""
        object.__setattr__(self, "l", whole("l", self.l))

    def bound(self, column: int, sensitive: Sensitive) -> FittedModel:
        """No class has more entropy than it has values."""
        _enough("l", self.l, sensitive)
        return _Entropy(column, self.l)

    def __str__(self) -> str:
        """As it is spoken."""
        return f"entropy {self.l}-diversity"


@dataclass(frozen=True, slots=True)
class Recursive(PrivacyModel):
    """Recursive (c, l)-diversity: r_1 < c (r_l + ... + r_m), where r_i is the i-th largest count (same)."""

    l: int
    c: Fraction

    def __init__(self, l: int, c: Number) -> None:
        object.__setattr__(self, "l", whole("l", l))
        object.__setattr__(self, "c", positive("c", c))
        if self.c.limit_denominator(10**6) != self.c:
            raise InvalidArgumentError("c", f"must be a number of at most six decimals, not {c}")

    def bound(self, column: int, sensitive: Sensitive) -> FittedModel:
        """Compares whole numbers, exactly."""
        _enough("l", self.l, sensitive)
        return _Recursive(column, self.l, self.c)

    def __str__(self) -> str:
        """As it is spoken."""
        return f"recursive ({float(self.c):g}, {self.l})-diversity"


@dataclass(frozen=True, slots=True)
class _Distinct(FittedModel):
    column: int
    l: int

    def judge(self, classes: EquivalenceClasses) -> Verdict:
        """Closed under adding rows."""
        return _closed(distinct_of(classes.pairs[self.column], classes.number) < self.l, classes)


@dataclass(frozen=True, slots=True)
class _Entropy(FittedModel):
    column: int
    l: int

    def judge(self, classes: EquivalenceClasses) -> Verdict:
        """Fewer than l values never reach log l, whatever is left out; otherwise the theorem's (b)."""
        pairs = classes.pairs[self.column]
        missing = log(self.l) - entropy_of(pairs, classes)
        few = distinct_of(pairs, classes.number) < self.l
        least = classes.sizes * np.maximum(missing - 2 * SLACK, 0) / max(log(self.l), SLACK)
        return Verdict(few | (missing > SLACK), np.where(few, classes.sizes, least))


@dataclass(frozen=True, slots=True)
class _Recursive(FittedModel):
    column: int
    l: int
    c: Fraction

    def judge(self, classes: EquivalenceClasses) -> Verdict:
        """With fewer than l values nothing stands on the right; otherwise the theorem's (b)."""
        most, rest = recursive_of(classes.pairs[self.column], classes.number, self.l)
        fails = most * self.c.denominator >= rest * self.c.numerator
        least = np.maximum(most - float(self.c) * rest, 0)
        return Verdict(fails, np.where(rest == 0, classes.sizes, least))


def distinct_of(pairs: ClassValues, classes: int) -> IntArray:
    """How many values each class has."""
    return np.bincount(pairs.of, minlength=classes)


def entropy_of(pairs: ClassValues, classes: EquivalenceClasses) -> FloatArray:
    """The entropy of the values of each class, in nats."""
    weighed = np.bincount(pairs.of, pairs.count * np.log(pairs.count), classes.number)
    return np.log(classes.sizes) - weighed / classes.sizes


def recursive_of(pairs: ClassValues, classes: int, l: int) -> tuple[IntArray, IntArray]:
    """The largest count of each class, and the sum of its l-th largest and all smaller ones."""
    order = np.lexsort((-pairs.count, pairs.of))
    count, starts = pairs.count[order], pairs.starts(classes)
    rank = np.arange(len(order)) - starts[pairs.of]
    rest = added(pairs.of, np.where(rank >= l - 1, count, 0), classes)
    return count[starts], rest


def _closed(fails: BoolArray, classes: EquivalenceClasses) -> Verdict:
    return Verdict(fails, np.where(fails, classes.sizes, 0).astype(float))


def _enough(name: str, l: int, sensitive: Sensitive) -> None:
    if l > len(sensitive.values):
        raise InvalidArgumentError(
            name, f"is {l}, but {sensitive.name!r} has only {len(sensitive.values)} values in the whole table"
        )
