"""Parameters: `?`, `$1` and `:name` in a question become literals of the values that are given for them.

A literal stays one, whatever is in it, so a value can never become a part of the question. Its type follows from what
it stands beside, as that of any constant does: '8' beside a number is a number, a text beside a date is a date. Since
it is a literal from here on, the value is part of what is asked, priced and recorded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from itertools import zip_longest
from typing import Any
from uuid import UUID

import numpy as np
import sqlglot
from sqlglot import TokenType, exp
from sqlglot.errors import SqlglotError

from deniable.core.algebra.expression import Kind
from deniable.core.errors import InvalidArgumentError, Refused
from deniable.policy import DeclaredColumn, Policy

Parameters = Sequence[Any] | Mapping[str, Any]
"""Values by their order (`?`) or number (`$1`), or by their names (`:name`, `$name`)."""
_MOST = 1_000
_MOST_DIGITS = 400
"""No double is larger, or smaller, than that."""
_NEXT = "?"
_DOLLAR = re.compile(
    r"""[eE]'(?:[^'\\]|\\.|'')*(?:'|\Z) | '[^']*(?:'|\Z) | "[^"]*(?:"|\Z) | --[^\n]* | /\*.*?(?:\*/|\Z)
    | \$(?P<mark>[^\W\d]\w*|)\$.*?(?:\$(?P=mark)\$|\Z) | [^\W\d][\w$]* | (?P<named>\$\w+)""",
    re.VERBOSE | re.DOTALL,
)
"""What a dollar can stand in, and the parameters that begin with one."""
_NUMBERS = (TokenType.LIMIT, TokenType.OFFSET, TokenType.FETCH, TokenType.TOP)
"""Behind these stands a whole number, and no text that says one."""


@dataclass(frozen=True, slots=True)
class Filled:
    """A question whose parameters are literals, and where each part of it stood before."""

    text: str
    shifts: tuple[tuple[int, int], ...] = ()
    """From this place on, so much was added before it."""

    def place(self, at: int) -> int:
        """Where this was in the text as it was written."""
        found = 0
        for start, shift in self.shifts:
            found = shift if start <= at else found
        return at - found

    @contextmanager
    def as_written(self) -> Iterator[None]:
        """Refusals in here name places of the text as it was written."""
        try:
            yield
        except Refused as refusal:
            if refusal.position is not None:
                start, end = refusal.position
                refusal.position = self.place(start), self.place(end)
            raise


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a parameter stands, and what it is called: its number, its name, or that it is the next one."""

    start: int
    end: int
    name: str
    before: TokenType | None
    listed: bool = False
    """Whether it is the array in `= ANY(...)`."""


def filled(text: str, values: Parameters | None) -> Filled:
    """The question with literals in the places of its parameters; refused if there are too few or too many of them.

    Example:
        >>> filled("SELECT COUNT(*) FROM t WHERE a = $1", ["x' OR 1=1 --"]).text
        "SELECT COUNT(*) FROM t WHERE a = 'x'' OR 1=1 --'"
        >>> filled("SELECT COUNT(*) FROM t WHERE a > :least", {"least": 3}).text
        'SELECT COUNT(*) FROM t WHERE a > 3'
    """
    given = {} if values is None else _named(values)
    places = list(_places(text, named=isinstance(values, Mapping)))
    if values is None and not places:
        return Filled(text)
    known = _called(places, text)
    missing = next((place for place in known if place.name not in given), None)
    if missing is not None:
        written = text[missing.start : missing.end]
        raise _refused(f"There is no value for the parameter {written}.", _hint(places), missing, text)
    unused = given.keys() - {place.name for place in known}
    if unused:
        reason = f"The question has no parameter for {_counted(sorted(unused))}."
        raise Refused("bad-parameters", reason, _hint(places), question=text)
    parts, shifts, added, at = [], [], 0, 0
    for place in known:
        literal = _literal(given[place.name], place, text)
        parts += [text[at : place.start], literal]
        at, added = place.end, added + len(literal) - (place.end - place.start)
        shifts.append((place.end + added, added))
    return Filled("".join([*parts, text[at:]]), tuple(shifts))


def filled_all(questions: Sequence[str], values: Sequence[Parameters | None] | None) -> tuple[str, ...]:
    """Several questions, each with its own values."""
    if isinstance(questions, str):
        raise InvalidArgumentError("questions", "must be a list of questions; for one, use ask")
    each = [None] * len(questions) if values is None else list(values)
    if len(each) != len(questions):
        reason = f"There are values for {len(each)} questions, and {len(questions)} are asked."
        raise Refused("bad-parameters", reason, "Give one list for each question; None for one without parameters.")
    return tuple(filled(text, given).text for text, given in zip(questions, each, strict=True))


def beside(text: str, policy: Policy) -> dict[str, DeclaredColumn]:
    """By number or name: the declared column that stands beside a parameter in a comparison, IN, BETWEEN or LIKE.

    For those who must say a parameter's type before they have its value.
    """
    try:
        tree = sqlglot.parse_one(_dollars(text, lambda one: f"{one} "), dialect="duckdb")
    except (SqlglotError, RecursionError):
        return {}
    known: dict[str, DeclaredColumn] = {}
    for table in policy.tables.values():
        for name, column in table.columns.items():
            known.setdefault(name.lower(), column)
    found: dict[str, DeclaredColumn] = {}
    for node in tree.find_all(exp.Placeholder):
        parent: Any = node.parent
        while isinstance(parent, exp.Paren | exp.Neg | exp.Tuple | exp.Cast):
            parent = parent.parent
        if isinstance(parent, exp.Any):
            parent = parent.parent
        if isinstance(parent, exp.Predicate | exp.Binary | exp.Between | exp.In):
            columns = [known[one.name.lower()] for one in parent.find_all(exp.Column) if one.name.lower() in known]
            numeric = [one for one in columns if one.kind in {Kind.INTEGER, Kind.NUMBER}]
            if columns:
                found.setdefault(node.name, (numeric if isinstance(parent, exp.Binary) and numeric else columns)[0])
    return found


def numbers(text: str) -> frozenset[str]:
    """The parameters that must be whole numbers: those behind LIMIT and OFFSET."""
    return frozenset(
        place.name for place in _called(list(_places(text, named=False)), text) if place.before in _NUMBERS
    )


def arrays(text: str) -> frozenset[str]:
    """The parameters that are arrays: those in `= ANY(...)`."""
    return frozenset(place.name for place in _called(list(_places(text, named=False)), text) if place.listed)


def _dollars(text: str, write: Callable[[str], str]) -> str:
    """The text with its parameters that begin with a dollar written in another way.

    Between two of them without a space, as in `IN ($1,$2)`, the parser sees a quoted text that is never closed.
    """
    return _DOLLAR.sub(lambda found: write(found[0]) if found["named"] else found[0], text)


def _places(text: str, *, named: bool) -> Iterator[_Place]:
    """Every parameter, in order; `:name` is one only where values have names, for it can mean other things."""
    if not set(text) & set("?$:"):
        return
    try:
        tokens = sqlglot.tokenize(_dollars(text, lambda one: f":{one[1:]}"), read="duckdb")
    except SqlglotError:
        return
    earlier: TokenType | None = None
    previous: TokenType | None = None
    for token, after in zip_longest(tokens, tokens[1:]):
        listed = (earlier, previous) == (TokenType.ANY, TokenType.L_PAREN)
        if token.token_type is TokenType.PLACEHOLDER:
            yield _Place(token.start, token.end + 1, _NEXT, previous, listed)
        elif text[token.start : token.end + 1] in ("$", ":"[:named]) and after and after.start == token.end + 1:
            word = text[after.start : after.end + 1]
            if word.replace("_", "a").isalnum():
                yield _Place(token.start, after.end + 1, word, previous, listed)
        earlier, previous = previous, token.token_type


def _called(places: Sequence[_Place], text: str) -> list[_Place]:
    """With numbers for those that are counted; a question names its parameters in one way."""
    counted = [place for place in places if place.name == _NEXT]
    if counted and len(counted) < len(places):
        other = next(place for place in places if place.name != _NEXT)
        raise _refused("A question names its parameters in one way.", "Write ? for each, or $1, $2.", other, text)
    if len(places) > _MOST:
        raise _refused(f"A question has at most {_MOST:,} parameters.", "Use fewer.", places[_MOST], text)
    if not counted:
        return list(places)
    return [replace(one, name=str(number)) for number, one in enumerate(places, 1)]


def _named(values: Parameters) -> dict[str, Any]:
    if isinstance(values, str | bytes) or not isinstance(values, Sequence | Mapping):
        reason = "The values of parameters are a list, or have names."
        raise Refused("bad-parameters", reason, 'Write params=[1, "a"], or params={"name": 1}.')
    if isinstance(values, Mapping):
        return {str(name).lstrip(":$"): value for name, value in values.items()}
    return {str(number): value for number, value in enumerate(values, 1)}


def _hint(places: Sequence[_Place]) -> str:
    names = list(dict.fromkeys(place.name for place in places))
    if not names:
        return "Leave params out, or write ? where the value belongs."
    if any(not name.isdigit() and name != _NEXT for name in names):
        return f"Give params={{{', '.join(repr(name) + ': ...' for name in names)}}}."
    most = len(places) if _NEXT in names else max(int(name) for name in names)
    return f"Give {most} value{'s' * (most != 1)}: params=[{', '.join(['...'] * min(most, 5))}]."


def _counted(names: Iterable[str]) -> str:
    return ", ".join(f"value {name}" if name.isdigit() else repr(name) for name in names)


def _refused(reason: str, hint: str, place: _Place, text: str) -> Refused:
    return Refused("bad-parameters", reason, hint, (place.start, place.end), text)


def _literal(value: Any, place: _Place, text: str) -> str:  # noqa: ANN401, C901, PLR0911, PLR0912 - one line per type
    """As SQL writes it; texts by sqlglot, which escapes what is in them."""
    if isinstance(value, np.datetime64 | np.timedelta64):
        value = value.astype(f"{type(value).__name__}[us]")
    match value.item() if isinstance(value, np.generic) else value:
        case None:
            return "NULL"
        case bool(truth):
            return "TRUE" if truth else "FALSE"
        case int() | float() | Decimal() | Fraction() as number:
            return _number(number, place, text)
        case datetime(tzinfo=zone) if zone is not None:
            hint = "Convert it to the zone that the policy names, and leave the zone out."
            raise _refused("A parameter is a moment with a time zone.", hint, place, text)
        case datetime() as moment:
            return f"TIMESTAMP {_text(str(moment))}"
        case date() as day:
            return f"DATE {_text(day.isoformat())}"
        case time() as clock:
            return f"CAST({_text(clock.isoformat())} AS TIME)"
        case timedelta() as length:
            return f"INTERVAL {_text(str(length // timedelta(microseconds=1)))} MICROSECOND"
        case UUID() as name:
            return _text(str(name))
        case str() if "\0" in value or not _readable(value):
            raise _refused("A parameter has characters that cannot be read.", "Remove them.", place, text)
        case str() as words if place.before in _NUMBERS and words.isascii() and words.strip().isdecimal():
            return words.strip()
        case str() as words:
            return _text(words)
        case list() | tuple() as values if place.listed:
            return f"ARRAY[{', '.join(_literal(one, replace(place, listed=False), text) for one in values)}]"
        case _:
            reason = f"A parameter cannot be a {type(value).__name__}."
            raise _refused(reason, "Give each value a parameter of its own: IN (?, ?, ?).", place, text)


def _number(value: float | Decimal | Fraction, place: _Place, text: str) -> str:
    """All digits of it, as many as a question has room for: 1e-999999999 is short, and would be a gigabyte."""
    parts = [
        Decimal(one) for one in ((value.numerator, value.denominator) if isinstance(value, Fraction) else (value,))
    ]
    if not all(part.is_finite() for part in parts):
        raise _refused("A parameter is not a finite number.", "Leave the condition out.", place, text)
    if any(abs(part.adjusted()) > _MOST_DIGITS for part in parts):
        raise _refused("A parameter has too many digits.", "Leave the condition out.", place, text)
    if isinstance(value, Fraction):
        return f"({value.numerator} / {value.denominator})"
    written = f"{Decimal(str(value)):f}"
    return f"({written})" if written.startswith("-") else written


def _readable(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _text(value: str) -> str:
    return str(exp.Literal.string(value).sql("duckdb"))
