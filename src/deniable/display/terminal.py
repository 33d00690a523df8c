"""A sheet in a terminal, as wide as the terminal is; and the same as plain text."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from io import StringIO
from itertools import count
from textwrap import wrap

from rich import box
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from deniable.display.sheet import Sheet, SheetColumn

_GAP = 3
"""Between two columns."""
_NARROW = 12
"""A column of text may be folded to this, or to its longest word if that is not twice as long."""
_HEADING = 2
"""Lines of a heading."""


def text_of(sheet: Sheet, width: int | None = None) -> str:
    """Plain text, without colours, as wide as the terminal (80 columns where there is none)."""
    stored = StringIO()
    console = Console(
        file=stored,
        width=width or shutil.get_terminal_size().columns,
        color_system=None,
        force_terminal=False,
        force_jupyter=False,
        legacy_windows=False,
    )
    for part in drawn(sheet, console.width):
        console.print(part, highlight=False)
    return "\n".join(line.rstrip() for line in stored.getvalue().splitlines()).strip("\n")


def drawn(sheet: Sheet, width: int) -> Iterator[RenderableType]:
    """The parts below each other. A table that is too wide is drawn in pieces, each with the keys before it."""
    if sheet.title:
        yield Text(sheet.title, style="bold")
    for piece in _pieces(sheet.columns, width):
        yield _table(piece, width)
    if sheet.rest:
        yield Text(sheet.rest, style="dim")
    yield Text(sheet.price)
    if sheet.notes:
        notes = Table.grid(padding=(0, 1))
        notes.add_column()
        notes.add_column(overflow="fold")  # and nothing cut off, where signs are wider than a wrapped line expects
        for note in sheet.notes:
            notes.add_row(Text("note:", style="dim"), Text(note, style="dim"))
        yield notes


def _table(columns: tuple[SheetColumn, ...], width: int) -> Table:
    """Text left, numbers right, and every ± of a column below the other."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, _GAP - 1, 0, 0))
    spare = width - _width(columns)
    for column in columns:
        wanted = min(_most(column) - _least(column), max(0, spare))
        spare -= wanted
        name = Text(column.name, justify="right" if column.number else "left")
        table.add_column(name, overflow="fold", width=_least(column) + wanted)
    for row in zip(*map(_aligned, columns), strict=True) if columns else ():
        table.add_row(*row)
    return table


def _aligned(column: SheetColumn) -> list[Text]:
    """Values end below each other, and errors start below each other."""
    if not column.number:
        return [Text(value) for value, _ in column.cells]
    values, errors = _widths(column)
    before = max(values, _heading(column) - errors)
    return [
        Text.assemble(" " * (before - cell_len(value)) + value, (error + " " * (errors - cell_len(error)), "dim"))
        for value, error in _spaced(column)
    ]


def _spaced(column: SheetColumn) -> list[tuple[str, str]]:
    return [(value, error and f" {error}") for value, error in column.cells]


def _widths(column: SheetColumn) -> tuple[int, int]:
    """Of the values, and of the errors."""
    cells = _spaced(column)
    return max((cell_len(value) for value, _ in cells), default=0), max((cell_len(one) for _, one in cells), default=0)


def _pieces(columns: tuple[SheetColumn, ...], width: int) -> list[tuple[SheetColumn, ...]]:
    """As many columns side by side as there is room for, behind the keys."""
    keys = tuple(column for column in columns if column.key)
    others = [column for column in columns if not column.key]
    if not others or _width(columns) <= width:
        return [columns]
    pieces: list[tuple[SheetColumn, ...]] = []
    piece = keys
    for column in others:
        if piece != keys and _width((*piece, column)) > width:
            pieces.append(piece)
            piece = keys
        piece = (*piece, column)
    return [*pieces, piece]


def _width(columns: tuple[SheetColumn, ...]) -> int:
    """The least that a table needs."""
    return sum(map(_least, columns)) + _GAP * (len(columns) - 1)


def _least(column: SheetColumn) -> int:
    """Numbers are never folded; texts are, between words if that is possible."""
    if column.number:
        return max(sum(_widths(column)), _heading(column))
    texts = [column.name, *(text for text, _ in column.cells)]
    words = max((cell_len(word) for text in texts for word in text.split()), default=0)
    return min(_most(column), max(_NARROW, min(words, 2 * _NARROW)))


def _most(column: SheetColumn) -> int:
    """What it takes to fold nothing; but headings of numbers take two lines."""
    return _least(column) if column.number else max(sum(_widths(column)), cell_len(column.name), 1)


def _heading(column: SheetColumn) -> int:
    """The least that a heading of two lines needs."""
    words = max(map(cell_len, column.name.split()), default=1)
    return next(size for size in count(words) if len(wrap(column.name, size, break_long_words=False)) <= _HEADING)
