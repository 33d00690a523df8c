"""Skewness: a class in which a rare trait is no longer rare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
import pyarrow as pa

from deniable.attacks.attack import Attack
from deniable.attacks.classes import WEIGHT, PublishedClasses, distinct, matches
from deniable.attacks.defences.defence import BoolArray, FloatArray, IntArray
from deniable.attacks.defences.families import publishers
from deniable.attacks.defences.publishers.publisher import Publisher
from deniable.attacks.on_tables.guessing import beliefs_about, shared_columns
from deniable.attacks.outcome import Outcome, Scale, guesses_allowed
from deniable.attacks.picture import Graph, Mark, histogram
from deniable.attacks.population import SENSITIVE, population
from deniable.core.number import Number, probability, whole
from deniable.releases.syntactic.disclosure import worst_shares

_STATES = ("negative", "positive")


def worst_class(release: pa.Table, on: Sequence[str], sensitive: str, value: str) -> tuple[float, float]:
    """The largest share of a value in any class, and its share in the whole release.

    Example:
        >>> from deniable.attacks.textbook import FOUR_ANONYMOUS
        >>> worst_class(FOUR_ANONYMOUS, ("zip", "age"), "disease", "cancer")
        (1.0, 0.4166...)
    """
    classes = PublishedClasses.of(release, on, sensitive)
    if value not in classes.values:
        return 0.0, 0.0
    place = classes.values.index(value)
    return float(worst_shares(classes.pairs, len(classes.cells))[place]), float(classes.overall[place])


@dataclass(frozen=True, slots=True)
class Skewness(Attack[Publisher]):
    """Compares how frequent a rare trait is in a person's class with how frequent it is at all.

    Target:      an l-diverse table: two values in every class, and still one person in eight is infected where it is
                 one in fifty overall.
    Finds:       how sure the attacker becomes about people who do have the trait.
    Confidence:  the trait's share in the class; against noisy counts, the exact posterior by Bayes, from the known
                 size of the class, the known rate and the known noise.
    Cost:        one grouping, one join.
    Reference:   Li, Li, Venkatasubramanian 2007.

    Example:
        >>> outcome = Skewness(n=800).against_named("k-anonymous", 1, np.random.default_rng(1))
        >>> outcome.value > 5 * outcome.chance
        True
    """

    name: ClassVar[str] = "skewness"
    title: ClassVar[str] = "Rare everywhere, frequent in your class"
    lesson: ClassVar[str] = (
        "A class may hold every value and still say a lot: what counts is how far a belief moves. t-closeness bounds "
        "that for the reader of one table; differential privacy bounds it for everybody, and for all tables together."
    )
    victim: ClassVar[str] = "k-anonymous"

    n: int = 2000
    rate: float = 0.02

    def __post_init__(self) -> None:
        """Somebody infected, somebody not."""
        whole("n", self.n, least=2)
        probability("rate", self.rate)

    @staticmethod
    def defences(epsilon: Number) -> Mapping[str, Publisher]:
        """All that publish a table; the trait has two values."""
        return publishers(epsilon, _STATES)

    def against(self, defence: Publisher, chance: np.random.Generator) -> Outcome:
        """How sure the attacker is of each infected person, on average."""
        infected = chance.random(self.n) < self.rate
        infected[:2] = True, False  # both occur
        people = population(self.n, chance)
        place = people.column_names.index(SENSITIVE)
        people = people.set_column(place, SENSITIVE, pa.array(np.array(_STATES)[infected.astype(np.int64)]))
        release = defence.publish(people)
        sure = self._confidence(release, people, defence.promise)
        return Outcome(
            attack=self.name,
            defence=defence.name,
            measure="how sure the attacker is of an infected person, on average",
            right=float(sure[infected].sum()),
            trials=int(infected.sum()),
            chance=self.rate,
            epsilon=defence.promise,
            bound=guesses_allowed(defence.promise, str(self.rate)),
            sentence=f"{self.rate:.0%} are infected; the attacker is {sure[infected].mean():.1%} sure of those "
            f"who are, and at most {sure.max():.1%} sure of anybody.",
            pictures=(self._picture(sure, infected, defence),),
            scale=Scale.BELIEF,
        )

    def _confidence(self, release: pa.Table, people: pa.Table, epsilon: Fraction | None) -> FloatArray:
        """Of each person's infection."""
        if epsilon is not None:
            return self._posterior(release, people, float(epsilon))
        beliefs = beliefs_about(release, people)
        place = beliefs.values.index("positive")
        return np.asarray(beliefs.weights[:, place] / np.maximum(beliefs.rows, 1e-300))

    def _posterior(self, release: pa.Table, people: pa.Table, epsilon: float) -> FloatArray:
        """E[infected / size | both noisy counts] in each person's class: the size is known, infections are binomial.

        A row that is exchanged moves two counts by 1, so each count has noise of scale 2 / epsilon.
        """
        on = shared_columns(release, people)
        code, cells = distinct(people, on)
        of_rows, release_cells = distinct(release, on)
        person, fitting = matches(cells, release_cells)
        first = np.zeros(len(cells), dtype=np.int64)
        first[person[::-1]] = fitting[::-1]
        klass = first[code]
        noisy = np.zeros((len(release_cells), 2))
        state = (release[SENSITIVE].to_numpy(zero_copy_only=False) == "positive").astype(np.int64)
        noisy[of_rows, state] = release[WEIGHT].to_numpy()
        sizes = np.bincount(klass, minlength=len(release_cells))
        count = np.arange(sizes.max() + 1)
        prior = _log_chances(count, sizes[:, None], self.rate)
        distance = np.abs(noisy[:, 1:] - count) + np.abs(noisy[:, :1] - (sizes[:, None] - count))
        log = prior - distance * epsilon / 2
        weights = np.exp(log - log.max(axis=1, keepdims=True))
        mean = (weights * count).sum(axis=1) / weights.sum(axis=1)
        return np.asarray((mean / np.maximum(sizes, 1))[klass])

    def _picture(self, sure: FloatArray, infected: BoolArray, defence: Publisher) -> Graph:
        """How sure the attacker is of those who are infected, and of those who are not."""
        edges = np.linspace(0, 1, 26)
        bound = guesses_allowed(defence.promise, str(self.rate))
        marks = [Mark(self.rate, "rate overall", upright=True)]
        return Graph(
            f"How sure the attacker is of a person's infection, after: {defence.says}",
            "confidence",
            "share of people",
            (histogram("infected", sure[infected], edges), histogram("not infected", sure[~infected], edges)),
            (*marks, *([Mark(bound, "allowed", upright=True)] if bound is not None else [])),
        )


def _log_chances(count: IntArray, of: IntArray, rate: float) -> FloatArray:
    """The logarithm of the chance that so many of those have the trait; minus infinity where there are not so many."""
    factorials = np.concatenate([np.zeros(1), np.cumsum(np.log(np.arange(1, int(of.max()) + 1)))])
    others = np.maximum(of - count, 0)
    ways = factorials[of] - factorials[count] - factorials[others]
    return np.asarray(np.where(count <= of, ways + count * np.log(rate) + others * np.log1p(-rate), -np.inf))
