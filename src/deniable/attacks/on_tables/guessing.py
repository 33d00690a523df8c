"""Guessing everybody's disease from a release: what attacks on tables have in common."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from deniable.attacks.classes import PublishedClasses
from deniable.attacks.defences.defence import FloatArray, IntArray
from deniable.attacks.picture import Bars
from deniable.attacks.population import SENSITIVE
from deniable.releases.syntactic.disclosure import values_left
from deniable.releases.syntactic.search.classes import ClassValues


@dataclass(frozen=True, slots=True)
class Beliefs:
    """What a reader of a release knows about each person."""

    values: tuple[str, ...]
    weights: FloatArray
    """For each person, how much each value weighs among the rows that can be theirs."""
    common: int
    """The most frequent value of the release: the guess for whoever fits nothing."""

    @property
    def rows(self) -> FloatArray:
        """How many rows can be each person's."""
        return np.asarray(self.weights.sum(axis=1))

    @property
    def left(self) -> IntArray:
        """How many values are possible for each person."""
        return values_left(ClassValues.weighed(self.weights), len(self.weights))

    @property
    def certain(self) -> int:
        """For how many people only one value is left."""
        return int((self.left == 1).sum())

    def weighed(self, weights: FloatArray) -> Beliefs:
        """After something else was learned."""
        return replace(self, weights=weights)

    def right(self, people: pa.Table) -> int:
        """How many of the likeliest values are true. Only here is the truth looked at."""
        known = self.rows > 0
        guesses = np.array(self.values)[np.where(known, self.weights.argmax(axis=1), self.common)]
        return int((guesses == people[SENSITIVE].to_numpy(zero_copy_only=False)).sum())

    def picture(self, says: str) -> Bars:
        """For how many people one, two, three or more values are possible."""
        left = self.left
        bars = [(f"{number} left", float((left == number).mean())) for number in (1, 2, 3)]
        more = ("more", float((left > 3).mean()))  # noqa: PLR2004 - the rest
        return Bars(f"How many diseases are possible for a person, after: {says}", "share of people", (*bars, more))


def shared_columns(release: pa.Table, people: pa.Table) -> list[str]:
    """What a release shows that a public list has too."""
    return [name for name in release.column_names if name in people.column_names and name != SENSITIVE]


def beliefs_about(release: pa.Table, people: pa.Table) -> Beliefs:
    """How much weight each disease has among the rows that can be each person's."""
    classes = PublishedClasses.of(release, shared_columns(release, people), SENSITIVE)
    weights = classes.beliefs(people.drop_columns([SENSITIVE]))
    return Beliefs(classes.values, weights, int(classes.overall.argmax()))
