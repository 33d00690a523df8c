"""Relations in an engine's SQL: what stands behind FROM, and where each column is found there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from deniable.core.algebra.certain import common
from deniable.core.algebra.expression import Column, Expression, Kind
from deniable.core.algebra.relation import (
    HIGH,
    LOW,
    ROW,
    THERE,
    UNIT,
    Among,
    Beside,
    Cut,
    Grouped,
    Joined,
    LookedUp,
    Measure,
    Measured,
    Numbered,
    Projected,
    Relation,
    Stacked,
)
from deniable.core.grid import RANGE
from deniable.engines.engine import UnlikeUnitsError
from deniable.engines.sql.dialect import Dialect, Storage, Stored
from deniable.engines.sql.literals import clamped, whole
from deniable.engines.sql.spelling import Speller

_PLACE = "which of its unit's rows it is"
"""A name that no column has."""


@dataclass(frozen=True, slots=True)
class Tables:
    """The declared tables, in an engine's own words."""

    columns: Callable[[str], Mapping[str, str]]
    """The columns of a table, and the names of their types."""
    place: Callable[[str], str]
    """What stands behind FROM for a table."""
    dialect: Dialect
    indexed: Callable[[str, str], bool] = lambda _table, _column: False
    """Whether the rows of a unit can be found without reading all, by this column."""


@dataclass(frozen=True, slots=True)
class From:
    """A relation, ready to stand behind FROM."""

    text: str
    columns: Mapping[str, Stored]
    dialect: Dialect

    @property
    def speller(self) -> Speller:
        """Spells what is computed from its rows."""
        return Speller(self.columns, self.dialect)

    def select(self, unit: str | None, where: Expression | None, values: Iterable[str]) -> str:
        """These values, of the rows that satisfy the condition and whose unit is known."""
        speller = self.speller
        known = [] if unit is None else [f"{speller.unit(unit)} IS NOT NULL"]
        conditions = [*([] if where is None else [speller.spell(where)]), *known]
        chosen = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        return f"SELECT {', '.join(values)} FROM {self.text}{chosen}"  # noqa: S608 - our own algebra, all names quoted


def spelled(relation: Relation, tables: Tables, alias: str = "r") -> From:  # noqa: PLR0911 - one for each relation
    """The relation under an alias; its parts, if it is a join, under longer ones."""
    dialect = tables.dialect
    match relation:
        case str():
            found = tables.columns(relation).items()
            columns = {name: dialect.found(f"{alias}.{dialect.quoted(name)}", kind) for name, kind in found}
            return From(f"{tables.place(relation)} AS {alias}", columns, dialect)
        case LookedUp():
            return _looked_up(relation, tables, alias)
        case Numbered():
            return _numbered(relation, tables, alias)
        case Projected():
            return _inner(_projected(relation, tables), _types(relation, tables), alias, dialect)
        case Grouped():
            return _grouped(relation, tables, alias)
        case Stacked(parts=parts):
            types = [_types(part, tables) for part in parts]
            _check_alike(dialect, *(each[UNIT] for each in types if UNIT in each))
            return _inner(" UNION ALL ".join(_projected(part, tables) for part in parts), types[0], alias, dialect)
        case Joined():
            return _joined(relation, tables, alias)
        case Cut():
            return _cut(relation, tables, alias)


def _inner(select: str, types: Mapping[str, str], alias: str, dialect: Dialect) -> From:
    columns = {name: Stored(f"{alias}.{dialect.quoted(name)}", kind) for name, kind in types.items()}
    return From(f"({select}) AS {alias}", columns, dialect)


def _looked_up(relation: LookedUp, tables: Tables, alias: str) -> From:
    """Each row beside the units of its key. DISTINCT, so that no row is there twice for one unit."""
    rows, keys = spelled(relation.table, tables, f"{alias}_t"), spelled(relation.through, tables, f"{alias}_k")
    _check_alike(tables.dialect, rows.columns[relation.column].type, keys.columns[relation.key].type)
    speller = keys.speller
    key, unit = speller.unit(relation.key), speller.unit(relation.unit)
    known = f"{keys.select(relation.unit, None, [f'DISTINCT {key} AS key', f'{unit} AS unit'])} AND {key} IS NOT NULL"
    place = f"{alias}_u"
    text = f"({rows.text} JOIN ({known}) AS {place} ON {rows.speller.unit(relation.column)} = {place}.key)"
    columns = {**rows.columns, UNIT: Stored(f"{place}.unit", keys.columns[relation.unit].type)}
    return From(text, columns, tables.dialect)


def _numbered(relation: Numbered, tables: Tables, alias: str) -> From:
    """Whoever reads it twice must keep it in between: the numbers can change."""
    rows, dialect = spelled(relation.table, tables), tables.dialect
    columns = [f"{column.place} AS {dialect.quoted(name)}" for name, column in rows.columns.items()]
    numbered = rows.select(None, None, [*columns, f"{dialect.numbered()} AS {dialect.quoted(ROW)}"])
    types = {name: column.type for name, column in rows.columns.items()} | {ROW: dialect.types[Kind.INTEGER]}
    return _inner(numbered, types, alias, dialect)


def _projected(relation: Projected, tables: Tables) -> str:
    rows, quoted = spelled(relation.table, tables), tables.dialect.quoted
    speller = rows.speller
    unit = [] if relation.unit is None else [f"{speller.unit(relation.unit)} AS {quoted(UNIT)}"]
    fields = [f"{speller.spell(field.value)} AS {quoted(field.name)}" for field in relation.fields]
    return rows.select(relation.unit, relation.where, [*unit, *fields])


def _types(relation: Projected, tables: Tables) -> dict[str, str]:
    """Fields are of their kinds' types; the unit is as it is stored."""
    unit = {}
    if relation.unit is not None:
        unit[UNIT] = spelled(relation.table, tables).columns[relation.unit].type
    return unit | {field.name: tables.dialect.types[field.value.kind] for field in relation.fields}


def _grouped(relation: Grouped, tables: Tables, alias: str) -> From:
    rows, dialect = spelled(relation.table, tables), tables.dialect
    speller, quoted = rows.speller, dialect.quoted
    types = {field.name: dialect.types[field.value.kind] for field in relation.keys}
    groups = [f"{speller.identity(field.value)} AS {quoted(field.name)}" for field in relation.keys]
    if relation.unit is not None:
        types[UNIT] = rows.columns[relation.unit].type
        groups.append(f"{speller.unit(relation.unit)} AS {quoted(UNIT)}")
    types |= {measure.name: _type(measure, dialect) for measure in relation.measures}
    measures = [f"{_measured(measure, speller)} AS {quoted(measure.name)}" for measure in relation.measures]
    grouped = f" GROUP BY {', '.join(str(place + 1) for place in range(len(groups)))}" if groups else ""
    return _inner(rows.select(relation.unit, relation.where, [*groups, *measures]) + grouped, types, alias, dialect)


def _measured(measure: Measure, speller: Speller) -> str:
    """Each is the same in whatever order the rows come."""
    where = "" if measure.where is None else f" FILTER (WHERE {speller.spell(measure.where)})"
    match measure.function:
        case Measured.COUNT:
            return f"COUNT({speller.spell(measure.value)}){where}"
        case Measured.DISTINCT:
            return f"COUNT(DISTINCT {speller.identity(measure.value)}){where}"
        case Measured.SUM:
            total = f"{speller.dialect.added(speller.spell(measure.value, Kind.INTEGER))}{where}"
            cut = clamped(total, whole(-RANGE, speller.dialect), whole(RANGE, speller.dialect))
            return f"CAST({cut} AS {speller.dialect.types[Kind.INTEGER]})"
        case Measured.LEAST | Measured.GREATEST:
            greatest = measure.function is Measured.GREATEST
            value = speller.identity(measure.value)
            return f"{speller.dialect.extreme(value, measure.value.kind, greatest=greatest)}{where}"


def _type(measure: Measure, dialect: Dialect) -> str:
    chosen = measure.function in (Measured.LEAST, Measured.GREATEST)
    return dialect.types[measure.value.kind if chosen else Kind.INTEGER]


def _joined(relation: Joined, tables: Tables, alias: str) -> From:
    first, types = spelled(relation.first, tables, f"{alias}_0"), tables.dialect.types
    text, columns = first.text, _numbered_names(0, first)
    for number, other in enumerate(relation.others, start=1):
        if isinstance(other, Among):
            place = f"{alias}_{number}"
            text = f"({text} LEFT JOIN {_among(other, columns, tables, place)})"
            columns[f"{number}.{THERE}"] = Stored(f"{place}.there", types[Kind.BOOLEAN])
            if other.extent is not None:
                columns[f"{number}.{LOW}"] = Stored(f"{place}.low", types[other.extent.kind])
                columns[f"{number}.{HIGH}"] = Stored(f"{place}.high", types[other.extent.kind])
            continue
        part = spelled(other.table, tables, f"{alias}_{number}")
        columns |= _numbered_names(number, part)
        kind = "LEFT JOIN" if other.outer else "JOIN"
        text = f"({text} {kind} {part.text} ON {_condition(other, Speller(columns, tables.dialect))})"
    return From(text, columns, tables.dialect)


def _cut(relation: Cut, tables: Tables, alias: str) -> From:
    """Light units as they are; of the heavy, the first rows in an order that no other row has a part in."""
    rows, dialect = spelled(relation.table, tables), tables.dialect
    speller, quoted, ranked_as = rows.speller, dialect.quoted, dialect.quoted(_PLACE)
    unit = speller.unit(relation.unit)
    types = {name: column.type for name, column in rows.columns.items()}
    columns = [f"{column.place} AS {quoted(name)}" for name, column in rows.columns.items()]
    names = ", ".join(quoted(name) for name in rows.columns)
    seen = [_told_apart(column, speller) for column in relation.by]
    order = ", ".join([dialect.hashed([speller.unit_text(relation.unit), *seen]), *seen])
    group = [unit] if relation.key is None else [unit, speller.identity(relation.key)]
    named = [f"{value} AS g{place}" for place, value in enumerate(group)]
    places = ", ".join(str(place + 1) for place in range(len(group)))
    heavy = f"{rows.select(relation.unit, None, named)} GROUP BY {places} HAVING COUNT(*) > {relation.most}"
    equal = " AND ".join(f"heavy.g{place} = {value}" for place, value in enumerate(group))
    among = f"EXISTS (SELECT 1 FROM heavy WHERE {equal})"  # noqa: S608 - our own algebra, all names quoted
    place = f"ROW_NUMBER() OVER (PARTITION BY {', '.join(group)} ORDER BY {order}) AS {ranked_as}"
    light = f"{rows.select(relation.unit, None, columns)} AND NOT {among}"
    ranked = f"{rows.select(relation.unit, None, [*columns, place])} AND {among}"
    first = f"SELECT {names} FROM ({ranked}) AS f WHERE {ranked_as} <= {relation.most}"  # noqa: S608 - as above
    return _inner(f"WITH heavy AS {dialect.kept}({heavy}) {light} UNION ALL {first}", types, alias, dialect)


def _told_apart(column: Column, speller: Speller) -> str:
    """Numbers as texts, which tell one zero from the other."""
    spelled_out = speller.spell(column)
    return speller.dialect.told_apart(spelled_out) if column.kind is Kind.NUMBER else spelled_out


def _among(other: Among, columns: Mapping[str, Stored], tables: Tables, alias: str) -> str:
    """The set, and what is looked for in it.

    A row must match one entry at most: DISTINCT, or GROUP BY, is on exactly what stands on the other side of the
    equality, which is of the same type and is not computed with any more.
    """
    rows, before = spelled(other.table, tables), Speller(columns, tables.dialect)
    inside = rows.speller
    pairs: list[tuple[str, str]] = []
    if other.units is not None:
        whose, name = other.units
        _check_alike(tables.dialect, columns[whose].type, rows.columns[name].type)
        pairs.append((before.unit(whose), inside.unit(name)))
    for value, option in other.values:
        kind = common(value, option)
        pairs.append((before.identity(value, kind), inside.identity(option, kind)))
    entries = [f"{option} AS e{place}" for place, (_, option) in enumerate(pairs)]
    chosen, grouped = [f"DISTINCT {', '.join([*entries, 'TRUE AS there'])}"], ""
    if other.extent is not None:
        extent = inside.identity(other.extent)
        low, high = (tables.dialect.extreme(extent, other.extent.kind, greatest=end) for end in (False, True))
        chosen = [*entries, "TRUE AS there", f"{low} AS low", f"{high} AS high"]
        grouped = f" GROUP BY {', '.join(str(place + 1) for place in range(len(entries)))}" if entries else ""
    equal = " AND ".join(f"{wanted} = {alias}.e{place}" for place, (wanted, _) in enumerate(pairs)) or "TRUE"
    return f"({rows.select(None, other.where, chosen)}{grouped}) AS {alias} ON {equal}"


def _numbered_names(number: int, part: From) -> dict[str, Stored]:
    return {f"{number}.{name}": column for name, column in part.columns.items()}


def _condition(other: Beside, speller: Speller) -> str:
    conditions = [] if other.condition is None else [speller.spell(other.condition)]
    if other.units is not None:
        _check_alike(speller.dialect, *(speller.columns[name].type for name in other.units))
        conditions.insert(0, " = ".join(speller.unit(name) for name in other.units))
    return " AND ".join(conditions) or "TRUE"


def _check_alike(dialect: Dialect, *types: str) -> None:
    """Units are compared as they are stored: a cast could take two of them for one."""
    if len(set(types)) > 1 and any(dialect.storage(one) is not Storage.WHOLE for one in types):
        raise UnlikeUnitsError("the unit is stored in types that cannot be compared")
