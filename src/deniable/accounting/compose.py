"""What a batch costs altogether, by every method there is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from operator import add
from typing import Protocol

from deniable.accounting.advanced import advanced
from deniable.accounting.pld import pld
from deniable.core.errors import InvalidArgumentError
from deniable.core.guarantee import Guarantee
from deniable.core.loss import Loss
from deniable.core.number import Number, exact


class Costly(Protocol):
    """Anything that says its loss: a mechanism, for one."""

    @property
    def loss(self) -> Loss:
        """What one use gives away."""


@dataclass(frozen=True, slots=True)
class ComposedGuarantee:
    """A batch's guarantee, and the method that showed it."""

    guarantee: Guarantee
    method: str


def compose(batch: Iterable[Loss | Costly], delta: Number = 0, method: str = "best") -> ComposedGuarantee:
    """The guarantee of a whole batch at `delta`; with method 'best', the smallest epsilon of all methods.

    The batch must be fixed before its first answer is seen. (The sums, 'basic', 'zcdp' and 'gdp', hold even if it is
    not, but comparing methods after the fact does not: use `Filter` there.) Every method's epsilon is a proven bound,
    rounded up, and so is the smallest of them.

    Example:
        >>> from deniable.mechanisms import Laplace
        >>> batch = [Laplace(sensitivity=1, epsilon="0.01")] * 400
        >>> found = compose(batch, delta=1e-6)
        >>> found.method, round(float(found.guarantee.epsilon), 2)
        ('pld', 0.83)
        >>> float(compose(batch, delta=1e-6, method="basic").guarantee.epsilon)
        4.0
    """
    losses = [item if isinstance(item, Loss) else item.loss for item in batch]
    if not losses:
        raise InvalidArgumentError("batch", "must not be empty")
    if method != "best" and method not in METHODS:
        raise InvalidArgumentError("method", f"must be 'best' or one of {', '.join(METHODS)}, not {method!r}")
    budget = exact("delta", delta)
    if not 0 <= budget < 1:
        raise InvalidArgumentError("delta", f"must be at least 0 and below 1, not {delta}")
    names = METHODS if method == "best" else [method]
    found = [(name, METHODS[name](losses, budget)) for name in names]
    shown = [(epsilon, name) for name, epsilon in found if epsilon is not None]
    if not shown:
        raise InvalidArgumentError(
            "delta", f"must be larger, or the method another: {method} shows nothing for this batch at {delta}"
        )
    epsilon, name = min(shown)
    return ComposedGuarantee(Guarantee(max(epsilon, _LEAST), budget), name)


def _basic(losses: Sequence[Loss], delta: Fraction) -> Fraction | None:
    """Epsilons add up, and so do deltas (Dwork, Kenthapadi, McSherry, Mironov, Naor 2006)."""
    total = _sum(losses)
    return total.epsilon if total.delta <= delta else None


def _zcdp(losses: Sequence[Loss], delta: Fraction) -> Fraction | None:
    """Rhos add up (Bun, Steinke 2016), and are converted once."""
    total = _sum(losses)
    return _converted(Loss(None, total.rho, None, total.delta), delta)


def _gdp(losses: Sequence[Loss], delta: Fraction) -> Fraction | None:
    """Squares of mu add up (Dong, Roth, Su 2022), and are converted once."""
    total = _sum(losses)
    return _converted(Loss(None, None, total.mu_squared, total.delta), delta)


def _converted(loss: Loss, delta: Fraction) -> Fraction | None:
    """The epsilon of this one form, if it says anything."""
    if not (loss.rho or loss.mu_squared) or loss.delta >= delta:
        return None
    try:
        return loss.at(delta).epsilon
    except InvalidArgumentError:  # a delta so small that no epsilon is finite
        return None


def _sum(losses: Sequence[Loss]) -> Loss:
    """Of all; one that stands there many times is multiplied."""
    times, known = Counter(map(id, losses)), {id(loss): loss for loss in losses}
    return reduce(add, (loss.times(times[key]) for key, loss in known.items()))


_LEAST = Fraction(1, 10**30)
"""Stands for an epsilon of zero, which no guarantee has."""

METHODS: dict[str, Callable[[Sequence[Loss], Fraction], Fraction | None]] = {
    "basic": _basic,
    "advanced": advanced,
    "zcdp": _zcdp,
    "gdp": _gdp,
    "pld": pld,
}
"""Each gives the batch's epsilon at a delta, or None where it has nothing to say."""
