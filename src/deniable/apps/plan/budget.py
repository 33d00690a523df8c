"""How many questions fit a budget, under each way of adding up?"""

from __future__ import annotations

from collections.abc import Sequence

from deniable.accounting import METHODS, Filter
from deniable.accounting.how_many import MOST, SEARCHED, how_many
from deniable.apps.chart import Chart
from deniable.core.cap import Cap
from deniable.core.guarantee import Guarantee
from deniable.core.loss import Loss
from deniable.core.number import Number, positive
from deniable.mechanisms import Gaussian, Laplace, Mechanism


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
    count = how_many(loss, cap, method)
    return f"{count:,}+" if count == MOST and method in SEARCHED else f"{count:,}"
