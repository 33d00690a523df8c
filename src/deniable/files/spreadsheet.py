"""Texts that a spreadsheet would take for a formula, and how every CSV file that is written here says them.

A group's name or a column's alias comes from somebody's data or question, and a file is opened by somebody else. The
apostrophe is what spreadsheets themselves write before a text. Numbers and dates stay as they are, and so does
everything in JSON, Parquet and Arrow files: those are for programs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

_BEGINS = "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"
"""With what formulas begin in some spreadsheet; the last four are the first four in full width."""


def plain(text: str) -> str:
    """The text, or with an apostrophe before it.

    Example:
        >>> plain("north"), plain("=1+1"), plain("-3 to 0")
        ('north', "'=1+1", "'-3 to 0")
    """
    return f"'{text}" if text[:1] in _BEGINS and text else text


def guarded(table: pa.Table) -> pa.Table:
    """The table, in which no text and no name is a formula."""
    import pyarrow as pa  # noqa: PLC0415 - takes long to import
    import pyarrow.compute as pc  # noqa: PLC0415 - same

    columns = []
    for column in table.columns:
        kind = column.type
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            formula = pc.is_in(pc.utf8_slice_codeunits(column, 0, 1), pa.array(list(_BEGINS), kind))
            columns.append(
                pc.if_else(
                    formula, pc.binary_join_element_wise(pa.scalar("'", kind), column, pa.scalar("", kind)), column
                )
            )
        else:
            columns.append(column)
    return pa.table(columns, names=[plain(name) for name in table.column_names])
