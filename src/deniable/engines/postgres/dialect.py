"""PostgreSQL's words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import ClassVar

from deniable.core.algebra.expression import Kind
from deniable.engines.engine import GapError
from deniable.engines.postgres import doubles, texts
from deniable.engines.postgres.doubles import bound
from deniable.engines.postgres.primitives import EPOCH, SPELLINGS
from deniable.engines.sql.dialect import Dialect, Storage, Stored, Weighing

_TYPES = {
    Kind.INTEGER: "bigint",
    Kind.NUMBER: "double precision",
    Kind.TEXT: "text",
    Kind.BOOLEAN: "boolean",
    Kind.DATE: "date",
    Kind.TIMESTAMP: "timestamp",
    Kind.TIME: "time",
}
_STORAGE = {
    "boolean": Storage.BOOLEAN,
    **dict.fromkeys(("smallint", "integer", "bigint"), Storage.WHOLE),
    "numeric": Storage.WIDE,
    **dict.fromkeys(("real", "double precision"), Storage.REAL),
    "text": Storage.TEXT,
    **dict.fromkeys(("character varying", "character", "enum", "citext", "name", "json", "jsonb"), Storage.WORD),
    "date": Storage.DATE,
    "timestamp": Storage.TIMESTAMP,
    "timestamp with time zone": Storage.INSTANT,
    "time": Storage.TIME,
    "interval": Storage.SPAN,
    "uuid": Storage.BYTES,
    "bytea": Storage.BYTES,
}
_OF_KIND = {
    Kind.INTEGER: {Storage.WHOLE},
    Kind.NUMBER: {Storage.WHOLE, Storage.REAL},
    Kind.BOOLEAN: {Storage.BOOLEAN},
    Kind.DATE: {Storage.DATE},
    Kind.TIMESTAMP: {Storage.TIMESTAMP},
    Kind.TIME: {Storage.TIME},
}
"""What is cast to a kind without ever raising."""
_LOW, _HIGH = -(1 << 63), (1 << 63) - 1
_LONGEST_NAME = 63
_CASTS = {
    (Kind.INTEGER, Kind.NUMBER): "CAST({} AS double precision)",
    (Kind.BOOLEAN, Kind.INTEGER): "CAST(CAST({} AS integer) AS bigint)",
    (Kind.BOOLEAN, Kind.NUMBER): "CAST(CAST({} AS integer) AS double precision)",
    (Kind.DATE, Kind.INTEGER): "CAST({} - DATE '1970-01-01' AS bigint)",
    (Kind.DATE, Kind.NUMBER): "CAST({} - DATE '1970-01-01' AS double precision)",
    (Kind.TIMESTAMP, Kind.INTEGER): EPOCH,
    (Kind.TIMESTAMP, Kind.NUMBER): f"CAST({EPOCH} AS double precision)",
    (Kind.TIME, Kind.INTEGER): EPOCH,
    (Kind.TIME, Kind.NUMBER): f"CAST({EPOCH} AS double precision)",
    (Kind.DATE, Kind.TIMESTAMP): "CAST({} AS timestamp)",
}


@dataclass(frozen=True, slots=True)
class PostgresDialect(Dialect):
    """Nothing is tried here: what could raise is asked first, in the same expression.

    Letters have their capitals as in Unicode's simple table (the collation C.utf8), texts are compared by their bytes.
    """

    spellings: ClassVar[Mapping[str, str | Callable[..., str]]] = SPELLINGS
    types: ClassVar[Mapping[Kind, str]] = _TYPES
    infinities: ClassVar[tuple[str, str]] = (doubles.MINUS_INFINITY, doubles.INFINITY)
    instants: ClassVar[tuple[str, str]] = (
        "TIMESTAMPTZ '0001-01-03 00:00:00+00'",
        "TIMESTAMPTZ '9999-12-29 00:00:00+00'",
    )
    underflows: ClassVar[bool] = True
    groups_by_label: ClassVar[bool] = False
    weighing: ClassVar[Weighing] = Weighing.WINDOW
    apart: ClassVar[str] = " OFFSET 0"

    def guarded(self, name: str, *arguments: str) -> str:
        """What can overflow, or vanish."""
        match name:
            case "add" | "subtract":
                return doubles.added("+" if name == "add" else "-", *arguments)
            case "multiply":
                return doubles.multiplied(*arguments)
            case "divide":
                return doubles.divided(*arguments)
            case "exp":
                return doubles.exponential(*arguments)
            case _:
                return self.primitive(name, *arguments)

    def quoted(self, name: str) -> str:
        """PostgreSQL cuts long names off; these are told apart by a digest instead."""
        if "\x00" in name:
            raise GapError("names with a zero byte")
        return '"' + self.label(name).replace('"', '""') + '"'

    def label(self, name: str) -> str:
        """What a column of an answer is called that should be called so."""
        size = len(name.encode())
        return name if size <= _LONGEST_NAME else sha256(name.encode()).hexdigest()[:_LONGEST_NAME]

    def text(self, value: str) -> str:
        """Compared by its bytes."""
        return texts.quoted_text(value)

    def double(self, digits: str) -> str:
        """A bare one would be a decimal number."""
        return f"'{digits}'::float8"

    def pattern(self, written: str) -> str:
        """In PostgreSQL's words."""
        return texts.pattern(written)

    def formatted(self, value: str, written: str) -> str:
        """By to_char."""
        return texts.formatted(value, written)

    def rounded(self, value: str, places: int) -> str:
        """There is no such function of doubles."""
        return doubles.rounded(value, places)

    def rounded_whole(self, value: str, places: int) -> str:
        """As a decimal number."""
        return f"CAST(round(CAST({value} AS numeric), {places}) AS bigint)"

    def cast(self, spelled: str, kind: Kind, wanted: Kind) -> str:
        """Doubles become the nearest whole number, halves to even, if there is one of 64 bits."""
        if (kind, wanted) == (Kind.NUMBER, Kind.INTEGER):
            inside = "q.x >= '-9223372036854775808'::float8 AND q.x < '9223372036854775808'::float8"
            return bound(f"CASE WHEN {inside} THEN CAST(q.x AS bigint) END", x=spelled)
        return spelled if kind is wanted else _CASTS[kind, wanted].format(spelled)

    def parsed(self, spelled: str, kind: Kind) -> str:
        """By the grammar."""
        return texts.parsed(spelled, kind)

    def written(self, spelled: str, kind: Kind) -> str:
        """Doubles with a point, or with an exponent if they are large or small; all others as PostgreSQL does."""
        if kind is not Kind.NUMBER:
            return f'(CAST({spelled} AS text) COLLATE "C")'
        plain = "CAST(CAST(CAST(q.x AS text) AS numeric) AS text)"
        middle = f"{plain} || CASE WHEN {plain} LIKE '%.%' THEN '' ELSE '.0' END"
        shown = (
            "CASE WHEN abs(q.x) >= 'Infinity' THEN CASE WHEN q.x > 0 THEN 'inf' ELSE '-inf' END "
            "WHEN q.x = 0 THEN CAST(q.x AS text) || '.0' "
            f"WHEN abs(q.x) >= '0.0001' AND abs(q.x) < '1e16' THEN {middle} ELSE CAST(q.x AS text) END"
        )
        return f'({bound(shown, x=spelled)} COLLATE "C")'

    def widened(self, whole: str) -> str:
        """A decimal number, which has as many digits as it needs."""
        return f"CAST({whole} AS numeric)"

    def narrowed(self, wide: str, kind: Kind) -> str:
        """What is longer is NULL."""
        if kind is Kind.NUMBER:
            return f"CAST({wide} AS double precision)"
        return bound(f"CASE WHEN q.w BETWEEN {_LOW} AND {_HIGH} THEN CAST(q.w AS bigint) END", w=wide)

    def storage(self, type_name: str) -> Storage:
        """By the name that `describe` gives."""
        return _STORAGE.get(type_name, Storage.OTHER)

    def found(self, place: str, type_name: str) -> Stored:
        """Texts by their bytes; decimal numbers with one scale, so that equal ones are one, and without NaN."""
        match self.storage(type_name):
            case Storage.TEXT:
                return Stored(f'({place} COLLATE "C")', type_name)
            case Storage.WORD:
                return Stored(f'(CAST({place} AS text) COLLATE "C")', _TYPES[Kind.TEXT])
            case Storage.WIDE:
                return Stored(f"trim_scale(NULLIF({place}, 'NaN'))", type_name)
            case _:
                return Stored(place, type_name)

    def converted(self, column: Stored, kind: Kind, zone: str | None) -> str:  # noqa: PLR0911 - one for each pair
        """Each pair that a policy can declare; others might raise, row by row."""
        storage, place = self.storage(column.type), column.place
        if kind is Kind.TEXT:
            return self._shown(column)
        match kind, storage:
            case (_, Storage.TEXT):
                return texts.parsed(place, kind)
            case (Kind.NUMBER, Storage.WIDE):
                return doubles.from_numeric(place)
            case (Kind.NUMBER, Storage.SPAN):
                return f"CAST(EXTRACT(EPOCH FROM {place}) AS double precision)"
            case (Kind.TIMESTAMP, Storage.INSTANT):
                return self.by_clock(place, zone)
            case (Kind.TIMESTAMP, Storage.DATE):
                near = f"{place} BETWEEN DATE '4000-01-01 BC' AND DATE '290000-01-01'"
                return f"CASE WHEN {near} OR NOT isfinite({place}) THEN CAST({place} AS timestamp) END"
        if storage not in _OF_KIND[kind]:
            raise ValueError(f"a column of type {column.type} is declared as {kind.value}")
        return place if column.type == _TYPES[kind] else f"CAST({place} AS {_TYPES[kind]})"

    def _shown(self, column: Stored) -> str:
        """Whatever is stored, as a text."""
        match self.storage(column.type):
            case Storage.TEXT:
                return column.place
            case Storage.REAL:
                return self.written(f"CAST({column.place} AS double precision)", Kind.NUMBER)
            case _:
                return f'(CAST({column.place} AS text) COLLATE "C")'

    def local(self, instant: str, zone: str) -> str:
        """By an operator."""
        return f"({instant} AT TIME ZONE {self.text(zone)})"

    def same_double(self, place: str) -> str:
        """Both zeros; all NaN are one here."""
        return f"CASE WHEN {place} = 0 THEN 0 ELSE {place} END"

    def hashed(self, parts: Iterable[str]) -> str:
        """Value after value, each with the hash of those before it as its seed."""
        found = "0"
        for part in parts:
            found = f"hashtextextended(COALESCE('v' || CAST({part} AS text), 'n') COLLATE \"C\", {found})"
        return found

    def quotient(self, one: str, other: str, *, wide: bool = False) -> str:
        """Of decimal numbers by a function: their sign for it has a fraction."""
        return f"div({one}, {other})" if wide else f"{one} / {other}"

    def shifted(self, product: str, places: int, *, wide: bool = False) -> str:
        """Decimal numbers have no bits."""
        return f"div({product}, {1 << places})" if wide else f"{product} >> {places}"

    def among(self, rows: str, others: str, column: str) -> str:
        """A semi join, once it is planned."""
        return f"{rows} WHERE {column} IN (SELECT {column} FROM {others})"  # noqa: S608 - our own algebra

    def extreme(self, value: str, kind: Kind, *, greatest: bool) -> str:
        """Truths have aggregates of their own."""
        if kind is Kind.BOOLEAN:
            return f"{'bool_or' if greatest else 'bool_and'}({value})"
        return f"{'MAX' if greatest else 'MIN'}({value})"
