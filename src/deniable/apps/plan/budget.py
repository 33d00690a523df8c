"""How many questions fit a budget, under each way of adding up?"""

from __future__ import annotations

from collections.abc import Sequence

from deniable.accounting import METHODS, Filter, compose
from deniable.apps.chart import Chart
from deniable.core.cap import Cap
from deniable.core.errors import InvalidArgumentError
from deniable.core.guarantee import Guarantee
from deniable.core.loss import Loss
from deniable.core.number import Number, positive
from deniable.mechanisms import Gaussian, Laplace, Mechanism

_MOST = 100_000
"""Past it, methods that look at each question of a batch become slow."""


def fits(loss: Loss, cap: Guarantee, method: str) -> int:
    """The largest batch of such questions that `method` shows to be within the cap; for some, _MOST or more."""
    match method:
        case "basic":
            return Filter(Cap(cap.epsilon)).how_many(loss)
        case "zcdp":
            return Filter(Cap(cap.epsilon, cap.delta, concentrated=cap.delta, gaussian=0)).how_many(
                Loss(None, loss.rho, None)
            )
        case "gdp":
            return Filter(Cap(cap.epsilon, cap.delta, concentrated=0, gaussian=cap.delta)).how_many(
                Loss(None, None, loss.mu_squared)
            )
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
    while high <= _MOST and within(high):
        low, high = high, min(2 * high, _MOST + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if within(middle) else (low, middle)
    return low


def budget(epsilon: Number, delta: Number, each: Sequence[Number], sigmas: Sequence[Number]) -> Chart:
    """One row for each kind of question, one column for each account."""
    cap = Guarantee(epsilon, delta)
    account = Filter(Cap(cap.epsilon, cap.delta))
    questions: dict[str, Mechanism] = {
        f"Laplace, epsilon {cost}": Laplace(sensitivity=1, epsilon=cost) for cost in each
    } | {
        f"Gaussian, sigma {sigma}": Gaussian(sensitivity=1, rho=1 / (2 * positive("sigma", sigma) ** 2))
        for sigma in sigmas
    }
    return Chart(
        title=f"How many counts fit epsilon {epsilon}, delta {delta}",
        columns=("each count", "filter (adaptive)", *METHODS),
        rows=[
            (name, f"{account.how_many(question.loss):,}", *(_shown(question.loss, cap, method) for method in METHODS))
            for name, question in questions.items()
        ],
        notes=(
            "filter: questions chosen one after the other, each after the last answer. This is what a curator uses.",
            "The others hold for batches that are fixed before the first answer: "
            "pld is the tightest there, and not sound for the adaptive analyst.",
        ),
    )


def _shown(loss: Loss, cap: Guarantee, method: str) -> str:
    """The number, or where the search stopped."""
    count = fits(loss, cap, method)
    return f"{count:,}+" if count == _MOST and method in _SEARCHED else f"{count:,}"


_SEARCHED = ("advanced", "pld")
