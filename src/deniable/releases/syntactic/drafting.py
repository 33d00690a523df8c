"""A proposal for a hierarchy, looked up in the data."""

from __future__ import annotations

import contextlib
from datetime import date
from fractions import Fraction
from typing import Any

import pyarrow as pa

from deniable.core.errors import InvalidArgumentError
from deniable.releases.syntactic.values import date_of, number_of, text_of

_PARTS = 20
"""The narrowest interval that is drafted leaves about so many."""
_FINEST = Fraction(5, 10**9)


def draft_of(column: Any) -> tuple[str, tuple[Any, ...]]:  # noqa: ANN401 - any column
    """The kind of hierarchy and its settings: numbers by intervals, days by date, codes of one length by a mask."""
    chunks = column if isinstance(column, pa.Array | pa.ChunkedArray) else pa.array(column, from_pandas=True)
    values = [value for value in chunks.unique().to_pylist() if value is not None]
    if not values:
        raise InvalidArgumentError("column", "holds no value that a hierarchy could be drafted from")
    if isinstance(values[0], date) or _all(values, date_of):
        return "date", ("month", "year", "decade")
    texts = [text_of(value) for value in values]
    if isinstance(values[0], str) and len(texts[0]) > 1 and len({len(text) for text in texts}) == 1:
        return ("mask", (len(texts[0]),)) if all(any(map(str.isdigit, text)) for text in texts) else ("flat", ())
    if not isinstance(values[0], bool) and _all(values, number_of):
        numbers = [number_of(value) for value in values]
        least = Fraction(5) if all(number.denominator == 1 for number in numbers) else _FINEST
        width = _round_width((max(numbers) - min(numbers)) / _PARTS, least)
        return "interval", tuple(width * factor for factor in (1, 2, 4, 8))
    return "flat", ()


def _round_width(wanted: Fraction, width: Fraction) -> Fraction:
    """5, 10, 50, 100, ...: the first that is not below."""
    double = True
    while width < wanted:
        width *= 2 if double else 5
        double = not double
    return width


def _all(values: list[Any], reads: Any) -> bool:  # noqa: ANN401 - a reader of values
    with contextlib.suppress(InvalidArgumentError):
        for value in values:
            reads(value)
        return True
    return False
