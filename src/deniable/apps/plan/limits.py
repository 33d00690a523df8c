"""What can still be done: which accuracy is within reach for how many queries, and which is not, by anyone.

With 2^n queries, an error of E people on each gives away all but 4 E of n secret bits (Dinur, Nissim 2003; Dwork, Roth
2014, theorem 8.1). But of random bits nobody guesses more than a part e^epsilon / (1 + e^epsilon) + delta from private
answers. So an error below n (1 / (1 + e^epsilon) - delta) / 4 is impossible. With about n queries, an error of o(sqrt
n) people gives away nearly all bits (Dinur, Nissim 2003; Dwork, McSherry, Talwar 2007). Both hold for every mechanism.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, inf, log, sqrt

from deniable.apps.chart import Chart
from deniable.apps.plan.queries import errors
from deniable.core.errors import InvalidArgumentError
from deniable.core.number import Number, exact, positive, probability, whole
from deniable.mechanisms import Gaussian

_MOST = 10**30

METHODS = ("randomized response", "Laplace", "Gaussian", "matrix mechanism", "multiplicative weights")


def reached(
    logs: float, people: int, epsilon: Number, delta: Number, confidence: Number, cells: int
) -> dict[str, float]:
    """The largest error of e^logs fractions of n people, each of whom is in one of so many cells.

    Matrix mechanism: sums of noisy cells, the simplest strategy; sums of at most c cells have a deviation of at most
    sigma sqrt(c), and all k stay within sqrt(2 ln(2k/beta)) of those. Multiplicative weights: 2 sqrt(ln c / T) +
    10 T ln k / (epsilon n) in T rounds (Hardt, Ligett, McSherry 2012, theorem 2.2), for the best T.
    """
    beta = float(1 - probability("confidence", confidence))
    sigma = Gaussian(sensitivity=1, epsilon=epsilon, delta=delta, step="1/1024").sigma
    found = dict.fromkeys(METHODS, inf)
    if logs <= log(_MOST):
        found |= errors(max(1, round(2.718281828459045**logs)), people, epsilon, delta, confidence)
    found["matrix mechanism"] = sigma * sqrt(cells * 2 * (logs + log(2 / beta))) / people
    rate = 10 * max(logs, log(2)) / (float(exact("epsilon", epsilon)) * people)
    rounds = max(1, round((sqrt(log(max(cells, 2))) / rate) ** (2 / 3)))
    found["multiplicative weights"] = 2 * sqrt(log(max(cells, 2)) / rounds) + rate * rounds
    return found


def limits(
    questions: int, people: int, epsilon: Number, delta: Number, confidence: Number, cells: int | None, error: Number
) -> Chart:
    """A row for each target, a column for each number of queries; then how many people the wanted error takes."""
    whole("n", people)
    cells = whole("cells", people if cells is None else cells)
    wanted = float(positive("error", error))
    counts = sorted({max(1, round(people**0.25)), whole("k", questions), people})
    regimes = {f"k = {count:,}{' = n' if count == people else ''}": log(count) for count in counts}
    regimes |= {"k = 2^n": people * log(2)}
    targets = {
        f"below 1/sqrt n: {0.5 * people**-0.5:.2g}": 0.5 * people**-0.5,
        f"about 1/sqrt n: {people**-0.5:.2g}": people**-0.5,
        f"constant: {wanted:g}": wanted,
    }
    floor = impossible_below(epsilon, delta)
    found = {name: reached(logs, people, epsilon, delta, confidence, cells) for name, logs in regimes.items()}
    rows = [
        (name, *(_cell(found[regime], target, logs, people, cells, floor) for regime, logs in regimes.items()))
        for name, target in targets.items()
    ]
    sizes = ", ".join(
        f"{method} {_shown(_people(method, log(questions), epsilon, delta, confidence, cells, wanted))}"
        for method in METHODS
    )
    return Chart(
        title=f"What can still be done for {people:,} people in {cells:,} cells, at epsilon {epsilon}",
        columns=("largest error", *regimes),
        rows=rows,
        notes=(
            "impossible: who answers so many queries so well gives away nearly all of the data, by whatever means "
            "(with about n queries, from some constant times 1/sqrt n downwards).",
            f"People needed for an error of {wanted:g} on k = {questions:,}: {sizes}.",
            "The matrix mechanism here is the plain one, sums of noisy cells; a strategy that fits the queries errs "
            "less (deniable workload). With fewer cells than people, nobody can be told apart, and more is possible.",
        ),
    )


def impossible_below(epsilon: Number, delta: Number) -> float:
    """The error, as a fraction, below which nobody answers all 2^n queries with this guarantee."""
    return max(0.0, (1 / (1 + exp(float(exact("epsilon", epsilon)))) - float(exact("delta", delta))) / 4)


def _cell(found: dict[str, float], target: float, logs: float, people: int, cells: int, floor: float) -> str:
    """Who reaches the target; or that nobody can; or that nobody here does."""
    able = [method for method in METHODS if found[method] <= target]
    if able:
        return ", ".join(able)
    told_apart = cells >= people  # fewer cells than people cannot tell all of them apart
    if told_apart and logs >= people * log(2) and target < floor:
        return "impossible"
    if told_apart and logs >= log(people) and target <= people**-0.5:
        return "impossible, up to a constant"
    return f"none of these ({min(found.values()):.2g})"


def _people(
    method: str, logs: float, epsilon: Number, delta: Number, confidence: Number, cells: int, wanted: float
) -> int | None:
    """The least number that is enough, to three digits, as errors only fall with more people."""

    def enough(people: int) -> bool:
        try:
            return reached(logs, people, epsilon, delta, confidence, cells)[method] <= wanted
        except InvalidArgumentError:
            return False

    return _least(enough)


def _least(enough: Callable[[int], bool]) -> int | None:
    high = 1
    while not enough(high):
        high *= 2
        if high > _MOST:
            return None
    low = high // 2
    while high - low > max(1, high // 1000):
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _shown(people: int | None) -> str:
    return "none" if people is None else f"{people:,}"
