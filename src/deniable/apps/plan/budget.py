"""How many questions fit a budget, under each way of adding up?"""

from __future__ import annotations

from collections.abc import Sequence

from deniable.accounting import METHODS, Filter, compose
from deniable.accounting.pld import installed
from deniable.apps.chart import Chart
from deniable.core.errors import InvalidArgumentError
from deniable.core.guarantee import Guarantee
from deniable.core.loss import Loss
from deniable.core.number import Number, positive
from deniable.mechanisms import Gaussian, Laplace, Mechanism

_MOST = 1_000_000


def fits(question: Mechanism, cap: Guarantee, method: str) -> int:
    """The largest batch of such questions that `method` shows to be within the cap."""

    def within(count: int) -> bool:
        # the sums need no list; the others see that many equal losses
        batch: Sequence[Loss] = [question.loss.times(count)] if method in _SUMS else [question.loss] * count
        try:
            return compose(batch, cap.delta, method).guarantee.epsilon <= cap.epsilon
        except InvalidArgumentError:
            return False

    low, high = 0, 1
    while high < _MOST and within(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if within(middle) else (low, middle)
    return low


def budget(epsilon: Number, delta: Number, each: Sequence[Number], sigmas: Sequence[Number]) -> Chart:
    """One row for each kind of question, one column for each account."""
    cap = Guarantee(epsilon, delta)
    account = Filter(cap)
    methods = [name for name in METHODS if name != "pld" or installed()]
    questions: dict[str, Mechanism] = {
        f"Laplace, epsilon {cost}": Laplace(sensitivity=1, epsilon=cost) for cost in each
    } | {
        f"Gaussian, sigma {sigma}": Gaussian(sensitivity=1, rho=1 / (2 * positive("sigma", sigma) ** 2))
        for sigma in sigmas
    }
    return Chart(
        title=f"How many counts fit epsilon {epsilon}, delta {delta}",
        columns=("each count", "filter (adaptive)", *methods),
        rows=[
            (name, f"{account.how_many(question.loss):,}", *(f"{fits(question, cap, method):,}" for method in methods))
            for name, question in questions.items()
        ],
        notes=(
            "filter: questions chosen one after the other, each after the last answer. This is what a curator uses.",
            "The others hold for batches that are fixed before the first answer: "
            "pld is the tightest there, and not sound for the adaptive analyst.",
        ),
    )


_SUMS = ("basic", "zcdp", "gdp")
