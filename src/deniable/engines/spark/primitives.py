"""How Spark SQL spells each of the primitives."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from deniable.core.calendar import DAY, UNITS, WIDTHS, YEARS
from deniable.engines.engine import GapError
from deniable.engines.spark.texts import ISO_YEAR

MICROSECONDS = "UNIX_MICROS(CAST({} AS TIMESTAMP))"
"""A moment's microseconds since 1970."""
WHOLE_DOUBLES = "4503599627370496D"
"""2^52: doubles from here on are whole."""
_SPACES = " \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
"""Unicode's, which every engine trims."""
_ESCAPES = "!~#^|"


def _unless_whole(name: str) -> str:
    """Of doubles the result is a whole number of 64 bits, which large ones do not fit; they are whole already."""
    return f"CASE WHEN ABS({{0}}) < {WHOLE_DOUBLES} THEN CAST({name}({{0}}) AS DOUBLE) ELSE {{0}} END"


def _cut(double: str) -> str:
    inside = f"CASE WHEN ABS({double}) < {WHOLE_DOUBLES} THEN CAST(CAST({double} AS BIGINT) AS DOUBLE)"
    return f"{inside} ELSE {double} END"


def _like(word: str) -> Callable[[str, str], str]:
    """With an escape that the pattern does not have: otherwise a backslash is one."""

    def spell(value: str, pattern: str) -> str:
        escape = next(one for one in _ESCAPES if one not in pattern)
        return f"({value} {word} {pattern} ESCAPE '{escape}')"

    return spell


def _power(base: str, exponent: str) -> str:
    """Zero to a negative power is infinite, and of negative zero to an odd one, negative; Sail would raise.

    One to an infinite power is one; Java would say NaN.
    """
    infinite = f"{base} = 0 AND {exponent} < 0"
    below = f"CAST({base} AS STRING) LIKE '-%' AND ABS({exponent} % 2) = 1"
    sides = f"CASE WHEN {below} THEN DOUBLE('-inf') ELSE DOUBLE('inf') END"
    one = f"WHEN ABS({base}) = 1 AND ABS({exponent}) = DOUBLE('inf') THEN 1D"
    power = f"POWER(CASE WHEN {infinite} THEN 1D ELSE {base} END, {exponent})"
    return f"CASE WHEN {infinite} THEN {sides} {one} ELSE {power} END"


def _substring(value: str, start: str, length: str) -> str:
    """Places count from 1, or from the end if they are negative; a negative length goes backward."""
    most = (1 << 30) - 1
    begin = f"CASE WHEN {start} >= 0 THEN {start} - 1 ELSE CHAR_LENGTH({value}) + {start} END"
    low, high = (
        f"CAST(LEAST(GREATEST({begin} + {side}({length}, 0), 0), {most}) AS INT)" for side in ("LEAST", "GREATEST")
    )
    known = f"{start} IS NOT NULL AND {length} IS NOT NULL"
    return f"CASE WHEN {known} THEN SUBSTRING({value}, {low} + 1, {high} - {low}) END"


def _truncated(unit: str) -> str:
    """By years, months and days: functions of dates fail at the ends of Sail's calendar."""
    match unit:
        case "day":
            return "CAST({0} AS DATE)"
        case "week":
            return "DATE_SUB(CAST({0} AS DATE), (DAYOFWEEK({0}) + 5) % 7)"
        case "month":
            return "MAKE_DATE(YEAR({0}), MONTH({0}), 1)"
        case "quarter":
            return "MAKE_DATE(YEAR({0}), CAST(QUARTER({0}) * 3 - 2 AS INT), 1)"
        case _ if unit in YEARS:
            return f"MAKE_DATE(CAST(YEAR({{0}}) - YEAR({{0}}) % {YEARS[unit]} AS INT), 1, 1)"
        case _:
            micros = MICROSECONDS.format("CAST({0} AS TIMESTAMP_NTZ)")
            return _moment(f"{micros} - PMOD({micros}, {WIDTHS[unit]})")


def _moment(micros: str) -> str:
    return f"CAST(TIMESTAMP_MICROS({micros}) AS TIMESTAMP_NTZ)"


def _later(value: str, months: str, microseconds: str) -> str:
    """The day is moved by months, what is left of the day comes back, and then the rest."""
    number = MICROSECONDS.format(value)
    day = f"CAST(UNIX_DATE(ADD_MONTHS(CAST({value} AS DATE), CAST({months} AS INT))) AS BIGINT)"
    return _moment(f"{day} * {DAY} + PMOD({number}, {DAY}) + {microseconds}")


def _bucket(value: str, width: str) -> str:
    monday = f"{(MICROSECONDS.format(value))} - {10_959 * DAY}"
    return _moment(f"{MICROSECONDS.format(value)} - PMOD({monday}, {width})")


def _no_time(value: str) -> str:
    del value
    raise GapError("times of day")


def _whole(function: str) -> str:
    return f"CAST({function} AS BIGINT)"


_OF_MINUTE = f"PMOD({MICROSECONDS}, {WIDTHS['minute']})"
SPELLINGS: Mapping[str, str | Callable[..., str]] = {
    **dict.fromkeys(("add", "add_whole", "add_wide"), "({} + {})"),
    **dict.fromkeys(("subtract", "subtract_whole", "subtract_wide"), "({} - {})"),
    **dict.fromkeys(("multiply", "multiply_whole", "multiply_wide"), "({} * {})"),
    **dict.fromkeys(("negate", "negate_whole", "negate_wide"), "(-({}))"),
    **dict.fromkeys(("absolute", "absolute_whole", "absolute_wide"), "ABS({})"),
    "divide": "({} / {})",
    "quotient_whole": "({} DIV {})",
    "quotient_wide": "CAST(({0} - {0} % {1}) / {1} AS DECIMAL(38, 0))",
    **dict.fromkeys(("remainder", "remainder_whole", "remainder_wide"), "({} % {})"),
    "quotient": lambda one, other: _cut(f"({one} / {other})"),
    "sign": "SIGN({})",
    "floor": _unless_whole("FLOOR"),
    "ceiling": _unless_whole("CEIL"),
    "truncate": _cut,
    "nearest": "CAST(BROUND({}, 0) AS BIGINT)",
    "sqrt": "SQRT({})",
    "ln": "LN({})",
    "log_2": "LOG2({})",
    "log_10": "LOG10({})",
    "cube_root": "CBRT({})",
    "exp": "EXP({})",
    "power": _power,
    "like": _like("LIKE"),
    "like_any_case": _like("ILIKE"),
    "matches": "({} RLIKE {})",
    "matches_fully": "({} RLIKE CONCAT('^(?:', {}, ')$'))",
    "starts_with": "STARTSWITH({}, {})",
    "ends_with": "ENDSWITH({}, {})",
    "contains": "CONTAINS({}, {})",
    "lower": "LOWER(REPLACE(REPLACE({}, 'İ', 'i'), 'Σ', '\u03c3'))",  # letter by letter, as elsewhere
    "upper": "UPPER(REPLACE({}, 'ß', 'ẞ'))",
    **{
        name: f"TRIM({side} '{_SPACES}' FROM {{}})"
        for name, side in (("trim", "BOTH"), ("trim_start", "LEADING"), ("trim_end", "TRAILING"))
    },
    "reverse": "REVERSE({})",
    **{
        f"trim_{name}characters": f"TRIM({side} {{1}} FROM {{0}})"
        for name, side in (("", "BOTH"), ("start_", "LEADING"), ("end_", "TRAILING"))
    },
    "length": _whole("CHAR_LENGTH({})"),
    "byte_length": _whole("OCTET_LENGTH({})"),
    "substring": _substring,
    "replace": "REPLACE({}, {}, {})",
    "fill_left": "LPAD({}, CAST({} AS INT), {})",
    "fill_right": "RPAD({}, CAST({} AS INT), {})",
    "split_part": "SPLIT_PART({}, {}, CAST({} AS INT))",
    "last": "RIGHT({}, CAST({} AS INT))",
    "position": _whole("INSTR({}, {})"),
    **dict.fromkeys(("shortened", "first"), "CASE WHEN OCTET_LENGTH({0}) <= {1} THEN {0} ELSE LEFT({0}, {1}) END"),
    "normal": "{}",
    "year": _whole("YEAR({})"),
    "quarter": _whole("QUARTER({})"),
    "month": _whole("MONTH({})"),
    "day": _whole("DAY({})"),
    "weekday": _whole("(DAYOFWEEK({}) + 5) % 7 + 1"),
    "weekday_from_sunday": _whole("DAYOFWEEK({}) - 1"),
    "day_of_year": _whole("DAYOFYEAR({})"),
    "week": _whole("WEEKOFYEAR({})"),
    "iso_year": _whole(ISO_YEAR),
    "decade": _whole("YEAR({}) DIV 10"),
    "century": _whole("(YEAR({}) + 99) DIV 100"),
    "hour": _whole("HOUR({})"),
    "minute": _whole("MINUTE({})"),
    "second": _whole("SECOND({})"),
    "millisecond": f"({_OF_MINUTE} DIV 1000)",
    "microsecond": _OF_MINUTE,
    **{f"truncate_{unit}": _truncated(unit) for unit in UNITS},
    "later": _later,
    "bucket": _bucket,
    "moment": _moment("{}"),
    "date": "DATE_FROM_UNIX_DATE(CAST({} AS INT))",
    "as_date": "CAST({} AS DATE)",
    "as_timestamp": "CAST({} AS TIMESTAMP_NTZ)",
    "as_time": _no_time,
}
