"""Linkage: a public list with names, joined to a table without."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa

from deniable.attacks.attack import AttackOnTables
from deniable.attacks.classes import PublishedClasses
from deniable.attacks.defences.defence import BoolArray, FloatArray
from deniable.attacks.defences.publishers.publisher import Publisher
from deniable.attacks.on_tables.guessing import beliefs_about
from deniable.attacks.outcome import Outcome
from deniable.attacks.picture import Bars
from deniable.attacks.population import PRIOR, population


@dataclass(frozen=True, slots=True)
class Links:
    """What a join of a public list with a release tells about each listed person."""

    rows: FloatArray
    """How many rows can be theirs."""
    values: tuple[str, ...]
    beliefs: FloatArray
    """The weight of each sensitive value among those rows."""
    overall: FloatArray
    """The share of each value in the whole release."""

    @property
    def most_common(self) -> tuple[str, float]:
        """What to guess without looking for anybody, and how often that is right."""
        place = int(self.overall.argmax())
        return self.values[place], float(self.overall[place])

    @property
    def expected(self) -> float:
        """How often the likeliest value of each person is right, on average; the most common, where no row fits."""
        shares = self.beliefs.max(axis=1) / np.maximum(self.rows, 1e-300)
        return float(np.where(self.rows > 0, shares, self.most_common[1]).mean())

    @property
    def identified(self) -> BoolArray:
        """Whether just one row can be theirs."""
        return np.asarray(self.rows == 1)

    @property
    def exposed(self) -> BoolArray:
        """Whether just one sensitive value can be theirs."""
        return np.asarray((self.beliefs > 0).sum(axis=1) == 1)

    def value(self, person: int) -> str:
        """The likeliest value of one person."""
        return self.values[int(self.beliefs[person].argmax())]


def link(release: pa.Table, public: pa.Table, on: Sequence[str], sensitive: str) -> Links:
    """Join by the columns `on`, whose cells in the release may be generalised.

    Example:
        >>> from deniable.attacks.textbook import FOUR_ANONYMOUS
        >>> voters = pa.table({"name": ["Bob"], "zip": ["13053"], "age": ["31"]})
        >>> found = link(FOUR_ANONYMOUS, voters, ["zip", "age"], "disease")
        >>> found.rows.tolist(), bool(found.exposed[0]), found.value(0)
        ([4.0], True, 'cancer')
    """
    classes = PublishedClasses.of(release, on, sensitive)
    beliefs = classes.beliefs(public)
    return Links(beliefs.sum(axis=1), classes.values, beliefs, classes.overall)


@dataclass(frozen=True, slots=True)
class Linkage(AttackOnTables):
    """Joins a voters' list to the release by zip code, date of birth, age and sex.

    Target:      a table whose names were taken away, or generalised.
    Finds:       everybody's disease.
    Confidence:  certain where one row fits; else the most frequent value among the rows that fit.
    Cost:        a join: sorting for columns that were left as they are, a table of distinct cells for the others.
    Reference:   Sweeney 2002 (the governor of Massachusetts); Barbaro, Zeller 2006 (AOL, 650,000 users);
                 Narayanan, Shmatikov 2008 (Netflix).

    Example:
        >>> Linkage(n=300).against_named("deidentified", 1, np.random.default_rng(1)).value > 0.99
        True
    """

    name: ClassVar[str] = "linkage"
    title: ClassVar[str] = "The names are in another list"
    lesson: ClassVar[str] = (
        "There is no list of columns that name people and columns that do not. Whatever is public somewhere, now or "
        "later, can be joined."
    )
    victim: ClassVar[str] = "deidentified"

    n: int = 1000

    def against(self, defence: Publisher, chance: np.random.Generator) -> Outcome:
        """Everybody is on the voters' list and in the release."""
        people = population(self.n, chance)
        beliefs = beliefs_about(defence.publish(people), people)
        right, alone = beliefs.right(people), int((beliefs.rows == 1).sum())
        return self.guessed(
            defence,
            measure="diseases of named people guessed right",
            right=right,
            trials=self.n,
            prior=PRIOR,
            sentence=f"{right} of {self.n} diseases are right; for {alone} people just one row fits.",
            pictures=(_rows_that_fit(beliefs.rows, defence.says), beliefs.picture(defence.says)),
        )


def _rows_that_fit(rows: FloatArray, says: str) -> Bars:
    """How many rows of the release can be a person's."""
    edges = ((0, 1, "none"), (1, 2, "1"), (2, 5, "2 to 4"), (5, 20, "5 to 19"), (20, np.inf, "20 or more"))
    bars = tuple((label, float(((rows >= low) & (rows < high)).mean())) for low, high, label in edges)
    return Bars(f"Rows that can be a named person's, after: {says}", "share of people", bars)
