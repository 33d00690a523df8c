"""What can still be done, as a table: a row for each error, a column for each number of queries."""

from __future__ import annotations

from math import log

from deniable.apps.chart import Chart
from deniable.core.number import Number, positive, whole
from deniable.mechanisms.accuracy.limits import METHODS, Limits, Reach


def limits(
    questions: int, people: int, epsilon: Number, delta: Number, confidence: Number, cells: int | None, error: Number
) -> Chart:
    """Who reaches which error, and how many people the wanted error takes."""
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
    study = Limits(epsilon, delta, confidence, cells)
    found = {name: study.reached(logs, people) for name, logs in regimes.items()}
    sizes = ", ".join(f"{method} {_shown(study.people_for(wanted, method, log(questions)))}" for method in METHODS)
    return Chart(
        title=f"What can still be done for {people:,} people in {cells:,} cells, at epsilon {epsilon}",
        columns=("largest error", *regimes),
        rows=[
            (
                name,
                *(_cell(found[regime], target, study.beyond(target, logs, people)) for regime, logs in regimes.items()),
            )
            for name, target in targets.items()
        ],
        notes=(
            "impossible: who answers so many queries so well gives away nearly all of the data, by whatever means "
            "(with about n queries, from some constant times 1/sqrt n downwards).",
            f"People needed for an error of {wanted:g} on k = {questions:,}: {sizes}.",
            "The matrix mechanism here is the plain one, sums of noisy cells; a strategy that fits the queries errs "
            "less (deniable workload). With fewer cells than people, nobody can be told apart, and more is possible.",
        ),
    )


def _cell(found: dict[str, float], target: float, reach: Reach) -> str:
    """Who reaches the target; or that nobody can; or that nobody here does, and the best of them."""
    able = [method for method in METHODS if found[method] <= target]
    if able:
        return ", ".join(able)
    return f"{reach.value} ({min(found.values()):.2g})" if reach is Reach.OPEN else reach.value


def _shown(people: int | None) -> str:
    return "none" if people is None else f"{people:,}"
