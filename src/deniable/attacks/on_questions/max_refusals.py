"""The refusal that discloses: maxima."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from deniable.attacks.attack import Attack
from deniable.attacks.defences.defence import FloatArray, Guard, QuestionKind, Questions, Responder, SecretTable
from deniable.attacks.defences.families import auditors_of_maxima
from deniable.attacks.outcome import Outcome
from deniable.attacks.picture import MarkedTable
from deniable.core.errors import InvalidArgumentError
from deniable.core.number import Number

_VALUES = 10_000
"""Salaries, all equally likely: guessing one is hopeless."""
_GROUP = 4


@dataclass(frozen=True, slots=True)
class MaxRefusals(Attack[Guard]):
    """Asks for the largest of four values, of three, of two: where it falls or is refused, who was left out holds it.

    Target:      an auditor of maxima that refuses whatever would disclose somebody's value.
    Finds:       the value of one person in every second group of four: an eighth of all.
    Confidence:  certain: the auditor refuses the smaller set exactly if its maximum is lower.
    Cost:        at most three questions for four people.
    Reference:   Kenthapadi, Mishra, Nissim 2005 (the attack, and auditing that is simulatable).

    Example:
        >>> attack = MaxRefusals(n=400)
        >>> 0.08 < attack.against_named("max-audit", 1, np.random.default_rng(1)).value < 0.17
        True
        >>> attack.against_named("max-audit-simulatable", 1, np.random.default_rng(1)).value
        0.0
    """

    name: ClassVar[str] = "max-refusals"
    title: ClassVar[str] = "No answer is also an answer"
    lesson: ClassVar[str] = (
        "An auditor that looks at the answer before it refuses tells the answer by refusing. Refusals must follow from "
        "what the asker already knows, or be as private as answers."
    )
    victim: ClassVar[str] = "max-audit"
    saviour: ClassVar[str] = "max-audit-simulatable"

    n: int = 200

    def __post_init__(self) -> None:
        """Groups of four."""
        if self.n < _GROUP:
            raise InvalidArgumentError("n", f"must be at least {_GROUP}, not {self.n}")

    @staticmethod
    def defences(epsilon: Number) -> Mapping[str, Guard]:
        """Those that say maxima. The curator of this project does not answer them at all."""
        return auditors_of_maxima(epsilon)

    def against(self, defence: Guard, chance: np.random.Generator) -> Outcome:
        """Salaries on a fine grid."""
        table = SecretTable(chance.integers(0, _VALUES, (self.n, 1)).astype(np.float64), 0, _VALUES - 1, 1)
        with defence.guard(table, chance) as responder:
            claims, told = self.play(responder, self.n)
        truth = table.secret[:, 0]
        right = int((claims == truth).sum())
        made = int((~np.isnan(claims)).sum())
        return self.guessed(
            defence,
            measure="salaries learned from maxima and refusals",
            right=right,
            trials=self.n,
            prior=f"1/{_VALUES}",
            sentence=f"{made} salaries are claimed, {right} of them rightly.",
            pictures=(_picture(defence, told),),
        )

    @staticmethod
    def play(responder: Responder, people: int) -> tuple[FloatArray, FloatArray]:
        """A claim for each person, NaN where none is made; and the maxima of each group, of 4, 3 and 2."""
        groups = people // _GROUP
        claims, told = np.full(people, np.nan), np.full((groups, 3), np.nan)
        open_groups = np.ones(groups, dtype=bool)
        for step, size in enumerate((4, 3, 2)):
            asked = np.flatnonzero(open_groups)
            if not asked.size:
                break
            subsets = np.zeros((asked.size, people), dtype=bool)
            for place in range(size):
                subsets[np.arange(asked.size), asked * _GROUP + place] = True
            told[asked, step] = responder.answers(Questions(QuestionKind.MAX, subsets))
            if step == 0:
                open_groups = ~np.isnan(told[:, 0])
                continue
            if np.isnan(told[asked, step]).all():
                break  # a refusal that always comes says nothing
            fell = asked[np.isnan(told[asked, step]) | (told[asked, step] < told[asked, 0])]
            claims[fell * _GROUP + size] = told[fell, 0]
            open_groups[fell] = False
        return claims, told


def _picture(defence: Guard, told: FloatArray) -> MarkedTable:
    """The first groups: what was said of four, of three and of two."""
    rows, bright = [], set()
    silent = np.asarray(np.isnan(told).all(axis=0))  # a refusal that always comes says nothing
    for number, (four, three, two) in enumerate(told[:6]):
        rest = ("", "") if np.isnan(four) else (_said(three), "" if np.isnan(three) or three < four else _said(two))
        rows.append((f"group {number + 1}", _said(four), *rest))
        if not np.isnan(four):
            later = ((place, value) for place, value in ((2, three), (3, two)) if not silent[place - 1])
            bright |= {(number, place) for place, value in later if rows[-1][place] and value != four}
    return MarkedTable(
        f"The largest salary of 4, of 3 and of 2 people, through: {defence.says}",
        ("", "of a, b, c, d", "of a, b, c", "of a, b"),
        tuple(rows),
        frozenset(bright),
    )


def _said(value: float) -> str:
    return "refused" if np.isnan(value) else f"{value:,.0f}"
