"""Personalised ranking: a click tells the advertiser what the profile says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from deniable.attacks.attack import Attack
from deniable.attacks.defences.defence import FloatArray, IntArray
from deniable.attacks.defences.families import recommenders
from deniable.attacks.defences.recommenders.recommender import Recommender
from deniable.attacks.outcome import Outcome, guesses_allowed
from deniable.attacks.picture import Bars, Mark
from deniable.core.number import Number, whole


def posterior(seen: IntArray, groups: IntArray, ads: int) -> FloatArray:
    """How likely whoever clicks on each advertisement is of 50 or more, if both groups are equally likely.

    From what planted accounts of either group were shown, with half a visit added everywhere.

    Example:
        >>> posterior(np.array([0, 0, 1]), np.array([0, 0, 1]), 2).round(2).tolist()
        [0.23, 0.8...]
    """
    counts = np.array([np.bincount(seen[groups == group], minlength=ads) + 0.5 for group in (0, 1)])
    likelihood = counts / counts.sum(axis=1, keepdims=True)
    return np.asarray(likelihood[1] / likelihood.sum(axis=0))


@dataclass(frozen=True, slots=True)
class Ranking(Attack[Recommender]):
    """Plants an account of 49 and one of 50, watches what each is shown, and reads the clicks of everybody else.

    Target:      a recommender that ranks advertisements by a profile that only it can see.
    Finds:       whether somebody who clicked is 50 or older.
    Confidence:  the posterior of Bayes, given the advertisement that was clicked.
    Cost:        `visits` page loads of either account.
    Reference:   Korolova 2010 (advertisements that target one person); McSherry, Talwar 2007; Warner 1965.

    Example:
        >>> Ranking().against_named("deterministic", 1, np.random.default_rng(1)).value
        1.0
    """

    name: ClassVar[str] = "ranking"
    title: ClassVar[str] = "The click that says how old you are"
    lesson: ClassVar[str] = (
        "A result that depends on a secret reveals the secret to whoever sees the result. If every profile may lead "
        "to every result, with odds within e^epsilon, so do all conclusions."
    )
    victim: ClassVar[str] = "deterministic"
    saviour: ClassVar[str] = "exponential"

    n: int = 2000
    visits: int = 2000

    def __post_init__(self) -> None:
        """Somebody must click, and somebody must look."""
        whole("n", self.n)
        whole("visits", self.visits)

    @staticmethod
    def defences(epsilon: Number) -> Mapping[str, Recommender]:
        """All that rank."""
        return recommenders(epsilon)

    def against(self, defence: Recommender, chance: np.random.Generator) -> Outcome:
        """Visitors of both groups, equally many on average, each of whom clicks on what is shown first."""
        planted = np.repeat([0, 1], self.visits)
        belief = posterior(defence.first(planted), planted, len(defence.ads))
        groups = chance.integers(0, 2, self.n)
        clicked = defence.first(groups)
        right = int(((belief[clicked] > 0.5) == (groups == 1)).sum())  # noqa: PLR2004 - likelier than not
        bound = guesses_allowed(defence.promise, "1/2")
        return self.guessed(
            defence,
            measure="age groups guessed right from one click",
            right=right,
            trials=self.n,
            prior="1/2",
            sentence=f"{right:,} of {self.n:,} age groups are right; the surest click leaves "
            f"{max(belief.max(), 1 - belief.min()):.1%} confidence.",
            pictures=(_picture(defence, belief, clicked, bound),),
        )


def _picture(defence: Recommender, belief: FloatArray, clicked: IntArray, bound: float | None) -> Bars:
    """After a click on each advertisement that was shown: how likely is 50 or older?"""
    shown = np.unique(clicked)
    marks = [Mark(0.5, "before")] + ([Mark(bound, "most allowed"), Mark(1 - bound, "least allowed")] if bound else [])
    return Bars(
        f"How likely a clicker is 50 or older, with: {defence.says}",
        "belief after the click",
        tuple((defence.ads[ad], float(belief[ad])) for ad in shown),
        tuple(marks),
    )
