"""Reconstruction: overly accurate answers to too many questions rebuild the table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import ClassVar

import numpy as np

from deniable.attacks.attack import AttackOnSums
from deniable.attacks.defences.defence import BoolArray, FloatArray, Guard, QuestionKind, Questions, Responder
from deniable.attacks.defences.guards.uniform_noise import UniformNoise
from deniable.attacks.on_questions.blood_sugar import traits
from deniable.attacks.on_questions.decoders import DECODERS, EXHAUSTIVE, PROGRAM
from deniable.attacks.outcome import Outcome
from deniable.attacks.picture import Graph, Mark, MarkedTable, line
from deniable.core.errors import InvalidArgumentError
from deniable.core.number import whole

ALL_SUBSETS = 401
"""n divided by this: noise up to there, on all 2^n questions, leaves 99% of the rows open to reconstruction."""
PAID = 1.0
"""Questions for each person where answers are paid for: fewer, each with less noise."""
_SHOWN = 64
_MOST_CELLS = 400_000_000


@dataclass(frozen=True, slots=True)
class Reconstruction(AttackOnSums):
    """Asks how many people have the trait, in random subsets, and solves for everybody at once.

    Target:      anything that answers counts over subsets of people with an error well below sqrt(n).
    Finds:       everybody's trait.
    Confidence:  with errors E = o(sqrt n) on about n log^2 n random subsets, all but a vanishing share of the rows
                 (theorem 5); with E on all 2^n subsets, all but 4 E rows (theorem 3), so 99% at E = n/401.
    Cost:        a linear program in n variables (HiGHS; 2 s for n = 500 with 4 n questions), or one system of n
                 equations (1 s for n = 2,000); 4^n for the exhaustive form, up to n = 14.
    Reference:   Dinur, Nissim 2003; Dwork, McSherry, Talwar 2007 (least squares and better programs).

    Example:
        >>> attack = Reconstruction(n=60)
        >>> attack.against_named("uniform-noise", 1, np.random.default_rng(1)).value
        1.0
    """

    name: ClassVar[str] = "reconstruct"
    title: ClassVar[str] = "Too many answers, too exact, are the table itself"
    lesson: ClassVar[str] = (
        "Every defence that keeps its error well below sqrt(n) while it answers about n questions gives nearly "
        "everything away, whatever its noise looks like. Privacy has to cost accuracy, or questions."
    )
    victim: ClassVar[str] = "uniform-noise"

    n: int = 128
    factor: float = 4.0
    """Questions, for each person."""
    decoder: str = "auto"

    def __post_init__(self) -> None:
        """Only what can be computed."""
        whole("n", self.n, least=2)
        if self.decoder not in ("auto", *DECODERS):
            raise InvalidArgumentError("decoder", f"must be one of auto, {', '.join(DECODERS)}, not {self.decoder!r}")
        if not 0 < self.factor < np.inf:
            raise InvalidArgumentError("factor", f"must be a positive number, not {self.factor}")
        if self.decoder == "exhaustive" and self.n > EXHAUSTIVE:
            raise InvalidArgumentError(
                "n", f"must be at most {EXHAUSTIVE} for the exhaustive attack, not {self.n}: it tries 2^n tables"
            )
        if self.n * self.questions > _MOST_CELLS:
            raise InvalidArgumentError("n", f"with {self.questions:,} questions is too large; lower n or factor")

    @property
    def questions(self) -> int:
        """How many are asked; the exhaustive form asks all that there are."""
        if self.decoder == "exhaustive" and self.n <= EXHAUSTIVE:
            return 1 << self.n
        return max(1, round(self.factor * self.n))

    def against(self, defence: Guard, chance: np.random.Generator) -> Outcome:
        """Fair coins for traits, rebuilt."""
        table = traits(self.n, chance)
        with defence.guard(table, chance) as responder:
            attack = replace(self, factor=min(self.factor, PAID), decoder="auto") if responder.paid else self
            rebuilt, answered = attack.play(responder, self.n, chance)
        truth = table.secret[:, 0] == 1
        right = int((rebuilt == truth).sum())
        random = isinstance(defence, UniformNoise) and self.decoder != "exhaustive"
        curve = (self.curve(chance),) if random else ()
        return self.guessed(
            defence,
            measure="rows of the table rebuilt",
            right=right,
            trials=self.n,
            prior="1/2",
            sentence=f"{right} of {self.n} rows are right after {answered:,} of {attack.questions:,} questions "
            "were answered.",
            pictures=(*curve, _picture(defence, truth, rebuilt)),
        )

    def play(self, responder: Responder, people: int, chance: np.random.Generator) -> tuple[BoolArray, int]:
        """The rebuilt table, and how many questions were answered."""
        subsets = self._subsets(people, chance)
        answers = responder.answers(Questions(QuestionKind.COUNT, subsets))
        known = ~np.isnan(answers)
        if not known.any():
            return chance.integers(0, 2, people) == 1, 0
        return self._decode(subsets[known], answers[known]), int(known.sum())

    def curve(self, chance: np.random.Generator) -> Graph:
        """Rows rebuilt against the noise E, from none to beyond sqrt(n): the same subsets, fresh bounded noise."""
        root = sqrt(self.n)
        levels = np.array([0, self.n / ALL_SUBSETS, *(root * share for share in (0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4))])
        truth = traits(self.n, chance).secret[:, 0] == 1
        subsets = self._subsets(self.n, chance)
        exact = subsets @ truth.astype(np.float64)
        noise = chance.uniform(-1, 1, exact.size)
        methods = ("lp", "least-squares") if self.n <= PROGRAM // 2 else ("least-squares",)

        def rebuilt(name: str, level: float) -> float:
            return float((DECODERS[name](subsets, exact + level * noise) == truth).mean())

        lines = tuple(line(name, levels, [rebuilt(name, level) for level in levels]) for name in methods)
        return Graph(
            f"n = {self.n}: rows rebuilt from {len(subsets):,} random questions, by the error of each answer",
            "error E of each answer, in people",
            "share of rows rebuilt",
            lines,
            (Mark(0.5, "guessing"), Mark(root, "sqrt(n)", upright=True)),
        )

    def _subsets(self, people: int, chance: np.random.Generator) -> BoolArray:
        if self.decoder == "exhaustive":
            return np.asarray((np.arange(1 << people)[:, None] >> np.arange(people)) & 1 == 1)
        questions = max(1, round(self.factor * people))
        return np.asarray(chance.integers(0, 2, (questions, people), dtype=np.uint8) == 1)

    def _decode(self, subsets: BoolArray, answers: FloatArray) -> BoolArray:
        best = "lp" if subsets.shape[1] <= PROGRAM else "least-squares"
        return DECODERS[best if self.decoder == "auto" else self.decoder](subsets, answers)


def _picture(defence: Guard, truth: BoolArray, rebuilt: BoolArray) -> MarkedTable:
    """The first rows, true and rebuilt; what is right is bright."""
    width = 16
    shown = min(_SHOWN, truth.size)
    rows, bright = [], set()
    for start in range(0, shown, width):
        end = min(start + width, shown)
        rows.append(("truth", *("●" if bit else "·" for bit in truth[start:end]), *[""] * (width - end + start)))
        rows.append(("rebuilt", *("●" if bit else "·" for bit in rebuilt[start:end]), *[""] * (width - end + start)))
        bright |= {
            (len(rows) - 1, 1 + place) for place in range(end - start) if truth[start + place] == rebuilt[start + place]
        }
    return MarkedTable(
        f"The first {shown} rows, rebuilt through: {defence.says}", ("", *[""] * width), tuple(rows), frozenset(bright)
    )
