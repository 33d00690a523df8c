"""What is known privately about all tables, after one charge; everything that is made of it costs nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
from deniable.display.sheet import MOST_ROWS
from deniable.files import atomic
from deniable.releases.profile.histogram import ValueHistogram, share
from deniable.releases.profile.people import Between, RowsPerPerson

CONTRIBUTIONS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000)
"""For which of them the rows that are left out are said."""
_PEOPLE = "(rows per person)"
_TELLING = 0.01
"""What leaves out fewer rows than that for sure, or all but that, is not worth a word."""
_TEXTS = 10
"""Columns of texts whose values are said."""
_FEW = 5
"""Contributions, and values of a text, in one line."""
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
    def shares(self) -> Mapping[str, Between]:
        """Of each value, from the most common on."""
        found = {value: self._share(self.noisy[place : place + 1]) for place, value in enumerate(self.values)}
        return dict(sorted(found.items(), key=lambda one: -one[1].value))

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
        return self.with_intervals.select(["table", "column", "missing", *QUANTILES])

    @property
    def with_intervals(self) -> pa.Table:
        """The same, and between which ends each number lies."""
        rows = []
        for table in self.tables.values():
            for name, column in table.columns.items():
                row: dict[str, object] = {"table": table.name, "column": name}
                row |= _ends("missing", (column.missing.value, column.missing.low, column.missing.high))
                for title, part in QUANTILES.items():
                    row |= _ends(title, [shown(one, column.kind) for one in column.quantile(part)])
                rows.append(row)
        kinds = {"table": pa.string(), "column": pa.string(), **dict.fromkeys(_ends("missing", range(3)), pa.float64())}
        kinds |= {name: pa.string() for title in QUANTILES for name in _ends(title, range(3))}
        return pa.Table.from_pylist(rows, schema=pa.schema(kinds))

    @property
    def notes(self) -> tuple[str, ...]:
        """What it says about people and rows, in sentences."""
        return tuple(note for table in self.tables.values() for note in _said(table))

    def sheet(self) -> Sheet:
        """What is shown of it."""
        found = [row for table in self.tables.values() for row in _rows(table)]
        several = len(self.tables) > 1
        columns = (
            *(SheetColumn.texts("table", [row[0] for row in found[:MOST_ROWS]]) for _ in range(several)),
            SheetColumn.texts("column", [row[1] for row in found[:MOST_ROWS]]),
            *(
                SheetColumn(name, tuple((row[place], "") for row in found[:MOST_ROWS]), number=True)
                for place, name in enumerate(("missing", *QUANTILES), start=2)
            ),
        )
        paid = "free, because it was made before" if self.free else f"paid {self.loss}"
        title = f"Private profile: {percent(self.confidence)} intervals, each person weighing one row"
        return Sheet(columns, paid, self.notes, title, more=max(0, len(found) - MOST_ROWS))

    def to_dict(self) -> dict[str, object]:
        """All of it in values that JSON can say, for front ends."""
        return {
            "columns": self.with_intervals.to_pylist(),
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


def _ends(name: str, numbers: Sequence[object]) -> dict[str, object]:
    """A number and its interval, as columns are called in files."""
    return dict(zip((name, f"{name}_low", f"{name}_high"), numbers, strict=True))


def _rows(table: TableProfile) -> Iterator[list[str]]:
    """What the sheet says: the table, what is counted, what is missing, and each quantile between its ends."""
    if table.people is not None:
        ends = [table.people.quantile(part) for part in QUANTILES.values()]
        yield [
            table.name,
            _PEOPLE,
            "",
            *(_span(f"{low:,}", None if high is None else f"{high:,}") for low, high in ends),
        ]
    for name, column in table.columns.items():
        spans = [_between(column, *column.quantile(part)[1:]) for part in QUANTILES.values()]
        yield [table.name, name, around(column.missing, whole=False), *spans]
    for name, listed in table.listed.items():
        yield [table.name, name, around(listed.missing, whole=False), *("" for _ in QUANTILES)]


def _between(column: ValueHistogram, low: float, high: float) -> str:
    """Of days and moments the month, as their cells begin with one. Beyond the last cells, there is no end."""
    dated = column.kind in (Kind.DATE, Kind.TIMESTAMP)
    ends = [shown(one, column.kind)[: -len("-01") if dated else None] for one in (low, high)]
    least, most = low > column.edges[0], high < column.edges[-1]
    return _span(ends[0] if least else None, ends[1] if most else None)


def _span(low: str | None, high: str | None) -> str:
    """In words, where an end may not be known."""
    if low is None or high is None:
        return f"up to {high}" if high is not None else f"from {low} on" if low is not None else "anything"
    return low if low == high else f"{low} to {high}"


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
    listed = [f"{table.name}.{name}: {_shares(one)}" for name, one in list(table.listed.items())[:_TEXTS]]
    if more := len(table.listed) - len(listed):
        listed.append(f"{table.name}: {more:,} more columns of texts are on the page")
    if people is None:
        return [f"{table.name}: {around(table.rows)} rows", *listed]
    told = [rows for rows in CONTRIBUTIONS if rows <= people.known and people.telling]
    cuts = [(rows, people.cut(rows)) for rows in told]
    cuts = [(rows, cut) for rows, cut in cuts if cut.high > _TELLING and cut.low < 1 - _TELLING]
    some = "; ".join(f"{rows:,}: {around(cut, whole=False)}" for rows, cut in cuts[:: -(-len(cuts) // _FEW) or 1])
    return [
        f"{table.name}: {around(people.people)} people, with {around(people.rows())} rows",
        *(f"{table.name}: which rows a contribution leaves out. {some}" for _ in range(bool(cuts))),
        f"{table.name}: {_beyond(people)}",
        *listed,
    ]


def _beyond(people: RowsPerPerson) -> str:
    if not people.beyond:
        return f"nobody has more than {people.known:,} rows"
    rows = f"{people.known:,} row{'s' * (people.known != 1)}"
    return f"at most {people.beyond:,} people have more than {rows}, and are left out here"


def _shares(one: ListedValues) -> str:
    """Of the most common values; of the rest, how many they are. Not of those of which noise says nothing."""
    shares = {value: share for value, share in one.shares.items() if _is_known(share)}
    told = [f"{value} {around(share, whole=False)}" for value, share in list(shares.items())[:_FEW]]
    more = [f"and {len(one.values) - len(told):,} more values"] if len(one.values) > len(told) else []
    others = [f"others {around(one.others, whole=False)}"] if _is_known(one.others) else []
    return "; ".join([*told, *more, *others]) if told else "too much noise for so few people to tell its values apart"


def _is_known(share: Between) -> bool:
    return share.high - share.low < 1
