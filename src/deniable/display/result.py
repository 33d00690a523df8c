"""What every result can do: show itself, and become a frame or a file. The same names everywhere."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING

from deniable.display import frames
from deniable.display.sheet import Sheet

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from rich.console import Console, ConsoleOptions, RenderableType


class Shown(ABC):
    """A result that is its own picture: what `print` shows is what a terminal and a notebook show."""

    __slots__ = ()

    @abstractmethod
    def sheet(self) -> Sheet:
        """What is shown of it."""

    @abstractmethod
    def to_dict(self) -> dict[str, object]:
        """All of it in values that JSON can say, for front ends."""

    def __repr__(self) -> str:
        """The sheet as plain text, as wide as the terminal."""
        from deniable.display.terminal import text_of  # noqa: PLC0415 - drawing is needed only here

        return text_of(self.sheet())

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        """The same with colours."""
        from deniable.display.terminal import drawn  # noqa: PLC0415 - same

        del console
        yield from drawn(self.sheet(), options.max_width)

    def _repr_html_(self) -> str:
        """The same for notebooks."""
        from deniable.display.notebook import html_of  # noqa: PLC0415 - same

        return html_of(self.sheet())


class Tabular(Shown):
    """A result that is a table at heart. `table` is an Arrow table; files hold the error bars, too."""

    __slots__ = ()

    @property
    @abstractmethod
    def table(self) -> pa.Table:
        """The numbers."""

    @property
    def with_intervals(self) -> pa.Table:
        """The numbers, and behind them the ends of their intervals, where they have any."""
        return self.table

    def to_pandas(self) -> pd.DataFrame:
        """`table` as a pandas frame."""
        return frames.to_pandas(self.table)

    def to_polars(self) -> pl.DataFrame:
        """`table` as a Polars frame."""
        return frames.to_polars(self.table)

    def to_csv(self, path: str | Path) -> Path:
        """`with_intervals` as a CSV file."""
        return frames.to_file(self.with_intervals, path, ".csv")

    def to_parquet(self, path: str | Path) -> Path:
        """`with_intervals` as a Parquet file."""
        return frames.to_file(self.with_intervals, path, ".parquet")
