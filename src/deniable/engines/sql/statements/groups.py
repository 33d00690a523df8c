"""Who is in which groups: how many units, which of a unit's groups and values are kept where it has too many."""

from __future__ import annotations

from deniable.core.algebra.expression import Expression, Kind
from deniable.core.algebra.query import WEIGHT, DistinctSum, DistinctValues, Kept, Units
from deniable.engines.sql.dialect import Dialect
from deniable.engines.sql.statements.rows import Rows, select
from deniable.engines.sql.statements.sums import Adding
from deniable.engines.sql.statements.weights import added_up


def units_of(rows: Rows, query: Units) -> str:
    """A unit counts once in each of its groups; without keys, there is one."""
    if not rows.keys:
        counted = f"COUNT(*) * {min(WEIGHT, rows.most * WEIGHT)}"
        return rows.with_steps(
            {"pairs": pairs(rows, query.filter)}, select([rows.finished(counted, query.name)], "pairs")
        )
    weights = select(["unit", f"{rows.weight('COUNT(*)')} AS weight"], "pairs", 1)
    steps = {"pairs": pairs(rows, query.filter), "weights": weights}
    columns = [*rows.answered(rows.keys), rows.finished(rows.dialect.added("weight"), query.name)]
    return rows.with_steps(steps, select(columns, "pairs JOIN weights USING (unit)", len(rows.keys)))


def distinct(rows: Rows, query: DistinctValues) -> str:
    """The different values of each group, where a unit adds those below the first hash that is one too many."""
    conditions = [] if query.filter is None else [rows.speller.spell(query.filter)]
    value = rows.speller.key(query.value)
    if rows.source.unit is None:
        counted = rows.finished(_once(query, value, rows.dialect), query.name)
        last = select([*rows.answered(rows.values), counted], rows.chosen(*conditions), len(rows.keys))
        return rows.with_steps({}, last)
    columns = [f"{rows.unit} AS unit", *rows.labelled(), f"{value} AS value"]
    hashed = f"{rows.hashed('unit', [*rows.keys, 'value'])} AS hashed"
    ranked = "ROW_NUMBER() OVER (PARTITION BY unit ORDER BY hashed) AS place"
    steps = {
        "pairs": select(columns, rows.chosen(*conditions, f"{value} IS NOT NULL"), len(columns)),
        "hashes": select(["*", hashed], "pairs"),
        "heavy": select(["unit"], "pairs", 1) + f" HAVING COUNT(*) > {rows.most}",
        "ranks": select(["unit", "hashed", ranked], rows.dialect.among("hashes", "heavy", "unit")),
        "cuts": select(["unit", "hashed AS cut"], f"ranks WHERE place = {rows.most + 1}"),
        "kept": select([*rows.keys, "value"], "hashes LEFT JOIN cuts USING (unit) WHERE cut IS NULL OR hashed < cut"),
    }
    counted = rows.finished(_once(query, "value", rows.dialect), query.name)
    return rows.with_steps(steps, select([*rows.answered(rows.keys), counted], "kept", len(rows.keys)))


def _once(query: DistinctValues, value: str, dialect: Dialect) -> str:
    """How many different values there are, or their sum."""
    return dialect.added(value, once=True) if isinstance(query, DistinctSum) else f"COUNT(DISTINCT {value})"


def kept(rows: Rows, totals: list[Adding], query: Kept) -> str:
    """A unit's groups with a lower hash than the first one too many: never more than `most`, even if hashes tie.

    Only units that have more groups than that are ranked, and only those that have too many groups or rows are looked
    up. What is counted beside the cut are the rows of the first `most` groups; if hashes tie there, fewer are kept and
    weigh the less. Totals that scale are added up for each unit and group first; for others, rows are read once more.
    """
    dialect = rows.dialect
    hashed = rows.hashed("unit", rows.keys)
    over = f"OVER (PARTITION BY unit ORDER BY {hashed} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)"
    before = f"CAST(SUM(size) {over} AS {dialect.types[Kind.INTEGER]}) - size AS before"
    scales = all(adding.scales for adding in totals)
    sums = {} if not scales else {f"t{place}": adding.of_unit() for place, adding in enumerate(totals)}
    found = {name: "size" if part == "COUNT(*)" else name for name, part in sums.items()}
    parts = [f"{part} AS {name}" for name, part in sums.items() if found[name] == name]
    size = f"CAST(SUM(size) AS {dialect.types[Kind.INTEGER]})"
    too_many = f" HAVING COUNT(*) > {query.most} OR SUM(size) > {rows.most}"
    cuts = select(["unit", "cut", f"{rows.weight('before')} AS weight"], f"ranks WHERE place = {query.most + 1}")
    uncut = select(["unit", "NULL", rows.weight("held")], f"heavy WHERE spread <= {query.most}")
    steps = {
        "pairs": pairs(rows, None, *parts),
        "heavy": select(["unit", "COUNT(*) AS spread", f"{size} AS held"], "pairs", 1) + too_many,
        "many": select(["unit"], f"heavy WHERE spread > {query.most}"),
        "ranks": select(
            ["unit", f"{hashed} AS cut", f"ROW_NUMBER() {over} AS place", before],
            dialect.among("pairs", "many", "unit"),
        ),
        "weights": f"{cuts}\nUNION ALL {uncut}",
    }
    among = f"pairs LEFT JOIN weights USING (unit) WHERE cut IS NULL OR {hashed} < cut"
    weight = f"COALESCE(weights.weight, {WEIGHT})"
    if scales:
        added = [
            rows.finished(adding.scaled(found[f"t{place}"], weight), adding.total.name)
            for place, adding in enumerate(totals)
        ]
        columns = [*rows.answered(rows.keys), *added, rows.finished("COUNT(*)", query.units)]
        return rows.with_steps(steps, select(columns, among, len(rows.keys)), kept="pairs")
    inside = f"(weights.cut IS NULL OR {rows.hashed(rows.unit, rows.values)} < weights.cut)"
    joined = rows.chosen(inside, join=f" LEFT JOIN weights ON weights.unit = {rows.unit}")
    read = [f"{adding.weighed(weight)} AS t{place}" for place, adding in enumerate(totals)]
    zeros = [f"0 AS t{place}" for place in range(len(totals))]
    both = [
        select([*rows.labelled(), *read, "0 AS units"], joined, len(rows.keys)),
        select([*rows.keys, *zeros, "COUNT(*) AS units"], among, len(rows.keys)),
    ]
    last = added_up(rows, totals, rows.finished(dialect.added("units"), query.units))
    return rows.with_steps(steps | {"parts": "\nUNION ALL ".join(both)}, last, kept="pairs")


def pairs(rows: Rows, condition: Expression | None, *sums: str) -> str:
    """Which unit is in which groups, with how many rows, and what they add up to."""
    conditions = [] if condition is None else [rows.speller.spell(condition)]
    columns = [f"{rows.unit} AS unit", *rows.labelled(), "COUNT(*) AS size", *sums]
    return select(columns, rows.chosen(*conditions), 1 + len(rows.keys))
