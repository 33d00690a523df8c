"""Texts in Spark SQL: what a text says as a value of another kind, and moments as texts, put together from parts."""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable

from deniable.core.algebra.expression import Kind
from deniable.core.algebra.readings import FALSE, INFINITE, NUMBER, TIMESTAMP, TRUE
from deniable.engines.engine import GapError

ISO_YEAR = "YEAR(DATE_ADD(CAST({0} AS DATE), 3 - (DAYOFWEEK({0}) + 5) % 7))"
"""The year of a week's Thursday."""


def parsed(spelled: str, kind: Kind) -> str:
    """What a text says; NULL if it says no value of the kind."""
    said = f"TRIM(BOTH ' \\t\\n\\r\\f' FROM {spelled})"
    match kind:
        case Kind.INTEGER:
            # digits beyond those of a decimal are cut: whether half a unit is reached, the first ones say
            short = f"REGEXP_REPLACE({said}, '^([+-]?[0-9]*[.][0-9]{{18}})[0-9]+$', '$1')"
            number = f"CASE WHEN {spelled} RLIKE {_pattern(NUMBER)} THEN {short} END"
            small = f"TRY_CAST(TRY_CAST({number} AS DOUBLE) AS DECIMAL(38, 18))"  # Sail reads no exponent below zero
            return f"TRY_CAST(ROUND(COALESCE(TRY_CAST({number} AS DECIMAL(38, 18)), {small}), 0) AS BIGINT)"
        case Kind.NUMBER:
            side = f"CASE WHEN {said} LIKE '-%' THEN DOUBLE('-inf') ELSE DOUBLE('inf') END"
            number = f"WHEN {spelled} RLIKE {_pattern(NUMBER)} THEN TRY_CAST({said} AS DOUBLE)"
            return f"CASE {number} WHEN {spelled} RLIKE {_pattern(INFINITE)} THEN {side} END"
        case Kind.BOOLEAN:
            yes, no = (", ".join(f"'{word}'" for word in words) for words in (TRUE, FALSE))
            return f"CASE WHEN LOWER({spelled}) IN ({yes}) THEN TRUE WHEN LOWER({spelled}) IN ({no}) THEN FALSE END"
        case Kind.DATE:
            day = f"TRY_CAST(SUBSTRING({said}, 1, 10) AS DATE)"
            return f"CASE WHEN {spelled} RLIKE {_pattern(TIMESTAMP)} THEN {day} END"
        case Kind.TIMESTAMP:
            moment = f"TRY_CAST({said} AS TIMESTAMP_NTZ)"
            return f"CASE WHEN {spelled} RLIKE {_pattern(TIMESTAMP)} THEN {moment} END"
        case _:
            raise GapError("times of day")


def _pattern(written: str) -> str:
    """A pattern of our own, as a constant. For Java, `$` would be before a last line's end, too."""
    return "'" + written.replace("\\", "\\\\").replace("$", "\\\\z") + "'"


def formatted(value: str, pattern: str) -> str:
    """A date or a timestamp in a format of signs that the planner knows."""
    parts = re.findall(r"%-?.|[^%]+", pattern, re.DOTALL)
    spelled = [_CODES[part[1:]](value) if part.startswith("%") else _quoted(part) for part in parts]
    return f"CONCAT({', '.join([*spelled, _nothing(value)])})"


def _quoted(part: str) -> str:
    return "'" + part.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _nothing(value: str) -> str:
    """An empty text, or NULL where there is no value."""
    return f"CASE WHEN {value} IS NOT NULL THEN '' END"


def _filled(number: str, places: int) -> Callable[[str], str]:
    return lambda value: f"LPAD(CAST({number.format(value)} AS STRING), {places}, '0')"


def _named(number: str, names: list[str]) -> Callable[[str], str]:
    listed = ", ".join(f"'{name}'" for name in names)
    return lambda value: f"ELT(CAST({number.format(value)} AS INT), {listed})"


_MONTH, _WEEKDAY = "MONTH({})", "(DAYOFWEEK({}) + 5) % 7 + 1"
_MONTHS, _DAYS = list(calendar.month_name)[1:], list(calendar.day_name)
_HOUR = "HOUR(CAST({} AS TIMESTAMP_NTZ))"
_MICROSECOND = "PMOD(UNIX_MICROS(CAST({} AS TIMESTAMP)), 1000000)"
_CODES: dict[str, Callable[[str], str]] = {
    "Y": _filled("YEAR({})", 4),
    "y": _filled("YEAR({}) % 100", 2),
    "m": _filled(_MONTH, 2),
    "d": _filled("DAY({})", 2),
    "H": _filled(_HOUR, 2),
    "I": _filled(f"({_HOUR} + 11) % 12 + 1", 2),
    "M": _filled("MINUTE(CAST({} AS TIMESTAMP_NTZ))", 2),
    "S": _filled("SECOND(CAST({} AS TIMESTAMP_NTZ))", 2),
    "f": _filled(_MICROSECOND, 6),
    "g": _filled(f"{_MICROSECOND} DIV 1000", 3),
    "j": _filled("DAYOFYEAR({})", 3),
    "-m": lambda value: f"CAST(MONTH({value}) AS STRING)",
    "-d": lambda value: f"CAST(DAY({value}) AS STRING)",
    "-H": lambda value: f"CAST({_HOUR.format(value)} AS STRING)",
    "p": lambda value: f"CASE WHEN {_HOUR.format(value)} < 12 THEN 'AM' ELSE 'PM' END",
    "b": _named(_MONTH, [name[:3] for name in _MONTHS]),
    "B": _named(_MONTH, _MONTHS),
    "a": _named(_WEEKDAY, [name[:3] for name in _DAYS]),
    "A": _named(_WEEKDAY, _DAYS),
    "u": lambda value: f"CAST({_WEEKDAY.format(value)} AS STRING)",
    "w": lambda value: f"CAST(DAYOFWEEK({value}) - 1 AS STRING)",
    "G": _filled(ISO_YEAR, 4),
    "V": _filled("WEEKOFYEAR({})", 2),
    "%": lambda _: "'%'",
}
