"""Tables of formats that DuckDB does not read by itself, as Arrow."""

from __future__ import annotations

from datetime import datetime, time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deniable.core.errors import InvalidArgumentError
from deniable.files.layout import unique

if TYPE_CHECKING:
    import pyarrow as pa


def from_arrow(path: Path) -> pa.Table:
    """An Arrow or Feather file, mapped into memory; or a stream of Arrow's."""
    import pyarrow as pa  # noqa: PLC0415 - takes long to import
    from pyarrow import feather  # noqa: PLC0415 - same

    try:
        return feather.read_table(path)
    except pa.ArrowInvalid:
        with pa.memory_map(str(path)) as stream:
            return pa.ipc.open_stream(stream).read_all()


def from_excel(path: Path, sheet: str | None) -> pa.Table:
    """A sheet (the first one, unless named), whose first row has the names; every cell as text, and a blank as NULL.

    Raises:
        InvalidArgumentError: the `excel` extra is not there, or the sheet is not.
    """
    import pyarrow as pa  # noqa: PLC0415 - takes long to import

    try:
        import openpyxl  # noqa: PLC0415 - an extra
    except ImportError:
        raise InvalidArgumentError("source", "is an Excel file, which needs: pip install 'deniable[excel]'") from None
    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    except Exception:  # noqa: BLE001 - whatever is wrong with it, it is no book
        raise InvalidArgumentError("source", "cannot be read: it is no Excel file") from None
    try:
        if sheet is not None and sheet not in book.sheetnames:
            raise InvalidArgumentError("source", f"has no sheet {sheet!r}; there are {', '.join(book.sheetnames)}")
        rows = list(book[sheet or book.sheetnames[0]].iter_rows(values_only=True))
    finally:
        book.close()
    if not rows:
        raise InvalidArgumentError("source", "is a sheet without a header row")
    names = unique(_text(cell) or "" for cell in rows[0])
    filled = [row for row in rows[1:] if any(cell is not None for cell in row)]
    columns = [[_text(row[place]) if place < len(row) else None for row in filled] for place in range(len(names))]
    return pa.table([pa.array(column, pa.string()) for column in columns], names=names)


def _text(cell: Any) -> str | None:  # noqa: ANN401 - whatever Excel knows
    """As a CSV file would have it. Midnight of a day is the day: Excel knows no other."""
    match cell:
        case None | "":
            return None
        case bool():
            return str(cell).lower()
        case datetime():
            return str(cell.date() if cell.time() == time() else cell)
        case float() if cell.is_integer():
            return str(int(cell))
        case _:
            return str(cell)
