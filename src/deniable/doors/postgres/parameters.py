"""Parameters of a statement: what types a client is told, and what it sent as texts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from deniable.doors.postgres.errors import PgError
from deniable.doors.postgres.lexing import tokens
from deniable.doors.postgres.types import (
    ARRAY_OF,
    ARRAYS,
    BOOL,
    DATE,
    FLOAT8,
    INT8,
    NUMERIC,
    OF_KIND,
    TEXT,
    TIME,
    TIMESTAMP,
    UNKNOWN,
    Value,
    day,
)
from deniable.planner.wording.parameters import arrays, beside, numbers
from deniable.policy import DeclaredColumn, Policy

_TEXTS = ARRAY_OF[TEXT]
_MOST, _DIGITS = 1_000, 5
"""Parameters, and digits of a number that is more than that, however it goes on."""
_SAMPLES = {INT8: 1, FLOAT8: 1, NUMERIC: 1, BOOL: True, DATE: date(2000, 1, 1)}
_SAMPLES |= {TIMESTAMP: datetime(2000, 1, 1), TIME: time(0)}  # noqa: DTZ001 - what clocks show


def count(text: str) -> int:
    """How many parameters there are: the largest number."""
    digits = [token.text[1:].lstrip("0") or "0" for token in tokens(text) if token.kind == "parameter"]
    found = max((int(one[:_DIGITS]) for one in digits), default=0)
    if found > _MOST:
        raise PgError("54000", f"A statement has at most {_MOST} parameters.")
    return found


def typed(text: str, given: Sequence[int], policy: Policy) -> tuple[int, ...]:
    """A type for each parameter: the client's, or else that of the column that it stands beside."""
    found = [*given, *[0] * (count(text) - len(given))]
    if any(oid in {0, UNKNOWN} for oid in found):
        known = {name: OF_KIND.get(column.kind, TEXT) for name, column in beside(text, policy).items()}
        known |= dict.fromkeys(numbers(text), INT8)
        known |= {name: ARRAY_OF.get(known.get(name, TEXT), _TEXTS) for name in arrays(text)}
        found = [known.get(str(place), TEXT) if oid in {0, UNKNOWN} else oid for place, oid in enumerate(found, 1)]
    return tuple(found)


def samples(oids: Sequence[int], text: str, policy: Policy) -> list[Value]:
    """Values for parameters that are not known yet; the columns of an answer do not depend on them."""
    columns = beside(text, policy)
    return [_sample(oid, columns.get(str(place))) for place, oid in enumerate(oids, 1)]


def _sample(oid: int, column: DeclaredColumn | None) -> Value:
    if oid in ARRAYS:
        return [_sample(ARRAYS[oid], column)]
    if column is not None and column.values:
        return column.values[0]
    if column is not None and column.low is not None and oid != TEXT:
        return int(column.low) if isinstance(column.low, Fraction) else column.low
    return _SAMPLES.get(oid, 1 if oid in {21, 23, 26, 700} else "x")


def as_column(value: Value, oid: int) -> Value:
    """What a client sent as a text, as the type that it is compared with."""
    if isinstance(value, list):
        return [as_column(one, ARRAYS.get(oid, TEXT)) for one in value]
    if not isinstance(value, str) or oid in {TEXT, 0, UNKNOWN}:
        return value
    try:
        if oid == DATE:
            return day(value)
        return Decimal(value) if oid in {INT8, FLOAT8, NUMERIC, 21, 23} else value
    except (ValueError, InvalidOperation):
        raise PgError("22P02", "A parameter is not a value of its type.") from None
