"""One total spelling for each function of the allow-list, in whatever dialect.

Which guard a call needs is decided here, by kinds and by what is certain about its arguments; what the parts are
called, and what else can go wrong in an engine, is the dialect's.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from deniable.core.algebra.certain import CALENDAR_PARTS, common, enforced, firm, keeps_off_zero, settled, within
from deniable.core.algebra.expression import Call, Expression, Kind, Literal
from deniable.core.calendar import FIRST_DAY, LAST_DAY, UNITS, WIDTHS, YEARS
from deniable.engines.sql.dialect import Dialect
from deniable.engines.sql.grid import grid
from deniable.engines.sql.literals import ENDS, clamped, ends, known, whole

Say = Callable[[Expression, Kind | None], str]
"""Spells an argument, as a value of the kind asked for."""
Function = Callable[[Call, Say, Dialect], str]
"""Spells a call, as a value of the call's kind."""

_SAFE = 1 << 62
"""Whole numbers below this, and their sums, fit 64 bits."""


def _arithmetic(name: str) -> Function:
    """In doubles, or in whole numbers of 64 bits where these suffice; else in wide ones, and NULL if it is longer."""

    def spell(call: Call, say: Say, dialect: Dialect) -> str:
        if call.kind is Kind.NUMBER:
            return _in_doubles(name, call, [say(argument, Kind.NUMBER) for argument in call.arguments], dialect)
        return _in_whole_numbers(name, call, [say(argument, Kind.INTEGER) for argument in call.arguments], dialect)

    return spell


def _in_doubles(name: str, call: Call, arguments: list[str], dialect: Dialect) -> str:
    """With a guard, unless nothing can overflow or vanish."""
    spelled = dialect.primitive if settled(name, call.arguments) else dialect.guarded
    return spelled(name, *arguments)


def _in_whole_numbers(name: str, call: Call, arguments: list[str], dialect: Dialect) -> str:
    if within(call.range, _SAFE) and all(firm(part) and within(part.range, _SAFE) for part in call.arguments):
        return dialect.cast(dialect.primitive(f"{name}_whole", *arguments), Kind.INTEGER, call.kind)
    wide = dialect.primitive(f"{name}_wide", *(dialect.widened(argument) for argument in arguments))
    return dialect.narrowed(wide, call.kind)


def _nonzero(divisor: Expression, spelled: str) -> str:
    return spelled if keeps_off_zero(enforced(divisor)) else f"CASE WHEN {spelled} <> 0 THEN {spelled} END"


def _divide(call: Call, say: Say, dialect: Dialect) -> str:
    one, other = call.arguments
    parts = [say(one, Kind.NUMBER), _nonzero(other, say(other, Kind.NUMBER))]
    return _in_doubles("divide", call, parts, dialect)


def _whole_division(name: str) -> Function:
    """Of whole numbers in whole numbers; of others in doubles."""

    def spell(call: Call, say: Say, dialect: Dialect) -> str:
        one, other = call.arguments
        kind = common(one, other)
        parts = [say(one, kind), _nonzero(other, say(other, kind))]
        if kind is Kind.NUMBER:
            return dialect.cast(dialect.primitive(name, *parts), Kind.NUMBER, call.kind)
        return _in_whole_numbers(name, call, parts, dialect)

    return spell


def _rounding(name: str) -> Function:
    """Whole numbers are rounded already."""

    def spell(call: Call, say: Say, dialect: Dialect) -> str:
        (value,) = call.arguments
        if value.kind is Kind.INTEGER:
            return say(value, call.kind)
        return dialect.cast(dialect.primitive(name, say(value, Kind.NUMBER)), Kind.NUMBER, call.kind)

    return spell


def _round(call: Call, say: Say, dialect: Dialect) -> str:
    value, places = call.arguments
    if not isinstance(places, Literal) or not isinstance(places.value, Fraction):
        raise TypeError("places are a constant")
    if value.kind is Kind.INTEGER and call.kind is Kind.INTEGER and firm(value) and within(value.range, _SAFE):
        return dialect.rounded_whole(say(value, Kind.INTEGER), int(places.value))
    return dialect.cast(dialect.rounded(say(value, Kind.NUMBER), int(places.value)), Kind.NUMBER, call.kind)


def _sign(call: Call, say: Say, dialect: Dialect) -> str:
    return f"CAST({dialect.primitive('sign', say(call.arguments[0], None))} AS {dialect.types[call.kind]})"


def _square_root(call: Call, say: Say, dialect: Dialect) -> str:
    (value,) = call.arguments
    spelled = say(value, Kind.NUMBER)
    root = dialect.primitive("sqrt", spelled)
    low = enforced(value).low
    safe = low is not None and low >= 0
    return root if safe else f"CASE WHEN {spelled} >= 0 THEN {root} END"


def _logarithm(name: str) -> Function:
    """Of what is positive."""

    def spell(call: Call, say: Say, dialect: Dialect) -> str:
        spelled = say(call.arguments[0], Kind.NUMBER)
        return f"CASE WHEN {spelled} > 0 THEN {dialect.primitive(name, spelled)} END"

    return spell


def _plain(name: str, *kinds: Kind | None, gives: Kind) -> Function:
    """A function that needs no guard but its dialect's own."""

    def spell(call: Call, say: Say, dialect: Dialect) -> str:
        arguments = (say(argument, kind) for argument, kind in zip(call.arguments, kinds, strict=True))
        return dialect.cast(dialect.primitive(name, *arguments), gives, call.kind)

    return spell


def _itself(kind: Kind) -> Function:
    """Its argument, as a value of another kind."""
    return lambda call, say, dialect: dialect.cast(say(call.arguments[0], kind), kind, call.kind)


def _extreme(name: str) -> Function:
    """One of several values of the same kind."""
    return lambda call, say, dialect: dialect.primitive(name, *(say(part, call.kind) for part in call.arguments))


def _coalesce(call: Call, say: Say, _: Dialect) -> str:
    return f"COALESCE({', '.join(say(argument, call.kind) for argument in call.arguments)})"


def _nullif(call: Call, say: Say, _: Dialect) -> str:
    one, other = call.arguments
    kind = common(one, other)
    return f"CASE WHEN {say(one, kind)} = {say(other, kind)} THEN NULL ELSE {say(one, call.kind)} END"


def _comparison(sign: str) -> Function:
    def spell(call: Call, say: Say, _: Dialect) -> str:
        kind = common(*call.arguments)
        return f"({say(call.arguments[0], kind)} {sign} {say(call.arguments[1], kind)})"

    return spell


def _in(call: Call, say: Say, _: Dialect) -> str:
    kind = common(*call.arguments)
    value, *options = (say(argument, kind) for argument in call.arguments)
    return f"({value} IN ({', '.join(options)}))"


def _joined(word: str, kind: Kind) -> Function:
    return lambda call, say, _: "(" + f" {word} ".join(say(argument, kind) for argument in call.arguments) + ")"


def _case(call: Call, say: Say, _: Dialect) -> str:
    """Condition, value, condition, value, ..., otherwise; without the last, NULL."""
    pairs = zip(call.arguments[::2], call.arguments[1::2], strict=False)
    branches = [f"WHEN {say(one, Kind.BOOLEAN)} THEN {say(value, call.kind)}" for one, value in pairs]
    otherwise = [f"ELSE {say(call.arguments[-1], call.kind)}"] if len(call.arguments) % 2 else []
    return " ".join(["CASE", *branches, *otherwise, "END"])


def _substring(call: Call, say: Say, dialect: Dialect) -> str:
    """Places beyond 2^31 are the end of any text, and engines would raise."""
    value, *places = call.arguments
    end = 1 << 31
    start, length = (
        say(place, Kind.INTEGER)
        if firm(place) and within(place.range, end + 1)
        else clamped(say(place, Kind.INTEGER), whole(-end, dialect), whole(end, dialect))
        for place in places
    )
    return dialect.primitive("substring", say(value, Kind.TEXT), start, length)


def _matching(name: str) -> Function:
    """A constant pattern, in the dialect's words."""

    def spell(call: Call, say: Say, dialect: Dialect) -> str:
        written = dialect.pattern(_constant(call.arguments[1]))
        return dialect.primitive(name, say(call.arguments[0], Kind.TEXT), dialect.text(written))

    return spell


def _format(call: Call, say: Say, dialect: Dialect) -> str:
    return dialect.formatted(say(call.arguments[0], None), _constant(call.arguments[1]))


def _constant(expression: Expression) -> str:
    if not isinstance(expression, Literal) or not isinstance(expression.value, str):
        raise TypeError("a pattern and a format are constants")
    return expression.value


def _concat_with(call: Call, say: Say, dialect: Dialect) -> str:
    return dialect.primitive("concat_with", *(say(part, Kind.TEXT) for part in call.arguments))


def _day_of(days: str, dialect: Dialect) -> str:
    """Day numbers outside the calendar are NULL."""
    first, last = whole(FIRST_DAY, dialect), whole(LAST_DAY, dialect)
    return f"CASE WHEN {days} BETWEEN {first} AND {last} THEN {dialect.primitive('date', days)} END"


def _cast_to(kind: Kind) -> Function:
    """What cannot be cast is NULL. Dates and moments are numbers, truths are 0 and 1."""

    def spell(call: Call, say: Say, dialect: Dialect) -> str:  # noqa: PLR0911 - one line for each pair of kinds
        (value,) = call.arguments
        if value.kind is kind:
            return say(value, call.kind)
        if kind is Kind.TEXT:
            return dialect.written(say(value, None), value.kind)
        if value.kind is Kind.TEXT:
            spelled = dialect.parsed(say(value, None), kind)
            return known(spelled, kind, dialect) if kind in ENDS else dialect.cast(spelled, kind, call.kind)
        if kind in ENDS and value.kind in ENDS:
            return dialect.primitive(f"as_{kind.value}", say(value, None))
        if kind is Kind.DATE:
            return _day_of(say(value, Kind.INTEGER), dialect)
        if kind is Kind.BOOLEAN:
            return f"({say(value, Kind.NUMBER)} <> {whole(0, dialect)})"
        return dialect.cast(say(value, kind), kind, call.kind)

    return spell


def _truncated(unit: str) -> Function:
    """Where a unit begins that starts before the calendar, there is nothing."""

    def spell(call: Call, say: Say, dialect: Dialect) -> str:
        start = dialect.primitive(f"truncate_{unit}", say(call.arguments[0], None))
        cut = f"CAST({start} AS {dialect.types[call.kind]})"
        return known(cut, call.kind, dialect) if unit in YEARS and unit != "year" else cut

    return spell


def _later(call: Call, say: Say, dialect: Dialect) -> str:
    """Both are constants that reach no farther than ten thousand years."""
    value, months, microseconds = (say(part, None) for part in call.arguments)
    moved = dialect.primitive("later", dialect.primitive("as_timestamp", value), months, microseconds)
    return known(moved, Kind.TIMESTAMP, dialect)


def _bucket(call: Call, say: Say, dialect: Dialect) -> str:
    """Buckets of a constant width, one of which begins with the first Monday of 2000."""
    value, width = (say(part, None) for part in call.arguments)
    return known(dialect.primitive("bucket", value, width), Kind.TIMESTAMP, dialect)


def _moment_of(call: Call, say: Say, dialect: Dialect) -> str:
    """Numbers outside the calendar are NULL."""
    number = say(call.arguments[0], Kind.INTEGER)
    low, high = (dialect.cast(end, Kind.TIMESTAMP, Kind.INTEGER) for end in ends(Kind.TIMESTAMP, dialect))
    return dialect.primitive("moment", f"CASE WHEN {number} BETWEEN {low} AND {high} THEN {number} END")


def _epoch(call: Call, say: Say, dialect: Dialect) -> str:
    return f"({say(call.arguments[0], Kind.NUMBER)} / {dialect.double(str(WIDTHS['second']))})"


_TEXT, _WHOLE, _REAL, _TRUTH = Kind.TEXT, Kind.INTEGER, Kind.NUMBER, Kind.BOOLEAN
_SIDES = ("", "start_", "end_")

FUNCTIONS: dict[str, Function] = {
    **{name: _arithmetic(name) for name in ("add", "subtract", "multiply", "negate", "absolute")},
    "divide": _divide,
    **{name: _whole_division(name) for name in ("quotient", "remainder")},
    "sign": _sign,
    **{name: _rounding(name) for name in ("floor", "ceiling", "truncate")},
    "round": _round,
    "sqrt": _square_root,
    **{name: _logarithm(name) for name in ("ln", "log_2", "log_10")},
    "cube_root": _plain("cube_root", _REAL, gives=_REAL),
    "exp": lambda call, say, dialect: _in_doubles("exp", call, [say(call.arguments[0], _REAL)], dialect),
    "power": _plain("power", _REAL, _REAL, gives=_REAL),
    "grid": grid,
    **{name: _extreme(name) for name in ("least", "greatest")},
    "coalesce": _coalesce,
    "nullif": _nullif,
    **{f"to_{kind.value}": _cast_to(kind) for kind in Kind},
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
    "not": lambda call, say, _: f"(NOT {say(call.arguments[0], _TRUTH)})",
    "is_null": lambda call, say, _: f"({say(call.arguments[0], None)} IS NULL)",
    "case": _case,
    **{
        name: _plain(name, _TEXT, _TEXT, gives=_TRUTH)
        for name in ("like", "like_any_case", "starts_with", "ends_with", "contains")
    },
    **{name: _matching(name) for name in ("matches", "matches_fully")},
    **{
        name: _plain(name, _TEXT, gives=_TEXT)
        for name in ("lower", "upper", "trim", "trim_start", "trim_end", "reverse")
    },
    **{f"trim_{side}characters": _plain(f"trim_{side}characters", _TEXT, _TEXT, gives=_TEXT) for side in _SIDES},
    **{name: _plain(name, _TEXT, gives=_WHOLE) for name in ("length", "byte_length")},
    "substring": _substring,
    "concat": _joined("||", _TEXT),
    "concat_with": _concat_with,
    "replace": _plain("replace", _TEXT, _TEXT, _TEXT, gives=_TEXT),
    **{name: _plain(name, _TEXT, _WHOLE, _TEXT, gives=_TEXT) for name in ("fill_left", "fill_right")},
    "split_part": _plain("split_part", _TEXT, _TEXT, _WHOLE, gives=_TEXT),
    "last": _plain("last", _TEXT, _WHOLE, gives=_TEXT),
    "position": _plain("position", _TEXT, _TEXT, gives=_WHOLE),
    **{name: _plain(name, None, gives=_WHOLE) for name in CALENDAR_PARTS},
    **{f"truncate_{unit}": _truncated(unit) for unit in UNITS},
    "later": _later,
    "bucket": _bucket,
    "epoch": _epoch,
    "format": _format,
    "microseconds": _itself(_WHOLE),
    "moment_of_microseconds": _moment_of,
    "days": _itself(_WHOLE),
    "date_of_days": lambda call, say, dialect: _day_of(say(call.arguments[0], Kind.INTEGER), dialect),
}
"""Names are the algebra's; what is missing here raises KeyError when it is spelled."""
