"""A proposal for a hierarchy, looked up in the data."""

from __future__ import annotations

import contextlib
import json
from datetime import date
from fractions import Fraction
from typing import Any

import pyarrow as pa

from deniable.core.errors import InvalidArgumentError
from deniable.releases.syntactic.hierarchies.values import date_of, number_of, text_of
from deniable.releases.syntactic.source import names_of, read

_PARTS = 20
"""The narrowest interval that is drafted leaves about so many."""
_CODE = 4
"""So many digits or more, always equally many, are a code and not a number."""
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
    if isinstance(values[0], str) and all(len(text) == len(texts[0]) >= _CODE and text.isdigit() for text in texts):
        return "mask", (len(texts[0]),)
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


def draft_policy(file: str) -> str:
    """A TOML file with a line for each column, for a custodian to edit."""
    names = names_of(file)
    table = read(file, names)
    lines = [
        "# Drafted from the data: every hierarchy below was looked up in it. Read each line.",
        "# Columns that are not listed here are not published.",
        "",
        "k = 5",
        "suppression = 0.02",
        "",
        "# What others may know of a person.",
        "[quasi_identifiers]",
    ]
    for name in names:
        if table[name].null_count == table.num_rows:
            lines.append(f"# {_toml(name)} holds nothing but NULL")
            continue
        kind, settings = draft_of(table[name])
        value = {"mask": f"{{ mask = {settings[0] if settings else 0} }}", "flat": "{}"}.get(
            kind, f"{{ {kind} = [{', '.join(_toml(setting) for setting in settings)}] }}"
        )
        lines.append(f"{_toml(name)} = {value}")
    lines += [
        "",
        "# What they must not learn; move columns here, and ask for l or t.",
        "[sensitive]",
        "# condition = {}",
        "",
    ]
    return "\n".join(lines)


def _toml(setting: Any) -> str:  # noqa: ANN401 - a text or a number
    if isinstance(setting, str):  # as people wrote it, but for the one sign that TOML escapes and JSON does not
        return json.dumps(setting, ensure_ascii=False).replace("\x7f", "\\u007f")
    return str(setting) if setting.denominator == 1 else repr(float(setting))
