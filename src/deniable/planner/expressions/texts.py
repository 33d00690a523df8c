"""Texts: constants that a function needs, how long what it writes can be, and patterns that every matcher reads alike.

Regular expressions are matched in time that grows with the text and no faster (RE2). Only what all dialects write and
mean alike is let through, and a pattern is a constant, so that no row decides how long it takes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction

from deniable.core.algebra.expression import Expression, Literal, Range
from deniable.core.errors import InvalidArgumentError

MOST_CHARACTERS = 10_000
"""Of a text that a question puts together: thousands of them are in memory at once, whoever's they are."""
_MOST_PATTERN = 500
_MOST_REPEATS = 1_000
"""RE2's own limit, of repeats inside of repeats together."""
_TOKEN = re.compile(
    r"""
    (?P<repeat>(?:[*+?]|\{(?P<least>\d{1,4})(?:,(?P<most>\d{0,4}))?\})\??)
  | (?P<open>\((?:\?:)?(?!\?))
  | (?P<close>\))
  | \[\^?\]?(?:\\[dDwWsS.\-\[\]^$*+?(){}|/\\]|[^\]\\\[&~|-]|-(?=\]))*(?:[^\]\\\[&~|]-[^\]\\\[&~|-])*
      (?:\\[dDwWsS.\-\[\]^$*+?(){}|/\\]|[^\]\\\[&~|-]|[^\]\\\[&~|]-[^\]\\\[&~|-]|-(?=\]))*\]
  | \\[dDwWsSbB.\-\[\]^$*+?(){}|/\\]
  | [.^$|]
  | [^\\.^$|()\[\]{}*+?]
    """,
    re.VERBOSE,
)
_NOTHING = frozenset({"^", "$", "|", "(", "(?:", "\\b", "\\B"})
"""What cannot be repeated: engines disagree, and some say so only when a row is matched."""


def pattern(arguments: tuple[Expression, ...]) -> Range:
    """A truth has no range; its pattern must be a constant that is understood."""
    text = constant("pattern", arguments[1])
    if len(text) > _MOST_PATTERN:
        raise InvalidArgumentError("pattern", f"must have at most {_MOST_PATTERN} characters")
    repeats, place, depths, repeated = 1, 0, [1], True
    while place < len(text):
        token = _TOKEN.match(text, place)
        if token is None or (token["repeat"] and repeated):
            what = "may use letters, . ^ $ | ( ) [a-z] * + ? {2,3} and \\d \\w \\s \\b; not look-around, \\1 or flags"
            raise InvalidArgumentError("pattern", what)
        if token["open"]:
            depths.append(1)
        elif token["close"] and len(depths) > 1:
            inner = depths.pop()
            depths[-1] = max(depths[-1], inner)
        elif token["repeat"]:
            many = max(int(token["least"] or 1), int(token["most"] or 1), 1)
            depths[-1] *= many
            repeats = max(repeats, depths[-1])
        place, repeated = token.end(), bool(token["repeat"]) or token[0] in _NOTHING
    try:
        re.compile(text)
    except re.error:
        raise InvalidArgumentError("pattern", f"{text[:40]!r} cannot be read") from None
    if repeats > _MOST_REPEATS:
        raise InvalidArgumentError("pattern", f"must not repeat anything more than {_MOST_REPEATS} times")
    return Range()


def anchored(text: str) -> bool:
    """Whether it says itself where a text must begin and end, so that it means the same wherever it is looked for."""
    return text.startswith("^") and text.endswith("$") and not text.endswith("\\$") and "|" not in text


def constant(name: str, value: Expression) -> str:
    """A constant text."""
    if not isinstance(value, Literal) or not isinstance(value.value, str):
        raise InvalidArgumentError(name, "must be a constant text")
    return value.value


def filled(arguments: tuple[Expression, ...]) -> Range:
    """To a constant length, with a constant that is not empty."""
    places("length", arguments[1], least=0, most=MOST_CHARACTERS)
    if not constant("filling", arguments[2]):
        raise InvalidArgumentError("filling", "must not be empty")
    return Range()


def split(arguments: tuple[Expression, ...]) -> Range:
    """At a constant that is not empty; parts are counted from 1, or from the end."""
    if not constant("separator", arguments[1]):
        raise InvalidArgumentError("separator", "must not be empty")
    if not places("part", arguments[2], least=-MOST_CHARACTERS, most=MOST_CHARACTERS):
        raise InvalidArgumentError("part", "is counted from 1")
    return Range()


def last(arguments: tuple[Expression, ...]) -> Range:
    """A constant number of characters."""
    places("length", arguments[1], least=0, most=2**31 - 1)
    return Range()


def places(name: str, value: Expression, *, least: int, most: int) -> int:
    """A constant whole number."""
    match value:
        case Literal(value=Fraction(denominator=1) as number) if least <= number <= most:
            return int(number)
        case _:
            raise InvalidArgumentError(name, f"must be a constant whole number from {least:,} to {most:,}")


def longest(function: str, arguments: tuple[Expression, ...], of: Callable[[Expression], int]) -> int | None:  # noqa: PLR0911 - one line per case
    """The most characters that a function writes; None: as many as its longest text."""
    match function, arguments:
        case "concat", parts:
            return sum(map(of, parts))
        case "concat_with", (between, *parts):
            return sum(map(of, parts)) + of(between) * max(0, len(parts) - 1)
        case "replace", (value, _, other):
            return of(value) * max(1, of(other))
        case (("fill_left" | "fill_right"), (_, length, _)):
            return places("length", length, least=0, most=MOST_CHARACTERS)
        case "substring", (value, _, Literal(value=Fraction() as most)):
            return min(of(value), max(0, int(most)))
        case "last", (value, Literal(value=Fraction() as most)):
            return min(of(value), max(0, int(most)))
        case _:
            return None
