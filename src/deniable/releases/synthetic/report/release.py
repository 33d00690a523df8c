"""What comes out: made-up tables, how good they are, and the noisy numbers that they were made from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from deniable.core.bits import OperatingSystem, words
from deniable.core.distributions.normal import quantile
from deniable.core.errors import InvalidArgumentError, Refused
from deniable.core.grid import IntArray
from deniable.core.loss import Loss
from deniable.core.number import Number, surety, whole
from deniable.core.shown import percent
from deniable.display import Sheet, SheetColumn, Tabular
from deniable.display.sheet import MOST_ROWS
from deniable.files.tables import write_table
from deniable.releases.linear.query_estimate import QueryEstimate
from deniable.releases.synthetic.certificate import Certificate
from deniable.releases.synthetic.drawn.rows import as_declared
from deniable.releases.synthetic.drawn.tree import FALLBACK
from deniable.releases.synthetic.measured.domain import ColumnDomain
from deniable.releases.synthetic.recipe import MeasuredTable, Recipe
from deniable.releases.synthetic.report.answers import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

Resolve = Callable[[str, str], tuple[tuple[int, ...], NDArray[np.bool_]]]
"""For a table and a condition: the columns that it is about, and which combinations of their values satisfy it."""


@dataclass(frozen=True)
class SyntheticTable:
    """One made-up table."""

    name: str
    measured: MeasuredTable
    rows: tuple[IntArray, ...]
    """The place of each value, by column; those of parents come first."""
    method: str
    """How its rows were found: by the pairwise field, or by a tree."""
    distances: IntArray
    parent: str | None
    children: tuple[str, ...]

    @property
    def recipe(self) -> Recipe:
        """What was done."""
        return self.measured.counted.recipe

    @property
    def own(self) -> Sequence[tuple[int, ColumnDomain]]:
        """Its own columns, with their places: not those of its parents, nor how many children each has."""
        columns = list(enumerate(self.recipe.columns))
        return columns[self.recipe.given : len(columns) - len(self.children)]

    @property
    def certificate(self) -> Certificate:
        """Of its pairs."""
        return self.measured.counted.certificate

    def arrow(self, rows: Sequence[IntArray], chance: np.random.Generator) -> pa.Table:
        """Its own columns, in the types that they are declared to have."""
        parts: dict[str, list[tuple[int, ColumnDomain]]] = {}
        for place, column in self.own:
            parts.setdefault(column.of or column.name, []).append((place, column))
        return pa.table(
            {
                name: as_declared([column for _, column in own], [rows[place] for place, _ in own], chance)
                for name, own in parts.items()
            }
        )


@dataclass(frozen=True, repr=False)
class SyntheticRelease(Tabular):
    """Made-up tables. Everything in it is public: compute with it whatever you like.

    Input:         private tables; neighbours differ in one unit.
    Guarantee:     the loss that was paid, for the tables, their quality and all noisy numbers together.
    Not promised:  that anything holds which was not measured: dependence of three and more columns, of pairs that did
                   not rise above the noise, of rows of one person. Standard errors that are computed from these rows as
                   if they were real ones are wrong; `query` gives intervals that are right.
    Error:         `quality` has the distance of every pair from the data, with its interval.
    Cost:          two to four seconds for 50,000 rows of ten columns.
    Reference:     McKenna, Miklau, Sheldon 2021 (from noisy marginals to rows); Chow, Liu 1968 (trees).
    """

    parts: tuple[SyntheticTable, ...]
    loss: Loss
    free: bool
    """Whether it was recorded earlier, and cost nothing now."""
    confidence: Fraction
    cautions: tuple[str, ...]
    unit: str | None = None
    """What the column is called that links tables; its values are made up."""
    resolve: Resolve | None = None

    @property
    def table(self) -> pa.Table:
        """The made-up rows; of several tables, those of the first."""
        return self.tables[self.parts[0].name]

    @cached_property
    def tables(self) -> dict[str, pa.Table]:
        """The made-up rows of every table. Linked ones have keys, which are made up, too."""
        return self._tables({part.name: part.rows for part in self.parts})

    def more(self, rows: int) -> dict[str, pa.Table]:
        """Other rows from the same noisy numbers, for free: so many parents, or of each table that stands alone.

        These are not the rows that were certified: `quality` speaks of `tables`.
        """
        whole("rows", rows)
        chance = _chance()
        drawn: dict[str, tuple[IntArray, ...]] = {}
        for part in self.parts:
            given, size = None, rows
            if part.parent is not None:
                first = self.parts[0]
                given, size = siblings(drawn[first.name], _number_of(first, part), most=None)
            found, _ = part.measured.draw(size, chance, given)
            drawn[part.name] = tuple(found)
        return self._tables(drawn)

    @cached_property
    def quality(self) -> pa.Table:
        """For every pair of columns, which share of rows would have to change for it to be as in the data; noisy.

        `measured` says how finely the pair was measured, if at all. Intervals hold the true distance, each by itself,
        at the confidence that was asked for. Linked tables: `one` may be a column of the parents.
        """
        found: list[dict[str, object]] = []
        width = -quantile(float(1 - self.confidence) / 2)
        for part in self.parts:
            certificate, how = part.certificate, {table.pair: table.fine for table in part.measured.tables}
            names = [column.name for column in part.recipe.columns]
            numbers = (one.tolist() for one in certificate.read(part.distances, width))
            for pair, *interval in zip(certificate.pairs, *numbers, strict=True):
                finely = {True: "finely", False: "coarsely", None: "no"}[how.get(pair)]
                said = (part.name, names[pair[0]], names[pair[1]], finely, *interval)
                found.append(dict(zip(_QUALITY, said, strict=True)))
        return pa.Table.from_pylist(found, schema=_QUALITY_SCHEMA)

    @cached_property
    def measurements(self) -> pa.Table:
        """All noisy counts that the tables were made from: of single columns, and of pairs, with their deviation.

        A bin is named by its first value, and by its last if it has several.
        """
        from deniable.releases.synthetic.report.answers import listed  # noqa: PLC0415 - needed only here

        return pa.concat_tables([listed(part.name, part.measured) for part in self.parts])

    def query(self, condition: str, *, table: str | None = None, confidence: Number | None = None) -> QueryEstimate:
        """How many rows satisfy a condition on one or two columns, from what was measured: the interval is right.

        Raises:
            Refused: the condition needs something that was not measured, or not so finely.
        """
        part = self._part(table)
        if self.resolve is None:
            raise Refused("no-cells", "Conditions can be asked of a release from a curator.", "Ask the curator.")
        axes, satisfied = self.resolve(part.name, condition)
        level = surety(self.confidence if confidence is None else confidence)
        return counted(part.measured, axes, satisfied, float(1 - level))

    def save(self, folder: str | Path) -> list[Path]:
        """Every table as a Parquet file, and the report beside them."""
        place = Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        files = [place / f"{name}.parquet" for name in self.tables]
        for file, table in zip(files, self.tables.values(), strict=True):
            write_table(table, file, "folder")
        report = place / "report.html"
        report.write_text(self.report(), encoding="utf-8")
        return [*files, report]

    def report(self) -> str:
        """A page that needs no network: how good the tables are, and what they are not good for."""
        from deniable.releases.synthetic.report.page import page  # noqa: PLC0415 - needed only here

        return page(self)

    def sheet(self) -> Sheet:
        """What is shown of it: the worst pairs first."""
        ordered = self.quality.sort_by([("distance", "descending")]).to_pylist()
        lines = ordered[:MOST_ROWS]
        columns = (
            SheetColumn.texts("table", [line["table"] for line in lines]),
            SheetColumn.texts("pair", [f"{line['one']} x {line['other']}" for line in lines]),
            SheetColumn.texts("measured", [line["measured"] for line in lines]),
            SheetColumn.noisy("distance", *([line[name] for line in lines] for name in ("distance", "low", "high"))),
        )
        paid = "free, because it was asked before" if self.free else f"paid {self.loss}"
        sizes = ", ".join(f"{name} {table.num_rows:,}" for name, table in self.tables.items())
        price = f"± at {percent(self.confidence)} confidence · {paid} · rows: {sizes}"
        title = "Share of rows that would have to change for a pair of columns to be as in the data"
        return Sheet(columns, price, self.notes, title, max(0, len(ordered) - MOST_ROWS))

    @property
    def notes(self) -> tuple[str, ...]:
        """What has to be said with the tables."""
        trees = [part.name for part in self.parts if part.method == FALLBACK]
        fallback = [f"{name}: the fit did not converge; rows come from a tree of pairs instead" for name in trees]
        return (*fallback, *self.cautions, "standard errors computed from these rows as if they were real are wrong")

    def to_dict(self) -> dict[str, object]:
        """All but the rows in values that JSON can say, for front ends."""
        return {
            "rows": {name: table.num_rows for name, table in self.tables.items()},
            "quality": self.quality.to_pylist(),
            "methods": {part.name: part.method for part in self.parts},
            "confidence": float(self.confidence),
            "loss": self.loss.to_dict(),
            "free": self.free,
            "notes": list(self.notes),
        }

    def _part(self, table: str | None) -> SyntheticTable:
        names = [part.name for part in self.parts]
        if table is not None and table not in names:
            raise InvalidArgumentError("table", f"must be one of {', '.join(names)}, not {table!r}")
        return self.parts[0 if table is None else names.index(table)]

    def _tables(self, drawn: dict[str, tuple[IntArray, ...]]) -> dict[str, pa.Table]:
        chance, found = np.random.default_rng(0), {}
        for part in self.parts:
            table = part.arrow(drawn[part.name], chance)
            key = self._key(part, drawn)
            found[part.name] = table if key is None else table.add_column(0, self.unit or "unit", pa.array(key))
        return found

    def _key(self, part: SyntheticTable, drawn: dict[str, tuple[IntArray, ...]]) -> IntArray | None:
        """Made-up names of parents, from 1 on; children have their parent's."""
        if part.children:
            return np.arange(1, drawn[part.name][0].size + 1)
        if part.parent is None:
            return None
        parents = drawn[part.parent]
        number = parents[_number_of(self.parts[0], part)]
        return np.repeat(np.arange(1, number.size + 1), number)[: drawn[part.name][0].size]


def siblings(parents: Sequence[IntArray], own: int, most: int | None) -> tuple[dict[int, IntArray], int]:
    """The columns of parents, once for each of their children, of whom column `own` says how many there are."""
    whose = np.repeat(np.arange(parents[own].size), parents[own])[:most]
    return {place: column[whose] for place, column in enumerate(parents)}, whose.size


def _number_of(parents: SyntheticTable, part: SyntheticTable) -> int:
    return parents.children.index(part.name) - len(parents.children)


def _chance() -> np.random.Generator:
    """For rows that are drawn from noisy numbers: nobody's privacy hangs on it."""
    return np.random.default_rng(words(OperatingSystem(), 4))


_QUALITY = ("table", "one", "other", "measured", "distance", "low", "high")
_QUALITY_SCHEMA = pa.schema(
    [(name, pa.string() if place < _QUALITY.index("distance") else pa.float64()) for place, name in enumerate(_QUALITY)]
)
