"""One total spelling in DuckDB's SQL for each function of the allow-list."""

from __future__ import annotations

from collections.abc import Callable

from deniable.core.algebra.expression import Call, Expression, Kind, Literal, Range
from deniable.core.calendar import UNITS, WIDTHS, YEARS
from deniable.engines.duckdb.grid import grid
from deniable.engines.duckdb.literals import ENDS, TYPES, cast, clamped, known, whole

Say = Callable[[Expression, Kind | None], str]
"""Spells an argument, as a value of the kind asked for."""
Function = Callable[[Call, Say], str]
"""Spells a call, as a value of the call's kind."""

PASSES_NAN = frozenset(
    {"add", "subtract", "multiply", "divide", "negate", "absolute", "floor", "ceiling", "round", "sqrt", "ln", "exp"}
    | {"log_2", "log_10", "cube_root", "truncate"}
)
"""Functions that answer NaN with NaN, and may be handed one."""
_MAKES_NAN = frozenset({"add", "subtract", "multiply", "divide", "remainder", "to_number"})
"""Functions that can answer NaN to infinities (inf - inf, 0 * inf) and to texts ('nan')."""
_TAME = 1 << 1000
"""Doubles below this are finite, and so is what one step of arithmetic makes of them, or it is an honest infinity."""
_SAFE = 1 << 62
"""Whole numbers below this, and their sums, fit 64 bits."""


def may_be_nan(expression: Expression) -> bool:
    """Whether the raw spelling of a number can be NaN."""
    if not isinstance(expression, Call) or expression.kind is not Kind.NUMBER:
        return False
    if expression.function == "power":
        return True
    if expression.function in _MAKES_NAN and not all(_within(part.range, _TAME) for part in expression.arguments):
        return True
    return expression.function in PASSES_NAN and any(may_be_nan(part) for part in expression.arguments)


def _within(bounds: Range, most: int) -> bool:
    return bounds.low is not None and bounds.high is not None and -most < bounds.low and bounds.high < most


def _keeps_off_zero(bounds: Range) -> bool:
    return (bounds.low is not None and bounds.low > 0) or (bounds.high is not None and bounds.high < 0)


def common(*arguments: Expression) -> Kind:
    """The kind that these are compared as; a NULL constant takes any."""
    kinds = {argument.kind for argument in arguments if not (isinstance(argument, Literal) and argument.value is None)}
    if kinds == {Kind.INTEGER, Kind.NUMBER}:
        return Kind.NUMBER
    if len(kinds) > 1:
        raise ValueError("these kinds cannot be compared")
    return kinds.pop() if kinds else Kind.NUMBER


def _arithmetic(pattern: str) -> Function:
    """In doubles, or in whole numbers of 64 bits where these suffice; else of 128, and NULL if the result is longer."""

    def spell(call: Call, say: Say) -> str:
        if call.kind is Kind.NUMBER:
            return pattern.format(*(say(argument, Kind.NUMBER) for argument in call.arguments))
        return _in_whole_numbers(pattern, call, [say(argument, Kind.INTEGER) for argument in call.arguments])

    return spell


def _in_whole_numbers(pattern: str, call: Call, arguments: list[str]) -> str:
    if _within(call.range, _SAFE) and all(_firm(part) and _within(part.range, _SAFE) for part in call.arguments):
        return cast(pattern.format(*arguments), Kind.INTEGER, call.kind)
    wide = pattern.format(*(f"CAST({argument} AS HUGEINT)" for argument in arguments))
    return f"TRY_CAST({wide} AS {TYPES[call.kind]})"


def _firm(expression: Expression) -> bool:
    """Whether a whole number surely lies in its range: nothing about it is concluded from what doubles should do."""
    if not isinstance(expression, Call) or expression.function in _ALWAYS_WITHIN:
        return True
    parts = (part for part in expression.arguments if part.kind in _COUNTED)
    return expression.kind is not Kind.NUMBER and all(_firm(part) for part in parts)


_COUNTED = frozenset({Kind.INTEGER, Kind.NUMBER, *ENDS})
_PARTS = {
    "year": "YEAR",
    "quarter": "QUARTER",
    "month": "MONTH",
    "day": "DAY",
    "weekday": "ISODOW",
    "weekday_from_sunday": "DAYOFWEEK",
    "day_of_year": "DAYOFYEAR",
    "week": "WEEKOFYEAR",
    "iso_year": "ISOYEAR",
    "decade": "DECADE",
    "century": "CENTURY",
    "hour": "HOUR",
    "minute": "MINUTE",
    "second": "SECOND",
    "millisecond": "MILLISECOND",
    "microsecond": "MICROSECOND",
}
"""What a calendar and a clock show."""
_ALWAYS_WITHIN = frozenset({"grid", "sign", "length", *_PARTS} - {"year", "iso_year", "decade", "century"})


def _enforced(expression: Expression) -> Range:
    """Bounds that hold in doubles too: a column's are enforced where it is read, a call's are only concluded."""
    return Range() if isinstance(expression, Call) else expression.range


def _nonzero(divisor: Expression, spelled: str) -> str:
    return spelled if _keeps_off_zero(_enforced(divisor)) else f"CASE WHEN {spelled} <> 0 THEN {spelled} END"


def _divide(call: Call, say: Say) -> str:
    one, other = call.arguments
    return f"({say(one, Kind.NUMBER)} / {_nonzero(other, say(other, Kind.NUMBER))})"


def _whole_division(pattern: str, real: str) -> Function:
    """Of whole numbers in whole numbers; of others in doubles."""

    def spell(call: Call, say: Say) -> str:
        one, other = call.arguments
        kind = common(one, other)
        parts = [say(one, kind), _nonzero(other, say(other, kind))]
        if kind is Kind.NUMBER:
            return cast(real.format(*parts), Kind.NUMBER, call.kind)
        return _in_whole_numbers(pattern, call, parts)

    return spell


def _rounding(name: str) -> Function:
    """Whole numbers are rounded already."""

    def spell(call: Call, say: Say) -> str:
        (value,) = call.arguments
        if value.kind is Kind.INTEGER:
            return say(value, call.kind)
        return cast(f"{name}({say(value, Kind.NUMBER)})", Kind.NUMBER, call.kind)

    return spell


def _round(call: Call, say: Say) -> str:
    value, places = call.arguments
    digits = f"CAST({say(places, Kind.INTEGER)} AS INTEGER)"
    if value.kind is Kind.INTEGER and call.kind is Kind.INTEGER and _firm(value) and _within(value.range, _SAFE):
        return f"ROUND({say(value, Kind.INTEGER)}, {digits})"
    return cast(f"ROUND({say(value, Kind.NUMBER)}, {digits})", Kind.NUMBER, call.kind)


def _sign(call: Call, say: Say) -> str:
    return f"CAST(SIGN({say(call.arguments[0], None)}) AS {TYPES[call.kind]})"


def _square_root(call: Call, say: Say) -> str:
    (value,) = call.arguments
    spelled = say(value, Kind.NUMBER)
    low = _enforced(value).low
    safe = low is not None and low >= 0
    return f"SQRT({spelled})" if safe else f"CASE WHEN {spelled} >= 0 THEN SQRT({spelled}) END"


def _logarithm(name: str) -> Function:
    """Of what is positive."""

    def spell(call: Call, say: Say) -> str:
        spelled = say(call.arguments[0], Kind.NUMBER)
        return f"CASE WHEN {spelled} > 0 THEN {name}({spelled}) END"

    return spell


def _plain(pattern: str, *kinds: Kind | None, gives: Kind) -> Function:
    """A function that is total in DuckDB itself."""

    def spell(call: Call, say: Say) -> str:
        arguments = (say(argument, kind) for argument, kind in zip(call.arguments, kinds, strict=True))
        return cast(pattern.format(*arguments), gives, call.kind)

    return spell


def _choice(name: str) -> Function:
    """One of several values of the same kind."""
    return lambda call, say: f"{name}({', '.join(say(argument, call.kind) for argument in call.arguments)})"


def _nullif(call: Call, say: Say) -> str:
    one, other = call.arguments
    kind = common(one, other)
    return f"CASE WHEN {say(one, kind)} = {say(other, kind)} THEN NULL ELSE {say(one, call.kind)} END"


def _comparison(sign: str) -> Function:
    def spell(call: Call, say: Say) -> str:
        kind = common(*call.arguments)
        return f"({say(call.arguments[0], kind)} {sign} {say(call.arguments[1], kind)})"

    return spell


def _in(call: Call, say: Say) -> str:
    kind = common(*call.arguments)
    value, *options = (say(argument, kind) for argument in call.arguments)
    return f"({value} IN ({', '.join(options)}))"


def _joined(word: str, kind: Kind) -> Function:
    return lambda call, say: "(" + f" {word} ".join(say(argument, kind) for argument in call.arguments) + ")"


def _case(call: Call, say: Say) -> str:
    """Condition, value, condition, value, ..., otherwise; without the last, NULL."""
    pairs = zip(call.arguments[::2], call.arguments[1::2], strict=False)
    branches = [f"WHEN {say(one, Kind.BOOLEAN)} THEN {say(value, call.kind)}" for one, value in pairs]
    otherwise = [f"ELSE {say(call.arguments[-1], call.kind)}"] if len(call.arguments) % 2 else []
    return " ".join(["CASE", *branches, *otherwise, "END"])


def _substring(call: Call, say: Say) -> str:
    """Places beyond 2^31 are the end of any text, and DuckDB would raise."""
    value, *places = call.arguments
    end = 1 << 31
    start, length = (
        say(place, Kind.INTEGER)
        if _firm(place) and _within(place.range, end + 1)
        else clamped(say(place, Kind.INTEGER), whole(-end), whole(end))
        for place in places
    )
    return f"SUBSTRING({say(value, Kind.TEXT)}, {start}, {length})"


def _day_of(days: str) -> str:
    """Day numbers outside the calendar are NULL."""
    sum_of = f"(DATE '1970-01-01' + CAST({days} AS INTEGER))"
    return f"CASE WHEN {days} BETWEEN (-719162) AND 2932896 THEN {sum_of} END"


def _cast_to(kind: Kind) -> Function:
    """What cannot be cast is NULL. Dates and moments are numbers, truths are 0 and 1."""

    def spell(call: Call, say: Say) -> str:
        (value,) = call.arguments
        if value.kind is kind:
            return say(value, call.kind)
        if value.kind is Kind.TEXT or kind is Kind.TEXT:
            spelled = f"TRY_CAST({say(value, None)} AS {TYPES[kind]})"
            return known(spelled, kind) if kind in ENDS else cast(spelled, kind, call.kind)
        if kind in ENDS and value.kind in ENDS:
            return f"CAST({say(value, None)} AS {TYPES[kind]})"
        if kind is Kind.DATE:
            return _day_of(say(value, Kind.INTEGER))
        if kind is Kind.BOOLEAN:
            return f"({say(value, Kind.NUMBER)} <> {whole(0)})"
        return cast(say(value, kind), kind, call.kind)

    return spell


def _part(name: str) -> Function:
    """A whole number that a calendar or a clock shows."""

    def spell(call: Call, say: Say) -> str:
        (value,) = call.arguments
        return cast(f"{name}({say(value, None)})", Kind.INTEGER, call.kind)

    return spell


def _truncated(unit: str) -> Function:
    """Where a unit begins that starts before the calendar, there is nothing."""

    def spell(call: Call, say: Say) -> str:
        cut = f"CAST(DATE_TRUNC('{unit}', {say(call.arguments[0], None)}) AS {TYPES[call.kind]})"
        return known(cut, call.kind) if unit in YEARS and unit != "year" else cut

    return spell


def _later(call: Call, say: Say) -> str:
    """Both are constants that reach no farther than ten thousand years: DuckDB's own calendar is much longer."""
    value, months, microseconds = (say(part, None) for part in call.arguments)
    moved = f"(CAST({value} AS TIMESTAMP) + TO_MONTHS(CAST({months} AS INTEGER)) + TO_MICROSECONDS({microseconds}))"
    return known(moved, Kind.TIMESTAMP)


def _bucket(call: Call, say: Say) -> str:
    """Buckets of a constant width, one of which begins with the first Monday of 2000, as DuckDB's do."""
    value, width = (say(part, None) for part in call.arguments)
    return known(f"TIME_BUCKET(TO_MICROSECONDS({width}), {value}, TIMESTAMP '2000-01-03')", Kind.TIMESTAMP)


def _moment_of(call: Call, say: Say) -> str:
    """Numbers outside the calendar are NULL."""
    number = say(call.arguments[0], Kind.INTEGER)
    low, high = (f"EPOCH_US({end})" for end in ENDS[Kind.TIMESTAMP])
    return f"MAKE_TIMESTAMP(CASE WHEN {number} BETWEEN {low} AND {high} THEN {number} END)"


_TEXT, _WHOLE, _REAL, _TRUTH = Kind.TEXT, Kind.INTEGER, Kind.NUMBER, Kind.BOOLEAN

FUNCTIONS: dict[str, Function] = {
    "add": _arithmetic("({} + {})"),
    "subtract": _arithmetic("({} - {})"),
    "multiply": _arithmetic("({} * {})"),
    "negate": _arithmetic("(-({}))"),
    "absolute": _arithmetic("ABS({})"),
    "divide": _divide,
    "quotient": _whole_division("({} // {})", "TRUNC({} / {})"),
    "remainder": _whole_division("({} % {})", "({} % {})"),
    "sign": _sign,
    "floor": _rounding("FLOOR"),
    "ceiling": _rounding("CEIL"),
    "round": _round,
    "sqrt": _square_root,
    "ln": _logarithm("LN"),
    "log_2": _logarithm("LOG2"),
    "log_10": _logarithm("LOG10"),
    "cube_root": _plain("CBRT({})", _REAL, gives=_REAL),
    "truncate": _rounding("TRUNC"),
    "bucket": _bucket,
    "exp": _plain("EXP({})", _REAL, gives=_REAL),
    "power": _plain("POWER({}, {})", _REAL, _REAL, gives=_REAL),
    "grid": grid,
    "least": _choice("LEAST"),
    "greatest": _choice("GREATEST"),
    "coalesce": _choice("COALESCE"),
    "nullif": _nullif,
    "to_integer": _cast_to(_WHOLE),
    "to_number": _cast_to(_REAL),
    "to_text": _cast_to(_TEXT),
    "to_date": _cast_to(Kind.DATE),
    "to_timestamp": _cast_to(Kind.TIMESTAMP),
    "to_time": _cast_to(Kind.TIME),
    "to_boolean": _cast_to(_TRUTH),
    "equal": _comparison("="),
    "same": _comparison("IS NOT DISTINCT FROM"),
    "unequal": _comparison("<>"),
    "less": _comparison("<"),
    "at_most": _comparison("<="),
    "more": _comparison(">"),
    "at_least": _comparison(">="),
    "in": _in,
    "and": _joined("AND", _TRUTH),
    "or": _joined("OR", _TRUTH),
    "not": _plain("(NOT {})", _TRUTH, gives=_TRUTH),
    "is_null": lambda call, say: f"({say(call.arguments[0], None)} IS NULL)",
    "case": _case,
    "like": _plain("({} LIKE {})", _TEXT, _TEXT, gives=_TRUTH),
    "starts_with": _plain("STARTS_WITH({}, {})", _TEXT, _TEXT, gives=_TRUTH),
    "contains": _plain("CONTAINS({}, {})", _TEXT, _TEXT, gives=_TRUTH),
    "lower": _plain("LOWER({})", _TEXT, gives=_TEXT),
    "upper": _plain("UPPER({})", _TEXT, gives=_TEXT),
    "trim": _plain("TRIM({})", _TEXT, gives=_TEXT),
    "length": _plain("LENGTH({})", _TEXT, gives=_WHOLE),
    "substring": _substring,
    "concat": _joined("||", _TEXT),
    "concat_with": lambda call, say: f"CONCAT_WS({', '.join(say(part, _TEXT) for part in call.arguments)})",
    "like_any_case": _plain("({} ILIKE {})", _TEXT, _TEXT, gives=_TRUTH),
    "matches": _plain("REGEXP_MATCHES({}, {})", _TEXT, _TEXT, gives=_TRUTH),
    "matches_fully": _plain("REGEXP_FULL_MATCH({}, {})", _TEXT, _TEXT, gives=_TRUTH),
    "ends_with": _plain("SUFFIX({}, {})", _TEXT, _TEXT, gives=_TRUTH),
    "trim_start": _plain("LTRIM({})", _TEXT, gives=_TEXT),
    "trim_end": _plain("RTRIM({})", _TEXT, gives=_TEXT),
    "trim_characters": _plain("TRIM({}, {})", _TEXT, _TEXT, gives=_TEXT),
    "trim_start_characters": _plain("LTRIM({}, {})", _TEXT, _TEXT, gives=_TEXT),
    "trim_end_characters": _plain("RTRIM({}, {})", _TEXT, _TEXT, gives=_TEXT),
    "replace": _plain("REPLACE({}, {}, {})", _TEXT, _TEXT, _TEXT, gives=_TEXT),
    "fill_left": _plain("LPAD({}, CAST({} AS INTEGER), {})", _TEXT, _WHOLE, _TEXT, gives=_TEXT),
    "fill_right": _plain("RPAD({}, CAST({} AS INTEGER), {})", _TEXT, _WHOLE, _TEXT, gives=_TEXT),
    "split_part": _plain("SPLIT_PART({}, {}, {})", _TEXT, _TEXT, _WHOLE, gives=_TEXT),
    "last": _plain("RIGHT({}, {})", _TEXT, _WHOLE, gives=_TEXT),
    "reverse": _plain("REVERSE({})", _TEXT, gives=_TEXT),
    "position": _plain("STRPOS({}, {})", _TEXT, _TEXT, gives=_WHOLE),
    "byte_length": _plain("STRLEN({})", _TEXT, gives=_WHOLE),
    **{name: _part(spelled) for name, spelled in _PARTS.items()},
    **{f"truncate_{unit}": _truncated(unit) for unit in UNITS},
    "later": _later,
    "epoch": lambda call, say: f"({say(call.arguments[0], Kind.NUMBER)} / {WIDTHS['second']}e0)",
    "format": _plain("STRFTIME({}, {})", None, _TEXT, gives=_TEXT),
    "microseconds": _plain("{}", _WHOLE, gives=_WHOLE),
    "moment_of_microseconds": _moment_of,
    "days": _plain("{}", _WHOLE, gives=_WHOLE),
    "date_of_days": lambda call, say: _day_of(say(call.arguments[0], Kind.INTEGER)),
}
"""Names are the algebra's; what is missing here raises KeyError when it is spelled."""
