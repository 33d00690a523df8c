"""The refusal that discloses: counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from deniable.attacks.attack import Attack
from deniable.attacks.defences.auditors.bit_audit import MOST
from deniable.attacks.defences.defence import (
    BoolArray,
    FloatArray,
    Guard,
    QuestionKind,
    Questions,
    Responder,
    SecretTable,
)
from deniable.attacks.defences.families import auditors_of_bits
from deniable.attacks.outcome import Outcome
from deniable.attacks.picture import MarkedTable
from deniable.core.errors import InvalidArgumentError
from deniable.core.number import Number

_RARE = 0.2


@dataclass(frozen=True, slots=True)
class BitRefusals(Attack[Guard]):
    """Asks how many of each two neighbours in a list have the trait: a refusal means both or neither, an answer one.

    Target:      an auditor of counts that refuses whatever would disclose somebody's trait.
    Finds:       everybody's trait, up to exchanging yes and no; the trait is known to be rarer than not.
    Confidence:  certain, if fewer than half have the trait: a pair is refused exactly if both bits are equal.
    Cost:        n - 1 questions.
    Reference:   Kenthapadi, Mishra, Nissim 2005; Kleinberg, Papadimitriou, Raghavan 2000 (auditing bits).

    Example:
        >>> BitRefusals().against_named("bit-audit", 1, np.random.default_rng(1)).value
        1.0
    """

    name: ClassVar[str] = "bit-refusals"
    title: ClassVar[str] = "An auditor that refuses rightly, and tells everything"
    lesson: ClassVar[str] = (
        "No answer of this auditor discloses anybody. Its refusals disclose everybody. And an auditor whose refusals "
        "say nothing has to refuse nearly everything."
    )
    victim: ClassVar[str] = "bit-audit"
    saviour: ClassVar[str] = "bit-audit-simulatable"

    n: int = 16

    def __post_init__(self) -> None:
        """All tables must fit into a list."""
        if not 2 <= self.n <= MOST:  # noqa: PLR2004 - a pair
            raise InvalidArgumentError("n", f"must be between 2 and {MOST}, not {self.n}: the auditor lists 2^n tables")

    @staticmethod
    def defences(epsilon: Number) -> Mapping[str, Guard]:
        """Those that count bits."""
        return auditors_of_bits(epsilon)

    def against(self, defence: Guard, chance: np.random.Generator) -> Outcome:
        """A trait that one person in five has, independently of everybody else."""
        table = SecretTable((chance.random((self.n, 1)) < _RARE).astype(np.float64), 0, 1, 1)
        with defence.guard(table, chance) as responder:
            guesses, told = self.play(responder, self.n)
        truth = table.secret[:, 0] == 1
        right = int((guesses == truth).sum())
        return self.guessed(
            defence,
            measure="traits guessed right",
            right=right,
            trials=self.n,
            prior=1 - _RARE,
            sentence=f"{right} of {self.n} traits are right; {int(np.isnan(told).sum())} of {told.size} questions "
            "were refused.",
            pictures=(_picture(defence, truth, guesses, told),),
        )

    @staticmethod
    def play(responder: Responder, people: int) -> tuple[BoolArray, FloatArray]:
        """The guesses, and what was said of each pair."""
        pairs = np.zeros((people - 1, people), dtype=bool)
        places = np.arange(people - 1)
        pairs[places, places] = pairs[places, places + 1] = True
        told = responder.answers(Questions(QuestionKind.COUNT, pairs))
        if np.isnan(told).all():
            return np.zeros(people, dtype=bool), told  # a refusal that always comes says nothing: guess the likelier
        alone = np.rint(np.nan_to_num(told, nan=0)) == 1
        bits = np.concatenate([[False], np.cumsum(alone) % 2 == 1])
        return bits if bits.sum() * 2 < people else ~bits, told


def _picture(defence: Guard, truth: BoolArray, guesses: BoolArray, told: FloatArray) -> MarkedTable:
    """The list of people, what was said of each pair, and what follows."""
    said = ("", *("refused" if np.isnan(value) else f"{value:.0f}" for value in told))
    rows = tuple(
        (f"person {number + 1}", said[number], "yes" if guesses[number] else "no", "yes" if truth[number] else "no")
        for number in range(min(truth.size, 10))
    )
    bright = frozenset((number, 2) for number in range(len(rows)) if guesses[number] == truth[number])
    return MarkedTable(
        f"Counts of neighbouring pairs, through: {defence.says}",
        ("", "with the one above", "guess", "truth"),
        rows,
        bright,
    )
