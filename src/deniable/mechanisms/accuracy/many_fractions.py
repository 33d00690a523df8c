"""k fractions of n people, all asked at once within one epsilon: how far off the worst of them is."""

from __future__ import annotations

from fractions import Fraction

from deniable.core.number import Number, positive, probability, root_above
from deniable.mechanisms.gaussian import Gaussian
from deniable.mechanisms.laplace import Laplace
from deniable.mechanisms.randomized_response import RandomizedResponse


def largest_errors(questions: int, people: int, epsilon: Number, delta: Number, confidence: Number) -> dict[str, float]:
    """The largest error among k fractions of n people, at this confidence; each person may count in all k.

    Laplace errs by k ln(k/beta) / (epsilon n), Gaussian noise by about sqrt(k ln k), and randomized response splits
    epsilon over k answers of each person.

    Example:
        >>> many = largest_errors(1000, 10_000, 1, "1e-6", "0.95")
        >>> many["Gaussian"] < many["Laplace"] < many["randomized response"]
        True
    """
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
