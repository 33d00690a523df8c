"""How much privacy something costs, in every form that is proven for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import inf

from deniable.core.conversion import (
    epsilon_from_mu,
    epsilon_from_rho,
    group_delta,
    mu_squared_from_epsilon,
    rho_from_epsilon,
    rho_from_mu_squared,
)
from deniable.core.distributions.dominating_pair import GaussianPair, Pair, ResponsePair
from deniable.core.errors import InvalidArgumentError
from deniable.core.guarantee import Guarantee
from deniable.core.number import Number, above, exact, positive, root_above, whole
from deniable.core.shown import at_most


@dataclass(frozen=True, slots=True)
class Loss:
    """An upper bound on what neighbours' outputs give away, in up to three forms at once.

    Except for a part of probability `delta`, the loss is at most pure `epsilon`, and zCDP `rho`, and GDP with
    `mu_squared`; a form that is not proven is None. All are exact fractions. Losses add up form by form:
    for adaptively chosen mechanisms pure epsilon and delta add (Dwork, Kenthapadi, McSherry, Mironov, Naor 2006), rho
    adds (Bun, Steinke 2016), and mu_squared adds (Dong, Roth, Su 2022).

    Example:
        >>> Loss.pure("0.1") + Loss.pure("0.2")
        Loss(epsilon=0.3, rho=0.025, mu=0.28...)
        >>> Loss.pure("0.1").for_group(3).epsilon
        Fraction(3, 10)
    """

    epsilon: Fraction | None
    rho: Fraction | None
    mu_squared: Fraction | None
    delta: Fraction = Fraction(0)
    pair: Pair | None = field(default=None, compare=False, repr=False)
    """The two hardest neighbouring outputs, where they are known; only of a single mechanism."""

    @classmethod
    def zero(cls) -> Loss:
        """Nothing was said."""
        return cls(Fraction(0), Fraction(0), Fraction(0))

    @classmethod
    def pure(cls, epsilon: Number, *, rho: Fraction | None = None) -> Loss:
        """Pure epsilon, and what follows from it; a mechanism that proves a smaller rho names it."""
        number = positive("epsilon", epsilon)
        return cls(
            epsilon=number,
            rho=rho_from_epsilon(number) if rho is None else rho,
            mu_squared=mu_squared_from_epsilon(number),
            pair=ResponsePair(number),
        )

    @classmethod
    def concentrated(cls, rho: Fraction, mu_squared: Fraction | None) -> Loss:
        """ZCDP, and GDP where it is proven."""
        pair = None if mu_squared is None else GaussianPair(mu_squared)
        if mu_squared is not None:
            rho = min(rho, rho_from_mu_squared(mu_squared))
        return cls(epsilon=None, rho=rho, mu_squared=mu_squared, pair=pair)

    @classmethod
    def approximate(cls, epsilon: Number, delta: Number) -> Loss:
        """(epsilon, delta): a pure loss, except for a part of probability delta.

        Any two (epsilon, delta)-close laws are mixtures that agree up to pure epsilon with weight 1 - delta
        (Kairouz, Oh, Viswanath 2015; Murtagh, Vadhan 2016, lemma 3.2), so the pure loss' other forms follow.
        """
        loss, part = cls.pure(epsilon), exact("delta", delta)
        if not 0 < part < 1:
            raise InvalidArgumentError("delta", f"must lie strictly between 0 and 1, not {delta}")
        pair = ResponsePair(positive("epsilon", epsilon), part)
        return cls(epsilon=loss.epsilon, rho=loss.rho, mu_squared=loss.mu_squared, delta=part, pair=pair)

    @property
    def mu(self) -> float | None:
        """The GDP parameter, rounded up."""
        return None if self.mu_squared is None else float(root_above(self.mu_squared))

    def __add__(self, other: Loss) -> Loss:
        """Both, one after the other, the second chosen with the first's outcome in hand."""
        return Loss(
            epsilon=_plus(self.epsilon, other.epsilon),
            rho=_plus(self.rho, other.rho),
            mu_squared=_plus(self.mu_squared, other.mu_squared),
            delta=self.delta + other.delta,
        )

    def times(self, count: int) -> Loss:
        """`count` such losses, one after the other."""
        whole("count", count)
        return Loss(
            epsilon=None if self.epsilon is None else count * self.epsilon,
            rho=None if self.rho is None else count * self.rho,
            mu_squared=None if self.mu_squared is None else count * self.mu_squared,
            delta=count * self.delta,
        )

    def for_group(self, people: int) -> Loss:
        """What neighbours that differ in `people` units give away.

        Pure: k epsilon (Dwork, McSherry, Nissim, Smith 2006). zCDP: k^2 rho (Bun, Steinke 2016, proposition 1.9).
        GDP: k mu (Dong, Roth, Su 2022, theorem 2.14). With delta > 0 only the first is used, with its delta.
        """
        whole("people", people)
        delta = self.delta if self.epsilon is None else group_delta(self.epsilon, self.delta, people)
        exactly = self.delta == 0
        if self.epsilon is None and not exactly:
            delta = Fraction(1)  # nothing is known
        return Loss(
            epsilon=None if self.epsilon is None else people * self.epsilon,
            rho=people**2 * self.rho if exactly and self.rho is not None else None,
            mu_squared=people**2 * self.mu_squared if exactly and self.mu_squared is not None else None,
            delta=delta,
        )

    def at(self, delta: Number) -> Guarantee:
        """The least epsilon that is proven at this delta, over all forms. Exact for pure losses, else rounded up."""
        total = exact("delta", delta)
        spare = float(total - self.delta)
        candidates = [self.epsilon if spare >= 0 else None]
        if spare > 0 and self.rho:
            candidates.append(_finite(epsilon_from_rho(float(self.rho), spare)))
        if spare > 0 and self.mu_squared and self.mu is not None:
            candidates.append(_finite(epsilon_from_mu(self.mu, spare)))
        known = [epsilon for epsilon in candidates if epsilon is not None]
        if not known:
            raise InvalidArgumentError("delta", f"must be above {float(self.delta)} for this loss, not {delta}")
        return Guarantee(max(min(known), Fraction(1, 10**30)), total)

    def __repr__(self) -> str:
        """Floats, for people; the fractions are in the fields."""
        forms = {"epsilon": self.epsilon, "rho": self.rho, "mu": self.mu, "delta": self.delta or None}
        return f"Loss({', '.join(f'{name}={float(form):.6g}' for name, form in forms.items() if form is not None)})"

    def __str__(self) -> str:
        """The price in words: the first form that is proven, and the delta; rounded up.

        Example:
            >>> str(Loss.pure("0.5")), str(Loss.approximate(1, "1e-7")), str(Loss.concentrated(Fraction(1, 20), None))
            ('ε 0.5', 'ε 1, δ 1e-7', 'ρ 0.05')
        """
        forms = {"ε": self.epsilon, "ρ": self.rho, "μ": self.mu}
        proven = [f"{name} {at_most(form)}" for name, form in forms.items() if form is not None]
        return ", ".join([*(proven[:1] or ["no proven bound"]), *([f"δ {at_most(self.delta)}"] if self.delta else [])])

    def to_dict(self) -> dict[str, float]:
        """The forms that are proven, as floats, for front ends.

        Example:
            >>> Loss.concentrated(Fraction(1, 20), None).to_dict()
            {'rho': 0.05, 'delta': 0.0}
        """
        forms = {"epsilon": self.epsilon, "rho": self.rho, "mu": self.mu, "delta": self.delta}
        return {name: float(form) for name, form in forms.items() if form is not None}


def _plus(one: Fraction | None, other: Fraction | None) -> Fraction | None:
    """A form that one of the two lacks, the sum lacks."""
    return None if one is None or other is None else one + other


def _finite(epsilon: float) -> Fraction | None:
    """Infinity is no bound."""
    return None if epsilon == inf else above(epsilon)
