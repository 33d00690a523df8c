"""A first policy for a file, for the custodian to correct. It looks at the data, and says where."""

from __future__ import annotations

from pathlib import Path

from deniable.core.algebra.expression import Kind
from deniable.engines.duckdb.look import Looked, look, repeats
from deniable.files.kinds import misfit, unit_kind_of
from deniable.files.source import DataFile

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
source = {source}
{unit}
[tables.{name}.columns]
"""


def draft(source: str | Path) -> str:
    """The text of a policy for one file, whatever the engine reads; blanks are NULL, as in questions."""
    file = DataFile.named(source, "file")
    file.require("file")
    columns = look(file, _FEW)
    unit = next((column for column in columns if _names_units(column) and repeats(file, column.name)), None)
    name = "".join(letter if letter.isalnum() else "_" for letter in file.title) or "data"
    beside = file.path.name if file.table is None else f"{file.path.name}::{file.table}"
    described = "\n".join(_line(column, column is unit) for column in columns)
    return _HEAD.format(name=name, source=_quoted(beside, always=True), unit=_unit(unit)) + described + "\n"


def _names_units(column: Looked) -> bool:
    """Whether this looks like the name of a unit."""
    return column.name.lower().endswith(("id", "_no", "_key")) and column.kind not in {None, Kind.NUMBER}


def _unit(column: Looked | None) -> str:
    """Whom the draft protects."""
    if column is None:
        return '# unit = "person_id"          # whom we protect; without it each row is a unit of its own\n'
    return (
        f"unit = {_quoted(column.name, always=True)}   # whom we protect: check this\n"
        "contribution = 10              # the most one unit may weigh, in rows: your decision\n"
    )


def _line(column: Looked, is_unit: bool) -> str:  # noqa: FBT001 - a fact, not a switch
    """One column's line; what cannot be declared is left out, and says why."""
    name = _quoted(column.name)
    if column.kind is None:
        return f"# {name} {misfit(column.type, Kind.TEXT)}"
    if is_unit:
        integer = unit_kind_of(column.type) is Kind.INTEGER
        return f'{name} = {{ type = "{"integer" if integer else "text"}" }}'
    facts = _facts(column) + (", nulls = false" if column.complete else "")
    return f'{name} = {{ type = "{column.kind.value}"{facts} }}' + (f"   {_LOOKED}" if facts else "")


def _facts(column: Looked) -> str:
    """Bounds or values, as the data has them."""
    if column.values:
        return f", values = [{', '.join(_quoted(value, always=True) for value in column.values)}]"
    if column.low is None or column.low == column.high:
        return ""
    mark = '"' if column.kind in (Kind.DATE, Kind.TIMESTAMP, Kind.TIME) else ""
    return f", bounds = [{mark}{column.low}{mark}, {mark}{column.high}{mark}]"


def _quoted(text: str, *, always: bool = False) -> str:
    """A TOML key or string."""
    if not always and text.replace("_", "").replace("-", "").isalnum() and text.isascii():
        return text
    escaped = (
        text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")
    )
    return f'"{escaped}"'
