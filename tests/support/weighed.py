"""What aggregates are of rows that weigh: added up one row after the other, in fractions."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from fractions import Fraction
from typing import Any

from tests.support.questions import PAIRS, Aggregate, Question

WEIGHT = 1 << 20
Key = tuple[Any, ...]


def plain_key(value: Any) -> Any:
    """One spelling for each value of a key."""
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return int(value)


def groups(question: Question, rows: Iterable[Sequence[Any]], most: int | None) -> dict[Key, list[Any]]:
    """For each group and aggregate, the rows that its filter lets through: (unit, weight, values)."""
    rows = list(rows)
    sizes = Counter(row[0] for row in rows)
    number = len(question.keys)
    found: dict[Key, list[Any]] = defaultdict(lambda: [[] for _ in question.aggregates])
    for row in rows:
        weight = WEIGHT if most is None else min(WEIGHT, most * WEIGHT // sizes[row[0]])
        parts = found[tuple(plain_key(value) for value in row[1 : 1 + number])]
        place = 1 + number
        for aggregate, part in zip(question.aggregates, parts, strict=True):
            values = row[place + 1 : place + 1 + len(aggregate.values)]
            if row[place] is True:
                part.append((row[0], weight, values))
            place += 1 + len(aggregate.values)
    return found


def aggregated(aggregate: Aggregate, rows: list[Any]) -> float | None:
    """The aggregate of weighed rows; None where there is none. Not for those that are chosen or without repeats."""
    if aggregate.kind == "count":
        return float(Fraction(sum(weight for _, weight, _ in rows), WEIGHT))
    if aggregate.kind == "present":
        return float(Fraction(sum(weight for _, weight, values in rows if None not in values), WEIGHT))
    there = [(Fraction(weight, WEIGHT), _exact(values)) for _, weight, values in rows if None not in values]
    if aggregate.kind == "sum":
        return float(sum(weight * x for weight, (x,) in there))
    many = sum(weight for weight, _ in there)
    if not many:
        return None
    means = [sum(weight * values[side] for weight, values in there) / many for side in range(len(aggregate.values))]

    def moment(one: int, other: int) -> Fraction:
        products = (w * (values[one] - means[one]) * (values[other] - means[other]) for w, values in there)
        return Fraction(sum(products) / many)

    return _made(aggregate.kind, many, means, moment)


def _made(kind: str, many: Any, means: list[Any], moment: Any) -> float | None:  # noqa: PLR0911 - one for each kind
    if kind == "average":
        return float(means[0])
    if kind in PAIRS:
        together, spread = moment(0, 1), moment(1, 1)
        match kind:
            case "covariance":
                return float(together)
            case "correlation":
                both = moment(0, 0) * spread
                return float(together) / math.sqrt(both) if both else None
            case "slope":
                return float(together / spread) if spread else None
            case _:
                return float(means[0] - together / spread * means[1]) if spread else None
    if kind == "sample variance":
        return float(moment(0, 0) * many / (many - 1)) if many > 1 else None
    return float(moment(0, 0)) if kind == "variance" else math.sqrt(moment(0, 0))


def ranked(rows: list[Any], share: Fraction) -> Any:
    """The value at which the weight reaches this share; None of nothing."""
    there = sorted((values[0], weight) for _, weight, values in rows if values[0] is not None)
    total, reached = sum(weight for _, weight in there), 0
    for value, weight in there:
        reached += weight
        if reached >= share * total:
            return value
    return None


def spread(rows: list[Any], side: int) -> Fraction:
    """The weighed variance of one of two values."""
    there = [(Fraction(weight, WEIGHT), _exact(values)) for _, weight, values in rows if None not in values]
    many = sum(weight for weight, _ in there)
    if not many:
        return Fraction(0)
    mean = sum(weight * values[side] for weight, values in there) / many
    return Fraction(sum(weight * (values[side] - mean) ** 2 for weight, values in there) / many)


def _exact(values: Sequence[Any]) -> list[Fraction]:
    return [Fraction(value) for value in values]
