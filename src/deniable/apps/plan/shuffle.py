"""What a shuffler adds: epsilon of one report alone, and of all reports without names."""

from __future__ import annotations

from deniable.apps.chart import Chart
from deniable.core.number import Number, whole
from deniable.local import Shuffled, WarnerResponse


def shuffle(people: int, epsilon: Number, delta: Number) -> Chart:
    """One row for each kind of protocol, one line for each over a range of n."""
    whole("n", people)
    kinds = {"randomized response": WarnerResponse(epsilon=epsilon), "any protocol": epsilon}
    sizes = sorted({max(1, round(people * 10 ** (power / 2))) for power in range(-4, 3)} | {people})
    found = {
        name: {size: float(Shuffled(kind, size).guarantee(delta).epsilon) for size in sizes}
        for name, kind in kinds.items()
    }
    return Chart(
        title=f"{people:,} shuffled reports of epsilon {epsilon}, at delta {delta}",
        columns=("reports by", "alone", "shuffled", "trusts"),
        rows=[(name, f"{epsilon}", f"{found[name][people]:.4g}", "the shuffler to forget") for name in kinds],
        lines={name: list(found[name].items()) for name in kinds},
        x_label="people",
        y_label="epsilon",
        notes=(
            "randomized response: yes or no, k-ary, and Duchi's bit; they have more clones than protocols in general.",
            "Against the shuffler itself each report keeps what it has alone.",
        ),
    )
