"""How an attack ended: one number, how sure it is, and what to hold it against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction

from deniable.attacks.picture import Picture
from deniable.core.distributions.binomial import least_probability, most_probability
from deniable.core.guarantee import Guarantee
from deniable.core.number import Number

CONFIDENCE = 0.999
"""Of intervals: of a thousand of them, one misses what it is about."""


class Scale(Enum):
    """What the number of an outcome is."""

    SHARE = "share"
    """Right guesses among all guesses."""
    ADVANTAGE = "advantage"
    """True positive rate less false positive rate, where half are members: twice the share, less one."""
    BELIEF = "belief"
    """How sure the attacker is of what is true, on average. Nothing is guessed, so chance has no part in it."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The number that an attack reached against one defence, between 0 and 1."""

    attack: str
    defence: str
    measure: str
    """What the number is."""
    right: float
    """How many guesses were right; for beliefs, how many are expected to be."""
    trials: int
    """Of how many guesses, people or claims."""
    chance: float
    """What the best guess reaches that never saw an answer."""
    epsilon: Fraction | None
    """What the defence promises to lose at most; None: it promises nothing that could be proven."""
    bound: float | None
    """What the theory allows in expectation, at that epsilon."""
    sentence: str
    pictures: tuple[Picture, ...]
    scale: Scale = Scale.SHARE
    rounds: int = 1
    """On how many made-up populations it was run."""

    @property
    def value(self) -> float:
        """The number."""
        return self._scaled(self.right / self.trials) if self.trials else 0.0

    @property
    def interval(self) -> tuple[float, float] | None:
        """Where the number lies that very many such trials would have, by Clopper and Pearson; None for beliefs.

        Trials count as independent. The lower end may be held against the bound in any case: see `guesses_allowed`.
        """
        if self.scale is Scale.BELIEF:
            return None
        alpha = (1 - CONFIDENCE) / 2
        low = float(least_probability(self.right, self.trials, alpha)) if self.trials else 0.0
        high = float(most_probability(self.right, self.trials, alpha)) if self.trials else 1.0
        return self._scaled(low), self._scaled(high)

    @property
    def kept(self) -> bool | None:
        """Whether the number is within what is allowed, or above it by no more than chance explains.

        None where nothing is promised.
        """
        if self.bound is None:
            return None
        interval = self.interval
        return (self.value if interval is None else interval[0]) <= self.bound

    @property
    def gain(self) -> float:
        """How much of what guessing leaves open the attack took: 0 is nothing, 1 is everything."""
        return max(0.0, (self.value - self.chance) / (1 - self.chance)) if self.chance < 1 else 0.0

    def _scaled(self, share: float) -> float:
        return 2 * share - 1 if self.scale is Scale.ADVANTAGE else share


def pooled(rounds: Sequence[Outcome]) -> Outcome:
    """Several rounds of one attack on one defence as one outcome; the first round is the one that is told and drawn."""
    right, trials = sum(each.right for each in rounds), sum(each.trials for each in rounds)
    return replace(rounds[0], right=right, trials=trials, rounds=sum(each.rounds for each in rounds))


def guesses_allowed(epsilon: Fraction | None, chance: Number) -> float | None:
    """The share of right guesses that no attack exceeds in expectation, if each secret alone is guessed with `chance`.

    Let the secrets be drawn independently, each value with probability at most p, and let the answers be
    epsilon-private when one secret is exchanged. Given the answers and all other secrets, any guess at one secret is
    right with probability at most p e^epsilon / (1 - p + p e^epsilon), by Bayes. So the number of right guesses among n
    is stochastically at most Binomial(n, that), whatever the attack does (for fair bits: Steinke, Nasr, Jagielski 2023,
    proposition 5.1; Kasiviswanathan, Smith 2014 for the step of Bayes).

    Example:
        >>> round(guesses_allowed(Fraction(1), "1/2"), 3)
        0.731
    """
    return None if epsilon is None else Guarantee(epsilon).posterior(chance)[1]


def advantage_allowed(epsilon: Fraction | None, delta: Number = 0) -> float | None:
    """What (true positive rate - false positive rate) nobody exceeds who guesses whether a person took part.

    Kairouz, Oh, Viswanath 2015: (e^epsilon - 1 + 2 delta) / (e^epsilon + 1).

    Example:
        >>> round(advantage_allowed(Fraction(1)), 3)
        0.462
    """
    return None if epsilon is None else Guarantee(epsilon, delta).advantage
