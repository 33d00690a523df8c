"""DuckDB's words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from deniable.core.algebra.expression import Kind
from deniable.core.algebra.readings import READS
from deniable.engines.duckdb.primitives import SPELLINGS
from deniable.engines.sql.dialect import Arrays, Dialect, Storage, Stored
from deniable.files.scan import quoted, text

_TYPES = {
    Kind.INTEGER: "BIGINT",
    Kind.NUMBER: "DOUBLE",
    Kind.TEXT: "VARCHAR",
    Kind.BOOLEAN: "BOOLEAN",
    Kind.DATE: "DATE",
    Kind.TIMESTAMP: "TIMESTAMP",
    Kind.TIME: "TIME",
}
_CASTS = {
    (Kind.INTEGER, Kind.NUMBER): "CAST({} AS DOUBLE)",
    (Kind.NUMBER, Kind.INTEGER): "TRY_CAST({} AS BIGINT)",
    (Kind.BOOLEAN, Kind.INTEGER): "CAST({} AS BIGINT)",
    (Kind.BOOLEAN, Kind.NUMBER): "CAST({} AS DOUBLE)",
    (Kind.DATE, Kind.INTEGER): "({} - DATE '1970-01-01')",
    (Kind.DATE, Kind.NUMBER): "CAST({} - DATE '1970-01-01' AS DOUBLE)",
    (Kind.TIMESTAMP, Kind.INTEGER): "EPOCH_US({})",
    (Kind.TIMESTAMP, Kind.NUMBER): "CAST(EPOCH_US({}) AS DOUBLE)",
    (Kind.TIME, Kind.INTEGER): "EPOCH_US({})",
    (Kind.TIME, Kind.NUMBER): "CAST(EPOCH_US({}) AS DOUBLE)",
    (Kind.DATE, Kind.TIMESTAMP): "CAST({} AS TIMESTAMP)",
}
_STORAGE = {
    "BOOLEAN": Storage.BOOLEAN,
    **dict.fromkeys(("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"), Storage.WHOLE),
    "UBIGINT": Storage.WIDE,
    "HUGEINT": Storage.WIDE,
    "UHUGEINT": Storage.UNSIGNED,
    "FLOAT": Storage.REAL,
    "DOUBLE": Storage.REAL,
    "VARCHAR": Storage.TEXT,
    "JSON": Storage.WORD,
    "DATE": Storage.DATE,
    **dict.fromkeys(("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"), Storage.TIMESTAMP),
    **dict.fromkeys(("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ_NS"), Storage.INSTANT),
    "TIME": Storage.TIME,
    "INTERVAL": Storage.SPAN,
    "BLOB": Storage.BYTES,
    "UUID": Storage.BYTES,
}
_OFFSET = r":\d\d(\.\d+)?\s*(Z|z|[A-Za-z]+/[A-Za-z_/]+|UTC|GMT|[+-]\d\d(:?\d\d)?(:?\d\d)?)\s*$"
"""How a text ends that names an instant: with a time zone behind the time of day."""


@dataclass(frozen=True, slots=True)
class DuckDBDialect(Dialect):
    """Most functions are total in DuckDB itself, doubles are IEEE's, and TRY_CAST gives NULL where there is nothing."""

    spellings: ClassVar[Mapping[str, str]] = SPELLINGS
    types: ClassVar[Mapping[Kind, str]] = _TYPES
    infinities: ClassVar[tuple[str, str]] = ("'-inf'::DOUBLE", "'inf'::DOUBLE")
    instants: ClassVar[tuple[str, str]] = (
        "TIMESTAMPTZ '0001-01-03 00:00:00+00'",
        "TIMESTAMPTZ '9999-12-29 00:00:00+00'",
    )
    small: ClassVar[Mapping[str, int]] = {"UTINYINT": 255, "USMALLINT": 65_535}
    arrays: ClassVar[Arrays | None] = Arrays(20, "TRY_CAST({} AS ENUM({}))", "RANGE({}, {})", "{}[{}]")

    def quoted(self, name: str) -> str:
        """As the files' names are."""
        return quoted(name)

    def text(self, value: str) -> str:
        """As in the steps that open files."""
        return text(value)

    def formatted(self, value: str, written: str) -> str:
        """The signs are DuckDB's."""
        return f"STRFTIME({value}, {text(written)})"

    def rounded(self, value: str, places: int) -> str:
        """As DuckDB does."""
        return f"ROUND({value}, {places})"

    def rounded_whole(self, value: str, places: int) -> str:
        """As DuckDB does."""
        return f"ROUND({value}, {places})"

    def double(self, digits: str) -> str:
        """Which `1e0` and not `1.0` means in this dialect.

        Example:
            >>> DuckDBDialect().double("0.01")
            '0.01e0'
        """
        return digits if "e" in digits else f"{digits}e0"

    def cast(self, spelled: str, kind: Kind, wanted: Kind) -> str:
        """Doubles become the nearest whole number, halves to even."""
        return spelled if kind is wanted else _CASTS[kind, wanted].format(spelled)

    def parsed(self, spelled: str, kind: Kind) -> str:
        """As DuckDB reads texts, of those that every engine reads."""
        read = f"TRY_CAST({spelled} AS {_TYPES[kind]})"
        if kind is Kind.BOOLEAN:  # no more and no fewer words than the grammar has
            return read
        return f"CASE WHEN REGEXP_MATCHES({spelled}, {text(READS[kind])}) THEN {read} END"

    def written(self, spelled: str, kind: Kind) -> str:
        """As DuckDB writes values."""
        del kind
        return f"TRY_CAST({spelled} AS VARCHAR)"

    def widened(self, whole: str) -> str:
        """128 bits."""
        return f"CAST({whole} AS HUGEINT)"

    def narrowed(self, wide: str, kind: Kind) -> str:
        """What is longer is NULL."""
        return f"TRY_CAST({wide} AS {_TYPES[kind]})"

    def storage(self, type_name: str) -> Storage:
        """By the type's name; of those with parameters, by how it begins."""
        if type_name.endswith("]"):
            return Storage.OTHER
        if type_name.startswith("DECIMAL"):
            return Storage.WIDE
        return Storage.WORD if type_name.startswith("ENUM(") else _STORAGE.get(type_name, Storage.OTHER)

    def found(self, place: str, type_name: str) -> Stored:
        """Enumerations and JSON as the texts that they show."""
        match self.storage(type_name):
            case Storage.TEXT:
                return Stored(f"({place} COLLATE C)", type_name)
            case Storage.WORD:
                return Stored(f"CAST({place} AS VARCHAR)", _TYPES[Kind.TEXT])
            case _:
                return Stored(place, type_name)

    def converted(self, column: Stored, kind: Kind, zone: str | None) -> str:
        """By TRY_CAST, where that means what a policy does; a text that ends with a zone is an instant."""
        storage, place = self.storage(column.type), column.place
        if kind is Kind.NUMBER and storage is Storage.SPAN:
            return f"EPOCH({place})"
        if kind is Kind.TIMESTAMP and storage is Storage.INSTANT:  # to the microsecond
            return self.by_clock(
                place if column.type != "TIMESTAMPTZ_NS" else f"TRY_CAST({place} AS TIMESTAMPTZ)", zone
            )
        if kind is Kind.TIMESTAMP and storage is Storage.TEXT:
            instant = f"REGEXP_MATCHES({place}, {text(_OFFSET)})"
            local = self.by_clock(f"TRY_CAST({place} AS TIMESTAMPTZ)", zone)
            return f"CASE WHEN {instant} THEN {local} ELSE TRY_CAST({place} AS TIMESTAMP) END"
        if kind is Kind.DATE and storage is Storage.TEXT:  # a cast would cut off the time of day
            day = f"TRY_CAST({place} AS DATE)"
            return f"CASE WHEN TRY_CAST({place} AS TIMESTAMP) = TRY_CAST({day} AS TIMESTAMP) THEN {day} END"
        return place if column.type == _TYPES[kind] else f"TRY_CAST({place} AS {_TYPES[kind]})"

    def local(self, instant: str, zone: str) -> str:
        """By an operator, which raises for instants far beyond the calendar."""
        return f"({instant} AT TIME ZONE {text(zone)})"

    def same_double(self, place: str) -> str:
        """Both zeros, and all NaN."""
        return f"CASE WHEN {place} = 0 THEN 0 WHEN ISNAN({place}) THEN 'nan' ELSE {place} END"

    def hashed(self, parts: Iterable[str]) -> str:
        """DuckDB's own."""
        return f"HASH({', '.join(parts)})"

    def quotient(self, one: str, other: str, *, wide: bool = False) -> str:
        """In whatever width."""
        del wide
        return f"{one} // {other}"

    def shifted(self, product: str, places: int, *, wide: bool = False) -> str:
        """Bits, which is faster than dividing."""
        del wide
        return f"{product} >> {places}"

    def among(self, rows: str, others: str, column: str) -> str:
        """By a join of its own kind."""
        return f"{rows} SEMI JOIN {others} USING ({column})"
