"""How far off is a fraction of n people: asked by randomized response, or counted by a curator?"""

from __future__ import annotations

from deniable.apps.chart import Chart
from deniable.core.number import Number, whole
from deniable.mechanisms.accuracy.one_fraction import errors


def mean(people: int, epsilon: Number, delta: Number, confidence: Number) -> Chart:
    """One row for each way, one line for each over a range of n."""
    whole("n", people)
    here = errors(people, epsilon, delta, confidence)
    sizes = sorted({max(1, round(people * 10 ** (power / 4))) for power in range(-8, 9)})
    over = {size: errors(size, epsilon, delta, confidence) for size in sizes}
    return Chart(
        title=f"Error of a fraction of {people:,} people at epsilon {epsilon}, with confidence {confidence}",
        columns=("asked by", "error", "of n people", "trusts"),
        rows=[(name, f"± {error:.3g}", f"± {error * people:,.0f}", _TRUST[name]) for name, error in here.items()],
        lines={name: [(size, over[size][name]) for size in sizes] for name in here},
        x_label="people",
        y_label="error",
        notes=(
            "Randomized response errs like 1/(gamma sqrt n), the curator's noise like 1/(epsilon n).",
            f"Gaussian noise at delta {delta}. 'sampling alone': the error of any survey of n people, without noise.",
        ),
    )


_TRUST = {
    "randomized response": "nobody",
    "Laplace": "the curator",
    "Gaussian": "the curator",
    "sampling alone": "everybody",
}
