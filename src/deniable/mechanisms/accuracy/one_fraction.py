"""One fraction of n people: how far off it is, and how many people a wanted error takes."""

from __future__ import annotations

from math import ceil, log, sqrt

from deniable.core.number import Number, positive, probability
from deniable.mechanisms.gaussian import Gaussian
from deniable.mechanisms.laplace import Laplace
from deniable.mechanisms.randomized_response import RandomizedResponse


def errors(people: int, epsilon: Number, delta: Number, confidence: Number) -> dict[str, float]:
    """The error of the fraction, by each way of asking, at this confidence.

    Randomized response errs like 1/(gamma sqrt n), a curator's noise like 1/(epsilon n). Sampling alone is Hoeffding's
    bound, sqrt(ln(2/beta) / (2n)), for a survey of n people without noise.

    Example:
        >>> found = errors(10_000, 1, "1e-6", "0.95")
        >>> {name: round(error, 4) for name, error in found.items()}
        {'randomized response': 0.0294, 'Laplace': 0.0003, 'Gaussian': 0.0009, 'sampling alone': 0.0136}
    """
    return {
        "randomized response": RandomizedResponse(epsilon=epsilon).error(confidence, people=people),
        "Laplace": Laplace(sensitivity=1, epsilon=epsilon).error(confidence) / people,
        "Gaussian": Gaussian(sensitivity=1, epsilon=epsilon, delta=delta).error(confidence) / people,
        "sampling alone": sqrt(log(2 / (1 - float(probability("confidence", confidence)))) / (2 * people)),
    }


def sizes(error: Number, epsilon: Number, delta: Number, confidence: Number) -> dict[str, int]:
    """The number of people that makes a fraction this accurate, by each way of asking.

    About 1/(gamma error)^2 for randomized response, and 1/(epsilon error) for a curator.

    Example:
        >>> sizes("0.01", 1, "1e-6", "0.95")["Laplace"]
        300
    """
    wanted = float(positive("error", error))
    return {
        "randomized response": RandomizedResponse(epsilon=epsilon).people_for(error, confidence),
        "Laplace": ceil(Laplace(sensitivity=1, epsilon=epsilon).error(confidence) / wanted),
        "Gaussian": ceil(Gaussian(sensitivity=1, epsilon=epsilon, delta=delta).error(confidence) / wanted),
    }
