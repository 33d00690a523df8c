"""Composition: two anonymous tables about the same person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from deniable.attacks.attack import AttackOnTables
from deniable.attacks.cells import overlap
from deniable.attacks.classes import PublishedClasses, matches
from deniable.attacks.defences.defence import FloatArray
from deniable.attacks.defences.publishers.k_anonymous import KAnonymous
from deniable.attacks.defences.publishers.publisher import Publisher
from deniable.attacks.on_tables.guessing import Beliefs, beliefs_about
from deniable.attacks.outcome import Outcome
from deniable.attacks.picture import Picture
from deniable.attacks.population import PRIOR, population
from deniable.attacks.textbook import HOSPITAL_A, HOSPITAL_B, sheet
from deniable.core.errors import InvalidArgumentError
from deniable.releases.syntactic.disclosure import left_by_both
from deniable.releases.syntactic.search.classes import ClassValues


@dataclass(frozen=True, slots=True)
class Intersection:
    """What two releases leave open together, for people (or for pairs of classes that somebody may be in)."""

    values: tuple[str, ...]
    first: FloatArray
    second: FloatArray
    """The weight of each value in either release."""

    @property
    def left(self) -> NDArray[np.int64]:
        """How many values are possible in both."""
        every = np.arange(len(self.first))
        return left_by_both(ClassValues.weighed(self.first), ClassValues.weighed(self.second), every, every)

    def value(self, person: int) -> str:
        """The likeliest value that is left."""
        return self.values[int((self.first[person] * self.second[person]).argmax())]


def compose(
    one: pa.Table, other: pa.Table, on: Sequence[str], sensitive: str, people: pa.Table | None = None
) -> Intersection:
    """Intersect two releases: for listed people who are in both, or for all pairs of classes that overlap.

    Example:
        >>> alice = pa.table({"zip": ["13012"], "age": ["28"]})
        >>> found = compose(HOSPITAL_A, HOSPITAL_B, ("zip", "age"), "disease", alice)
        >>> found.left.tolist(), found.value(0)
        ([1], 'AIDS')
    """
    first, second = PublishedClasses.of(one, on, sensitive), PublishedClasses.of(other, on, sensitive)
    values = tuple(sorted({*first.values, *second.values}))
    if people is not None:
        return Intersection(values, *(_aligned(each.values, each.beliefs(people), values) for each in (first, second)))
    one_class, other_class = matches(first.cells, second.cells, overlap)
    if not one_class.size:
        raise InvalidArgumentError("releases", "have no classes that overlap: nobody can be in both")
    one, other = (_aligned(each.values, each.weights, values) for each in (first, second))
    return Intersection(values, one[one_class], other[other_class])


def _aligned(own: Sequence[str], weights: FloatArray, values: Sequence[str]) -> FloatArray:
    """The weights of a release's own values, in the order of the values of both."""
    aligned = np.zeros((weights.shape[0], len(values)))
    aligned[:, [values.index(value) for value in own]] = weights
    return aligned


@dataclass(frozen=True, slots=True)
class Composition(AttackOnTables):
    """Finds a person's class in the releases of two hospitals, and keeps the diseases that are in both.

    Target:      releases that are anonymous each for itself, made by people who never talked to each other.
    Finds:       the disease of whoever was in both hospitals.
    Confidence:  certain where one disease is left.
    Cost:        two joins.
    Reference:   Ganta, Kasiviswanathan, Smith 2008.

    Example:
        >>> Composition(n=600).against_named("k-anonymous", 1, np.random.default_rng(1)).value > 0.5
        True
    """

    name: ClassVar[str] = "composition"
    title: ClassVar[str] = "Two hospitals, both anonymous"
    lesson: ClassVar[str] = (
        "Nobody publishes alone. k-anonymity, l-diversity and t-closeness say nothing about two tables together. "
        "Losses of differential privacy add up: two tables of epsilon are 2 epsilon, and never more."
    )
    victim: ClassVar[str] = "k-anonymous"

    n: int = 1000
    shared: float = 0.3
    """The share of each hospital's patients who were in the other as well."""

    def __post_init__(self) -> None:
        """Somebody must be in both."""
        if not 0 < self.shared <= 1:
            raise InvalidArgumentError("shared", f"must be above 0 and at most 1, not {self.shared}")

    def against(self, defence: Publisher, chance: np.random.Generator) -> Outcome:
        """Neither hospital knows of the other, nor of the other's patients."""
        both = population(max(1, round(self.shared * self.n)), chance)
        alone = [population(max(1, self.n - both.num_rows), chance) for _ in range(2)]
        seen = [beliefs_about(defence.publish(pa.concat_tables([both, own])), both) for own in alone]
        values = tuple(sorted({value for beliefs in seen for value in beliefs.values}))
        first, second = (_aligned(beliefs.values, beliefs.weights, values) for beliefs in seen)
        together = Beliefs(values, first * second, values.index(seen[0].values[seen[0].common]))
        right = together.right(both)
        return self.guessed(
            defence,
            measure="diseases of people in both hospitals guessed right",
            right=right,
            trials=both.num_rows,
            prior=PRIOR,
            tables=2,
            sentence=f"{right} of {both.num_rows} diseases are right; for {together.certain} people only one is left.",
            pictures=(*_textbook(defence), together.picture(f"two tables, {defence.says}")),
        )


def _textbook(defence: Publisher) -> tuple[Picture, ...]:
    """Alice, 28, from 13012, was in both."""
    if not isinstance(defence, KAnonymous):
        return ()
    return (
        sheet(HOSPITAL_A, "Alice, 28, from 13012: the first hospital's 4-anonymous table", frozenset({(0, 3)})),
        sheet(HOSPITAL_B, "Alice, 28, from 13012: the second hospital's 6-anonymous table", frozenset({(0, 3)})),
    )
