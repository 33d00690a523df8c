"""Membership inference from released means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from deniable.attacks.defences.defence import BoolArray, FloatArray, Guard, QuestionKind, Questions, SecretTable
from deniable.attacks.defences.families import guards
from deniable.attacks.on_models.candidates import AttackOnMembership
from deniable.attacks.outcome import Outcome, advantage_allowed
from deniable.attacks.picture import Graph, Mark, two_histograms
from deniable.core.number import Number, whole

PAID = 100
"""Columns where answers are paid for: fewer questions, each with less noise."""


def scores(people: FloatArray, means: FloatArray, frequencies: FloatArray) -> FloatArray:
    """How much each person points the way in which the released means differ from the population's frequencies.

    The inner product of (person - frequencies) with (means - frequencies): 0 on average for whoever is not in the
    data; for a member of n people, the sum of the columns' variances divided by n (Dwork, Smith, Steinke, Ullman,
    Vadhan 2015).

    Example:
        >>> scores(np.array([[1.0, 1.0], [0.0, 0.0]]), np.array([0.6, 0.7]), np.array([0.5, 0.5])).round(2).tolist()
        [0.15, -0.15]
    """
    return np.asarray((people - frequencies) @ (means - frequencies))


@dataclass(frozen=True, slots=True)
class Membership(AttackOnMembership[Guard]):
    """Tells from the means of many columns who was in the group that they are means of.

    Target:      means of d columns over n people, with d well above n: allele frequencies of a patient group.
    Finds:       for each candidate, in or out; half of the candidates are in.
    Confidence:  a member's score is higher by d v / n, v being a column's variance, and scores scatter by
                 v sqrt(d / n): so the advantage nears 1 when d is some ten times n.
    Cost:        d questions, one product of a matrix and a vector.
    Reference:   Homer and others 2008; Sankararaman, Obozinski, Jordan, Halperin 2009; Dwork, Smith, Steinke, Ullman,
                 Vadhan 2015.

    Example:
        >>> Membership().against_named("exact", 1, np.random.default_rng(1)).value > 0.9
        True
    """

    name: ClassVar[str] = "membership"
    title: ClassVar[str] = "You are in the average"
    lesson: ClassVar[str] = (
        "A mean of a thousand columns is a fingerprint of everybody in it. To be in the data can be the secret: these "
        "are the patients."
    )
    victim: ClassVar[str] = "exact"

    candidates: int = 100
    columns: int = 1000

    def __post_init__(self) -> None:
        """Somebody in, somebody out, and something known of them."""
        AttackOnMembership.__post_init__(self)
        whole("columns", self.columns)

    @staticmethod
    def defences(epsilon: Number) -> Mapping[str, Guard]:
        """All that answer sums; being in or out is the neighbourhood."""
        return guards(epsilon, "add-remove")

    def against(self, defence: Guard, chance: np.random.Generator) -> Outcome:
        """Every candidate is in by a fair coin; who is in is asked about, and then everybody is guessed."""
        frequencies = chance.uniform(0.2, 0.8, self.columns)
        people = (chance.random((self.candidates, self.columns)) < frequencies).astype(np.float64)
        inside = self.drawn(chance)
        table = SecretTable(people[inside], 0, 1, 1)
        everyone = np.ones((1, table.secret.shape[0]), dtype=bool)
        with defence.guard(table, chance) as responder:
            asked = np.arange(min(self.columns, PAID) if responder.paid else self.columns)
            sums = responder.answers(Questions(QuestionKind.COUNT, everyone, columns=asked))
        score, threshold = judge(people[:, asked], sums, frequencies[asked])
        return self.told_apart(
            defence,
            measure="advantage in telling who is in the data",
            guesses=score > threshold,
            inside=inside,
            bound=advantage_allowed(defence.promise),
            source=f"the means of {asked.size:,} columns",
            picture=_picture(defence, score / (2 * threshold), inside),
        )


def judge(people: FloatArray, sums: FloatArray, frequencies: FloatArray) -> tuple[FloatArray, float]:
    """Everybody's score, and the score half way between a stranger's and a member's.

    How many members there are is read off the sums, which are on average that many times the frequencies.
    """
    known = ~np.isnan(sums)
    sums, frequencies, people = sums[known], frequencies[known], people[:, known]
    size = max(1.0, float(sums @ frequencies) / max(float(frequencies @ frequencies), 1e-300))
    middle = float((frequencies * (1 - frequencies)).sum() / size / 2)
    return scores(people, sums / size, frequencies), middle


def _picture(defence: Guard, score: FloatArray, inside: BoolArray) -> Graph:
    """Scores of those who are in, and of those who are out, in units of what a member's is expected to be."""
    return two_histograms(
        f"Scores of candidates, through: {defence.says}",
        "score (on average 0 for strangers, 1 for members); the outermost bars hold whatever is further out",
        {"in the data": score[inside], "not in the data": score[~inside]},
        (-1.5, 2.5),
        Mark(0.5, "guess: in", upright=True),
    )
