"""What can still be done: which accuracy is within reach for how many queries, and which is not, by anyone.

With 2^n queries, an error of E people on each gives away all but 4 E of n secret bits (Dinur, Nissim 2003; Dwork, Roth
2014, theorem 8.1). But of random bits nobody guesses more than a part e^epsilon / (1 + e^epsilon) + delta from private
answers. So an error below n (1 / (1 + e^epsilon) - delta) / 4 is impossible. With about n queries, an error of o(sqrt
n) people gives away nearly all bits (Dinur, Nissim 2003; Dwork, McSherry, Talwar 2007). Both hold for every mechanism.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from math import exp, inf, log, sqrt

from deniable.core.errors import InvalidArgumentError
from deniable.core.number import Number, exact, probability
from deniable.mechanisms.accuracy.many_fractions import largest_errors
from deniable.mechanisms.gaussian import Gaussian

_MOST = 10**30

METHODS = ("randomized response", "Laplace", "Gaussian", "matrix mechanism", "multiplicative weights")


class Reach(Enum):
    """What is known of an error that none of the methods reaches."""

    OPEN = "none of these"
    NEARLY_IMPOSSIBLE = "impossible, up to a constant"
    IMPOSSIBLE = "impossible"


@dataclass(frozen=True, slots=True)
class Limits:
    """What queries about fractions of people can reach, each person being in one of so many cells.

    Queries are counted by their logarithm, as there may be 2^n of them.

    Example:
        >>> Limits(1, "1e-6", "0.95", cells=10_000).beyond(0.06, 10_000 * log(2), people=10_000)
        <Reach.IMPOSSIBLE: 'impossible'>
    """

    epsilon: Number
    delta: Number
    confidence: Number
    cells: int

    def reached(self, logs: float, people: int) -> dict[str, float]:
        """The largest error of e^logs fractions of n people, by each method.

        Matrix mechanism: sums of noisy cells, the simplest strategy; sums of at most c cells have a deviation of at
        most sigma sqrt(c), and all k stay within sqrt(2 ln(2k/beta)) of those. Multiplicative weights: 2 sqrt(ln c / T)
        + 10 T ln k / (epsilon n) in T rounds (Hardt, Ligett, McSherry 2012, theorem 2.2), for the best T.
        """
        beta = float(1 - probability("confidence", self.confidence))
        sigma = Gaussian(sensitivity=1, epsilon=self.epsilon, delta=self.delta, step="1/1024").sigma
        found = dict.fromkeys(METHODS, inf)
        if logs <= log(_MOST):
            found |= largest_errors(max(1, round(exp(logs))), people, self.epsilon, self.delta, self.confidence)
        found["matrix mechanism"] = sigma * sqrt(self.cells * 2 * (logs + log(2 / beta))) / people
        rate = 10 * max(logs, log(2)) / (float(exact("epsilon", self.epsilon)) * people)
        information = log(max(self.cells, 2))
        rounds = max(1, round((sqrt(information) / rate) ** (2 / 3)))
        found["multiplicative weights"] = 2 * sqrt(information / rounds) + rate * rounds
        return found

    def beyond(self, error: float, logs: float, people: int) -> Reach:
        """Whether nobody can answer e^logs queries so well. Fewer cells than people cannot tell all of them apart."""
        told_apart = self.cells >= people
        if told_apart and logs >= people * log(2) and error < impossible_below(self.epsilon, self.delta):
            return Reach.IMPOSSIBLE
        if told_apart and logs >= log(people) and error <= people**-0.5:
            return Reach.NEARLY_IMPOSSIBLE
        return Reach.OPEN

    def people_for(self, error: float, method: str, logs: float) -> int | None:
        """The least number that is enough, to three digits, as errors only fall with more people; None if none is."""

        def enough(people: int) -> bool:
            try:
                return self.reached(logs, people)[method] <= error
            except InvalidArgumentError:
                return False

        return _least(enough)


def impossible_below(epsilon: Number, delta: Number) -> float:
    """The error, as a fraction, below which nobody answers all 2^n queries with this guarantee.

    Example:
        >>> round(impossible_below(1, "1e-6"), 3)
        0.067
    """
    return max(0.0, (1 / (1 + exp(float(exact("epsilon", epsilon)))) - float(exact("delta", delta))) / 4)


def _least(enough: Callable[[int], bool]) -> int | None:
    high = 1
    while not enough(high):
        high *= 2
        if high > _MOST:
            return None
    low = high // 2
    while high - low > max(1, high // 1000):
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
