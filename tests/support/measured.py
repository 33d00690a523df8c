"""The exact integers behind a plan, and how far apart those of neighbours are, as a part of what the noise hides."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from deniable.core.algebra.query import DistinctValues, Kept, Key, Units
from deniable.curator.groups import counted, laid_out
from deniable.engines import Engine
from deniable.mechanisms import Gaussian
from deniable.mechanisms.ranks import rank_scores
from deniable.planner import Plan
from deniable.planner.choices.histogram import Quantile
from deniable.planner.choices.price import Chosen
from deniable.planner.plan import Parallel
from tests.support.choosing import joined_apart

Exact = dict[str, dict[object, int] | NDArray[np.int64]]
"""By statistic: a whole number for each group, or the histograms that a choice is made from."""
UNITS = "units"


def exact_integers(engine: Engine, plan: Plan) -> Exact:
    """Everything that noise is put on, or chosen by: what nobody but a test sees."""
    found: Exact = {}
    keys = tuple(Key(key.name, key.value) for key in plan.bound.keys)
    for query in plan.queries:
        table = engine.run(query)
        if len(query.keys) > len(keys):
            choices = [part.choice for part in plan.noise if isinstance(part, Chosen)]
            for choice in choices:
                if choice.histogram.query(plan.bound.source, keys) == query:
                    found[choice.name] = counted(table, plan.bound.keys, choice)
        elif isinstance(query, Kept):
            cells = list(zip(*(table[key.name].to_pylist() for key in keys), strict=True))
            names = [*(total.name for total in query.totals), UNITS]
            found |= {name: dict(zip(cells, table[name].to_pylist(), strict=True)) for name in names}
        else:
            names = (
                [query.name] if isinstance(query, Units | DistinctValues) else [total.name for total in query.totals]
            )
            vectors = laid_out(table, plan.bound.keys, names)
            found |= {name: dict(enumerate(vector.tolist())) for name, vector in vectors.items()}
    return found


def distance(plan: Plan, one: Exact, other: Exact) -> Fraction:
    """The farthest of all parts: above 1, the plan claims too little. Squared, where the noise is for squares."""
    parts = [_apart(part, one, other) for part in plan.noise]
    if plan.selection is not None:
        moved = _differences(one[UNITS], other[UNITS])
        parts.append(Fraction(sum(map(abs, moved)), plan.selection.partitions))
        parts.append(Fraction(max(map(abs, moved), default=0)))
    return max(parts)


def _apart(part: object, one: Exact, other: Exact) -> Fraction:
    if isinstance(part, Parallel):
        return sum((_apart(member, one, other) for member in part.members), Fraction(0))
    if isinstance(part, Chosen):
        return _scores_apart(part, one[part.choice.name], other[part.choice.name])
    name, sensitivity = part.statistic.name, part.mechanism.sensitivity
    moved = _differences(one[name], other[name])
    if isinstance(part.mechanism, Gaussian):
        return Fraction(sum(step * step for step in moved)) / sensitivity**2
    return Fraction(sum(map(abs, moved))) / sensitivity


def _differences(one: dict[object, int], other: dict[object, int]) -> list[int]:
    return [one.get(cell, 0) - other.get(cell, 0) for cell in {*one, *other}]


def _scores_apart(part: Chosen, one: NDArray[np.int64], other: NDArray[np.int64]) -> Fraction:
    """The farthest that a score moves in each group, added up over the groups."""
    tables = (one, other)
    if isinstance(part.choice, Quantile):
        offset = 0 if part.around is not None else part.choice.sides[0] * part.offset
        tables = tuple(rank_scores(table, part.choice.quantile, offset) for table in tables)
    farthest = int(np.abs(tables[0] - tables[1]).max(axis=1, initial=0).sum())
    scores = Fraction(farthest) / part.mechanism.sensitivity
    return scores if part.around is None else max(scores, joined_apart(part.around, one, other))
