"""Exact queries in an engine's SQL, each as one SELECT.

Where the unit is the row, that is a plain GROUP BY. Where it is a person, every row first counts in full, and then the
rows of the heavy units, who have more rows than they may, are corrected to their weight: only these are joined. Most
people are light, so most rows are read twice but never looked up. Where rows are only counted, each is looked up
instead, and grouped once. Rows that are joined, grouped or stacked first are kept while the rest of the statement reads
them.
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
    VectorSums,
)
from deniable.core.algebra.relation import ROW
from deniable.engines.sql.dialect import Dialect, Stored
from deniable.engines.sql.relations import Tables, spelled
from deniable.engines.sql.spelling import Speller
from deniable.engines.sql.sums import Adding, finished

_MOST_ROWS = 1 << 42
"""More than any table has, so a contribution above this bounds nothing."""


def statement(query: ExactQuery, tables: Tables) -> str:
    """The query over these declared tables."""
    rows = _rows(query, tables)
    if isinstance(query, VectorSums):
        return _vectors(rows, query)
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
    if rows.windowed:
        return _windowed(rows, query)
    looked_up = not rows.dialect.windows and not any(total.reads for total in totals)
    return _joined(rows, totals) if looked_up else _corrected(rows, totals)


def _rows(query: ExactQuery, tables: Tables) -> _Rows:
    """A declared table is read as it is; other relations come first, with the columns that the query needs."""
    source, relation = query.source, spelled(query.source.table, tables)
    speller, dialect = relation.speller, tables.dialect
    keys = () if isinstance(query, VectorSums) else query.keys
    if isinstance(source.table, str):
        indexed = source.unit is not None and tables.indexed(source.table, source.unit)
        return _Rows(source, keys, speller, relation.text, {}, windowed=dialect.windows and not indexed)
    unit = [] if source.unit is None else [source.unit]
    seen = {column.name: column for column in _columns(query)}
    needed = {name: f"c{place}" for place, name in enumerate(sorted({*seen, *unit}))}
    read = {name: _read(speller, name, seen.get(name), source.unit) for name in needed}
    values = [f"{read[name].place} AS {short}" for name, short in needed.items()] or ["1"]
    kept = {name: Stored(f"r.{short}", read[name].type) for name, short in needed.items()}
    steps = {"kept_rows": relation.select(source.unit, source.where, values)}
    bare, spelled_over = replace(source, where=None), Speller(kept, dialect)
    return _Rows(bare, keys, spelled_over, "kept_rows AS r", steps, windowed=dialect.windows)


def _read(speller: Speller, name: str, column: Column | None, unit: str | None) -> Stored:
    """What is kept of a column: of a text as much as is read of it, since a join can repeat it; the unit as it is."""
    if column is None or column.kind is not Kind.TEXT or name == unit:
        return speller.columns[name]
    return Stored(speller.spell(column), speller.dialect.types[Kind.TEXT])


def _columns(query: ExactQuery) -> frozenset[Column]:
    """The columns that a query looks at, besides the unit and its source's condition."""
    looked_at: list[Expression | None]
    if isinstance(query, Units):
        looked_at = [query.filter]
    elif isinstance(query, DistinctValues):
        looked_at = [query.value, query.filter]
    elif isinstance(query, VectorSums):
        looked_at = list(query.fields)
    else:
        looked_at = [part for total in query.totals for part in (total.row, total.where)]
    keys = () if isinstance(query, VectorSums) else query.keys
    expressions = [*(key.value for key in keys), *(part for part in looked_at if part is not None)]
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
    windowed: bool
    """Whether each row is weighed by a window over its unit's rows, and not by a join: where nothing finds them."""

    @property
    def dialect(self) -> Dialect:
        return self.speller.dialect

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

    def labelled_early(self) -> list[str]:
        """The same, not yet in their one form: where that costs something for each row, it comes last."""
        early = (self.speller.early_key(key.value) for key in self.named)
        return [f"{value} AS {key}" for value, key in zip(early, self.keys, strict=True)]

    def answered(self, values: Iterable[str]) -> list[str]:
        """The keys with their own names, for the last step."""
        return [f"{value} AS {self.dialect.quoted(key.name)}" for value, key in zip(values, self.named, strict=True)]

    def chosen(self, *conditions: str, join: str = "") -> str:
        """The rows that satisfy all conditions and whose unit is known."""
        where = [] if self.source.where is None else [self.speller.spell(self.source.where)]
        known = [] if self.source.unit is None else [f"{self.unit} IS NOT NULL"]
        together = " AND ".join([*where, *known, *conditions])
        return f"{self.origin}{join}" + (f" WHERE {together}" if together else "")

    def finished(self, spelled_out: str, name: str) -> str:
        """A sum as a column of the answer."""
        return finished(spelled_out, name, self.dialect)

    def with_steps(self, steps: Mapping[str, str], last: str, kept: str = "") -> str:
        """A SELECT after its steps. Rows that are numbered must be kept: read twice, they could differ."""
        keeping = {*self.steps, kept}
        spelled_out = [
            f"{name} AS {self.dialect.kept if name in keeping else ''}({step})"
            for name, step in (*self.steps.items(), *steps.items())
        ]
        return "WITH " + ",\n".join(spelled_out) + f"\n{last}" if spelled_out else last

    def hashed(self, unit: str, values: Iterable[str]) -> str:
        """By what a unit's groups are put in order: with the unit, so that no group is favoured.

        As text, so that it is the same whatever the file's type. The number of a row is left out: it can change with
        the rows before it, and what a unit keeps must follow from its own rows.
        """
        numbered = (self.source.unit or "").endswith(ROW)
        whose = [] if numbered else [f"CAST({unit} AS {self.dialect.types[Kind.TEXT]})"]
        return self.dialect.hashed([*whose, *values])

    def weight(self, rows: str) -> str:
        """What each of so many rows weighs."""
        return f"LEAST({WEIGHT}, {self.dialect.quotient(str(self.most * WEIGHT), rows)})"


def _select(columns: Iterable[str], source: str, groups: int = 0) -> str:
    """Grouped by the first few columns; by none, there is one row."""
    grouped = f" GROUP BY {', '.join(str(place + 1) for place in range(groups))}" if groups else ""
    return f"SELECT {', '.join(columns)} FROM {source}{grouped}"  # noqa: S608 - our own algebra, all names quoted


def _plain(rows: _Rows, totals: list[Adding], units: str | None) -> str:
    """Rows that are units of their own weigh nothing, and lie in one group each."""
    sums = [rows.finished(adding.plain(), adding.total.name) for adding in totals]
    counts = [] if units is None else [rows.finished("COUNT(*)", units)]
    return rows.with_steps({}, _select([*rows.answered(rows.values), *sums, *counts], rows.chosen(), len(rows.keys)))


def _together(rows: _Rows, totals: list[Adding]) -> str:
    """Without keys, a unit's rows are added up first: nothing is joined."""
    parts = [f"{adding.of_unit()} AS t{place}" for place, adding in enumerate(totals)]
    units = _select([f"{rows.unit} AS unit", "COUNT(*) AS size", *parts], rows.chosen(), 1)
    weighed = _select(["*", f"{rows.weight('size')} AS weight"], "units")
    sums = [
        rows.finished(adding.scaled(f"t{place}", "weight"), adding.total.name) for place, adding in enumerate(totals)
    ]
    return rows.with_steps({"units": units, "weighed": weighed}, _select(sums, "weighed"))


def _corrected(rows: _Rows, totals: list[Adding]) -> str:
    """Everyone in full, and what the heavy units have too much."""
    full = [f"{adding.full()} AS t{place}" for place, adding in enumerate(totals)]
    less = [f"{adding.correction('heavy.weight')} AS t{place}" for place, adding in enumerate(totals)]
    joined = rows.chosen(join=f" JOIN heavy ON heavy.unit = {rows.unit}")
    labelled = rows.labelled_early() if rows.dialect.windows else rows.labelled()
    parts = [
        _select([*labelled, *full], rows.chosen(), len(rows.keys)),
        _select([*labelled, *less], joined, len(rows.keys)),
    ]
    last = _added_up(rows, totals, normal=rows.dialect.windows)
    return rows.with_steps({"heavy": _heavy(rows), "parts": "\nUNION ALL ".join(parts)}, last)


def _windowed(rows: _Rows, query: Sums) -> str:
    """Every row beside its weight, and only what is looked at of it: to be sorted by units, rows should be short.

    Texts are put into their one form once for each group, and groups are then put together.
    """
    seen = sorted(_columns(query), key=lambda column: column.name)
    read = {column.name: _read(rows.speller, column.name, column, None) for column in seen}
    short = {name: f"c{place}" for place, name in enumerate(read)}
    size = f"COUNT(*) OVER (PARTITION BY {rows.unit})"
    chosen = [*(f"{read[name].place} AS {short[name]}" for name in read), f"{rows.weight(size)} AS weight"]
    speller = Speller({name: Stored(f"r.{short[name]}", read[name].type) for name in read}, rows.dialect)
    weighed = replace(rows, speller=speller)
    totals = weighed.totals(query.totals)
    sums = [f"{adding.weighed('r.weight')} AS t{place}" for place, adding in enumerate(totals)]
    source = f"({_select(chosen, rows.chosen())}) AS r"
    steps = {"parts": _select([*weighed.labelled_early(), *sums], source, len(rows.keys))}
    return rows.with_steps(steps, _added_up(weighed, totals, normal=True))


def _joined(rows: _Rows, totals: list[Adding]) -> str:
    """Every row beside what it weighs. Where rows are only counted, grouping them is most of the work: once, not twice.

    So it costs no more than to correct the heavy, also where they are few; and less, the finer the groups are.
    """
    sums = [rows.finished(adding.weighed("weights.weight"), adding.total.name) for adding in totals]
    joined = rows.chosen(join=f" JOIN weights ON weights.unit = {rows.unit}")
    last = _select([*rows.answered(rows.values), *sums], joined, len(rows.keys))
    return rows.with_steps({"weights": _weights(rows)}, last)


def _weights(rows: _Rows) -> str:
    """What each row of a unit weighs, for every unit."""
    return _select([f"{rows.unit} AS unit", f"{rows.weight('COUNT(*)')} AS weight"], rows.chosen(), 1)


def _vectors(rows: _Rows, query: VectorSums) -> str:
    """Every row with what it weighs: in full, unless its unit is heavy."""
    fields = [f"{rows.speller.spell(value, Kind.INTEGER)} AS f{place}" for place, value in enumerate(query.fields)]
    if rows.source.unit is None:
        return rows.with_steps(
            {}, _select([*fields, f"CAST({WEIGHT} AS {rows.dialect.types[Kind.INTEGER]}) AS weight"], rows.chosen())
        )
    weight = f"CAST(COALESCE(heavy.weight, {WEIGHT}) AS {rows.dialect.types[Kind.INTEGER]}) AS weight"
    joined = rows.chosen(join=f" LEFT JOIN heavy ON heavy.unit = {rows.unit}")
    return rows.with_steps({"heavy": _heavy(rows)}, _select([*fields, weight], joined))


def _heavy(rows: _Rows) -> str:
    """The units that have more rows than they may, and what each of these weighs."""
    size = f"{rows.dialect.quotient(str(rows.most * WEIGHT), 'COUNT(*)')} AS weight"
    return _select([f"{rows.unit} AS unit", size], rows.chosen(), 1) + f" HAVING COUNT(*) > {rows.most}"


def _added_up(rows: _Rows, totals: list[Adding], *counts: str, normal: bool = False) -> str:
    """The parts of each group, put together; `normal` says that keys are not yet in their one form."""
    sums = [rows.finished(rows.dialect.added(f"t{place}"), adding.total.name) for place, adding in enumerate(totals)]
    keys = [rows.speller.normal(name, key.value) for key, name in zip(rows.named, rows.keys, strict=True)]
    return _select([*rows.answered(keys if normal else rows.keys), *sums, *counts], "parts", len(rows.keys))


def _pairs(rows: _Rows, condition: Expression | None, *sums: str) -> str:
    """Which unit is in which groups, with how many rows, and what they add up to."""
    conditions = [] if condition is None else [rows.speller.spell(condition)]
    columns = [f"{rows.unit} AS unit", *rows.labelled(), "COUNT(*) AS size", *sums]
    return _select(columns, rows.chosen(*conditions), 1 + len(rows.keys))


def _units(rows: _Rows, query: Units) -> str:
    """A unit counts once in each of its groups; without keys, there is one."""
    if not rows.keys:
        counted = f"COUNT(*) * {min(WEIGHT, rows.most * WEIGHT)}"
        return rows.with_steps(
            {"pairs": _pairs(rows, query.filter)}, _select([rows.finished(counted, query.name)], "pairs")
        )
    weights = _select(["unit", f"{rows.weight('COUNT(*)')} AS weight"], "pairs", 1)
    steps = {"pairs": _pairs(rows, query.filter), "weights": weights}
    columns = [*rows.answered(rows.keys), rows.finished(rows.dialect.added("weight"), query.name)]
    return rows.with_steps(steps, _select(columns, "pairs JOIN weights USING (unit)", len(rows.keys)))


def _distinct(rows: _Rows, query: DistinctValues) -> str:
    """The different values of each group, where a unit adds those below the first hash that is one too many."""
    conditions = [] if query.filter is None else [rows.speller.spell(query.filter)]
    value = rows.speller.key(query.value)
    if rows.source.unit is None:
        counted = rows.finished(_once(query, value, rows.dialect), query.name)
        last = _select([*rows.answered(rows.values), counted], rows.chosen(*conditions), len(rows.keys))
        return rows.with_steps({}, last)
    columns = [f"{rows.unit} AS unit", *rows.labelled(), f"{value} AS value"]
    hashed = f"{rows.hashed('unit', [*rows.keys, 'value'])} AS hashed"
    ranked = "ROW_NUMBER() OVER (PARTITION BY unit ORDER BY hashed) AS place"
    steps = {
        "pairs": _select(columns, rows.chosen(*conditions, f"{value} IS NOT NULL"), len(columns)),
        "hashes": _select(["*", hashed], "pairs"),
        "heavy": _select(["unit"], "pairs", 1) + f" HAVING COUNT(*) > {rows.most}",
        "ranks": _select(["unit", "hashed", ranked], rows.dialect.among("hashes", "heavy", "unit")),
        "cuts": _select(["unit", "hashed AS cut"], f"ranks WHERE place = {rows.most + 1}"),
        "kept": _select([*rows.keys, "value"], "hashes LEFT JOIN cuts USING (unit) WHERE cut IS NULL OR hashed < cut"),
    }
    counted = rows.finished(_once(query, "value", rows.dialect), query.name)
    return rows.with_steps(steps, _select([*rows.answered(rows.keys), counted], "kept", len(rows.keys)))


def _once(query: DistinctValues, value: str, dialect: Dialect) -> str:
    """How many different values there are, or their sum."""
    return dialect.added(value, once=True) if isinstance(query, DistinctSum) else f"COUNT(DISTINCT {value})"


def _kept(rows: _Rows, totals: list[Adding], query: Kept) -> str:
    """A unit's groups with a lower hash than the first one too many: never more than `most`, even if hashes tie.

    Only units that have more groups than that are ranked. Totals that scale are added up for each unit and group while
    these are found; for others, the rows are read once more.
    """
    hashed = rows.hashed("unit", rows.keys)
    ranked = f"ROW_NUMBER() OVER (PARTITION BY unit ORDER BY {hashed}) AS place"
    weight = rows.weight(f"CAST(SUM(size) AS {rows.dialect.types[Kind.INTEGER]})")
    scales = all(adding.scales for adding in totals)
    parts = [f"{adding.of_unit()} AS t{place}" for place, adding in enumerate(totals)] if scales else []
    steps = {
        "pairs": _pairs(rows, None, *parts),
        "many": _select(["unit"], "pairs", 1) + f" HAVING COUNT(*) > {query.most}",
        "ranks": _select(["unit", f"{hashed} AS cut", ranked], rows.dialect.among("pairs", "many", "unit")),
        "cuts": _select(["unit", "cut"], f"ranks WHERE place = {query.most + 1}"),
        "kept": _select(
            ["unit", *rows.keys, "size", *(f"t{place}" for place in range(len(parts))), "cut"],
            f"pairs LEFT JOIN cuts USING (unit) WHERE cut IS NULL OR {hashed} < cut",
        ),
        "weights": _select(["unit", f"{rows.dialect.any_of('cut')} AS cut", f"{weight} AS weight"], "kept", 1),
    }
    if scales:
        sums = [
            rows.finished(adding.scaled(f"t{place}", "weight"), adding.total.name)
            for place, adding in enumerate(totals)
        ]
        columns = [*rows.answered(rows.keys), *sums, rows.finished("COUNT(*)", query.units)]
        return rows.with_steps(steps, _select(columns, "kept JOIN weights USING (unit)", len(rows.keys)), kept="pairs")
    joined = f" JOIN weights ON weights.unit = {rows.unit}"
    among = f"(weights.cut IS NULL OR {rows.hashed(rows.unit, rows.values)} < weights.cut)"
    read = [f"{adding.weighed('weights.weight')} AS t{place}" for place, adding in enumerate(totals)]
    zeros = [f"0 AS t{place}" for place in range(len(totals))]
    both = [
        _select([*rows.labelled(), *read, "0 AS units"], rows.chosen(among, join=joined), len(rows.keys)),
        _select([*rows.keys, *zeros, "COUNT(*) AS units"], "kept", len(rows.keys)),
    ]
    last = _added_up(rows, totals, rows.finished(rows.dialect.added("units"), query.units))
    return rows.with_steps(steps | {"parts": "\nUNION ALL ".join(both)}, last, kept="pairs")


def _marginals(rows: _Rows, totals: list[Adding], query: MarginalSums) -> str:
    """Rows are read once for all sets.

    Where they are only counted, keys are worked out once, not once for each set, and kept in as few bytes as they need.
    """
    integer = rows.dialect.types[Kind.INTEGER]
    keys = [f"{_stranger(rows)}{place}" for place in range(len(rows.named))]
    sets = ", ".join(f"({', '.join(keys[place] for place in places)})" for places in query.sets)
    labelled = [f"{value} AS {key}" for value, key in zip(rows.values, keys, strict=True)]
    left = f"{rows.dialect.grouping}({', '.join(keys)}) AS g"

    def by_sets(columns: list[str], source: str) -> str:
        return _select(columns, source) + f" GROUP BY GROUPING SETS ({sets})"

    def part(sums: list[str], source: str, *more: str) -> str:
        if rows.dialect.groups_by_label:
            return by_sets([*labelled, left, *sums], source)
        return by_sets([*keys, left, *sums], f"({_select(['r.*', *labelled, *more], source)}) AS r")

    said = f"CAST(g AS {integer}) AS {rows.dialect.quoted(query.left)}"
    names = [*rows.answered(keys), said]
    finals = [rows.finished(f"t{place}", adding.total.name) for place, adding in enumerate(totals)]
    small = [_small(value, key, rows.dialect) for value, key in zip(rows.values, rows.named, strict=True)]
    kept = [f"{value} AS {key}" for value, key in zip(small, keys, strict=True)]
    wide = [
        *rows.answered(
            f"CAST({key} AS {integer})" if one.value.kind is Kind.INTEGER else key
            for key, one in zip(keys, rows.named, strict=True)
        ),
        said,
    ]
    if rows.source.unit is None:
        added = [f"{adding.plain()} AS t{place}" for place, adding in enumerate(totals)]
        if any(adding.reads for adding in totals):
            return rows.with_steps({"parts": part(added, rows.chosen())}, _select([*names, *finals], "parts"))
        steps = {"keyed": _select(kept, rows.chosen()), "parts": by_sets([*keys, left, *added], "keyed")}
        return rows.with_steps(steps, _select([*wide, *finals], "parts"), kept="keyed")
    if not any(adding.reads for adding in totals):
        weight = f"{_stranger(rows)}w"  # as above, keys are worked out once, here with what the row weighs
        joined = rows.chosen(join=f" JOIN weights ON weights.unit = {rows.unit}")
        keyed = _select([*kept, f"weights.weight AS {weight}"], joined)
        added = [f"{adding.weighed(weight)} AS t{place}" for place, adding in enumerate(totals)]
        steps = {"weights": _weights(rows), "keyed": keyed, "parts": by_sets([*keys, left, *added], "keyed")}
        return rows.with_steps(steps, _select([*wide, *finals], "parts"), kept="keyed")
    full = [f"{adding.full()} AS t{place}" for place, adding in enumerate(totals)]
    weight = "heavy.weight" if rows.dialect.groups_by_label else f"r.{_stranger(rows)}w"
    less = [f"{adding.correction(weight)} AS t{place}" for place, adding in enumerate(totals)]
    sums = [rows.finished(rows.dialect.added(f"t{place}"), adding.total.name) for place, adding in enumerate(totals)]
    joined = rows.chosen(join=f" JOIN heavy ON heavy.unit = {rows.unit}")
    both = f"{part(full, rows.chosen())}\nUNION ALL {part(less, joined, f'heavy.weight AS {_stranger(rows)}w')}"
    return rows.with_steps({"heavy": _heavy(rows), "parts": both}, _select([*names, *sums], "parts", len(names)))


def _stranger(rows: _Rows) -> str:
    """The beginning of names that no column has: in a list of sets, columns would come before what is named here."""
    start = "k"
    while any(name.lower().startswith(start) for name in rows.speller.columns):
        start += "_"
    return start


def _small(value: str, key: Key, dialect: Dialect) -> str:
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
    fitting = [kind for kind, most in dialect.small.items() if high <= most]
    return f"CAST({value} AS {fitting[0]})" if fitting else value
