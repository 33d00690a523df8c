"""How many people does a wanted error need?"""

from __future__ import annotations

from deniable.apps.chart import Chart
from deniable.core.number import Number, positive
from deniable.mechanisms.accuracy.one_fraction import sizes


def size(error: Number, epsilon: Number, delta: Number, confidence: Number) -> Chart:
    """One row for each way, one line for each over a range of errors."""
    here = sizes(error, epsilon, delta, confidence)
    wanted = positive("error", error)
    product = float(positive("epsilon", epsilon) * wanted)
    errors = [float(wanted) * 10 ** (power / 4) for power in range(-8, 5)]
    over = {wish: sizes(wish, epsilon, delta, confidence) for wish in errors}
    return Chart(
        title=f"People needed for an error of {error} at epsilon {epsilon}, with confidence {confidence}",
        columns=("asked by", "people", "grows like"),
        rows=[(name, f"{people:,}", _GROWTH[name]) for name, people in here.items()],
        lines={name: [(wish, over[wish][name]) for wish in errors] for name in here},
        x_label="wanted error",
        y_label="people",
        notes=(
            f"The textbook's rules of thumb: 1/(epsilon error)^2 = {1 / product**2:,.0f} "
            f"against 2/(epsilon error) = {2 / product:,.0f} (at confidence 3/4).",
        ),
    )


_GROWTH = {
    "randomized response": "1/(epsilon error)²",
    "Laplace": "1/(epsilon error)",
    "Gaussian": "1/(epsilon error)",
}
