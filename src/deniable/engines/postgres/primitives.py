"""How PostgreSQL spells each of the primitives."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from deniable.core.calendar import DAY, FIRST_MOMENT, LAST_MOMENT, UNITS, YEARS
from deniable.engines.engine import GapError
from deniable.engines.postgres import doubles
from deniable.engines.postgres.doubles import bound

EPOCH = "CAST(EXTRACT(EPOCH FROM {}) * 1000000 AS bigint)"
"""A moment's microseconds since 1970."""
_BLANKS = "U&' \\00A0\\1680\\2000\\2001\\2002\\2003\\2004\\2005\\2006\\2007\\2008\\2009\\200A\\202F\\205F\\3000'"
"""Unicode's, which every engine trims."""


def _moment(number: str) -> str:
    rest = f"CAST({number} % {DAY} AS double precision) * INTERVAL '1 microsecond'"
    return f"(TIMESTAMP '1970-01-01' + make_interval(days => CAST({number} / {DAY} AS integer)) + {rest})"


def _in_calendar(number: str) -> str:
    return bound(f"CASE WHEN q.n BETWEEN {FIRST_MOMENT} AND {LAST_MOMENT} THEN {_moment('q.n')} END", n=number)


def _later(moment: str, months: str, microseconds: str) -> str:
    """Months first, within the calendar; then the rest, by numbers."""
    reached = "date_part('year', q.m) * 12 + date_part('month', q.m) - 1 + q.k"
    moved = f"CASE WHEN {reached} BETWEEN 12 AND 119999 THEN q.m + make_interval(months => CAST(q.k AS integer)) END"
    return _in_calendar(f"{EPOCH.format(bound(moved, m=moment, k=months))} + {microseconds}")


def _bucket(moment: str, width: str) -> str:
    monday = 10_959 * DAY
    start = bound(f"q.n - ((q.n % q.w) + q.w) % q.w + {monday}", n=f"{EPOCH.format(moment)} - {monday}", w=width)
    return _in_calendar(start)


def _substring(value: str, start: str, length: str) -> str:
    """Places count from 1, or from the end if they are negative; a negative length goes backward."""
    begin = "CASE WHEN q.s > 0 THEN q.s - 1 WHEN q.s = 0 THEN -1 ELSE length(q.t) + q.s END"
    low, high = (
        f"CAST(LEAST(GREATEST({end}, 0), 1073741823) AS integer)"
        for end in ("q.b + LEAST(q.l, 0)", "q.b + GREATEST(q.l, 0)")
    )
    given = f"(SELECT {value} AS t, {start} AS s, {length} AS l OFFSET 0) AS q"
    inner = f"(SELECT q.t AS t, q.l AS l, {begin} AS b FROM {given} OFFSET 0)"  # noqa: S608 - our own algebra
    body = f"CASE WHEN q.l IS NOT NULL AND q.b IS NOT NULL THEN substring(q.t, {low} + 1, {high} - {low}) END"
    return f"(SELECT {body} FROM {inner} AS q)"  # noqa: S608 - same


def _gap(what: str) -> Callable[[str], str]:
    def raises(value: str) -> str:
        del value
        raise GapError(what)

    return raises


def _years_start(years: int) -> Callable[[str], str]:
    """Centuries begin with a round year here, unlike in PostgreSQL."""

    def spell(value: str) -> str:
        year = f"CAST(date_part('year', {value}) AS integer)"
        return bound(f"CASE WHEN q.y >= {years} THEN make_date(q.y - q.y % {years}, 1, 1) END", y=year)

    return spell


_PARTS = {
    **{name: name for name in ("year", "quarter", "month", "day", "week", "decade", "century", "hour", "minute")},
    "weekday": "isodow",
    "weekday_from_sunday": "dow",
    "day_of_year": "doy",
    "iso_year": "isoyear",
    "second": "second",
    "microsecond": "microseconds",
}
_LOWER, _UPPER = 'lower({} COLLATE "C.utf8")', "replace(upper({} COLLATE \"C.utf8\"), 'ß', 'ẞ')"
SPELLINGS: Mapping[str, str | Callable[..., str]] = {
    **dict.fromkeys(("add", "add_whole", "add_wide"), "({} + {})"),
    **dict.fromkeys(("subtract", "subtract_whole", "subtract_wide"), "({} - {})"),
    **dict.fromkeys(("multiply", "multiply_whole", "multiply_wide"), "({} * {})"),
    **dict.fromkeys(("negate", "negate_whole", "negate_wide"), "(-({}))"),
    **dict.fromkeys(("absolute", "absolute_whole", "absolute_wide"), "abs({})"),
    **dict.fromkeys(("divide", "quotient_whole"), "({} / {})"),
    "quotient_wide": "div({}, {})",
    **dict.fromkeys(("remainder_whole", "remainder_wide"), "({} % {})"),
    "quotient": "trunc({} / {})",
    "sign": "sign({})",
    "floor": "floor({})",
    "ceiling": "ceil({})",
    "truncate": "trunc({})",
    "nearest": "CAST({} AS bigint)",
    "sqrt": "sqrt({})",
    "ln": "ln({})",
    "log_10": "log({})",
    "cube_root": "cbrt({})",
    "exp": "exp({})",
    "like": "({} LIKE {} ESCAPE '')",
    "like_any_case": f'(({_LOWER} COLLATE "C") LIKE ({_LOWER} COLLATE "C") ESCAPE \'\')',
    "matches": "({} ~ {})",
    "matches_fully": "({} ~ ('^(?:' || {} || ')$'))",
    "starts_with": "starts_with({}, {})",
    "ends_with": "(right({0}, length({1})) = {1})",
    "contains": "(strpos({}, {}) > 0)",
    "lower": f'({_LOWER} COLLATE "C")',
    "upper": f'({_UPPER} COLLATE "C")',
    "trim": f"btrim({{}}, {_BLANKS})",
    "trim_start": f"ltrim({{}}, {_BLANKS})",
    "trim_end": f"rtrim({{}}, {_BLANKS})",
    "trim_characters": "btrim({}, {})",
    "trim_start_characters": "ltrim({}, {})",
    "trim_end_characters": "rtrim({}, {})",
    "length": "CAST(length({}) AS bigint)",
    "byte_length": "CAST(octet_length({}) AS bigint)",
    "replace": "replace({}, {}, {})",
    "fill_left": "lpad({}, CAST({} AS integer), {})",
    "fill_right": "rpad({}, CAST({} AS integer), {})",
    "split_part": "split_part({}, {}, CAST({} AS integer))",
    "last": "right({}, CAST({} AS integer))",
    "position": "CAST(strpos({}, {}) AS bigint)",
    **dict.fromkeys(("shortened", "first"), "CASE WHEN octet_length({0}) <= {1} THEN {0} ELSE left({0}, {1}) END"),
    "normal": '(CASE WHEN octet_length({0}) = length({0}) THEN {0} ELSE normalize({0}, NFC) END COLLATE "C")',
    **{name: f"CAST(floor(date_part('{part}', {{}})) AS bigint)" for name, part in _PARTS.items()},
    "millisecond": "CAST(floor(date_part('microseconds', {}) / 1000) AS bigint)",
    **{f"truncate_{unit}": f"date_trunc('{unit}', CAST({{}} AS timestamp))" for unit in UNITS},
    "date": "(DATE '1970-01-01' + CAST({} AS integer))",
    "as_date": "CAST({} AS date)",
    "as_timestamp": "CAST({} AS timestamp)",
    "as_time": "CAST({} AS time)",
    "power": doubles.raised,
    "log_2": doubles.binary_logarithm,
    "moment": _moment,
    "later": _later,
    "bucket": _bucket,
    "substring": _substring,
    "reverse": _gap("REVERSE, which takes letters with their accents elsewhere"),
    "remainder": lambda one, other: _gap("remainders of real numbers")(one + other),
    **{f"truncate_{unit}": _years_start(years) for unit, years in YEARS.items() if unit not in ("year", "decade")},
}
"""An ASCII text is in its normal form; whether it is ASCII, its lengths tell. Bytes are no fewer than characters."""
