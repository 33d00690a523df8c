"""Answers without noise, compared with what plain DuckDB and a slow reference make of the same rows."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import duckdb

from deniable.curator.answers.answer import Answer
from tests.support.odd import UNDECLARED
from tests.support.questions import PAIRS, Aggregate, Question
from tests.support.weighed import WEIGHT, Key, aggregated, groups, plain_key, ranked, spread

FINE = 2.0**-18
"""Of the range of a value, or of the product of two: what grids may round off, many times over."""
CELL = 2.0**-10
"""Of the range of a value: the width of the cells that quantiles are chosen from, a few times over."""
FLAT = 1e-3
"""Of the squared range: below such a spread, slopes and correlations are anybody's guess."""


def disagreements(
    question: Question, answer: Answer, plain: duckdb.DuckDBPyConnection, most: int | None, *, light: bool
) -> list[str]:
    """What differs. `light`: nobody has more rows than count, so that plain aggregates are what is wanted."""
    wanted = _plain_groups(question, plain) if light else {}
    found = {key: row for row in answer.table.to_pylist() if (key := _key(question, row)) is not None}
    everyone = _Everyone(groups(question, plain.sql(question.rows_sql).fetchall(), most), most)
    parts = {key: rows for key, rows in everyone.parts.items() if _listed(key)}
    if not question.keys and not parts:
        parts[()] = [[] for _ in question.aggregates]
    if question.tail and list(wanted) != [key for key in found if key in wanted]:
        return [f"groups {list(found)} are not {list(wanted)}"]
    asked = wanted.keys() if question.tail else parts.keys()
    problems = [f"group {key} is missing" for key in asked if key not in found]
    for key in asked & found.keys():
        for place, aggregate in enumerate(question.aggregates):
            ours, rows = found[key][f"a{place}"], parts[key][place]
            theirs = wanted[key][place] if light else None
            if not _Compared(aggregate, rows, key, place, everyone).agrees(ours, theirs, light=light):
                problems.append(f"{aggregate.spelled('sql')} is {ours!r}, not {theirs!r}, in group {key}")
    return problems


def _plain_groups(question: Question, plain: duckdb.DuckDBPyConnection) -> dict[Key, tuple[Any, ...]]:
    rows = plain.sql(question.plain).fetchall()
    number = len(question.keys)
    keyed = {tuple(plain_key(value) for value in row[:number]): row[number:] for row in rows}
    return {key: values for key, values in keyed.items() if _listed(key)}


def _key(question: Question, row: Mapping[str, Any]) -> Key:
    return tuple(plain_key(row[f"k{place}"]) for place in range(len(question.keys)))


def _listed(key: Key) -> bool:
    """A town that is not declared is in no group of towns."""
    return UNDECLARED not in key


class _Everyone:
    """What needs the rows of all groups: of how many a unit is one."""

    def __init__(self, parts: Mapping[Key, list[Any]], most: int | None) -> None:
        self.parts, self.most = parts, most

    def groups_of(self, place: int) -> Counter[Any]:
        """In how many groups each unit is, as far as an aggregate's filter sees it."""
        return Counter(unit for rows in self.parts.values() for unit in {row[0] for row in rows[place]})

    def values_of(self, place: int) -> dict[Any, set[Any]]:
        """The different pairs of group and value that each unit has."""
        pairs = defaultdict(set)
        for key, rows in self.parts.items():
            for unit, _, values in rows[place]:
                if values[0] is not None:
                    pairs[unit].add((key, values[0]))
        return pairs


class _Compared:
    """One aggregate in one group."""

    def __init__(self, aggregate: Aggregate, rows: list[Any], key: Key, place: int, everyone: _Everyone) -> None:
        self.aggregate, self.rows, self.key, self.place, self.everyone = aggregate, rows, key, place, everyone
        self.widths = [value.width for value in aggregate.values if value.bounded]

    def agrees(self, ours: Any, theirs: Any, *, light: bool) -> bool:
        special = {
            "units": self._units,
            "distinct": self._distinct,
            "distinct sum": self._distinct_sum,
            "median": lambda ours: self._quantile(ours, Fraction(1, 2)),
            "quarter": lambda ours: self._quantile(ours, Fraction(1, 4)),
            "least": self._extreme,
            "most": self._extreme,
            "mode": self._mode,
        }
        if self.aggregate.kind in special:
            return special[self.aggregate.kind](ours)
        wanted = _number(theirs) if light else aggregated(self.aggregate, self.rows)
        if self.aggregate.kind == "sum":
            wanted = wanted or 0.0
        return self._near(ours, wanted)

    def _near(self, ours: Any, wanted: float | None) -> bool:
        if self.aggregate.kind in PAIRS[1:] and self._flat():
            return True
        if ours is None or wanted is None:
            return ours is wanted is None
        if self.aggregate.kind == "deviation":
            ours, wanted = ours**2, wanted**2
        return abs(ours - wanted) <= self._tolerance(wanted)

    def _flat(self) -> bool:
        return any(spread(self.rows, side) < FLAT * width**2 for side, width in enumerate(self.widths))

    def _tolerance(self, wanted: float) -> float:
        many = max(1, len(self.rows))
        one, other = (*self.widths, 1.0, 1.0)[:2]
        correction = (
            2 + 2 * many / max(1e-9, abs(self._weight() - 1)) if self.aggregate.kind == "sample variance" else 2
        )
        slope = FINE / FLAT * 4 * (one / other + abs(wanted))
        return {
            "count": 0.51,
            "present": 0.51,
            "sum": many * one * FINE,
            "average": one * FINE,
            "covariance": 4 * one * other * FINE,
            "correlation": FINE / FLAT * 4,
            "slope": slope,
            "intercept": one * FINE + (slope + FINE / FLAT * 4 * one / other) * other * 4,
        }.get(self.aggregate.kind, correction * one**2 * FINE)

    def _weight(self) -> float:
        return sum(weight for _, weight, values in self.rows if None not in values) / WEIGHT

    def _units(self, ours: Any) -> bool:
        many, most = self.everyone.groups_of(self.place), self.everyone.most
        units = {row[0] for row in self.rows}
        wanted = sum(1.0 if most is None else min(1.0, most / many[unit]) for unit in units)
        return abs(ours - wanted) <= 0.51

    def _distinct(self, ours: Any) -> bool:
        """Exactly, if no unit has more values than count; else at most as many, and of each unit as many as count."""
        pairs, most = self.everyone.values_of(self.place), self.everyone.most
        there = {values[0] for _, _, values in self.rows if values[0] is not None}
        if most is None or all(len(found) <= most for found in pairs.values()):
            return ours == len(there)
        alone = [len(found) <= most for found in pairs.values()]
        least = {
            value for unit, found in pairs.items() if len(found) <= most for key, value in found if key == self.key
        }
        return len(least) <= ours <= len(there) and bool(alone)

    def _distinct_sum(self, ours: Any) -> bool:
        """Exactly, if no unit has more values than count; else at least within what all of them could add."""
        pairs, most = self.everyone.values_of(self.place), self.everyone.most
        there = {values[0] for _, _, values in self.rows if values[0] is not None}
        if most is None or all(len(found) <= most for found in pairs.values()):
            return ours == sum(there)
        return sum(value for value in there if value < 0) <= ours <= sum(value for value in there if value > 0)

    def _quantile(self, ours: Any, share: Fraction) -> bool:
        wanted = ranked(self.rows, share)
        return wanted is None or abs(ours - float(wanted)) <= self._cell()

    def _extreme(self, ours: Any) -> bool:
        """Never beyond the rows: the least is sought from above, the most from below."""
        values = [float(values[0]) for _, _, values in self.rows if values[0] is not None]
        if not values:
            return True
        least = self.aggregate.kind == "least"
        return ours >= min(values) - self._cell() if least else ours <= max(values) + self._cell()

    def _cell(self) -> float:
        return self.widths[0] * CELL

    def _mode(self, ours: Any) -> bool:
        weights: Counter[Any] = Counter()
        for _, weight, values in self.rows:
            if values[0] is not None and _listed(values):
                weights[plain_key(values[0])] += weight
        return not weights or weights[plain_key(ours)] == max(weights.values())


def _number(value: Any) -> float | None:
    """NaN is how plain DuckDB says that there is none."""
    return None if value is None or math.isnan(value) else float(value)
