"""Guessing everybody's disease from a release: what attacks on tables have in common."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from deniable.attacks.classes import FloatArray, PublishedClasses
from deniable.attacks.picture import Bars
from deniable.attacks.population import SENSITIVE


def shared_columns(release: pa.Table, people: pa.Table) -> list[str]:
    """What a release shows that a public list has too."""
    return [name for name in release.column_names if name in people.column_names and name != SENSITIVE]


def beliefs_about(release: pa.Table, people: pa.Table) -> tuple[PublishedClasses, FloatArray]:
    """The release's classes, and how much weight each disease has among the rows that can be each person's."""
    classes = PublishedClasses.of(release, shared_columns(release, people), SENSITIVE)
    return classes, classes.beliefs(people.drop_columns([SENSITIVE]))


def right_guesses(classes: PublishedClasses, beliefs: FloatArray, people: pa.Table) -> int:
    """How many of the likeliest values are true. Only here is the truth looked at."""
    guesses = np.array(classes.values)[classes.guess(beliefs)]
    return int((guesses == people[SENSITIVE].to_numpy(zero_copy_only=False)).sum())


def certain(beliefs: FloatArray) -> int:
    """For how many people only one value is left."""
    return int(((beliefs > 0).sum(axis=1) == 1).sum())


def values_left(beliefs: FloatArray, says: str) -> Bars:
    """For how many people one, two, three or more values are possible."""
    left = (beliefs > 0).sum(axis=1)
    bars = [(f"{number} left", float((left == number).mean())) for number in (1, 2, 3)]
    more = ("more", float((left > 3).mean()))  # noqa: PLR2004 - the rest
    return Bars(f"How many diseases are possible for a person, after: {says}", "share of people", (*bars, more))
