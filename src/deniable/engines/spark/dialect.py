"""The words of Spark SQL, as Spark 4 and Sail speak it.

The session is in UTC, so that a timestamp without a zone and the instant that it is converted to have one number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from deniable.core.algebra.expression import Kind
from deniable.core.algebra.query import MOST_KEYS
from deniable.core.calendar import moment_of
from deniable.engines.engine import GapError
from deniable.engines.spark import texts
from deniable.engines.spark.primitives import MICROSECONDS, SPELLINGS, WHOLE_DOUBLES
from deniable.engines.sql.dialect import Dialect, Storage, Stored, Weighing

_TYPES = {
    Kind.INTEGER: "BIGINT",
    Kind.NUMBER: "DOUBLE",
    Kind.TEXT: "STRING",
    Kind.BOOLEAN: "BOOLEAN",
    Kind.DATE: "DATE",
    Kind.TIMESTAMP: "TIMESTAMP_NTZ",
    Kind.TIME: "TIME",
}
_CASTS = {
    (Kind.INTEGER, Kind.NUMBER): "CAST({} AS DOUBLE)",
    (Kind.BOOLEAN, Kind.INTEGER): "CAST({} AS BIGINT)",
    (Kind.BOOLEAN, Kind.NUMBER): "CAST({} AS DOUBLE)",
    (Kind.DATE, Kind.INTEGER): "CAST(UNIX_DATE({}) AS BIGINT)",
    (Kind.DATE, Kind.NUMBER): "CAST(UNIX_DATE({}) AS DOUBLE)",
    (Kind.TIMESTAMP, Kind.INTEGER): MICROSECONDS,
    (Kind.TIMESTAMP, Kind.NUMBER): f"CAST({MICROSECONDS} AS DOUBLE)",
    (Kind.DATE, Kind.TIMESTAMP): "CAST({} AS TIMESTAMP_NTZ)",
}
_STORAGE = {
    "boolean": Storage.BOOLEAN,
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), Storage.WHOLE),
    **dict.fromkeys(("float", "double"), Storage.REAL),
    "string": Storage.TEXT,
    "date": Storage.DATE,
    "timestamp_ntz": Storage.TIMESTAMP,
    "timestamp": Storage.INSTANT,
    "binary": Storage.BYTES,
}
_LIMB = 20
"""Bits of the lower part of a number that is added up in two."""


@dataclass(frozen=True, slots=True)
class SparkDialect(Dialect):
    """Doubles are IEEE's, casts that fail are NULL by TRY_CAST, and sums are decimals of 38 digits: nothing wraps."""

    spellings: ClassVar[Mapping[str, str | Callable[..., str]]] = SPELLINGS
    types: ClassVar[Mapping[Kind, str]] = _TYPES
    infinities: ClassVar[tuple[str, str]] = ("DOUBLE('-inf')", "DOUBLE('inf')")
    instants: ClassVar[tuple[str, str]] = ("TIMESTAMP '0001-01-03 00:00:00Z'", "TIMESTAMP '9999-12-29 00:00:00Z'")
    widest: ClassVar[int] = 1 << 63
    """Compared with a longer decimal, NULL is less in Spark."""
    kept: ClassVar[str] = ""
    grouping: ClassVar[str] = "GROUPING_ID"
    grouped: ClassVar[int] = MOST_KEYS
    """It takes all of them, or none."""
    groups_by_label: ClassVar[bool] = False
    weighing: ClassVar[Weighing] = Weighing.WINDOW

    def quoted(self, name: str) -> str:
        """In backquotes."""
        return "`" + name.replace("`", "``") + "`"

    def text(self, value: str) -> str:
        """With backslashes: two quotes are none in Sail."""
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'").replace("\x00", "\\u0000") + "'"

    def double(self, digits: str) -> str:
        """Which `1.0D` and not `1.0` means in this dialect.

        Example:
            >>> SparkDialect().double("0.01")
            '0.01D'
        """
        return f"{digits}D"

    def moment(self, number: int, kind: Kind) -> str:
        """As in every dialect, but for the name of moments without a zone."""
        if kind is Kind.TIME:
            raise GapError("times of day")
        if kind is Kind.TIMESTAMP:
            return f"TIMESTAMP_NTZ '{moment_of(number).isoformat(sep=' ')}'"
        return super(SparkDialect, self).moment(number, kind)

    def is_number(self, double: str) -> str:
        """By a function: Sail knows a NaN below all numbers, too. Of NULL, Spark says that it is none."""
        return f"({double} IS NOT NULL AND NOT ISNAN({double}))"

    def cast(self, spelled: str, kind: Kind, wanted: Kind) -> str:
        """Doubles become the nearest whole number, halves to even (RINT differs in Sail); 2^63 is too large."""
        if kind is wanted:
            return spelled
        if (kind, wanted) == (Kind.NUMBER, Kind.INTEGER):
            inside = f"{spelled} >= -9223372036854775808D AND {spelled} < 9223372036854775808D"
            return f"CASE WHEN {inside} THEN TRY_CAST(BROUND({spelled}, 0) AS BIGINT) END"
        return _CASTS[kind, wanted].format(spelled)

    def floored(self, double: str) -> str:
        """Which FLOOR gives at once."""
        return f"CAST(FLOOR({double}) AS BIGINT)"

    def parsed(self, spelled: str, kind: Kind) -> str:
        """By the grammar."""
        return texts.parsed(spelled, kind)

    def written(self, spelled: str, kind: Kind) -> str:
        """As Spark writes values; numbers with a point, it writes in a way of its own."""
        if kind is Kind.NUMBER:
            raise GapError("real numbers as texts")
        return f"CAST({spelled} AS STRING)"

    def pattern(self, written: str) -> str:
        """Java's matcher can take for ever, which one person's text could bring about."""
        del written
        raise GapError("regular expressions")

    def formatted(self, value: str, written: str) -> str:
        """From parts, so that no locale and no version matters."""
        return texts.formatted(value, written)

    def rounded(self, value: str, places: int) -> str:
        """Scaled, to the nearest, halves away from zero, and back: in doubles, as elsewhere."""
        scale = f"{10.0 ** abs(places)!r}D"
        scaled = f"({value} {'*' if places >= 0 else '/'} {scale})"
        size = f"ABS({scaled})"
        up = f"CASE WHEN {size} - FLOOR({size}) >= 0.5D THEN 1D ELSE 0D END"
        nearest = f"SIGN({scaled}) * (CAST(FLOOR({size}) AS DOUBLE) + {up}) {'/' if places >= 0 else '*'} {scale}"
        return f"CASE WHEN {size} < {WHOLE_DOUBLES} THEN {nearest} ELSE {value} END"

    def rounded_whole(self, value: str, places: int) -> str:
        """By a function."""
        return f"CAST(ROUND({value}, {places}) AS BIGINT)"

    def widened(self, whole: str) -> str:
        """38 digits, which hold every product of two numbers of 64 bits: 2^126 has 38."""
        return f"CAST({whole} AS DECIMAL(38, 0))"

    def narrowed(self, wide: str, kind: Kind) -> str:
        """What is longer is NULL."""
        return f"TRY_CAST({wide} AS {_TYPES[kind]})"

    def storage(self, type_name: str) -> Storage:
        """By the type's name; of those with parameters, by how it begins."""
        if type_name.startswith("decimal("):
            return Storage.WIDE
        if type_name.startswith(("varchar(", "char(")):
            return Storage.WORD
        return _STORAGE.get(type_name, Storage.OTHER)  # a string with a collation is another type

    def found(self, place: str, type_name: str) -> Stored:
        """Texts of fixed or limited length as the texts that they show."""
        if self.storage(type_name) is Storage.WORD:
            return Stored(f"CAST({place} AS STRING)", "string")
        return Stored(place, type_name)

    def converted(self, column: Stored, kind: Kind, zone: str | None) -> str:
        """By TRY_CAST, where that means what a policy does."""
        storage, place = self.storage(column.type), column.place
        if kind is Kind.TIMESTAMP and storage is Storage.INSTANT:
            return self.by_clock(place, zone)
        if kind is Kind.TIME:
            raise GapError("times of day")
        if kind is Kind.DATE and storage is Storage.TEXT:  # nothing is cut off
            day = self.parsed(place, Kind.DATE)
            return f"CASE WHEN {self.parsed(place, Kind.TIMESTAMP)} = CAST({day} AS TIMESTAMP_NTZ) THEN {day} END"
        if kind is not Kind.TEXT and storage is Storage.TEXT:
            return self.parsed(place, kind)
        return place if column.type.lower() == _TYPES[kind].lower() else f"TRY_CAST({place} AS {_TYPES[kind]})"

    def local(self, instant: str, zone: str) -> str:
        """By a function, which takes an instant for what clocks show in UTC."""
        return f"CAST(FROM_UTC_TIMESTAMP({instant}, {self.text(zone)}) AS TIMESTAMP_NTZ)"

    def same_double(self, place: str) -> str:
        """Both zeros, and all NaN."""
        return f"CASE WHEN {place} = 0 THEN 0D WHEN ISNAN({place}) THEN DOUBLE('nan') ELSE {place} END"

    def hashed(self, parts: Iterable[str]) -> str:
        """As texts, with a letter before each: NULLs would be skipped."""
        told = (f"COALESCE(CONCAT('v', CAST({part} AS STRING)), 'n')" for part in parts)
        return f"XXHASH64({', '.join(told)})"

    def quotient(self, one: str, other: str, *, wide: bool = False) -> str:
        """Of decimals the quotient is one of 64 bits, which is too few: the rest is taken off first."""
        return f"CAST(({one} - {one} % {other}) / {other} AS DECIMAL(38, 0))" if wide else f"{one} DIV {other}"

    def shifted(self, product: str, places: int, *, wide: bool = False) -> str:
        """By division where there are no bits."""
        return self.quotient(product, str(1 << places), wide=True) if wide else f"SHIFTRIGHT({product}, {places})"

    def added(self, whole: str, *, once: bool = False) -> str:
        """As decimals: a sum of whole numbers would stop the query in Spark, and wrap around in Sail.

        Rows are below 2^81 with their weight, and no table has 2^42: 2^123 has 38 digits.
        """
        return f"SUM({'DISTINCT ' if once else ''}CAST({whole} AS DECIMAL(38, 0)))"

    def summed(self, row: str, within: int, where: str) -> str:
        """In 64 bits where nothing can overflow, which is several times faster than decimals.

        No table has 2^42 rows. So rows within 2^20 add up to less than 2^63; and rows within 2^40 do as their lowest 20
        bits, which are not negative, and as what is above these, which is within 2^20: row = above * 2^20 + lowest.
        """
        if within >= 1 << 2 * _LIMB:
            return f"{self.added(row)}{where}"
        if within <= 1 << _LIMB:
            return f"CAST(SUM({row}){where} AS DECIMAL(38, 0))"
        above, lowest = f"SUM(SHIFTRIGHT({row}, {_LIMB})){where}", f"SUM({row} & {(1 << _LIMB) - 1}){where}"
        return f"(CAST({above} AS DECIMAL(38, 0)) * {1 << _LIMB} + {lowest})"

    def numbered(self) -> str:
        """A step that is read twice could number its rows anew, and nothing can be kept."""
        raise GapError("joins of tables whose rows are the units")

    def among(self, rows: str, others: str, column: str) -> str:
        """By a join of its own kind."""
        return f"{rows} LEFT SEMI JOIN {others} USING ({column})"


@dataclass(frozen=True, slots=True)
class SailDialect(SparkDialect):
    """Spark SQL as Sail speaks it: a window takes four times as long as a join, which in Spark takes a third longer."""

    weighing: ClassVar[Weighing] = Weighing.JOINED


def dialect_of(version: str) -> SparkDialect:
    """By what a server says of itself: Sail counts its versions from 0. It matters for nothing but speed."""
    return SailDialect() if version.startswith("0.") else SparkDialect()
