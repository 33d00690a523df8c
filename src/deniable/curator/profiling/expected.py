"""How many rows the groups of a question are expected to have: from the private profile, or from an earlier answer.

Both are post-processing of what this analyst has been shown, and paid for. Of several answers the first that this
analyst saw is taken, and never a better one that came later: what an accuracy costs follows from it, and the same
question must cost the same again, and so nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import repeat

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from deniable.core.algebra.expression import Column
from deniable.curator.counted import counts_in, named, rows_of, said_of
from deniable.curator.profiling.known import declared_table, values_of
from deniable.planner import Plan, PricedStatements, Spend
from deniable.planner.plan import Bound
from deniable.releases.profile.profile import Profile, TableProfile

Recorded = Callable[[str], Iterable[pa.Table]]
"""The noisy tables about these rows that the analyst has seen, in that order."""


@dataclass(frozen=True, slots=True)
class ExpectedSizes:
    """Rows of the smallest, the middle and the largest group, and where that is known from."""

    smallest: int
    middle: int
    largest: int
    source: str
    means: tuple[tuple[str, Fraction], ...] = ()
    """Of columns, as far as they are known."""

    def assumed(self, spend: Spend) -> Spend:
        """The spend, with these sizes for whatever depends on them."""
        return replace(spend, rows=self.middle, sizes=self._several, means=self.means)

    def told(self, together: PricedStatements) -> PricedStatements:
        """The statements, whose quote says what it assumed."""
        between = f" ({self._several[0]:,} to {self._several[-1]:,} in all groups)" if self._several else ""
        text = f"expected: {self.middle:,} rows{' in the middle group' * bool(between)}{between}, {self.source}"
        (asked,) = together.asked
        (plan,) = asked.plans
        quote = replace(plan.quote, sizes=(text, *plan.quote.sizes))
        return replace(together, asked=(replace(asked, plans=(replace(plan, quote=quote),)),))

    @property
    def _several(self) -> tuple[int, ...]:
        sizes = (self.smallest, self.middle, self.largest)
        return sizes if self.smallest < self.largest else ()


def expected_sizes(together: PricedStatements, profile: Profile | None, recorded: Recorded) -> ExpectedSizes | None:
    """How large the groups of one question are; None: neither the profile nor an earlier answer can say."""
    if len(together.asked) != 1 or len(together.asked[0].plans) != 1:
        return None
    (plan,) = together.asked[0].plans
    table = None if profile is None else profile.tables.get(declared_table(plan.bound.source.table) or "")
    if table is not None and (found := _profiled(plan, table)):
        return replace(_sorted(found, "by the profile"), means=tuple(_means(plan.bound, table)))
    return next(_answered(plan, recorded(rows_of(plan.bound))), None)


def _answered(plan: Plan, tables: Iterable[pa.Table]) -> Iterator[ExpectedSizes]:
    """By each of the answers that has a count of these rows by these keys, or by more, and can tell it from noise."""
    wanted = [named((key.value, key.domain)) for key in plan.bound.keys]
    wheres = [*(named(where) for where, _ in counts_in(plan)), named(None)]
    for table in tables:
        known = said_of(table)
        if known is None or known["rows"] != rows_of(plan.bound):
            continue
        names = {digest: name for name, digest in known["keys"].items()}
        finer = len(names) > len(wanted)
        parts = next((known["counts"][where] for where in wheres if where in known["counts"]), None)
        if parts is None or not names.keys() >= set(wanted) or (finer and known["private"]):
            continue
        rows = np.sum([table[name].to_numpy() * float(Fraction(worth)) for name, (worth, _) in parts.items()], axis=0)
        sizes = _added_up(table, [names[digest] for digest in wanted], rows)
        if sizes and sorted(sizes)[len(sizes) // 2] > sum(off for _, off in parts.values()):
            yield _sorted(sizes, "as an earlier answer counted them")


def _added_up(table: pa.Table, keys: Sequence[str], counts: NDArray[np.float64]) -> list[float]:
    """The counts of the groups by these keys alone."""
    found: dict[tuple[object, ...], float] = {}
    columns = [table[key].to_pylist() for key in keys]
    for group, count in zip(zip(*columns, strict=True) if columns else repeat(()), counts.tolist(), strict=False):
        found[group] = found.get(group, 0.0) + count
    return list(found.values())


def _sorted(sizes: Sequence[float], source: str) -> ExpectedSizes:
    whole = sorted(max(1, round(size)) for size in sizes)
    return ExpectedSizes(whole[0], whole[len(whole) // 2], whole[-1], source)


def _means(bound: Bound, table: TableProfile) -> Iterator[tuple[str, Fraction]]:
    """Of the columns that are added up, within their bounds."""
    for column in values_of(bound):
        ends = column.range
        if column.name in table.columns and ends.low is not None and ends.high is not None:
            mean = table.columns[column.name].mean(ends.low, ends.high)
            if mean is not None:
                yield column.name, Fraction(mean).limit_denominator(10**6)


def _profiled(plan: Plan, table: TableProfile) -> list[float]:
    """The rows of each group, as the profile lets expect; nothing if it cannot say.

    It can of a question about all rows of one table. Groups of a column whose values were counted have their part of
    the rows; others have equal ones.
    """
    groups = plan.quote.groups
    unknown = table.people is not None and not table.people.telling
    if not groups or plan.bound.source.where is not None or unknown:
        return []
    kept = 1.0 if table.people is None else 1 - table.people.cut(plan.bound.source.contribution).value
    rows = table.rows.value * kept
    return [rows * share for share in _shares(plan.bound, table) or [1 / groups]]


def _shares(bound: Bound, table: TableProfile) -> list[float]:
    """Of the groups by one column whose values were counted."""
    value = bound.keys[0].value if len(bound.keys) == 1 else None
    listed = table.listed.get(value.name) if isinstance(value, Column) else None
    if listed is None:
        return []
    counts: dict[object, float] = dict(zip(listed.values, listed.noisy, strict=False))
    counts[None] = listed.noisy[-1]  # what is missing; before it stands what is none of the values, which has no group
    there = [max(0.0, counts.get(key, 0.0)) for key in bound.keys[0].domain or ()]
    return [count / sum(there) for count in there] if sum(there) > 0 else []
