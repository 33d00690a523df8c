"""A published table, with all that is known about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from deniable.core.errors import InvalidArgumentError
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
    import pandas as pd
    import polars as pl


@dataclass(frozen=True)
class AnonymizedTable:
    """The table that may leave, and for the custodian alone: how it was made, and what it gives away."""

    table: pa.Table = field(repr=False)
    demands: Demands
    method: str
    loss: str
    hierarchies: Mapping[str, Hierarchy]
    cells: CellCounts = field(repr=False)
    recoding: Recoding = field(repr=False)
    optimum: OptimalNode | None
    checked: Checked
    kept: tuple[str, ...]
    dropped: tuple[str, ...]
    population: int | None

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
            known = [value is None if wanted is None else text_of(value) == text_of(wanted) for value in column.values]  # noqa: PD011 - no frame
            point &= np.array(known)[codes]
        if not point.any():
            raise InvalidArgumentError("person", "is not in the table")
        of = self.recoding.of[np.argmax(point)]
        alike = self.recoding.suppressed if self.recoding.suppressed[of] else np.arange(self.recoding.number) == of
        inside = alike[self.recoding.of][self.cells.point]
        said = {}
        for sensitive, secret in zip(self.cells.sensitive, self.cells.secrets, strict=True):
            counts = np.bincount(secret[inside], self.cells.counts[inside], len(sensitive.values)).astype(int)
            values = sensitive.values.to_pylist()  # noqa: PD011 - same
            said[sensitive.name] = {values[at]: int(counts[at]) for at in np.flatnonzero(counts)}
        return said

    def save(self, path: str | Path) -> Path:
        """The table as .parquet or .csv; nothing is left behind if that fails."""
        target = Path(path)
        write_table(self.table, target)
        return target

    def to_pandas(self) -> pd.DataFrame:
        """The table as a pandas frame; quasi-identifiers are categories."""
        return self.table.to_pandas()

    def to_polars(self) -> pl.DataFrame:
        """The table as a Polars frame."""
        import polars as pl  # noqa: PLC0415 - an extra

        frame = pl.from_arrow(decoded(self.table))
        if not isinstance(frame, pl.DataFrame):
            raise TypeError("not a table")
        return frame

    def plot(self) -> Any:  # noqa: ANN401 - matplotlib has no types
        """Class sizes and quasi-identifiers, before and after. Returns a matplotlib figure."""
        from deniable.releases.syntactic.report.pictures import figure  # noqa: PLC0415 - drawing is needed only here

        return figure(self)

    def __rich__(self) -> Any:  # noqa: ANN401 - what rich draws
        """For terminals: the report."""
        return self.report.__rich__()

    def _repr_html_(self) -> str:
        """For notebooks: the report."""
        return self.report._repr_html_()
