"""How many students cheated? Asked by randomized response, and counted by a trusted curator, side by side."""

from __future__ import annotations

import numpy as np

from deniable.apps.chart import Chart
from deniable.core.number import Number, positive, probability, whole
from deniable.local import WarnerResponse
from deniable.mechanisms import Laplace

_CONFIDENCE = "0.95"


def students(people: int, share: Number, epsilon: Number, error: Number) -> Chart:
    """One row for each way of asking: its answer for made-up students, its interval, and whom a wanted error takes."""
    truth, wanted = _simulated(whole("people", people), float(probability("share", share))), positive("error", error)
    survey, curator = WarnerResponse(epsilon=epsilon), Laplace(sensitivity=1, epsilon=epsilon)
    estimate = survey.estimate(survey.perturb(truth), _CONFIDENCE)
    count, noise = int(truth.sum()), curator.error(_CONFIDENCE)
    noisy = curator.release(count)
    sizes = sorted({max(10, round(people * 10 ** (power / 3))) for power in range(-9, 4)})
    needed = -(-noise // wanted)  # the noise does not depend on how many there are
    return Chart(
        title=f"{people:,} students, of whom {count / people:.2%} cheated; epsilon {epsilon}",
        columns=("asked by", "share of yes", "from", "to", f"people for ± {error}", "trusts"),
        rows=[
            (
                "randomized response",
                f"{estimate.value:.5f}",
                f"{estimate.interval[0]:.5f}",
                f"{estimate.interval[1]:.5f}",
                f"{survey.people_for(error, _CONFIDENCE, bound='exact'):,}",
                "nobody",
            ),
            (
                "Laplace",
                f"{noisy / people:.5f}",
                f"{(noisy - noise) / people:.5f}",
                f"{(noisy + noise) / people:.5f}",
                f"{needed:,}",
                "the curator",
            ),
        ],
        lines={
            "randomized response": [(size, survey.error(_CONFIDENCE, people=size, bound="exact")) for size in sizes],
            "Laplace": [(size, noise / size) for size in sizes],
        },
        x_label="people",
        y_label="error of the share",
        notes=(
            f"The plain mean of the reports is near {survey.naive_mean(count / people):.3f}: it is pulled towards 1/2, "
            "and the estimate undoes that.",
            "Every interval holds with probability 0.95, for the share among these students. "
            "Each student's report can be denied, to the collector too.",
        ),
    )


def _simulated(people: int, share: float) -> np.ndarray:
    """Students who do not exist."""
    return np.random.default_rng().random(people) < share
