"""(epsilon, delta), and what it means for a person."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import exp, expm1, inf

from deniable.core.errors import InvalidArgumentError
from deniable.core.number import Number, exact, positive, probability


@dataclass(frozen=True, slots=True, init=False)
class Guarantee:
    """Every outcome's probability changes by at most a factor e^epsilon, but for a part of size delta.

    For all neighbouring inputs D, D' and all sets S of outcomes: Pr[M(D) in S] <= e^epsilon Pr[M(D') in S] + delta
    (Dwork, McSherry, Nissim, Smith 2006; delta: Dwork, Kenthapadi, McSherry, Mironov, Naor 2006).

    Example:
        >>> Guarantee(1).odds_factor, Guarantee(1).posterior(0.1)
        (2.718281828459045, (0.0392..., 0.2319...))
    """

    epsilon: Fraction
    delta: Fraction

    def __init__(self, epsilon: Number, delta: Number = 0) -> None:
        object.__setattr__(self, "epsilon", positive("epsilon", epsilon))
        part = exact("delta", delta)
        if not 0 <= part < 1:
            raise InvalidArgumentError("delta", f"must be at least 0 and below 1, not {delta}")
        object.__setattr__(self, "delta", part)

    @property
    def odds_factor(self) -> float:
        """By how much an outcome can raise or lower the odds of anything about one person: e^epsilon."""
        try:
            return exp(self.epsilon)
        except OverflowError:
            return inf

    @property
    def advantage(self) -> float:
        """How much better than a coin anybody can guess whether a person took part: (e^eps - 1 + 2 delta)/(e^eps + 1).

        Kairouz, Oh, Viswanath 2015, remark on the best test between neighbours; membership advantage is true positive
        rate minus false positive rate.
        """
        if self.odds_factor == inf:
            return 1.0
        return min(1.0, (expm1(self.epsilon) + 2 * float(self.delta)) / (self.odds_factor + 1))

    def posterior(self, prior: Number) -> tuple[float, float]:
        """Between which two values a belief of `prior` about one person stays, whatever else the believer knows.

        Bayes: posterior odds are prior odds times the likelihood ratio, which lies in [e^-epsilon, e^epsilon]
        (Kasiviswanathan, Smith 2014). With delta > 0 this holds but for outcomes of small total probability.
        """
        belief = float(probability("prior", prior))
        odds, factor = belief / (1 - belief), self.odds_factor
        low = odds / factor
        return low / (1 + low), 1.0 if factor == inf else odds * factor / (1 + odds * factor)
