"""How an attack ended: one number, and what to hold it against."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from deniable.attacks.picture import Picture
from deniable.core.guarantee import Guarantee
from deniable.core.number import Number


@dataclass(frozen=True, slots=True)
class Outcome:
    """The number that an attack reached against one defence, between 0 and 1."""

    attack: str
    defence: str
    measure: str
    """What the number is."""
    value: float
    chance: float
    """What the best guess reaches that never saw an answer."""
    trials: int
    """From how many guesses, people or claims it was counted."""
    epsilon: Fraction | None
    """What the defence promises to lose at most; None: it promises nothing that could be proven."""
    bound: float | None
    """What the theory allows in expectation, at that epsilon."""
    sentence: str
    pictures: tuple[Picture, ...]

    @property
    def gain(self) -> float:
        """How much of what guessing leaves open the attack took: 0 is nothing, 1 is everything."""
        return max(0.0, (self.value - self.chance) / (1 - self.chance)) if self.chance < 1 else 0.0


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
