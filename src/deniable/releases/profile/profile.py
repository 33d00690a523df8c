"""What is known privately about all tables, after one charge; everything that is made of it costs nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from fractions import Fraction
from pathlib import Path

import pyarrow as pa

from deniable.core.algebra.expression import Kind
from deniable.core.calendar import DAY
from deniable.core.loss import Loss
from deniable.core.shown import percent
from deniable.display import Sheet, SheetColumn, Tabular
from deniable.files import atomic
from deniable.releases.profile.histogram import ValueHistogram, share
from deniable.releases.profile.people import Between, RowsPerPerson

QUANTILES = {"p1": 0.01, "p25": 0.25, "median": 0.5, "p75": 0.75, "p99": 0.99}


@dataclass(frozen=True)
class ListedValues:
    """How much of a column is each of its known values, something else, or missing; each person weighs one row."""

    name: str
    values: tuple[str, ...]
    noisy: tuple[float, ...]
    """Of each value, then of all others, then of what is missing."""
    off: float
    """How far each may be off, so surely, by itself."""
    together: float
    """The same, so surely that any two hold at once."""
    found: bool = False
    """Whether the policy did not declare the values: they were found privately."""

    @property
    def missing(self) -> Between:
        """Which share is missing."""
        return self._share(self.noisy[-1:])

    @property
    def others(self) -> Between:
        """Which share is some other text."""
        return self._share(self.noisy[-2:-1])

    def _share(self, some: Sequence[float]) -> Between:
        """Of everything, whose noise is that of all numbers added up."""
        everyone, off = sum(self.noisy), self.together * len(self.noisy) ** 0.5
        ends = some[0] - self.together, some[0] + self.together
        return share(some[0], ends, Between(everyone, everyone - off, everyone + off))


@dataclass(frozen=True)
class TableProfile:
    """One table: its people, and its columns."""

    name: str
    people: RowsPerPerson | None
    """None: each row is protected by itself."""
    columns: Mapping[str, ValueHistogram]
    listed: Mapping[str, ListedValues] = field(default_factory=dict)

    @property
    def rows(self) -> Between:
        """About how many rows there are."""
        if self.people is not None:
            return self.people.rows()
        return next((column.present for column in self.columns.values()), Between(0, 0, 0))


@dataclass(frozen=True, repr=False)
class Profile(Tabular):
    """The private profile. Everything in it is public: compute with it whatever you like.

    Input:        all private tables of the policy; each person weighs one row in every count of values.
    Guarantee:    zCDP with the rho that was paid, for all tables and columns together.
    Not promised: that bounds and contribution are the best for every question; that nobody lies beyond them.
    Error:        every number has an interval that holds with `confidence`.
    Cost:         one pass over each table.
    Reference:    Canonne, Kamath, Steinke 2020 (noise); Hay, Rastogi, Miklau, Suciu 2010 (running counts).
    """

    tables: Mapping[str, TableProfile]
    loss: Loss
    """What was paid for it when it was first made."""
    free: bool
    confidence: Fraction
    release: str
    """Its name in the ledger."""

    @property
    def table(self) -> pa.Table:
        """A row for each column of each table: what is missing, and quantiles."""
        rows = []
        for table in self.tables.values():
            for name, column in table.columns.items():
                found = {title: shown(column.quantile(share)[0], column.kind) for title, share in QUANTILES.items()}
                rows.append({"table": table.name, "column": name, "missing": column.missing.value, **found})
        text = [(title, pa.string()) for title in QUANTILES]
        schema = pa.schema([("table", pa.string()), ("column", pa.string()), ("missing", pa.float64()), *text])
        return pa.Table.from_pylist(rows, schema=schema)

    @property
    def notes(self) -> tuple[str, ...]:
        """What it says about people and rows, in sentences."""
        return tuple(note for table in self.tables.values() for note in _said(table))

    def sheet(self) -> Sheet:
        """What is shown of it."""
        found = self.table.to_pylist()
        columns = (
            *(SheetColumn.texts("table", [row["table"] for row in found]) for _ in range(len(self.tables) > 1)),
            SheetColumn.texts("column", [row["column"] for row in found]),
            _numbers("missing", [f"{row['missing']:.1%}" for row in found]),
            *(_numbers(title, [row[title] for row in found]) for title in QUANTILES),
        )
        paid = "free, because it was made before" if self.free else f"paid {self.loss}"
        title = f"Private profile, each person weighing one row ({percent(self.confidence)} intervals on its page)"
        return Sheet(columns, paid, self.notes, title)

    def to_dict(self) -> dict[str, object]:
        """All of it in values that JSON can say, for front ends."""
        return {
            "columns": self.table.to_pylist(),
            "notes": list(self.notes),
            "loss": self.loss.to_dict(),
            "free": self.free,
            "confidence": float(self.confidence),
            "release": self.release,
        }

    def to_html(self, path: str | Path) -> Path:
        """The page with its pictures, as one file that needs nothing else."""
        from deniable.releases.profile.page import page  # noqa: PLC0415 - drawing is needed only here

        target = Path(path)
        atomic.write(target, page(self))
        return target


def _numbers(name: str, written: Sequence[str]) -> SheetColumn:
    return SheetColumn(name, tuple((text, "") for text in written), number=True)


def shown(value: float, kind: Kind) -> str:
    """A value as people write it."""
    if kind in (Kind.DATE, Kind.TIMESTAMP):
        days = value / (DAY if kind is Kind.TIMESTAMP else 1)
        return (datetime(1970, 1, 1) + timedelta(days=int(days))).date().isoformat()  # noqa: DTZ001 - a day
    if kind is Kind.TIME:
        return str(timedelta(seconds=int(value / 1_000_000)))
    return f"{value:,.6g}"


def around(number: Between, *, whole: bool = True) -> str:
    """From low to high, in words."""
    if whole:
        return f"{number.low:,.0f} to {number.high:,.0f}"
    return f"{number.low:.1%} to {number.high:.1%}"


def _said(table: TableProfile) -> list[str]:
    """Of one table."""
    people = table.people
    if people is None:
        return [f"{table.name}: {around(table.rows)} rows"]
    return [
        f"{table.name}: {around(people.people)} people, with {around(people.rows())} rows",
        f"{table.name}: at most {people.beyond:,} people have more than {people.known:,} rows, and are left out here",
    ]
