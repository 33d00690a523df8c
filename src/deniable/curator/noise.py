"""Exact answers in, noisy answers out: the only place where the two meet."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from deniable.core.query import Units
from deniable.core.sampling import IntArray
from deniable.curator.groups import all_groups, laid_out
from deniable.planner import Plan


def add_noise(plan: Plan, exact: Sequence[pa.Table]) -> pa.Table:
    """The keys, and one noisy whole number per statistic and group; one vectorised draw per statistic."""
    keys, totals = _selected(plan, exact[0]) if plan.selection is not None else _known(plan, exact)
    for noisy in plan.noise:
        name = noisy.statistic.name
        totals[name] = np.asarray(noisy.mechanism.release(totals[name]), dtype=np.int64)
    return pa.table(keys | {name: pa.array(totals[name]) for name in sorted(totals)})


def _known(plan: Plan, exact: Sequence[pa.Table]) -> tuple[dict[str, pa.Array], dict[str, IntArray]]:
    """Known keys: every group is answered, whether the data has it or not."""
    totals: dict[str, IntArray] = {}
    for query, table in zip(plan.queries, exact, strict=True):
        names = [query.name] if isinstance(query, Units) else [total.name for total in query.totals]
        totals |= laid_out(table, plan.bound.keys, names)
    return all_groups(plan.bound.keys), totals


def _selected(plan: Plan, exact: pa.Table) -> tuple[dict[str, pa.Array], dict[str, IntArray]]:
    """Private keys: those that partition selection lets through, in the order of the keys and not of the data."""
    if plan.selection is None:
        raise TypeError("no selection")
    names = [key.name for key in plan.bound.keys]
    ordered = exact.sort_by([(name, "ascending") for name in names])
    units = ordered["units"].to_numpy()
    kept = ordered.filter(pa.array(plan.selection.keep(units))) if units.size else ordered
    keys = {name: kept[name].combine_chunks() for name in names}
    return keys, {noisy.statistic.name: kept[noisy.statistic.name].to_numpy() for noisy in plan.noise}
