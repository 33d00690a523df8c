"""Uniqueness: how many people a few harmless columns name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from deniable.attacks.attack import AttackOnTables
from deniable.attacks.classes import PublishedClasses, distinct, require
from deniable.attacks.defences.publishers.publisher import Publisher
from deniable.attacks.on_tables.guessing import shared_columns
from deniable.attacks.outcome import Outcome
from deniable.attacks.picture import Bars
from deniable.attacks.population import SENSITIVE, population


def group_sizes(table: pa.Table, on: Sequence[str]) -> NDArray[np.int64]:
    """For each row, how many rows look like it in these columns.

    Example:
        >>> group_sizes(pa.table({"zip": ["1", "1", "2"], "sex": ["F", "F", "M"]}), ["zip", "sex"]).tolist()
        [2, 2, 1]
    """
    require(table, on, "table")
    codes, _ = distinct(table, on)
    return np.bincount(codes)[codes].astype(np.int64)


@dataclass(frozen=True, slots=True)
class Uniqueness(AttackOnTables):
    """Counts the people who are the only one with their zip code, date of birth and sex.

    Target:      a table that still has the columns that a public list has.
    Finds:       people who are alone in it, and so can be named by whoever knows these columns.
    Confidence:  certain, if the table is of the whole population.
    Cost:        one grouping for each set of columns.
    Reference:   Sweeney 2000 (87% of the United States, from the census of 1990); Golle 2006 (63%, 2000).

    Example:
        >>> Uniqueness(n=2000).against_named("k-anonymous", 1, np.random.default_rng(1)).value
        0.0
    """

    name: ClassVar[str] = "uniqueness"
    title: ClassVar[str] = "A birthday, a zip code and a sex are a name"
    lesson: ClassVar[str] = (
        "Each column alone says little. Together they say who it is, for most people. Anonymous is not a property of "
        "a column."
    )
    victim: ClassVar[str] = "deidentified"

    n: int = 50_000

    def against(self, defence: Publisher, chance: np.random.Generator) -> Outcome:
        """A person counts if just one row can be theirs, and nobody else fits that row."""
        people = population(self.n, chance)
        release = defence.publish(people)
        told_by = {"age"} if "birth" in release.column_names else set()  # a birth says the age
        on = [column for column in shared_columns(release, people) if column not in told_by]
        rows = PublishedClasses.of(release, on, SENSITIVE).rows_each(people)
        alone = int(((rows == 1) & (group_sizes(people, on) == 1)).sum())
        return Outcome(
            attack=self.name,
            defence=defence.name,
            measure="people who are alone with their zip code, birth and sex",
            right=alone,
            trials=self.n,
            chance=1 / self.n,
            epsilon=defence.promise,
            bound=None,
            sentence=f"{alone:,} of {self.n:,} people are the only one who fits their row.",
            pictures=(_picture(release, on, defence.says),),
        )


def _picture(release: pa.Table, on: Sequence[str], says: str) -> Bars:
    """For every set of columns, the share of rows that are alone."""
    sets = [chosen for size in range(1, len(on) + 1) for chosen in combinations(on, size)]
    bars = tuple((" + ".join(chosen), float((group_sizes(release, chosen) == 1).mean())) for chosen in sets)
    return Bars(f"Rows that are alone with their columns, after: {says}", "share of rows", bars)
