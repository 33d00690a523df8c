"""Homogeneity: hidden among four who all have the same disease."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from deniable.attacks.attack import AttackOnTables
from deniable.attacks.classes import PublishedClasses
from deniable.attacks.defences.publishers.k_anonymous import KAnonymous
from deniable.attacks.defences.publishers.l_diverse import LDiverse
from deniable.attacks.defences.publishers.publisher import Publisher
from deniable.attacks.on_tables.guessing import beliefs_about
from deniable.attacks.outcome import Outcome
from deniable.attacks.picture import Picture
from deniable.attacks.population import PRIOR, population
from deniable.attacks.textbook import CATEGORIES, FOUR_ANONYMOUS, ON, SENSITIVE, THREE_DIVERSE, sheet


def exposed_rows(
    release: pa.Table, on: Sequence[str], sensitive: str, categories: Mapping[str, str] | None = None
) -> NDArray[np.bool_]:
    """For each row, whether everybody in its class has the same sensitive value, or the same category of it.

    Example:
        >>> int(exposed_rows(FOUR_ANONYMOUS, ON, SENSITIVE).sum())
        4
        >>> diverse = exposed_rows(THREE_DIVERSE, ("zip", "age"), "disease")
        >>> similar = exposed_rows(THREE_DIVERSE, ("zip", "age"), "disease", CATEGORIES)
        >>> int(diverse.sum()), int(similar.sum())
        (0, 3)
    """
    if categories is not None:
        place = release.column_names.index(sensitive)
        named = [categories.get(value, value) for value in release[sensitive].to_pylist()]
        release = release.set_column(place, sensitive, pa.array(named))
    classes = PublishedClasses.of(release, on, sensitive)
    return np.asarray((classes.values_left == 1)[classes.row])


@dataclass(frozen=True, slots=True)
class Homogeneity(AttackOnTables):
    """Finds a person's class in the release, and reads what its rows have in common.

    Target:      a k-anonymous table. With categories of values (gastritis and ulcer are stomach diseases), an
                 l-diverse one too.
    Finds:       the sensitive value of people in classes where it is the same for all, or mostly.
    Confidence:  certain where only one value is left; else its share in the class.
    Cost:        one grouping, one join.
    Reference:   Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam 2007; Li, Li, Venkatasubramanian 2007 (similarity).

    Example:
        >>> Homogeneity(n=400).against_named("k-anonymous", 1, np.random.default_rng(1)).value > 0.3
        True
    """

    name: ClassVar[str] = "homogeneity"
    title: ClassVar[str] = "Hidden among four with the same disease"
    lesson: ClassVar[str] = (
        "k-anonymity hides which row is Bob's. Nobody needs to know: if all four rows say cancer, so does Bob's. It is "
        "a property of the table, and not of what is learned from it."
    )
    victim: ClassVar[str] = "k-anonymous"

    n: int = 1000

    def against(self, defence: Publisher, chance: np.random.Generator) -> Outcome:
        """The most frequent disease of the class, for everybody."""
        people = population(self.n, chance)
        beliefs = beliefs_about(defence.publish(people), people)
        right = beliefs.right(people)
        return self.guessed(
            defence,
            measure="diseases guessed right from the class",
            right=right,
            trials=self.n,
            prior=PRIOR,
            sentence=f"{right} of {self.n} diseases are right; for {beliefs.certain} people only one is left.",
            pictures=(*_textbook(defence), beliefs.picture(defence.says)),
        )


def _textbook(defence: Publisher) -> tuple[Picture, ...]:
    """The tables on which it was first shown."""
    if isinstance(defence, KAnonymous):
        rows = np.flatnonzero(exposed_rows(FOUR_ANONYMOUS, ON, SENSITIVE)).tolist()
        title = "Bob, 31, from 13053, is in this 4-anonymous table"
        return (sheet(FOUR_ANONYMOUS, title, frozenset((row, 3) for row in rows)),)
    if isinstance(defence, LDiverse):
        rows = np.flatnonzero(exposed_rows(THREE_DIVERSE, ("zip", "age"), "disease", CATEGORIES)).tolist()
        title = "Somebody of 27, from 47678, is in this 3-diverse table: a stomach disease, and a low salary"
        return (sheet(THREE_DIVERSE, title, frozenset((row, column) for row in rows for column in (2, 3))),)
    return ()
