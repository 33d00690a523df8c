"""How far off are k counts, all asked at once within one epsilon?"""

from __future__ import annotations

from fractions import Fraction

from deniable.apps.chart import Chart
from deniable.core.number import Number, positive, probability, root_above, whole
from deniable.mechanisms import Gaussian, Laplace, RandomizedResponse


def errors(questions: int, people: int, epsilon: Number, delta: Number, confidence: Number) -> dict[str, float]:
    """The largest error among k fractions of n people, at this confidence; each person may count in all k."""
    share = 1 - (1 - probability("confidence", confidence)) / questions
    laplace = Laplace(sensitivity=questions, epsilon=epsilon)
    gaussian = Gaussian(
        sensitivity=root_above(Fraction(questions)), epsilon=epsilon, delta=delta, step="1/1024", coordinates=1
    )
    response = RandomizedResponse(epsilon=positive("epsilon", epsilon) / questions)
    return {
        "randomized response": response.error(share, people=people),
        "Laplace": laplace.error(confidence, answers=questions) / people,
        "Gaussian": gaussian.error(confidence, answers=questions) / people,
    }


def queries(questions: int, people: int, epsilon: Number, delta: Number, confidence: Number) -> Chart:
    """One row for each number of questions up to k, one line for each way."""
    whole("k", questions)
    whole("n", people)
    counts = sorted({round(questions ** (power / 6)) for power in range(7)})
    over = {count: errors(count, people, epsilon, delta, confidence) for count in counts}
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
