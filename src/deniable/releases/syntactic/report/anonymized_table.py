"""A published table, with all that is known about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from deniable.core.errors import InvalidArgumentError
from deniable.core.shown import plain
from deniable.display import Sheet, SheetColumn, Tabular
from deniable.display.frames import to_rows
from deniable.display.sheet import MOST_ROWS
from deniable.files.tables import decoded, write_table
from deniable.releases.syntactic.hierarchies.kinds import Hierarchy
from deniable.releases.syntactic.hierarchies.values import text_of
from deniable.releases.syntactic.models.check import Checked
from deniable.releases.syntactic.models.demands import Demands
from deniable.releases.syntactic.report.report import Report
from deniable.releases.syntactic.search.cells import CellCounts
from deniable.releases.syntactic.search.grouping import IntArray, added
from deniable.releases.syntactic.search.optimum import OptimalNode
from deniable.releases.syntactic.search.recoding import Recoding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console, ConsoleOptions, RenderableType


@dataclass(frozen=True, repr=False)
class AnonymizedTable(Tabular):
    """The table that may leave, and for the custodian alone: how it was made, and what it gives away."""

    published: pa.Table
    demands: Demands
    method: str
    metric: str
    """What the search kept small: a name of the report's losses."""
    hierarchies: Mapping[str, Hierarchy]
    cells: CellCounts
    recoding: Recoding
    optimum: OptimalNode | None
    checked: Checked
    kept: tuple[str, ...]
    dropped: tuple[str, ...]
    population: int | None

    @property
    def table(self) -> pa.Table:
        """The table that may leave."""
        return self.published

    @property
    def loss(self) -> None:
        """None: k, l and t bound no loss, as differential privacy does."""
        return

    @property
    def notes(self) -> tuple[str, ...]:
        """What is not promised, in short; the report measures it."""
        more = "whoever knows more than the quasi-identifiers, or another release of the same people, can learn more"
        return (f"no differential privacy: {more}; `report` measures how much",)

    @cached_property
    def report(self) -> Report:
        """What holds, what it cost, what is not promised. It speaks of the original table: do not publish it."""
        return Report(self)

    @property
    def sizes(self) -> IntArray:
        """The rows of each class; suppressed rows are in none."""
        return added(self.recoding.of, self.cells.sizes, self.recoding.number)[~self.recoding.suppressed]

    @property
    def levels(self) -> dict[str, int] | None:
        """The level of each quasi-identifier in its hierarchy; None if levels differ from row to row."""
        if self.optimum is None or self.method != "optimal":
            return None
        columns = zip(self.cells.columns, self.optimum.node, strict=True)
        return {column.name: column.numbers[level] for column, level in columns}

    def level_of(self, place: int) -> str:
        """The level of a quasi-identifier, in words."""
        levels = self.levels
        if levels is None:
            return "row by row"
        column = self.cells.columns[place]
        return f"{levels[column.name]} of {column.numbers[-1]}"

    def about(self, person: Mapping[str, object]) -> dict[str, dict[object, int]]:
        """The sensitive values in somebody's class: what the release says to whoever knows their quasi-identifiers."""
        point = np.ones(self.cells.points, bool)
        for column, codes in zip(self.cells.columns, self.cells.codes, strict=True):
            if column.name not in person:
                raise InvalidArgumentError("person", f"needs a value for {column.name!r}")
            wanted = person[column.name]
            known = [value is None if wanted is None else text_of(value) == text_of(wanted) for value in column.values]
            point &= np.array(known)[codes]
        if not point.any():
            raise InvalidArgumentError("person", "is not in the table")
        of = self.recoding.of[np.argmax(point)]
        alike = self.recoding.suppressed if self.recoding.suppressed[of] else np.arange(self.recoding.number) == of
        inside = alike[self.recoding.of][self.cells.point]
        said = {}
        for sensitive, secret in zip(self.cells.sensitive, self.cells.secrets, strict=True):
            counts = np.bincount(secret[inside], self.cells.counts[inside], len(sensitive.values)).astype(int)
            values = sensitive.values.to_pylist()
            said[sensitive.name] = {values[at]: int(counts[at]) for at in np.flatnonzero(counts)}
        return said

    def save(self, path: str | Path) -> Path:
        """The table as .parquet or .csv; nothing is left behind if that fails."""
        target = Path(path)
        write_table(self.table, target)
        return target

    def plot(self) -> Any:  # noqa: ANN401 - matplotlib has no types
        """Class sizes and quasi-identifiers, before and after. Returns a matplotlib figure."""
        from deniable.releases.syntactic.report.pictures import figure  # noqa: PLC0415 - drawing is needed only here

        return figure(self)

    def sheet(self) -> Sheet:
        """What is shown of it: the first rows of the table, what holds, and what that cost."""
        shown = self.table.slice(0, MOST_ROWS)
        columns = tuple(SheetColumn.keys(name, shown[name].to_pylist()) for name in shown.column_names)
        price = (
            f"{', '.join(self.demands.words())} · {len(self.sizes):,} classes · {self.checked.suppressed:,} of "
            f"{self.cells.total:,} rows suppressed · information lost {plain(self.report.losses['ncp'])} (NCP)"
        )
        return Sheet(columns, price, self.notes, more=self.table.num_rows - shown.num_rows)

    def to_dict(self) -> dict[str, object]:
        """The table and what holds of it, in values that JSON can say. Nothing of the original table."""
        return {
            "rows": to_rows(decoded(self.table)),
            "models": self.demands.words(),
            "method": self.method,
            "suppressed": self.checked.suppressed,
            "loss": None,
            "notes": list(self.notes),
        }

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        """For terminals: the table, and the report below it."""
        yield from super().__rich_console__(console, options)
        yield self.report.__rich__()

    def _repr_html_(self) -> str:
        """For notebooks: the table, and the report below it."""
        return super()._repr_html_() + self.report._repr_html_()
