"""What will run: the exact queries of a question."""

from __future__ import annotations

from deniable.core.algebra.query import DistinctSum, DistinctValues, GroupQuery, Kept, Key, Sums, Units
from deniable.core.errors import Refused
from deniable.planner.aggregates.statistics import Statistic
from deniable.planner.plan import Bound


def queries_of(bound: Bound) -> tuple[GroupQuery, ...]:
    """One for all sums, one for each count of units or values, and one for each histogram that is chosen from."""
    keys = tuple(Key(key.name, key.value, key.domain) for key in bound.keys)
    plain = [statistic for statistic in bound.statistics if isinstance(statistic, Statistic)]
    choices = [choice for choice in bound.statistics if not isinstance(choice, Statistic)]
    totals = tuple(statistic.total for statistic in plain if statistic.total is not None)
    counts = [statistic for statistic in plain if statistic.total is None]
    if bound.private_keys:
        if any(count.distinct is not None or count.filter is not None for count in counts):
            reason = f"With private keys, DISTINCT can only count all {'people' if bound.person else 'rows'}."
            raise Refused("distinct", reason, "Use COUNT(DISTINCT unit) without FILTER, or COUNT(*).")
        if choices:
            raise Refused(
                "private-keys",
                "Quantiles and most common values need known group keys.",
                "Group by a column with declared values, or list the keys: WHERE key IN (...).",
            )
        return (Kept(bound.source, keys, totals, bound.most_keys, next((count.name for count in counts), "units")),)
    sums = (Sums(bound.source, keys, totals),) if totals else ()
    histograms = dict.fromkeys(choice.histogram.query(bound.source, keys) for choice in choices)
    return (*sums, *(_counted(count, bound, keys) for count in counts), *histograms)


def _counted(count: Statistic, bound: Bound, keys: tuple[Key, ...]) -> GroupQuery:
    if count.distinct is None:
        return Units(bound.source, keys, count.name, count.filter)
    taken = DistinctSum if count.summed else DistinctValues
    return taken(bound.source, keys, count.name, count.distinct, count.filter)
