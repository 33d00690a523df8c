"""A first policy for a file, for the custodian to correct. It looks at the data, and says where."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from deniable.core.errors import InvalidArgumentError

_FEW = 24
"""Texts with so few different values are probably a public list."""
_LOOKED = "# FROM THE DATA: replace by public knowledge"

_HEAD = """\
# A draft. Lines marked 'FROM THE DATA' were looked up in private rows: replace each by what is known publicly,
# and delete the mark. Columns that you delete do not exist for analysts.

[population]
name = "{name}"
neighbours = "add-remove"

[budget]
epsilon = 1.0                  # your decision: how much may be lost about any one unit, for ever
delta = 1e-6                   # far below 1 in the number of units; leave out for pure differential privacy
delta_for_keys = 5e-7          # of that, for showing group keys that are private

[tables.{name}]
source = "{source}"
{unit}
[tables.{name}.columns]
"""


def draft(path: Path) -> str:
    """The text of a policy for one Parquet or CSV file."""
    if not path.is_file():
        raise InvalidArgumentError("file", f"{path} does not exist")
    if path.suffix not in (".parquet", ".csv"):
        raise InvalidArgumentError("file", f"must be a .parquet or .csv file, not {path.name}")
    try:
        table = ds.dataset(path, format=path.suffix[1:]).to_table()
    except (pa.ArrowInvalid, OSError) as error:
        raise InvalidArgumentError("file", f"{path} cannot be read: {error}") from None
    name = "".join(letter if letter.isalnum() else "_" for letter in path.stem) or "data"
    unit = next((column for column in table.column_names if _repeats(table, column)), None)
    described = "\n".join(
        f"{_quoted(column)} = {_declared(table[column], column == unit)}" for column in table.column_names
    )
    return _HEAD.format(name=name, source=path.name, unit=_unit(unit)) + described + "\n"


def _repeats(table: pa.Table, column: str) -> bool:
    """Whether this looks like the name of a unit with several rows."""
    named = column.lower().endswith(("id", "_no", "_key")) and not pa.types.is_floating(table.schema.field(column).type)
    return named and pc.count_distinct(table[column]).as_py() < table.num_rows


def _unit(column: str | None) -> str:
    """Whom the draft protects."""
    if column is None:
        return '# unit = "person_id"          # whom we protect; without it each row is a unit of its own\n'
    return (
        f'unit = "{column}"   # whom we protect: check this\n'
        "contribution = 10              # the most one unit may weigh, in rows: your decision\n"
    )


def _declared(column: pa.ChunkedArray, is_unit: bool) -> str:  # noqa: FBT001 - a fact, not a switch
    """One column's line."""
    kind = _kind(column.type)
    if is_unit:
        return f'{{ type = "{"integer" if kind == "integer" else "text"}" }}'
    facts = _facts(column, kind) + ("" if column.null_count else ", nulls = false")
    return f'{{ type = "{kind}"{facts} }}' + (f"   {_LOOKED}" if facts else "")


def _kind(kind: pa.DataType) -> str:
    """The policy's word for a type."""
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return "date"
    if pa.types.is_boolean(kind) or pa.types.is_integer(kind):
        return "boolean" if pa.types.is_boolean(kind) else "integer"
    return "number" if pa.types.is_floating(kind) or pa.types.is_decimal(kind) else "text"


def _facts(column: pa.ChunkedArray, kind: str) -> str:
    """Bounds or values, as the data has them."""
    if kind == "text":
        values = sorted(value for value in pc.unique(column.cast(pa.string())).to_pylist() if value is not None)
        listed = ", ".join(_quoted(value, always=True) for value in values)
        return f", values = [{listed}]" if 0 < len(values) <= _FEW else ""
    if kind == "boolean":
        return ""
    if kind == "date":
        column = column.cast(pa.date32(), safe=False)
    elif kind == "number":
        column = column.cast(pa.float64())
        column = column.filter(pc.is_finite(column))
    low, high = (end.as_py() for end in pc.min_max(column).values())
    if low is None or low == high:
        return ""
    return f', bounds = ["{low}", "{high}"]' if kind == "date" else f", bounds = [{low}, {high}]"


def _quoted(text: str, *, always: bool = False) -> str:
    """A TOML key or string."""
    if not always and text.replace("_", "").replace("-", "").isalnum() and text.isascii():
        return text
    escaped = (
        text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")
    )
    return f'"{escaped}"'
