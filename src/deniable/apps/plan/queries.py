"""How far off are k counts, all asked at once within one epsilon?"""

from __future__ import annotations

from deniable.apps.chart import Chart
from deniable.core.number import Number, whole
from deniable.mechanisms.accuracy.many_fractions import largest_errors


def queries(questions: int, people: int, epsilon: Number, delta: Number, confidence: Number) -> Chart:
    """One row for each number of questions up to k, one line for each way."""
    whole("k", questions)
    whole("n", people)
    counts = sorted({round(questions ** (power / 6)) for power in range(7)})
    over = {count: largest_errors(count, people, epsilon, delta, confidence) for count in counts}
    names = list(over[questions])
    return Chart(
        title=f"Largest error of k fractions of {people:,} people, epsilon {epsilon} for all together, "
        f"with confidence {confidence}",
        columns=("k", *names),
        rows=[(f"{count:,}", *(f"± {error:.3g}" for error in over[count].values())) for count in counts],
        lines={name: [(count, over[count][name]) for count in counts] for name in names},
        x_label="questions",
        y_label="error",
        notes=(
            "An error of 1 or more says nothing about a fraction.",
            f"Laplace errs by k ln(k/beta)/(epsilon n); Gaussian (delta {delta}) by about sqrt(k ln k); "
            "randomized response splits epsilon over k answers of each person.",
        ),
    )
