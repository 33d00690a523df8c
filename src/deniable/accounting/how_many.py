"""How many questions of one kind fit a budget, by each way of adding up?"""

from __future__ import annotations

from deniable.accounting.compose import compose
from deniable.accounting.filter import Filter
from deniable.core.cap import Cap
from deniable.core.errors import InvalidArgumentError
from deniable.core.guarantee import Guarantee
from deniable.core.loss import Loss

MOST = 100_000
"""Past it, methods that look at each question of a batch become slow."""

SEARCHED = ("advanced", "pld")
"""The methods that do."""


def how_many(loss: Loss, cap: Guarantee, method: str) -> int:
    """The largest batch of such questions that `method` shows to be within the cap; for those searched, MOST at most.

    Example:
        >>> how_many(Loss.pure("0.1"), Guarantee(1, "1e-6"), "basic")
        10
    """
    match method:
        case "basic":
            return Filter(Cap(cap.epsilon)).how_many(loss)
        case "zcdp":
            all_for_rho = Cap(cap.epsilon, cap.delta, concentrated=cap.delta, gaussian=0)
            return Filter(all_for_rho).how_many(Loss(None, loss.rho, None))
        case "gdp":
            all_for_mu = Cap(cap.epsilon, cap.delta, concentrated=0, gaussian=cap.delta)
            return Filter(all_for_mu).how_many(Loss(None, None, loss.mu_squared))
        case _:
            return _search(loss, cap, method)


def _search(loss: Loss, cap: Guarantee, method: str) -> int:
    """By doubling and halving, as a method's epsilon only grows with the batch."""

    def within(count: int) -> bool:
        try:
            return compose([loss] * count, cap.delta, method).guarantee.epsilon <= cap.epsilon
        except InvalidArgumentError:
            return False

    low, high = 0, 1
    while high <= MOST and within(high):
        low, high = high, min(2 * high, MOST + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if within(middle) else (low, middle)
    return low
