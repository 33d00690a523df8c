"""Composition: two anonymous tables about the same person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from deniable.attacks.attack import Attack
from deniable.attacks.cells import overlap
from deniable.attacks.classes import FloatArray, PublishedClasses, matches
from deniable.attacks.defences.families import publishers
from deniable.attacks.defences.publishers.k_anonymous import KAnonymous
from deniable.attacks.defences.publishers.publisher import Publisher
from deniable.attacks.on_tables.guessing import beliefs_about, certain, right_guesses, values_left
from deniable.attacks.outcome import Outcome, guesses_allowed
from deniable.attacks.picture import Picture
from deniable.attacks.population import DISEASES, population
from deniable.attacks.textbook import HOSPITAL_A, HOSPITAL_B, sheet
from deniable.core.errors import InvalidArgumentError
from deniable.core.number import Number


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
        return np.asarray(((self.first > 0) & (self.second > 0)).sum(axis=1), dtype=np.int64)

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
    weights = [_aligned(classes, values) for classes in (first, second)]
    if people is not None:
        seen = [classes.beliefs(people) for classes in (first, second)]
        return Intersection(values, *(_aligned(c, values, b) for c, b in zip((first, second), seen, strict=True)))
    pairs = matches(first.cells, second.cells, overlap).tocoo()
    if not pairs.nnz:
        raise InvalidArgumentError("releases", "have no classes that overlap: nobody can be in both")
    return Intersection(values, weights[0][pairs.row], weights[1][pairs.col])


def _aligned(classes: PublishedClasses, values: Sequence[str], weights: FloatArray | None = None) -> FloatArray:
    """The weights of a release, in the order of the values of both."""
    own = classes.weights if weights is None else weights
    aligned = np.zeros((own.shape[0], len(values)))
    aligned[:, [values.index(value) for value in classes.values]] = own
    return aligned


@dataclass(frozen=True, slots=True)
class Composition(Attack[Publisher]):
    """Finds a person's class in the releases of two hospitals, and keeps the diseases that are in both.

    Target:      releases that are anonymous each for itself, made by people who never talked to each other.
    Finds:       the disease of whoever was in both hospitals.
    Confidence:  certain where one disease is left.
    Cost:        two joins.
    Reference:   Ganta, Kasiviswanathan, Smith 2008.

    Example:
        >>> Composition(n=600).against_named("k-anonymous", 1, np.random.default_rng(1)).value > 0.7
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

    @staticmethod
    def defences(epsilon: Number) -> Mapping[str, Publisher]:
        """All that publish a table."""
        return publishers(epsilon)

    def against(self, defence: Publisher, chance: np.random.Generator) -> Outcome:
        """The hospitals sort their patients differently, as two hospitals would."""
        both = population(max(1, round(self.shared * self.n)), chance)
        alone = [population(max(1, self.n - both.num_rows), chance) for _ in range(2)]
        seen = [
            beliefs_about(defence.publish(pa.concat_tables([both, own]), order), both)
            for own, order in zip(alone, (("zip", "age", "sex"), ("age", "sex", "zip")), strict=True)
        ]
        values = tuple(sorted({value for classes, _ in seen for value in classes.values}))
        first, second = (_aligned(classes, values, beliefs) for classes, beliefs in seen)
        product = first * second
        joint = PublishedClasses((), (), values, first, np.zeros(0, dtype=np.int64))
        right = right_guesses(joint, product, both)
        twice = None if defence.promise is None else 2 * defence.promise
        bound = guesses_allowed(twice, f"1/{len(DISEASES)}")
        return Outcome(
            attack=self.name,
            defence=defence.name,
            measure="diseases of people in both hospitals guessed right",
            value=right / both.num_rows,
            chance=1 / len(DISEASES),
            trials=both.num_rows,
            epsilon=twice,
            bound=bound,
            sentence=f"{right} of {both.num_rows} diseases are right; for {certain(product)} people only one is left.",
            pictures=(*_textbook(defence), values_left(product, f"two tables, {defence.says}")),
        )


def _textbook(defence: Publisher) -> tuple[Picture, ...]:
    """Alice, 28, from 13012, was in both."""
    if not isinstance(defence, KAnonymous):
        return ()
    return (
        sheet(HOSPITAL_A, "Alice, 28, from 13012: the first hospital's 4-anonymous table", frozenset({(0, 3)})),
        sheet(HOSPITAL_B, "Alice, 28, from 13012: the second hospital's 6-anonymous table", frozenset({(0, 3)})),
    )
