"""Made-up tables that fit a policy, and neighbours of them that differ in one extreme unit.

Nothing here reads a private row: kinds, bounds and values come from the policy, rows from simulated chance.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np
import pyarrow as pa

from deniable.core.algebra.expression import Kind
from deniable.core.calendar import day_of, moment_of, time_of
from deniable.core.sensitivity import Neighbours
from deniable.files.arrow import TYPES
from deniable.policy import DeclaredColumn, DeclaredTable, Policy

Tables = Mapping[str, pa.Table]
Row = dict[str, object]

UNITS = 40
"""People in made-up tables, besides the one who matters."""
_HEAVY = 50
"""So many times the rows that it may have has a unit that is too heavy."""
_LONG = 5_000
_FAR = Fraction(10**6)
_WORDS = ("a", "b", "", "Zürich", "NULL", "x y")


def made_up(policy: Policy, *, units: int = UNITS, seed: int = 0) -> Tables:
    """Ordinary tables that fit a policy: so many units, within all bounds, with the values that it lists.

    Example:
        >>> from pathlib import Path
        >>> columns = {"age": {"type": "integer", "bounds": [0, 110]}}
        >>> declared = {"people": {"source": "people.parquet", "columns": columns}}
        >>> said = {"population": {"name": "demo"}, "budget": {"epsilon": 1}, "tables": declared}
        >>> made_up(Policy.from_mapping(said, origin="demo", folder=Path()), units=100)["people"].shape
        (100, 1)
    """
    chance = np.random.default_rng(seed)
    return _written(policy, {name: _rows(declared, units, chance) for name, declared in policy.tables.items()})


def neighbours(policy: Policy, table: str, *, seed: int = 0) -> dict[str, tuple[Tables, Tables]]:
    """Pairs of tables that differ in one unit, by what is extreme about it.

    Where `table` names its units, one person has rows in all tables that do; otherwise one row of `table` differs.
    Under add-remove the first of a pair has nobody in that place; under replace, the unit at the other end.
    """
    chance = np.random.default_rng(seed)
    base = {name: _rows(declared, UNITS, chance) for name, declared in policy.tables.items()}
    worlds = {kind: _with(policy, table, base, kind, chance) for kind in ("low", "high", "heavy")}
    nobody = _written(policy, base)
    if policy.neighbours is Neighbours.ADD_REMOVE:
        return {
            "a unit at the lower bounds": (nobody, worlds["low"]),
            "a unit at the upper bounds": (nobody, worlds["high"]),
            "a unit with far too many rows, or odd values": (nobody, worlds["heavy"]),
        }
    return {
        "a unit that moves from the lower bounds to the upper": (worlds["low"], worlds["high"]),
        "a unit that gets far too many rows, or odd values": (worlds["low"], worlds["heavy"]),
    }


def _with(policy: Policy, table: str, base: Mapping[str, list[Row]], kind: str, chance: np.random.Generator) -> Tables:
    """The base, and one unit more."""
    person = _of_people(policy.tables[table])
    found = dict(base)
    for name, declared in policy.tables.items():
        if not declared.public and (_of_people(declared) if person else name == table):
            found[name] = [*base[name], *_extreme(declared, kind, chance)]
    return _written(policy, found)


def _extreme(table: DeclaredTable, kind: str, chance: np.random.Generator) -> list[Row]:
    """All rows of one unit: as many as count, at an end; or many times as many, with everything odd in them."""
    if kind != "heavy":
        row = {name: _end(column, kind) for name, column in table.columns.items()}
        rows = [dict(row) for _ in range(table.contribution)]
    else:
        many = _HEAVY * table.contribution if _of_people(table) else 1
        rows = [{name: _odd(column, chance) for name, column in table.columns.items()} for _ in range(many)]
    return [_owned(row, table, UNITS) for row in rows]


def _rows(table: DeclaredTable, units: int, chance: np.random.Generator) -> list[Row]:
    """Ordinary rows: of every unit but one, as many as it may have or fewer."""
    rows = []
    for unit in range(units):
        for _ in range(int(chance.integers(1, min(table.contribution, 3) + 1))):
            row = {name: _ordinary(column, chance) for name, column in table.columns.items()}
            rows.append(_owned(row, table, unit))
    return rows


def _of_people(table: DeclaredTable) -> bool:
    return table.unit is not None or bool(table.path)


def _owned(row: Row, table: DeclaredTable, unit: int) -> Row:
    """The row of a unit, whose name is also the key of its rows, and the key by which rows find it."""
    named = [table.unit, *(step.column for step in table.path[:1]), *([table.key] if _of_people(table) else [])]
    return row | {name: _name(table.columns[name].kind, unit) for name in named if name is not None}


def _name(kind: Kind, unit: int) -> object:
    named = {Kind.TEXT: f"unit {unit}", Kind.DATE: day_of(unit), Kind.TIMESTAMP: moment_of(unit)}
    return named.get(kind, unit)


def _span(column: DeclaredColumn) -> tuple[Fraction, Fraction]:
    """Its bounds; far away where there are none."""
    within = column.expression.range
    low = -_FAR if within.low is None else within.low
    return low, max(low, _FAR) if within.high is None else within.high


def _ordinary(column: DeclaredColumn, chance: np.random.Generator) -> object:
    if column.nulls and chance.random() < 1 / 10:
        return None
    if column.values is not None:
        return column.values[int(chance.integers(len(column.values)))]
    low, high = _span(column)
    return _value(column, low + (high - low) * int(chance.integers(1001)) / 1000, str(chance.choice(_WORDS)))


def _end(column: DeclaredColumn, kind: str) -> object:
    if column.values is not None:
        return column.values[0 if kind == "low" else -1]
    return _value(column, _span(column)[kind == "high"], _WORDS[0 if kind == "low" else 1])


def _odd(column: DeclaredColumn, chance: np.random.Generator) -> object:
    """Outside of every declaration that a file can break, but of the right type."""
    if column.nulls and chance.random() < 1 / 4:
        return None
    low, high = _span(column)
    far = low - 3 if chance.random() < 1 / 2 else high + 3
    if column.kind is Kind.NUMBER and chance.random() < 1 / 4:
        return float(chance.choice([np.inf, -np.inf, np.nan, 5e-324, -0.0]))
    inside = abs(far) < 1 << 62
    return _value(column, far if inside else high, "long " * int(chance.integers(_LONG)))


def _value(column: DeclaredColumn, number: Fraction, text: str) -> object:  # noqa: PLR0911 - one for each kind
    match column.kind:
        case Kind.INTEGER:
            return int(number)
        case Kind.NUMBER:
            return float(number)
        case Kind.DATE:
            return day_of(int(number))
        case Kind.TIMESTAMP:
            return moment_of(int(number))
        case Kind.TIME:
            return time_of(int(number))
        case Kind.BOOLEAN:
            return number > 0
        case _:
            return text


def _written(policy: Policy, rows: Mapping[str, list[Row]]) -> Tables:
    schemas = {
        name: pa.schema([(title, TYPES[column.kind]) for title, column in table.columns.items()])
        for name, table in policy.tables.items()
    }
    return {name: pa.Table.from_pylist(found, schema=schemas[name]) for name, found in rows.items()}
