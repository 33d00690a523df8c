"""What a shuffler adds: reports that arrive without names, in random order, hide each other."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import exp, expm1
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deniable.core.extras import needed
from deniable.core.guarantee import Guarantee
from deniable.core.number import Number, exact, positive, probability, whole
from deniable.core.sampling.digits import exponential_bracket
from deniable.local.families.protocol import Protocol
from deniable.local.protocols.duchi import Duchi
from deniable.local.protocols.kary_response import KaryResponse
from deniable.local.protocols.warner_response import WarnerResponse

FloatArray = NDArray[np.float64]

_MARGIN = 1e-11
"""Of every tail probability: more than the special functions are wrong by."""
_ROUNDING = 1e-9
"""Of the sum: more than the probabilities of the counts are wrong by."""
_DIGITS = 10**6
_LARGE = 100
"""Past this epsilon nobody is a clone of anybody."""


@dataclass(frozen=True, slots=True, init=False)
class Shuffled:
    """What n reports lose together once nobody can tell whose is whose.

    Guarantee:  for a protocol that loses epsilon_0 alone, every other report is with chance c a *clone*: one that
                either of two neighbours might have sent. Telling the neighbours apart is then no easier than from two
                counts: C ~ Bin(n - 1, c) clones, a fair half of them on each side, and one more on the right side with
                chance e^epsilon_0 / (e^epsilon_0 + 1). The delta at each epsilon is summed up over these counts and
                rounded up. For every protocol c = e^-epsilon_0; for randomized response, yes or no or k-ary, and for
                Duchi's bit c = 2 / (e^epsilon_0 + 1), which is almost twice as large.
    Caution:    needs a shuffler that is trusted to forget who sent what, and that n others really answer.
    Reference:  Feldman, McMillan, Talwar 2021 (clones); 2023, with its erratum (the larger c, and for whom).
    Proof:      docs/proofs/shuffling.md

    Example:
        >>> crowd = Shuffled(WarnerResponse(epsilon=1), people=10_000)
        >>> guarantee = crowd.guarantee(delta="1e-6")
        >>> round(float(guarantee.epsilon), 4)
        0.0432
    """

    epsilon: Fraction
    people: int
    clones: Fraction

    def __init__(self, protocol: Protocol | Number, people: int) -> None:
        one = protocol.epsilon if isinstance(protocol, Protocol) else positive("epsilon", protocol)
        least = Fraction(exponential_bracket(one, 64)[0], 1 << 64)
        alike = isinstance(protocol, WarnerResponse | KaryResponse | Duchi)
        object.__setattr__(self, "epsilon", one)
        object.__setattr__(self, "people", whole("people", people))
        object.__setattr__(self, "clones", 2 * least / (1 + least) if alike else least)

    def guarantee(self, delta: Number) -> Guarantee:
        """The least epsilon, to six digits and rounded up, at which all reports together have at most this delta."""
        wanted = float(probability("delta", delta))
        low, high = 0, int(self.epsilon * _DIGITS) + 1
        if self.delta(Fraction(high - 1, _DIGITS)) > wanted:
            return Guarantee(self.epsilon, delta)
        high -= 1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.delta(Fraction(middle, _DIGITS)) <= wanted else (middle, high)
        return Guarantee(min(self.epsilon, Fraction(max(high, 1), _DIGITS)), delta)

    def delta(self, epsilon: Number) -> float:
        """The delta of all reports together at this epsilon, rounded up.

        With k reports on the first side and m = C + 1 in all, the first neighbour is (o k + m - k) / (k + o (m - k))
        times as likely, o = e^epsilon_0. That grows with k, so only the k from some threshold on contribute. The
        threshold is computed in floats, so its neighbours are tried too, and the largest sum is taken.
        """
        if (asked := float(exact("epsilon", epsilon))) >= float(self.epsilon):
            return 0.0
        if self.epsilon > _LARGE:
            return 1.0
        odds, factor, others = exp(float(self.epsilon)), exp(asked), self.people - 1
        law = _binomial()(others, float(self.clones))
        first, last = law.ppf(1e-18), law.ppf(1 - 1e-16)
        clones = np.arange(max(0, first - 2), min(others, last + 2) + 1)
        outside = law.cdf(clones[0] - 1) + law.sf(clones[-1])
        threshold = np.ceil((clones + 1) * (factor * odds - 1) / ((odds - 1) * (factor + 1)))
        excess = np.max([_excess(threshold + step, clones, odds, factor) for step in (-1, 0, 1)], axis=0)
        total = float(law.pmf(clones) @ excess)
        return min(1.0, (total + float(outside) * -expm1(asked - float(self.epsilon))) * (1 + _ROUNDING))


def _excess(threshold: FloatArray, clones: FloatArray, odds: float, factor: float) -> FloatArray:
    """For each number of clones, Pr[k >= threshold] under one neighbour less factor times that under the other."""
    right = odds / (odds + 1)
    law = _binomial()
    joined, apart = law.sf(threshold - 2, clones, 0.5), law.sf(threshold - 1, clones, 0.5)
    likely = right * joined + (1 - right) * apart
    unlikely = (1 - right) * joined + right * apart
    return np.asarray(np.maximum(likely - factor * unlikely, 0.0) + _MARGIN * likely)


def _binomial() -> Any:  # noqa: ANN401 - SciPy has no types
    """The binomial law, as exactly as the margins here ask for."""
    return needed("people", "scipy.stats", "scipy").binom
