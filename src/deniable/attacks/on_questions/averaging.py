"""Averaging: noise that is drawn afresh goes away."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import ClassVar

import numpy as np

from deniable.attacks.attack import AttackOnSums
from deniable.attacks.defences.defence import FloatArray, Guard, QuestionKind, Questions, Responder
from deniable.attacks.on_questions.blood_sugar import traits
from deniable.attacks.outcome import Outcome
from deniable.attacks.picture import Graph, Mark, line, two_histograms
from deniable.core.errors import InvalidArgumentError
from deniable.core.number import whole

PAID = 2
"""Repeats where answers are paid for: R questions share the budget, so the average of them errs like sqrt(R)."""


class Way(Enum):
    """How the same thing is asked again."""

    REPEAT = "repeat"
    """In the same words."""
    RESPELL = "respell"
    """In other words for the same people."""
    SPLIT = "split"
    """About other people: any set with the victim, minus the same set without."""


@dataclass(frozen=True, slots=True)
class Averaging(AttackOnSums):
    """Asks for a set of people with the victim and for the same set without, many times, and averages the difference.

    Target:      anything that adds fresh noise to each answer: to each text (repeat), to each way of writing it
                 (respell), or to each set of people (split).
    Finds:       whether each victim has the trait.
    Confidence:  after R repeats of noise with standard deviation s per answer, the average errs by s sqrt(2/R); it is
                 right when that is below one half.
    Cost:        2 R questions per victim.
    Reference:   Denning 1980; Dwork, Roth 2014, section 1.1 (why repeats must be paid).

    Example:
        >>> Averaging(way="respell").against_named("laplace-text", 1, np.random.default_rng(1)).value
        0.95
    """

    name: ClassVar[str] = "averaging"
    title: ClassVar[str] = "Ask again, and the noise is gone"
    lesson: ClassVar[str] = (
        "Fresh noise averages out. Remembering the text falls to other words, remembering the set falls to other sets; "
        "whether two questions mean the same cannot be decided in general. So every answer must be paid for."
    )
    victim: ClassVar[str] = "laplace"

    n: int = 40
    victims: int = 20
    repeats: int = 100
    way: str = "repeat"

    def __post_init__(self) -> None:
        """Only what exists."""
        whole("repeats", self.repeats)
        if self.way not in [way.value for way in Way]:
            raise InvalidArgumentError("way", f"must be repeat, respell or split, not {self.way!r}")
        if not 1 <= self.victims <= self.n:
            raise InvalidArgumentError("victims", f"must be between 1 and n = {self.n}, not {self.victims}")

    def against(self, defence: Guard, chance: np.random.Generator) -> Outcome:
        """The traits of the first people, guessed from averages."""
        table = traits(self.n, chance)
        with defence.guard(table, chance) as responder:
            differences = self.play(responder, self.n, chance)
        truth = table.secret[: self.victims, 0]
        averages = mean_of_known(differences)
        right = int(((averages > 0.5) == truth).sum())  # noqa: PLR2004 - half way between no and yes
        refused = int(np.isnan(differences).sum())
        return self.guessed(
            defence,
            measure=f"traits guessed right ({self.way})",
            right=right,
            trials=self.victims,
            prior="1/2",
            sentence=f"{right} of {self.victims} traits are right after {differences.shape[1]} differences each"
            + (f"; {refused} were refused." if refused else "."),
            pictures=self._pictures(defence, differences, averages, truth),
        )

    def play(self, responder: Responder, people: int, chance: np.random.Generator) -> FloatArray:
        """One row of differences for each victim; NaN where a question was refused."""
        victims = np.arange(self.victims)
        repeats = min(self.repeats, PAID) if responder.paid else self.repeats
        others = chance.integers(0, 2, (self.victims, repeats, people)) == 1
        if self.way != Way.SPLIT.value:
            others[:] = others[:, :1]
        others[victims, :, victims] = False
        with_victim = others.copy()
        with_victim[victims, :, victims] = True
        words = np.arange(repeats) * (self.way == Way.RESPELL.value)
        asked = np.concatenate([with_victim.reshape(-1, people), others.reshape(-1, people)])
        answers = responder.answers(Questions(QuestionKind.COUNT, asked, spellings=np.tile(words, 2 * self.victims)))
        first, second = answers.reshape(2, self.victims, repeats)
        return np.asarray(first - second)

    def _pictures(
        self, defence: Guard, differences: FloatArray, averages: FloatArray, truth: FloatArray
    ) -> tuple[Graph, ...]:
        """Everybody's average; and where the same was asked for many times, how two of them came about."""
        chosen = {"has the trait": truth == 1, "has it not": truth == 0}
        everybody = two_histograms(
            f"What the differences average to, through: {defence.says}",
            "average difference; the outermost bars hold whatever is further out",
            {name: averages[who] for name, who in chosen.items()},
            (-1.5, 2.5),
            Mark(0.5, "guess: yes", upright=True),
        )
        if differences.shape[1] <= PAID or self.way != Way.REPEAT.value:
            return (everybody,)
        asked = np.arange(1, differences.shape[1] + 1)
        running = Graph(
            f"The average so far, of one person each, through: {defence.says}",
            "differences asked for",
            "average difference",
            tuple(
                line(name, asked, _running(differences[int(who.argmax())])) for name, who in chosen.items() if who.any()
            ),
            (Mark(1, "yes"), Mark(0, "no")),
        )
        return everybody, running


def mean_of_known(differences: FloatArray) -> FloatArray:
    """The average of what was answered in each row; 0 where nothing was."""
    known = ~np.isnan(differences)
    return np.asarray(np.where(known, differences, 0).sum(axis=1) / np.maximum(known.sum(axis=1), 1))


def _running(differences: FloatArray) -> FloatArray:
    return np.asarray(np.nancumsum(differences) / np.maximum(np.cumsum(~np.isnan(differences)), 1))
