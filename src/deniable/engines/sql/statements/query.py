"""Which form a query takes, and the forms that are totals.

Where the unit is the row, that is a plain GROUP BY. Where it is a person, every row first counts in full, and then the
rows of the heavy units, who have more rows than they may, are corrected to their weight: only these are joined. Most
people are light, so most rows are read twice but never looked up. Where rows are only counted, each is looked up
instead, and grouped once. Rows that are joined, grouped or stacked first are kept while the rest of the statement reads
them.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import replace
from typing import TypeGuard, TypeVar

from deniable.core.algebra.expression import Call, Column, Expression, Kind, calls, columns
from deniable.core.algebra.query import (
    WEIGHT,
    DistinctValues,
    ExactQuery,
    GroupQuery,
    Kept,
    MarginalSums,
    Sums,
    Units,
    VectorSums,
)
from deniable.engines.sql.dialect import Stored, Weighing
from deniable.engines.sql.relations import Tables
from deniable.engines.sql.spelling import Speller
from deniable.engines.sql.statements.coded import Coded, coded
from deniable.engines.sql.statements.groups import distinct, kept, units_of
from deniable.engines.sql.statements.marginals import marginals
from deniable.engines.sql.statements.rows import Rows, looked_at, rows_of, select, stored
from deniable.engines.sql.statements.sums import Adding
from deniable.engines.sql.statements.weights import added_up, heavy, weights

_FEW = 2
_Part = TypeVar("_Part", Column, Call)


def statement(query: ExactQuery, tables: Tables) -> str:
    """The query over these declared tables."""
    rows = rows_of(query, tables)
    if isinstance(query, VectorSums):
        return _vectors(rows, query)
    if isinstance(query, Units):
        return units_of(rows, query)
    return distinct(rows, query) if isinstance(query, DistinctValues) else _totals(rows, query)


def statement_of_part(query: GroupQuery, tables: Tables, place: int, parts: int) -> str:
    """The query over the units whose hash falls into this part: equal units have equal hashes, so none is divided."""
    if not is_divisible(query):
        raise ValueError("only pairs of groups and units of a declared table are divided into parts")
    rows = replace(rows_of(query, tables), part=(place, parts))
    return units_of(rows, query) if isinstance(query, Units) else _totals(rows, query)


def is_divisible(query: GroupQuery) -> TypeGuard[Kept | Units]:
    """Whether it holds a row for each pair of a group and a unit of a declared table; what parts give then adds up."""
    declared = isinstance(query.source.table, str) and query.source.unit is not None
    return isinstance(query, Kept | Units) and declared and bool(query.keys)


def _totals(rows: Rows, query: Sums | Kept | MarginalSums) -> str:
    """Totals per group: plainly, for kept groups, for several sets of keys, or with heavy units corrected."""
    totals = rows.totals(query.totals)
    if isinstance(query, MarginalSums):
        return marginals(rows, totals, query)
    units = query.units if isinstance(query, Kept) else None
    if rows.source.unit is None:
        return _plain(rows, totals, units)
    if isinstance(query, Kept):
        return kept(rows, totals, query)
    if not query.keys and _fit_together(rows, totals):
        return _together(rows, totals)
    if rows.windowed:
        return _windowed(rows, query)
    return _joined(rows, totals) if _is_looked_up(rows, totals) else _corrected(rows, query, totals)


def _fit_together(rows: Rows, totals: list[Adding]) -> bool:
    """Every sum takes room for every unit: where the heavy are corrected, that is slower from the third sum on.

    DuckDB does not even count that room: twenty sums of a million people take 1.6 GB besides the memory it may have.
    """
    few = rows.dialect.weighing is not Weighing.CORRECTED or sum(total.reads for total in totals) <= _FEW
    return few and all(total.scales for total in totals)


def _is_looked_up(rows: Rows, totals: list[Adding]) -> bool:
    """Where rows are only counted, a join is best for whoever corrects, too."""
    if rows.dialect.weighing is Weighing.CORRECTED:
        return not any(total.reads for total in totals)
    return rows.dialect.weighing is Weighing.JOINED


def _plain(rows: Rows, totals: list[Adding], units: str | None) -> str:
    """Rows that are units of their own weigh nothing, and lie in one group each."""
    sums = [rows.finished(adding.plain(), adding.total.name) for adding in totals]
    counts = [] if units is None else [rows.finished("COUNT(*)", units)]
    return rows.with_steps({}, select([*rows.answered(rows.values), *sums, *counts], rows.chosen(), len(rows.keys)))


def _together(rows: Rows, totals: list[Adding]) -> str:
    """Without keys, a unit's rows are added up first: nothing is joined."""
    parts = [f"{adding.of_unit()} AS t{place}" for place, adding in enumerate(totals)]
    units = select([f"{rows.unit} AS unit", "COUNT(*) AS size", *parts], rows.chosen(), 1)
    weighed = select(["*", f"{rows.weight('size')} AS weight"], "units")
    sums = [
        rows.finished(adding.scaled(f"t{place}", "weight"), adding.total.name) for place, adding in enumerate(totals)
    ]
    return rows.with_steps({"units": units, "weighed": weighed}, select(sums, "weighed"))


def _corrected(rows: Rows, query: Sums, totals: list[Adding]) -> str:
    """Everyone in full, and what the heavy units have too much."""
    late = rows.dialect.weighing is Weighing.WINDOW
    everyone, all_rows = _computed(rows, query) if late else (rows, rows.chosen())
    full = [f"{adding.full()} AS t{place}" for place, adding in enumerate(everyone.totals(query.totals))]
    less = [f"{adding.correction('heavy.weight')} AS t{place}" for place, adding in enumerate(totals)]
    parts = [
        select([*(everyone.labelled_early() if late else rows.labelled()), *full], all_rows, len(rows.keys)),
        select([*(rows.labelled_early() if late else rows.labelled()), *less], rows.beside("heavy"), len(rows.keys)),
    ]
    last = added_up(rows, totals, normal=late)
    return rows.with_steps({"heavy": heavy(rows), "parts": "\nUNION ALL ".join(parts)}, last)


def _windowed(rows: Rows, query: Sums) -> str:
    """Every row beside its weight. Texts are put into their one form once for each group, and groups put together."""
    size = f"COUNT(*) OVER (PARTITION BY {rows.unit})"
    weighed, source = _computed(rows, query, f"{rows.weight(size)} AS weight")
    totals = weighed.totals(query.totals)
    sums = [f"{adding.weighed('r.weight')} AS t{place}" for place, adding in enumerate(totals)]
    steps = {"parts": select([*weighed.labelled_early(), *sums], source, len(rows.keys))}
    return rows.with_steps(steps, added_up(weighed, totals, normal=True))


def _computed(rows: Rows, query: Sums, *more: str) -> tuple[Rows, str]:
    """The rows with what is looked at alone, so that they are short to sort, and where they are read from.

    A value that several sums share is put on its grid once: this engine would do so for each of them.
    """
    expressions = looked_at(query)
    grids = {call: f"g{place}" for place, call in enumerate(_in_order(calls(one, "grid") for one in expressions))}
    seen = _in_order(_besides(one, grids) for one in expressions)
    read = {column.name: stored(rows.speller, column.name, column, None) for column in seen}
    short = {name: f"c{place}" for place, name in enumerate(read)}
    chosen = [
        *(f"{read[name].place} AS {short[name]}" for name in read),
        *(f"{rows.speller.spell(call)} AS {name}" for call, name in grids.items()),
        *more,
    ]
    speller = Speller(
        {name: Stored(f"r.{short[name]}", read[name].type) for name in read},
        rows.dialect,
        {call: f"r.{name}" for call, name in grids.items()},
    )
    return replace(rows, speller=speller), f"({select(chosen or ['1'], rows.chosen())}{rows.dialect.apart}) AS r"


def _in_order(parts: Iterable[frozenset[_Part]]) -> list[_Part]:
    """Each once, in an order that does not change from one run to the next."""
    return sorted(frozenset().union(*parts), key=repr)


def _besides(expression: Expression, ready: Container[Expression]) -> frozenset[Column]:
    """The columns that it rests on besides what is ready."""
    if expression in ready:
        return frozenset()
    if isinstance(expression, Call):
        return frozenset().union(*(_besides(argument, ready) for argument in expression.arguments))
    return columns(expression)


def _joined(rows: Rows, totals: list[Adding]) -> str:
    """Every row beside what it weighs. Where rows are only counted, grouping them is most of the work: once, not twice.

    So it costs no more than to correct the heavy, also where they are few; and less, the finer the groups are.
    """
    keys = coded(rows)
    if keys is not None:
        return _by_array(rows, totals, keys)
    sums = [rows.finished(adding.weighed("weights.weight"), adding.total.name) for adding in totals]
    joined = rows.beside("weights")
    last = select([*rows.answered(rows.values), *sums], joined, len(rows.keys))
    return rows.with_steps({"weights": weights(rows)}, last)


def _by_array(rows: Rows, totals: list[Adding], keys: Coded) -> str:
    """The same, by keys that are small numbers, and are said in their own words at the end.

    Keys are worked out before rows are joined: what they are looked up in must not be joined with people instead.
    """
    lists = f"SELECT {', '.join(f'{found} AS {name}' for name, found in keys.lists.items())}"
    small = [f"{value} AS {key}" for value, key in zip(keys.small, rows.keys, strict=True)]
    keyed = select([*small, f"{rows.unit} AS unit"], rows.chosen(join=" CROSS JOIN lists" if keys.lists else ""))
    sums = [f"{adding.weighed('weights.weight')} AS t{place}" for place, adding in enumerate(totals)]
    steps = ({"lists": lists} if keys.lists else {}) | {
        "weights": weights(rows),
        "keyed": keyed,
        "parts": select([*rows.keys, *sums], "keyed JOIN weights USING (unit)", len(rows.keys)),
    }
    finals = [rows.finished(f"t{place}", adding.total.name) for place, adding in enumerate(totals)]
    return rows.with_steps(steps, select([*rows.answered(keys.own), *finals], "parts"))


def _vectors(rows: Rows, query: VectorSums) -> str:
    """Every row with what it weighs: in full, unless its unit is heavy."""
    fields = [f"{rows.speller.spell(value, Kind.INTEGER)} AS f{place}" for place, value in enumerate(query.fields)]
    if rows.source.unit is None:
        return rows.with_steps(
            {}, select([*fields, f"CAST({WEIGHT} AS {rows.dialect.types[Kind.INTEGER]}) AS weight"], rows.chosen())
        )
    weight = f"CAST(COALESCE(heavy.weight, {WEIGHT}) AS {rows.dialect.types[Kind.INTEGER]}) AS weight"
    joined = rows.chosen(join=f" LEFT JOIN heavy ON heavy.unit = {rows.unit}")
    return rows.with_steps({"heavy": heavy(rows)}, select([*fields, weight], joined))
