"""Texts in PostgreSQL: patterns and formats in its own words, and what a text says as a value of another kind."""

from __future__ import annotations

import re

from deniable.core.algebra.expression import Kind
from deniable.core.algebra.readings import FALSE, INFINITE, NUMBER, TIME, TIMESTAMP, TRUE
from deniable.engines.engine import GapError
from deniable.engines.postgres.doubles import INFINITY, MINUS_INFINITY, bound, from_numeric

_MOST_REPEATS = 255
"""PostgreSQL's own limit."""
_MOST_OPTIONAL = 255
"""Parts of a pattern that may be missing, each as often as it is counted. To read a pattern takes PostgreSQL a time
that grows with the cube of these, and it reads one only when it meets a row."""
_MANY_DIGITS, _MANY_PLACES = 400, 2000
"""Before the point, and behind it: no double, and no whole number of 64 bits, is told from others by more."""
_SPACES = " \\t\\n\\r\\f"
_CLASSES = {"d": "0-9", "w": "0-9A-Za-z_", "s": _SPACES}
"""Of ASCII alone, as in RE2."""
_PIECE = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\{\d+(?:,\d*)?\}|.", re.DOTALL)
_SIGNS = {
    "%Y": "YYYY",
    "%y": "YY",
    "%G": "IYYY",
    "%m": "MM",
    "%-m": "FMMM",
    "%b": "Mon",
    "%B": "FMMonth",
    "%V": "IW",
    "%d": "DD",
    "%-d": "FMDD",
    "%j": "DDD",
    "%a": "Dy",
    "%A": "FMDay",
    "%u": "ID",
    "%H": "HH24",
    "%-H": "FMHH24",
    "%I": "HH12",
    "%p": "AM",
    "%M": "MI",
    "%S": "SS",
    "%f": "US",
}
_PARTS = re.compile(r"%-?.|[^%]+", re.DOTALL)


def quoted_text(value: str) -> str:
    """A constant; strings are standard here, so that only the quote is doubled.

    Raises:
        GapError: it has a zero byte, which no text in PostgreSQL has.
    """
    if "\x00" in value:
        raise GapError("texts with a zero byte")
    return "('" + value.replace("'", "''") + '\'::text COLLATE "C")'


def pattern(written: str) -> str:
    r"""A regular expression in PostgreSQL's words: classes are ASCII's, and a dot is no line's end.

    Raises:
        GapError: it counts too far, or puts a negated class into brackets, or has too many parts that may be missing.

    Example:
        >>> print(pattern(r"^a.[^\d]{2}\b"))
        ^a[^\n][^0-9]{2}\y
    """
    pieces = _PIECE.findall(written)
    if _optional(pieces) > _MOST_OPTIONAL:
        raise GapError("patterns with more than 255 parts that may be missing")
    return "".join(_translated(piece) for piece in pieces)


def _optional(pieces: list[str]) -> int:
    """How many parts may be missing, each as often as it is counted."""
    groups: list[list[int]] = [[]]
    for piece in pieces:
        if piece == "(":
            groups.append([])
        elif piece == ")" and len(groups) > 1:
            groups[-2].append(sum(groups.pop()))
        elif piece in "?*+" or (piece.startswith("{") and len(piece) > 1):
            least, most = ([int(number) for number in re.findall(r"\d+", piece)] * 2)[:2] or (piece == "+", 1)
            last = groups[-1].pop() if groups[-1] else 0
            groups[-1].append(max(most, 1) * (last + (least == 0)))
        else:
            groups[-1].append(0)
    return sum(sum(group) for group in groups)


def _translated(piece: str) -> str:  # noqa: PLR0911 - one line for each
    if piece == ".":
        return "[^\\n]"
    if piece.startswith("{"):
        if any(int(number) > _MOST_REPEATS for number in re.findall(r"\d+", piece)):
            raise GapError("patterns that count further than 255")
        return piece
    if piece.startswith("[") and len(piece) > 1:
        return re.sub(r"\\.", lambda found: _in_brackets(found.group()[1]), piece)
    if not piece.startswith("\\"):
        return piece
    letter = piece[1]
    if letter in "bB":
        return "\\y" if letter == "b" else "\\Y"
    if letter.lower() in _CLASSES:
        return f"[{'^' if letter.isupper() else ''}{_CLASSES[letter.lower()]}]"
    return piece


def _in_brackets(letter: str) -> str:
    if letter in "DWS":
        raise GapError("patterns with \\D, \\W or \\S in brackets")
    return _CLASSES.get(letter, f"\\{letter}")


def formatted(value: str, written: str) -> str:
    """A moment in a format of signs, put together of pieces of `to_char`, whose words are English."""
    pieces = []
    for part in _PARTS.findall(written):
        if part == "%w":
            pieces.append(f"CAST(date_part('dow', {value}) AS text)")
        elif part in _SIGNS:
            pieces.append(f"to_char(CAST({value} AS timestamp), '{_SIGNS[part]}')")
        else:
            pieces.append(quoted_text(part.replace("%%", "%")))
    return f'(CASE WHEN {value} IS NOT NULL THEN {" || ".join(pieces)} END COLLATE "C")'


def parsed(value: str, kind: Kind) -> str:
    """What a text says, by the grammar of core/algebra/readings.py."""
    match kind:
        case Kind.INTEGER:
            inside = f"q.n BETWEEN {-(1 << 63)} AND {(1 << 63) - 1}"
            return bound(f"CASE WHEN {inside} THEN CAST(q.n AS bigint) END", n=f"round({_decimal(value)})")
        case Kind.NUMBER:
            number = from_numeric(_decimal("q.t"))
            endless = f"CASE WHEN q.t LIKE '%-%' THEN {MINUS_INFINITY} ELSE {INFINITY} END"
            return bound(f"CASE WHEN q.t ~ {_said(INFINITE)} THEN {endless} ELSE {number} END", t=value)
        case Kind.BOOLEAN:
            true, false = (", ".join(f"'{word}'" for word in words) for words in (TRUE, FALSE))
            said = f"CASE WHEN lower(q.t) IN ({true}) THEN TRUE WHEN lower(q.t) IN ({false}) THEN FALSE END"
            return bound(said, t=value)
        case Kind.TIME:
            return bound(f"CASE WHEN q.t ~ {_said(TIME)} THEN CAST({_TRIMMED} AS time) END", t=value)
        case Kind.DATE:
            return _day(value)
        case _:
            clock = f"CASE WHEN length({_TRIMMED}) > 10 THEN substr({_TRIMMED}, 12) ELSE '00:00' END"
            moment = f"CAST({_day('q.t')} AS timestamp) + CAST({clock} AS interval)"
            return bound(moment, t=bound(f"CASE WHEN q.t ~ {_said(TIMESTAMP)} THEN q.t END", t=value))


_TRIMMED = "btrim(q.t, E' \\t\\n\\r\\f')"


def _decimal(value: str) -> str:
    """The number that a text says. Of endless digits, which no decimal number can have, as many as matter.

    One digit stands for all that are left out behind the point, so that no half is rounded otherwise.
    """
    sign = "CASE WHEN q.t LIKE '-%' THEN '-' ELSE '' END"
    before, behind = (f"split_part(ltrim(q.t, '+-'), '.', {part})" for part in (1, 2))
    rest = f"left(ltrim(substr({behind}, {_MANY_PLACES + 1}), '0'), 1)"
    whole = f"{sign} || '0' || left(ltrim({before}, '0'), {_MANY_DIGITS})"
    short = f"{whole} || '.' || left({behind}, {_MANY_PLACES}) || {rest}"
    said = f"CASE WHEN length(q.t) <= {_MANY_DIGITS} THEN q.t ELSE {short} END"
    return bound(
        f"CASE WHEN q.t IS NOT NULL THEN CAST({said} AS numeric) END",
        t=bound(f"CASE WHEN q.t ~ {_said(NUMBER)} THEN {_TRIMMED} END", t=value),
    )


def _day(value: str) -> str:
    """The day that a text begins with, if its month has it. Counted from the first, which every month has."""
    year, month, day = (f"CAST(substr(q.s, {place}, {size}) AS integer)" for place, size in ((1, 4), (6, 2), (9, 2)))
    first = f"CASE WHEN {year} > 0 THEN make_date({year}, {month}, 1) END"
    same = "date_part('month', q.f + q.d - 1) = date_part('month', q.f)"
    found = bound(f"CASE WHEN {same} THEN q.f + q.d - 1 END", f=first, d=day)
    return bound(found, s=bound(f"CASE WHEN q.t ~ {_said(TIMESTAMP)} THEN {_TRIMMED} END", t=value))


def _said(expression: str) -> str:
    """A pattern as a constant; the backslashes of the grammar are those of E'' strings too."""
    return "E'" + expression + "'"
