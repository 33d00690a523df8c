"""A table with a picture: in the terminal, or as an image."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite, log10
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from deniable.core.errors import InvalidArgumentError

Series = Sequence[tuple[float, float]]

_MARKS = "●▲■◆✚★"
_COLOURS = ("cyan", "magenta", "green", "yellow", "blue", "red")
_WIDTH, _HEIGHT = 66, 16


@dataclass(frozen=True, slots=True)
class Chart:
    """Columns and rows for reading, lines for seeing (both axes logarithmic), and notes below."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    lines: Mapping[str, Series] = field(default_factory=dict)
    x_label: str = ""
    y_label: str = ""
    notes: Sequence[str] = ()

    def show(self, console: Console) -> None:
        """Print the table, the picture and the notes."""
        table = Table(title=self.title, title_justify="left", title_style="bold", header_style="bold")
        for position, column in enumerate(self.columns):
            table.add_column(column, justify="left" if position == 0 else "right", overflow="fold")
        for row in self.rows:
            table.add_row(*row)
        console.print(table)
        if self.lines:
            console.print(self._picture())
        for note in self.notes:
            console.print(f"[dim]{note}[/dim]")

    def save(self, path: Path) -> None:
        """The picture as an image file, in whatever format the name's ending says."""
        if not path.suffix:
            raise InvalidArgumentError("plot", f"must end in .png, .svg or .pdf, not be {str(path)!r}")
        try:
            from matplotlib.figure import Figure  # noqa: PLC0415 - an extra
        except ImportError:
            raise InvalidArgumentError("plot", "needs matplotlib: pip install 'deniable[plot]'") from None
        figure = Figure(figsize=(8, 5), layout="constrained")
        axes = figure.add_subplot()
        for name, points in self.lines.items():
            axes.plot(*zip(*points, strict=True), marker="o", markersize=3, label=name)
        axes.set(xscale="log", yscale="log", xlabel=self.x_label, ylabel=self.y_label, title=self.title)
        axes.grid(visible=True, which="both", alpha=0.25)
        axes.legend()
        try:
            figure.savefig(path, dpi=150)
        except (OSError, ValueError) as error:
            raise InvalidArgumentError("plot", f"could not be written to {path}: {error}") from None

    def _picture(self) -> Text:
        """A grid of characters, one mark per line."""
        points = [point for line in self.lines.values() for point in line if _drawable(point)]
        if not points:
            return Text("")
        left, right = _ends([x for x, _ in points])
        low, high = _ends([y for _, y in points])
        cells: dict[tuple[int, int], int] = {}
        for number, line in enumerate(self.lines.values()):
            for x, y in filter(_drawable, line):
                column = round((log10(x) - left) / (right - left) * (_WIDTH - 1))
                row = round((high - log10(y)) / (high - low) * (_HEIGHT - 1))
                cells[row, column] = number
        text = Text()
        for row in range(_HEIGHT):
            edge = f"{10**high:.3g}" if row == 0 else f"{10**low:.3g}" if row == _HEIGHT - 1 else ""
            text.append(f"{edge:>9} │", style="dim")
            for column in range(_WIDTH):
                mark = cells.get((row, column))
                text.append(" " if mark is None else _MARKS[mark], style="" if mark is None else _COLOURS[mark])
            text.append("\n")
        text.append(f"{self.y_label:>9.9} └{'─' * _WIDTH}\n", style="dim")
        text.append(f"{'':11}{10**left:<{_WIDTH - 10}.4g}{10**right:>10.4g}\n", style="dim")
        text.append(f"{self.x_label:^{_WIDTH + 11}}\n           ", style="dim")
        for number, name in enumerate(self.lines):
            text.append(f"{_MARKS[number]} {name}   ", style=_COLOURS[number])
        return text.append("\n")


def _drawable(point: tuple[float, float]) -> bool:
    """On a logarithmic scale only positive, finite numbers have a place."""
    return all(isfinite(number) and number > 0 for number in point)


def _ends(numbers: Sequence[float]) -> tuple[float, float]:
    """The logarithms that an axis runs between."""
    low, high = log10(min(numbers)), log10(max(numbers))
    return (low, high) if high > low else (low - 0.5, high + 0.5)
