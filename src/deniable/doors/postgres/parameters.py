"""Parameters of a question: what types they have, by what they are compared with, and how they become literals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from itertools import pairwise
from math import isfinite
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from deniable.core.algebra.expression import Kind
from deniable.doors.postgres.errors import PgError
from deniable.doors.postgres.lexing import tokens
from deniable.doors.postgres.types import BOOL, DATE, FLOAT8, INT8, NUMERIC, OF_KIND, TEXT, UNKNOWN, Value, day
from deniable.policy import DeclaredColumn, Policy

_MOST = 1_000
_SAMPLES = {INT8: 1, FLOAT8: 1, NUMERIC: 1, BOOL: True, DATE: date(2000, 1, 1)}


@dataclass(frozen=True, slots=True)
class Filled:
    """A question whose parameters are literals, and where each part of it stood before."""

    text: str
    shifts: tuple[tuple[int, int], ...] = ()
    """From this place on, so much was added before it."""

    def place(self, at: int) -> int:
        """Where this was in the client's own text."""
        return at - max((shift for start, shift in self.shifts if start <= at), key=abs, default=0)


def count(text: str) -> int:
    """How many parameters there are: the largest number."""
    found = max((int(token.text[1:]) for token in tokens(text) if token.kind == "parameter"), default=0)
    if found > _MOST:
        raise PgError("54000", f"A statement has at most {_MOST} parameters.")
    return found


def typed(text: str, given: Sequence[int], policy: Policy) -> tuple[int, ...]:
    """A type for each parameter: the client's, or else that of the column that it stands beside."""
    found = [*given, *[0] * (count(text) - len(given))]
    if any(oid in {0, UNKNOWN} for oid in found):
        beside = _beside(text, policy)
        found = [beside.get(place, TEXT) if oid in {0, UNKNOWN} else oid for place, oid in enumerate(found, 1)]
    return tuple(found)


def filled(text: str, values: Sequence[Value]) -> Filled:
    """The question with literals in the places of its parameters. A literal stays one, whatever is in it.

    Example:
        >>> filled("SELECT COUNT(*) FROM t WHERE a = $1", ["x' OR 1=1 --"]).text
        "SELECT COUNT(*) FROM t WHERE a = 'x'' OR 1=1 --'"
    """
    parts, shifts, added, at = [], [], 0, 0
    for token in tokens(text):
        if token.kind != "parameter":
            continue
        number = int(token.text[1:])
        if not 1 <= number <= len(values):
            raise PgError("42P02", f"there is no parameter ${number}", place=token.start)
        literal = _literal(values[number - 1])
        parts += [text[at : token.start], literal]
        at, added = token.end, added + len(literal) - len(token.text)
        shifts.append((token.end + added, added))
    return Filled("".join([*parts, text[at:]]), tuple(shifts))


def samples(oids: Sequence[int], text: str, policy: Policy) -> list[Value]:
    """Values for parameters that are not known yet; the columns of an answer do not depend on them."""
    columns = _columns_beside(text, policy)
    return [_sample(oid, columns.get(place)) for place, oid in enumerate(oids, 1)]


def _sample(oid: int, column: DeclaredColumn | None) -> Value:
    if column is not None and column.values:
        return column.values[0]
    if column is not None and column.low is not None and oid != TEXT:
        return int(column.low) if isinstance(column.low, Fraction) else column.low
    return _SAMPLES.get(oid, 1 if oid in {21, 23, 26, 700} else "x")


def _literal(value: Value) -> str:
    """Made by sqlglot, which escapes what is in it."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float | Decimal):
        if not isfinite(value):
            raise PgError("22003", "A parameter is not a finite number.")
        text = f"{Decimal(str(value)):f}"
        return f"({text})" if text.startswith("-") else text
    if isinstance(value, datetime):
        return exp.Literal.string(str(value)).sql("duckdb")
    if isinstance(value, date):
        return f"DATE {exp.Literal.string(value.isoformat()).sql('duckdb')}"
    if isinstance(value, str):
        if "\0" in value:
            raise PgError("22021", "invalid byte sequence for encoding UTF8")
        return exp.Literal.string(value).sql("duckdb")
    raise PgError("0A000", "A question takes no arrays as parameters.", hint="Write IN ($1, $2, ...).")


def as_column(value: Value, oid: int) -> Value:
    """What a client sent as a text, as the type that it is compared with."""
    if not isinstance(value, str) or oid in {TEXT, 0, UNKNOWN}:
        return value
    try:
        if oid == DATE:
            return day(value)
        return Decimal(value) if oid in {INT8, FLOAT8, NUMERIC, 21, 23} else value
    except (ValueError, InvalidOperation):
        raise PgError("22P02", "A parameter is not a value of its type.") from None


def _beside(text: str, policy: Policy) -> dict[int, int]:
    found = {place: OF_KIND.get(column.kind, TEXT) for place, column in _columns_beside(text, policy).items()}
    return {**found, **_numbers(text)}


def _numbers(text: str) -> dict[int, int]:
    """LIMIT and OFFSET take whole numbers."""
    parts = [token for token in tokens(text) if token.kind != "space"]
    return {
        int(after.text[1:]): INT8
        for before, after in pairwise(parts)
        if after.kind == "parameter" and before.name in {"limit", "offset"}
    }


def _columns_beside(text: str, policy: Policy) -> dict[int, DeclaredColumn]:
    """By number: the declared column that stands beside a parameter in a comparison, IN, BETWEEN or LIKE."""
    try:
        tree = sqlglot.parse_one(text, dialect="postgres")
    except (SqlglotError, RecursionError):
        return {}
    known: dict[str, DeclaredColumn] = {}
    for table in policy.tables.values():
        for name, column in table.columns.items():
            known.setdefault(name.lower(), column)
    found: dict[int, DeclaredColumn] = {}
    for node in tree.find_all(exp.Parameter):
        parent: Any = node.parent
        while isinstance(parent, exp.Paren | exp.Neg | exp.Tuple | exp.Cast):
            parent = parent.parent
        if isinstance(parent, exp.Predicate | exp.Binary | exp.Between | exp.In) and node.name.isdigit():
            columns = [known[one.name.lower()] for one in parent.find_all(exp.Column) if one.name.lower() in known]
            numeric = (
                [one for one in columns if one.kind in {Kind.INTEGER, Kind.NUMBER}]
                if isinstance(parent, exp.Binary)
                else []
            )
            if columns:
                found.setdefault(int(node.name), (numeric or columns)[0])
    return found
