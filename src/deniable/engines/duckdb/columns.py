"""Reading a column: whatever the file holds becomes a value of the declared kind, within its bounds, or NULL."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from deniable.core.algebra.expression import Column, Kind, Range
from deniable.engines.duckdb.literals import ENDS, TYPES, cast, clamped, double, known, moment, text, whole
from deniable.engines.engine import UnlikeUnitsError

_FLOATS = frozenset({"FLOAT", "DOUBLE"})
WHOLES = frozenset({"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"})
_WIDER = ("UBIGINT", "HUGEINT", "UHUGEINT", "DECIMAL")
_WORDS = ("ENUM(", "JSON")
"""Texts with rules of their own, which are compared as texts instead."""
_ALIKE = (*WHOLES, *_WIDER, *_FLOATS, "VARCHAR", "BLOB", "UUID", "BOOLEAN", "DATE", "TIMESTAMP")
"""Types that can name a unit: values are equal if their bytes are. Of intervals, times with zones, bits, variants and
whatever is nested or of a custodian's making, that is not so, or not known."""


@dataclass(frozen=True, slots=True)
class Stored:
    """Where a column is found in a statement, and its type there."""

    place: str
    type: str


def stored(place: str, kind: str) -> Stored:
    """A column of a file. Texts are compared by their bytes, whatever collation the file asks for."""
    if kind == "VARCHAR":
        return Stored(f"({place} COLLATE C)", kind)
    return Stored(f"CAST({place} AS VARCHAR)", "VARCHAR") if kind.startswith(_WORDS) else Stored(place, kind)


def identified(column: Stored) -> str:
    """A column that tells units apart: equal units have equal bytes, and so equal hashes and equal texts.

    Raises:
        UnlikeUnitsError: its type has another equality.
    """
    if not column.type.startswith(_ALIKE) or column.type.endswith("]"):
        raise UnlikeUnitsError("the unit is stored in a type that cannot be compared")
    if column.type not in _FLOATS:
        return column.place
    return f"CASE WHEN {column.place} = 0 THEN 0 WHEN ISNAN({column.place}) THEN 'nan' ELSE {column.place} END"


def read(column: str, stored: str, declared: Column) -> str:
    """The column as it is computed with. What is stored as it is declared is not cast."""
    match declared.kind:
        case Kind.INTEGER:
            return _whole(column, stored, declared.range)
        case Kind.NUMBER:
            number = f"EPOCH({column})" if stored == "INTERVAL" else _converted(column, stored, Kind.NUMBER)
            return _real(number, declared.range)
        case Kind.DATE | Kind.TIMESTAMP | Kind.TIME:
            return _moment(_counted(column, stored, declared), declared.kind, declared.range)
        case Kind.TEXT:
            return _text(_converted(column, stored, Kind.TEXT), declared.length)
        case _:
            return _converted(column, stored, declared.kind)


def read_word(column: str, stored: str, declared: Column) -> str:
    """A text that few rows have to themselves, as keys are: DuckDB calls a plain function once for each of them."""
    value = _converted(column, stored, Kind.TEXT)
    return value if declared.length is None else f"SUBSTRING({value}, 1, {declared.length})"


def _text(value: str, length: int | None) -> str:
    """Its first characters. Bytes are no fewer than characters, and are counted already."""
    if length is None:
        return value
    return f"CASE WHEN STRLEN({value}) <= {length} THEN {value} ELSE LEFT({value}, {length}) END"


def _converted(column: str, stored: str, kind: Kind) -> str:
    return column if stored == TYPES[kind] else f"TRY_CAST({column} AS {TYPES[kind]})"


def _whole(column: str, stored: str, bounds: Range) -> str:
    """Numbers too large for 64 bits are clamped before they are cast, so that they count as large, not as missing."""
    if stored in _FLOATS or stored == "UHUGEINT":  # the latter cannot be compared with negative numbers
        nearest = cast(_real(_converted(column, stored, Kind.NUMBER), bounds), Kind.NUMBER, Kind.INTEGER)
        return nearest if _exact_as_doubles(bounds) else _limited(nearest, bounds)
    if stored in WHOLES:
        value = _limited(column, bounds)
        return value if stored == TYPES[Kind.INTEGER] else f"CAST({value} AS BIGINT)"
    if stored.startswith(_WIDER):
        return f"TRY_CAST({_limited(column, bounds)} AS BIGINT)"
    return _limited(_converted(column, stored, Kind.INTEGER), bounds)


def _exact_as_doubles(bounds: Range) -> bool:
    return all(end is None or Fraction(float(end)) == end for end in (bounds.low, bounds.high))


def _limited(value: str, bounds: Range) -> str:
    """A whole number within its bounds."""
    if bounds.low is None and bounds.high is None:
        return value
    if bounds.high is None:
        low = whole(ceil(bounds.low or 0))
        return f"CASE WHEN {value} >= {low} THEN {value} WHEN {value} < {low} THEN {low} END"
    high = whole(floor(bounds.high))
    if bounds.low is None:
        return f"CASE WHEN {value} <= {high} THEN {value} WHEN {value} > {high} THEN {high} END"
    return clamped(value, whole(ceil(bounds.low)), high)


def _real(value: str, bounds: Range) -> str:
    """A double within its bounds. NaN compares as larger than infinity here, so it lies within none."""
    if bounds.low is None and bounds.high is None:
        return f"CASE WHEN {value} <= 'inf'::DOUBLE THEN {value} END"
    low = "'-inf'::DOUBLE" if bounds.low is None else double(bounds.low)
    high = "'inf'::DOUBLE" if bounds.high is None else double(bounds.high)
    return clamped(value, low, high, f"{value} <= 'inf'::DOUBLE")


def _counted(column: str, stored: str, declared: Column) -> str:
    """A date, a timestamp or a time of day. An instant is read in the declared zone, and nowhere else."""
    if declared.kind is Kind.TIMESTAMP and stored == "TIMESTAMP WITH TIME ZONE":
        return _local(column, declared.zone)
    if stored == "VARCHAR" and declared.kind is Kind.TIMESTAMP:
        instant = f"REGEXP_MATCHES({column}, {text(_OFFSET)})"
        local = _local(f"TRY_CAST({column} AS TIMESTAMPTZ)", declared.zone)
        return f"CASE WHEN {instant} THEN {local} ELSE TRY_CAST({column} AS TIMESTAMP) END"
    if stored == "VARCHAR" and declared.kind is Kind.DATE:  # a cast would cut off the time of day
        day = f"TRY_CAST({column} AS DATE)"
        return f"CASE WHEN TRY_CAST({column} AS TIMESTAMP) = TRY_CAST({day} AS TIMESTAMP) THEN {day} END"
    return _converted(column, stored, declared.kind)


_OFFSET = r":\d\d(\.\d+)?\s*(Z|z|[A-Za-z]+/[A-Za-z_/]+|UTC|GMT|[+-]\d\d(:?\d\d)?(:?\d\d)?)\s*$"
"""How a text ends that names an instant: with a time zone behind the time of day."""
_INSTANTS = "TIMESTAMPTZ '0001-01-03 00:00:00+00'", "TIMESTAMPTZ '9999-12-29 00:00:00+00'"
"""Instants whose local time is in the calendar wherever one stands; DuckDB raises for those far beyond."""


def _local(instant: str, zone: str | None) -> str:
    """What the clocks of a zone show at an instant; without a zone, nobody knows."""
    if zone is None:
        return f"CAST(NULL AS {TYPES[Kind.TIMESTAMP]})"
    low, high = _INSTANTS
    first, last = ENDS[Kind.TIMESTAMP]
    inside = f"WHEN {instant} BETWEEN {low} AND {high} THEN ({instant} AT TIME ZONE {text(zone)})"
    return f"CASE {inside} WHEN {instant} < {low} THEN {first} WHEN {instant} > {high} THEN {last} END"


def _moment(value: str, kind: Kind, bounds: Range) -> str:
    """Within its bounds; without bounds, within the calendar."""
    if bounds.low is None and bounds.high is None:
        return known(value, kind)
    low = ENDS[kind][0] if bounds.low is None else moment(ceil(bounds.low), kind)
    high = ENDS[kind][1] if bounds.high is None else moment(floor(bounds.high), kind)
    return clamped(value, low, high)
