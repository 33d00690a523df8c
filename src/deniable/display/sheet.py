"""What is shown of a result, as text that is ready to be drawn anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from deniable.core.shown import error, label, measured, plain, printable

MOST_ROWS = 40
"""What is shown of a long table; the result itself has all of it."""

Cell = tuple[str, str]
"""A value, and what stands behind it: its error."""


@dataclass(frozen=True, slots=True)
class SheetColumn:
    """One column: text stands left, numbers stand right, with their errors in line."""

    name: str
    cells: tuple[Cell, ...]
    number: bool
    key: bool = False
    """Whether it says what a row is about, so that it is repeated where a table is too wide for one piece."""

    def __post_init__(self) -> None:
        """Names come from questions: what is not visible in them is spelled out."""
        object.__setattr__(self, "name", printable(self.name))

    @classmethod
    def keys(cls, name: str, values: Sequence[object]) -> SheetColumn:
        """What rows are told apart by."""
        there = [value for value in values if value is not None]
        number = bool(there) and all(isinstance(one, int | float) and not isinstance(one, bool) for one in there)
        return cls(name, tuple((label(value), "") for value in values), number, key=True)

    @classmethod
    def texts(cls, name: str, values: Sequence[str]) -> SheetColumn:
        """Words of our own."""
        return cls(name, tuple((printable(value), "") for value in values), number=False, key=True)

    @classmethod
    def numbers(cls, name: str, values: Sequence[float]) -> SheetColumn:
        """Numbers that have no error: how many queries, how wide the noise."""
        return cls(name, tuple((plain(value), "") for value in values), number=True)

    @classmethod
    def errors(cls, name: str, values: Sequence[float]) -> SheetColumn:
        """How far off something will be: plus or minus so much."""
        return cls(name, tuple((error(value), "") for value in values), number=True)

    @classmethod
    def noisy(
        cls,
        name: str,
        values: Sequence[float | None],
        lows: Sequence[float | None],
        highs: Sequence[float | None],
        *,
        whole: bool = False,
    ) -> SheetColumn:
        """Numbers with their intervals."""
        ends = zip(values, lows, highs, strict=True)
        return cls(name, tuple(measured(value, low, high, whole=whole) for value, low, high in ends), number=True)

    @classmethod
    def moments(
        cls, name: str, values: Sequence[object], lows: Sequence[object], highs: Sequence[object]
    ) -> SheetColumn:
        """Dates, timestamps and times of day between theirs."""
        ends = zip(values, lows, highs, strict=True)
        cells = ((label(value), f"({label(low)} to {label(high)})") for value, low, high in ends)
        return cls(name, tuple(cells), number=True)


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table of text, the price in one line, and what else has to be said."""

    columns: tuple[SheetColumn, ...]
    price: str
    """One line; of an account, a line for each kind of noise."""
    notes: tuple[str, ...] = ()
    title: str = ""
    more: int = 0
    """How many rows are not shown."""

    def __post_init__(self) -> None:
        """Words about a question may quote it: what is not visible in them is spelled out."""
        object.__setattr__(self, "title", printable(self.title))
        object.__setattr__(self, "price", "\n".join(map(printable, self.price.split("\n"))))
        object.__setattr__(self, "notes", tuple(map(printable, self.notes)))

    @property
    def rows(self) -> int:
        """How many rows are shown."""
        return len(self.columns[0].cells) if self.columns else 0

    @property
    def rest(self) -> str:
        """What is said below the table, if it does not show everything."""
        if self.more:
            return f"… and {self.more:,} more row{'s' * (self.more != 1)}"
        return "" if self.rows else "(no rows)"
