"""Exact queries in DuckDB's SQL, each as one SELECT.

Where the unit is the row, that is a plain GROUP BY. Where it is a person, every row first counts in full, and then the
rows of the heavy units, who have more rows than they may, are corrected to their weight: only these are joined. Most
people are light, so most rows are read twice but never looked up. Rows that are joined, grouped or stacked first are
kept while the rest of the statement reads them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from deniable.core.algebra.expression import Column, Expression, Kind, columns
from deniable.core.algebra.query import (
    WEIGHT,
    DistinctSum,
    DistinctValues,
    ExactQuery,
    Kept,
    Key,
    MarginalSums,
    Source,
    Sums,
    Total,
    Units,
)
from deniable.core.algebra.relation import ROW
from deniable.engines.duckdb.columns import Stored
from deniable.engines.duckdb.literals import TYPES, quoted
from deniable.engines.duckdb.relations import Tables, spelled
from deniable.engines.duckdb.spelling import Speller
from deniable.engines.duckdb.weighted_sums import Adding, finished

_MOST_ROWS = 1 << 42
"""More than any table has, so a contribution above this bounds nothing."""


def statement(query: ExactQuery, tables: Tables) -> str:
    """The query over declared tables that have these columns, of these types."""
    rows = _rows(query, tables)
    if isinstance(query, Units):
        return _units(rows, query)
    return _distinct(rows, query) if isinstance(query, DistinctValues) else _totals(rows, query)


def _totals(rows: _Rows, query: Sums | Kept | MarginalSums) -> str:
    """Totals per group: plainly, for kept groups, for several sets of keys, or with heavy units corrected."""
    totals = rows.totals(query.totals)
    if isinstance(query, MarginalSums):
        return _marginals(rows, totals, query)
    units = query.units if isinstance(query, Kept) else None
    if rows.source.unit is None:
        return _plain(rows, totals, units)
    if isinstance(query, Kept):
        return _kept(rows, totals, query)
    if not query.keys and all(total.scales for total in totals):
        return _together(rows, totals)
    return _corrected(rows, totals)


def _rows(query: ExactQuery, tables: Tables) -> _Rows:
    """A declared table is read as it is; other relations come first, with the columns that the query needs."""
    source, relation = query.source, spelled(query.source.table, tables)
    speller = Speller(relation.columns)
    if isinstance(source.table, str):
        return _Rows(source, query.keys, speller, relation.text, {})
    unit = [] if source.unit is None else [source.unit]
    seen = {column.name: column for column in _columns(query)}
    needed = {name: f"c{place}" for place, name in enumerate(sorted({*seen, *unit}))}
    read = {name: _read(speller, name, seen.get(name), source.unit) for name in needed}
    values = [f"{read[name].place} AS {short}" for name, short in needed.items()] or ["1"]
    kept = {name: Stored(f"r.{short}", read[name].type) for name, short in needed.items()}
    steps = {"kept_rows": relation.select(source.unit, source.where, values)}
    return _Rows(replace(source, where=None), query.keys, Speller(kept), "kept_rows AS r", steps)


def _read(speller: Speller, name: str, column: Column | None, unit: str | None) -> Stored:
    """What is kept of a column: of a text as much as is read of it, since a join can repeat it; the unit as it is."""
    if column is None or column.kind is not Kind.TEXT or name == unit:
        return speller.columns[name]
    return Stored(speller.spell(column), TYPES[Kind.TEXT])


def _columns(query: ExactQuery) -> frozenset[Column]:
    """The columns that a query looks at, besides the unit and its source's condition."""
    looked_at: list[Expression | None]
    if isinstance(query, Units):
        looked_at = [query.filter]
    elif isinstance(query, DistinctValues):
        looked_at = [query.value, query.filter]
    else:
        looked_at = [part for total in query.totals for part in (total.row, total.where)]
    expressions = [*(key.value for key in query.keys), *(part for part in looked_at if part is not None)]
    return frozenset().union(*(columns(expression) for expression in expressions))


@dataclass(frozen=True, slots=True)
class _Rows:
    """The private rows of a query, and its keys: called k0, k1, ... until the last step gives them their names."""

    source: Source
    named: tuple[Key, ...]
    speller: Speller
    origin: str
    """What they are read from, under the name `r`."""
    steps: Mapping[str, str]
    """What has to be computed first."""

    @property
    def unit(self) -> str:
        return self.speller.unit(self.source.unit or "")

    @property
    def keys(self) -> list[str]:
        return [f"k{place}" for place in range(len(self.named))]

    @property
    def values(self) -> list[str]:
        return [self.speller.key(key.value) for key in self.named]

    @property
    def most(self) -> int:
        return min(self.source.contribution, _MOST_ROWS)

    def totals(self, totals: Iterable[Total]) -> list[Adding]:
        return [Adding(total, self.speller) for total in totals]

    def labelled(self) -> list[str]:
        """The keys as expressions, for a step before the last."""
        return [f"{value} AS {key}" for value, key in zip(self.values, self.keys, strict=True)]

    def answered(self, values: Iterable[str]) -> list[str]:
        """The keys with their own names, for the last step."""
        return [f"{value} AS {quoted(key.name)}" for value, key in zip(values, self.named, strict=True)]

    def chosen(self, *conditions: str, join: str = "") -> str:
        """The rows that satisfy all conditions and whose unit is known."""
        where = [] if self.source.where is None else [self.speller.spell(self.source.where)]
        known = [] if self.source.unit is None else [f"{self.unit} IS NOT NULL"]
        together = " AND ".join([*where, *known, *conditions])
        return f"{self.origin}{join}" + (f" WHERE {together}" if together else "")

    def with_steps(self, steps: Mapping[str, str], last: str, kept: str = "") -> str:
        """A SELECT after its steps. Rows that are numbered must be kept: read twice, they could differ."""
        keeping = {*self.steps, kept}
        spelled_out = [
            f"{name} AS {'MATERIALIZED ' if name in keeping else ''}({step})"
            for name, step in (*self.steps.items(), *steps.items())
        ]
        return "WITH " + ",\n".join(spelled_out) + f"\n{last}" if spelled_out else last

    def hashed(self, unit: str, values: Iterable[str]) -> str:
        """By what a unit's groups are put in order: with the unit, so that no group is favoured.

        As text, so that it is the same whatever the file's type. The number of a row is left out: it can change with
        the rows before it, and what a unit keeps must follow from its own rows.
        """
        numbered = (self.source.unit or "").endswith(ROW)
        return f"HASH({', '.join([*([] if numbered else [f'CAST({unit} AS VARCHAR)']), *values])})"

    def weight(self, rows: str) -> str:
        """What each of so many rows weighs."""
        return f"LEAST({WEIGHT}, {self.most * WEIGHT} // {rows})"


def _select(columns: Iterable[str], source: str, groups: int = 0) -> str:
    """Grouped by the first few columns; by none, there is one row."""
    grouped = f" GROUP BY {', '.join(str(place + 1) for place in range(groups))}" if groups else ""
    return f"SELECT {', '.join(columns)} FROM {source}{grouped}"  # noqa: S608 - our own algebra, all names quoted


def _plain(rows: _Rows, totals: list[Adding], units: str | None) -> str:
    """Rows that are units of their own weigh nothing, and lie in one group each."""
    sums = [finished(adding.plain(), adding.total.name) for adding in totals]
    counts = [] if units is None else [finished("COUNT(*)", units)]
    return rows.with_steps({}, _select([*rows.answered(rows.values), *sums, *counts], rows.chosen(), len(rows.keys)))


def _together(rows: _Rows, totals: list[Adding]) -> str:
    """Without keys, a unit's rows are added up first: nothing is joined."""
    parts = [f"{adding.of_unit()} AS t{place}" for place, adding in enumerate(totals)]
    units = _select([f"{rows.unit} AS unit", "COUNT(*) AS size", *parts], rows.chosen(), 1)
    weighed = _select(["*", f"{rows.weight('size')} AS weight"], "units")
    sums = [finished(adding.scaled(f"t{place}", "weight"), adding.total.name) for place, adding in enumerate(totals)]
    return rows.with_steps({"units": units, "weighed": weighed}, _select(sums, "weighed"))


def _corrected(rows: _Rows, totals: list[Adding]) -> str:
    """Everyone in full, and what the heavy units have too much."""
    full = [f"{adding.full()} AS t{place}" for place, adding in enumerate(totals)]
    less = [f"{adding.correction('heavy.weight')} AS t{place}" for place, adding in enumerate(totals)]
    joined = rows.chosen(join=f" JOIN heavy ON heavy.unit = {rows.unit}")
    parts = [
        _select([*rows.labelled(), *full], rows.chosen(), len(rows.keys)),
        _select([*rows.labelled(), *less], joined, len(rows.keys)),
    ]
    return rows.with_steps({"heavy": _heavy(rows), "parts": "\nUNION ALL ".join(parts)}, _added_up(rows, totals))


def _heavy(rows: _Rows) -> str:
    """The units that have more rows than they may, and what each of these weighs."""
    size = f"{rows.most * WEIGHT} // COUNT(*) AS weight"
    return _select([f"{rows.unit} AS unit", size], rows.chosen(), 1) + f" HAVING COUNT(*) > {rows.most}"


def _added_up(rows: _Rows, totals: list[Adding], *counts: str) -> str:
    """The parts of each group, put together."""
    sums = [finished(f"SUM(t{place})", adding.total.name) for place, adding in enumerate(totals)]
    return _select([*rows.answered(rows.keys), *sums, *counts], "parts", len(rows.keys))


def _pairs(rows: _Rows, condition: Expression | None) -> str:
    """Which unit is in which groups, and with how many rows."""
    conditions = [] if condition is None else [rows.speller.spell(condition)]
    columns = [f"{rows.unit} AS unit", *rows.labelled(), "COUNT(*) AS size"]
    return _select(columns, rows.chosen(*conditions), 1 + len(rows.keys))


def _units(rows: _Rows, query: Units) -> str:
    """A unit counts once in each of its groups; without keys, there is one."""
    if not rows.keys:
        counted = f"COUNT(*) * {min(WEIGHT, rows.most * WEIGHT)}"
        return rows.with_steps({"pairs": _pairs(rows, query.filter)}, _select([finished(counted, query.name)], "pairs"))
    weights = _select(["unit", f"{rows.weight('COUNT(*)')} AS weight"], "pairs", 1)
    steps = {"pairs": _pairs(rows, query.filter), "weights": weights}
    columns = [*rows.answered(rows.keys), finished("SUM(weight)", query.name)]
    return rows.with_steps(steps, _select(columns, "pairs JOIN weights USING (unit)", len(rows.keys)))


def _distinct(rows: _Rows, query: DistinctValues) -> str:
    """The different values of each group, where a unit adds those below the first hash that is one too many."""
    conditions = [] if query.filter is None else [rows.speller.spell(query.filter)]
    value = rows.speller.key(query.value)
    taken = "SUM" if isinstance(query, DistinctSum) else "COUNT"
    if rows.source.unit is None:
        counted = finished(f"{taken}(DISTINCT {value})", query.name)
        last = _select([*rows.answered(rows.values), counted], rows.chosen(*conditions), len(rows.keys))
        return rows.with_steps({}, last)
    columns = [f"{rows.unit} AS unit", *rows.labelled(), f"{value} AS value"]
    hashed = f"{rows.hashed('unit', [*rows.keys, 'value'])} AS hashed"
    ranked = "ROW_NUMBER() OVER (PARTITION BY unit ORDER BY hashed) AS place"
    steps = {
        "pairs": _select(columns, rows.chosen(*conditions, f"{value} IS NOT NULL"), len(columns)),
        "hashes": _select(["*", hashed], "pairs"),
        "heavy": _select(["unit"], "pairs", 1) + f" HAVING COUNT(*) > {rows.most}",
        "ranks": _select(["unit", "hashed", ranked], "hashes SEMI JOIN heavy USING (unit)"),
        "cuts": _select(["unit", "hashed AS cut"], f"ranks WHERE place = {rows.most + 1}"),
        "kept": _select([*rows.keys, "value"], "hashes LEFT JOIN cuts USING (unit) WHERE cut IS NULL OR hashed < cut"),
    }
    counted = finished(f"{taken}(DISTINCT value)", query.name)
    return rows.with_steps(steps, _select([*rows.answered(rows.keys), counted], "kept", len(rows.keys)))


def _kept(rows: _Rows, totals: list[Adding], query: Kept) -> str:
    """A unit's groups with a lower hash than the first one too many: never more than `most`, even if hashes tie."""
    hashed = rows.hashed("unit", rows.keys)
    ranked = f"ROW_NUMBER() OVER (PARTITION BY unit ORDER BY {hashed}) AS place"
    weight = rows.weight("CAST(SUM(size) AS BIGINT)")
    joined = f" JOIN weights ON weights.unit = {rows.unit}"
    among = f"(weights.cut IS NULL OR {rows.hashed(rows.unit, rows.values)} < weights.cut)"
    sums = [f"{adding.weighed('weights.weight')} AS t{place}" for place, adding in enumerate(totals)]
    zeros = [f"0 AS t{place}" for place in range(len(totals))]
    parts = [
        _select([*rows.labelled(), *sums, "0 AS units"], rows.chosen(among, join=joined), len(rows.keys)),
        _select([*rows.keys, *zeros, "COUNT(*) AS units"], "kept", len(rows.keys)),
    ]
    steps = {
        "pairs": _pairs(rows, None),
        "ranks": _select(["unit", f"{hashed} AS cut", ranked], "pairs"),
        "cuts": _select(["unit", "cut"], f"ranks WHERE place = {query.most + 1}"),
        "kept": _select(["pairs.*", "cut"], f"pairs LEFT JOIN cuts USING (unit) WHERE cut IS NULL OR {hashed} < cut"),
        "weights": _select(["unit", "ANY_VALUE(cut) AS cut", f"{weight} AS weight"], "kept", 1),
        "parts": "\nUNION ALL ".join(parts),
    }
    return rows.with_steps(steps, _added_up(rows, totals, finished("SUM(units)", query.units)))


def _marginals(rows: _Rows, totals: list[Adding], query: MarginalSums) -> str:
    """Rows are read once; heavy units are corrected in every set alike."""
    keys = [f"{_stranger(rows)}{place}" for place in range(len(rows.named))]
    sets = ", ".join(f"({', '.join(keys[place] for place in places)})" for places in query.sets)
    labelled = [f"{value} AS {key}" for value, key in zip(rows.values, keys, strict=True)]
    left = f"GROUPING({', '.join(keys)}) AS g"

    def part(sums: list[str], source: str) -> str:
        return _select([*labelled, left, *sums], source) + f" GROUP BY GROUPING SETS ({sets})"

    names = [*rows.answered(keys), f"CAST(g AS BIGINT) AS {quoted(query.left)}"]
    if rows.source.unit is None:
        added = [f"{adding.plain()} AS t{place}" for place, adding in enumerate(totals)]
        sums = [finished(f"t{place}", adding.total.name) for place, adding in enumerate(totals)]
        if any(adding.reads for adding in totals):
            return rows.with_steps({"parts": part(added, rows.chosen())}, _select([*names, *sums], "parts"))
        # keys are worked out once, not once for each set, and kept in as few bytes as they need
        kept = [_small(value, key) for value, key in zip(rows.values, rows.named, strict=True)]
        keyed = _select([f"{value} AS {key}" for value, key in zip(kept, keys, strict=True)], rows.chosen())
        counted = _select([*keys, left, *added], "keyed") + f" GROUP BY GROUPING SETS ({sets})"
        wide = [
            f"CAST({key} AS BIGINT)" if one.value.kind is Kind.INTEGER else key
            for key, one in zip(keys, rows.named, strict=True)
        ]
        names[: len(keys)] = rows.answered(wide)
        return rows.with_steps({"keyed": keyed, "parts": counted}, _select([*names, *sums], "parts"), kept="keyed")
    full = [f"{adding.full()} AS t{place}" for place, adding in enumerate(totals)]
    less = [f"{adding.correction('heavy.weight')} AS t{place}" for place, adding in enumerate(totals)]
    sums = [finished(f"SUM(t{place})", adding.total.name) for place, adding in enumerate(totals)]
    last = _select([*names, *sums], "parts", len(names))
    if any(adding.reads for adding in totals):
        joined = rows.chosen(join=f" JOIN heavy ON heavy.unit = {rows.unit}")
        both = f"{part(full, rows.chosen())}\nUNION ALL {part(less, joined)}"
        return rows.with_steps({"heavy": _heavy(rows), "parts": both}, last)
    unit = f"{_stranger(rows)}u"  # as above, keys are worked out once, here with whose they are
    keyed = _select([*labelled, f"{rows.unit} AS {unit}"], rows.chosen())
    halves = [
        _select([*keys, left, *added], source) + f" GROUP BY GROUPING SETS ({sets})"
        for added, source in ((full, "keyed"), (less, f"keyed JOIN heavy ON heavy.unit = keyed.{unit}"))
    ]
    steps = {"heavy": _heavy(rows), "keyed": keyed, "parts": "\nUNION ALL ".join(halves)}
    return rows.with_steps(steps, last, kept="keyed")


def _stranger(rows: _Rows) -> str:
    """The beginning of names that no column has: in a list of sets, columns would come before what is named here."""
    start = "k"
    while any(name.lower().startswith(start) for name in rows.speller.columns):
        start += "_"
    return start


def _small(value: str, key: Key) -> str:
    """A column that is clamped to bounds which fit one or two bytes, in those: nothing can overflow."""
    low, high = key.value.range.low, key.value.range.high
    if (
        not isinstance(key.value, Column)
        or key.value.kind is not Kind.INTEGER
        or low is None
        or high is None
        or low < 0
    ):
        return value
    fitting = [kind for kind, most in _SMALL.items() if high <= most]
    return f"CAST({value} AS {fitting[0]})" if fitting else value


_SMALL = {"UTINYINT": 255, "USMALLINT": 65_535}
