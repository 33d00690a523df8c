"""Exact answers in, noisy answers out: the only place where the two meet."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from deniable.core.algebra.query import DistinctValues, Kept, Key, Units
from deniable.core.deadline import go_on
from deniable.core.sampling import IntArray
from deniable.curator.choose import choose
from deniable.curator.counted import said
from deniable.curator.groups import all_groups, counted, laid_out
from deniable.planner import Plan
from deniable.planner.choices.histogram import Choice
from deniable.planner.choices.price import Chosen
from deniable.planner.plan import Noisy, singly


def add_noise(plan: Plan, exact: Sequence[pa.Table]) -> pa.Table:
    """The keys, and one noisy whole number per statistic and group; one vectorised draw per statistic."""
    keys, totals = _selected(plan, exact[0]) if plan.selection is not None else _known(plan, exact)
    for part in singly(plan.noise):
        go_on()
        if isinstance(part, Noisy):
            name = part.statistic.name
            totals[name] = np.asarray(part.mechanism.release(totals[name]), dtype=np.int64)
        else:
            choice = part.choice if isinstance(part, Chosen) else part.quantiles[0]
            totals |= choose(part, _histogram(plan, choice, exact))
    return said(plan, pa.table(keys | {name: pa.array(totals[name]) for name in sorted(totals)}))


def _known(plan: Plan, exact: Sequence[pa.Table]) -> tuple[dict[str, pa.Array], dict[str, IntArray]]:
    """Known keys: every group is answered, whether the data has it or not."""
    totals: dict[str, IntArray] = {}
    for query, table in zip(plan.queries, exact, strict=True):
        if len(query.keys) > len(plan.bound.keys):
            continue  # a histogram
        names = [query.name] if isinstance(query, Units | DistinctValues) else [total.name for total in query.totals]
        totals |= laid_out(table, plan.bound.keys, names)
    return all_groups(plan.bound.keys), totals


def _histogram(plan: Plan, choice: Choice, exact: Sequence[pa.Table]) -> IntArray:
    """The exact counts that a choice is made from: a row for each group, with its cells."""
    keys = tuple(Key(key.name, key.value) for key in plan.bound.keys)
    place = plan.queries.index(choice.histogram.query(plan.bound.source, keys))
    return counted(exact[place], plan.bound.keys, choice)


def _selected(plan: Plan, exact: pa.Table) -> tuple[dict[str, pa.Array], dict[str, IntArray]]:
    """Private keys: those that partition selection lets through, in the order of the keys and not of the data."""
    query = plan.queries[0]
    if plan.selection is None or not isinstance(query, Kept):
        raise TypeError("no selection")
    names = [key.name for key in plan.bound.keys]
    ordered = exact.sort_by([(name, "ascending") for name in names])
    units = ordered[query.units].to_numpy()
    kept = ordered.filter(pa.array(plan.selection.keep(units))) if units.size else ordered
    keys = {name: kept[name].combine_chunks() for name in names}
    return keys, {name: kept[name].to_numpy() for part in plan.noise for name in part.names}
