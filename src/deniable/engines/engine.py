"""What an engine is: the rule about errors stands here, so that no engine can forget it."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from typing import ClassVar

import pyarrow as pa

from deniable.core.algebra.expression import Column
from deniable.core.algebra.query import (
    MOST_KEYS,
    DistinctValues,
    ExactQuery,
    GroupQuery,
    Kept,
    MarginalSums,
    Units,
    VectorSums,
)
from deniable.core.algebra.relation import Matches
from deniable.core.errors import Failed, Refused
from deniable.core.vectors.batch import ROWS
from deniable.engines.vectors import batches
from deniable.files.arrow import TYPES

_curator_log = logging.getLogger("deniable.curator")

TOTAL = "total"
"""What the numbers of a sum over vectors are called."""

Declared = Sequence[tuple[Column, Sequence[str | int] | None]]
"""Columns, and the values that are listed for each."""


@dataclass(frozen=True, slots=True)
class RowCounts:
    """How many rows of a column are not as they are declared."""

    rows: int
    missing: int
    """Without a value."""
    unread: int
    """With one that cannot be read as the declared type, and counts as missing."""
    outside: int
    """Read as the nearest bound."""
    unlisted: int
    """With a value that is not among those listed."""
    distinct: int | None
    """Different values; only of the unit, and of a key."""


MOST_ROWS = 1_000_000
"""What the rows of one unit may become in a join."""
MOST_PAIRS = 1 << 28
"""Of public rows, which are made to count what matches a row: seconds. More, and planning would keep others waiting."""


class Broken(Exception):
    """Why an engine gave no answer, in words that say nothing about any row: they go to the log, and nowhere else."""


class TooLongError(ValueError):
    """A query that would be too much text for the engine. Follows from the question alone."""


class UnlikeUnitsError(ValueError):
    """The unit is stored in a type, or in several types, that cannot be compared. Follows from the tables' schemas."""


class GapError(ValueError):
    """What this engine cannot compute, in words that a refusal may say. Follows from the question alone."""


class TooManyRowsError(ValueError):
    """So many rows of public tables match that one unit could own too many. Follows from public tables alone."""


class TooManyPairsError(ValueError):
    """Counting what matches in public tables would take too long. Follows from public tables alone."""


class Engine(ABC):
    """Answers exact aggregate queries. Knows nothing of budgets, noise or analysts."""

    library: ClassVar[str | None] = None
    """By which it is asked, if that is an extra."""

    @abstractmethod
    def emit(self, query: ExactQuery) -> str:
        """The query, which is our own closed algebra and never an analyst's text, in this engine's SQL."""

    @abstractmethod
    def fetch(self, sql: str) -> pa.Table:
        """The rows of one SELECT in this engine's own dialect. May raise anything."""

    def plan(self, sql: str) -> None:
        """Nothing, if the engine understands the SELECT. Looks at names and constants alone. May raise anything."""
        del sql

    def label(self, name: str) -> str:
        """What a column of an answer is called here that should be called so."""
        return name

    @abstractmethod
    def matched(self, matches: Matches) -> int:
        """How many rows of a public relation can belong to one row. Looks at public tables only. May raise anything."""

    @contextmanager
    def session(self) -> Iterator[Engine]:
        """An engine for one plan: whatever it is asked is about one state of the data.

        Raises:
            Refused: the data cannot be reached; nothing was charged yet.
        """
        yield self

    @abstractmethod
    def describe(self, table: str) -> dict[str, str]:
        """The table's columns and this engine's names for their types; for custodians, with readable errors."""

    @abstractmethod
    def compare(self, table: str, declared: Declared, distinct: Collection[str]) -> list[RowCounts]:
        """How many rows are not as they are declared, column by column; for custodians, with readable errors."""

    @abstractmethod
    def rows(self, table: str, columns: Sequence[Column]) -> pa.Table:
        """The rows of a public table, as questions read these columns."""

    def broken(self, table: str) -> str:
        """Why rows cannot be read, and where the first line is that is none; nothing if all can. For custodians."""
        del table
        return ""

    def ensure_rows(self, table: str) -> None:
        """Whether a table is nothing but rows: a line of a file that is none could take any number of others along.

        One fact about a version of the data, which is asked for before anything is charged.

        Raises:
            Refused: it is not; where, is for the custodian alone.
        """
        del table

    @abstractmethod
    def where(self) -> str:
        """Which engine this is and where it runs, in words for custodians."""

    def role(self) -> str:
        """Statements that make the user as whom it asks, for a custodian to run; nothing if it needs none."""
        return ""

    def weaknesses(self) -> list[str]:
        """What is wrong with how the engine is kept from other data than the declared; for custodians."""
        return []

    @abstractmethod
    def identity(self, table: str) -> str:
        """Which data the table has, whatever a policy calls it: one population's data have one account.

        Raises:
            OSError: they cannot be reached.
        """

    @abstractmethod
    def version(self, table: str) -> str:
        """What changes when the table's data do, and only then. Keyed: it says nothing about them to anybody else."""

    @property
    def looks(self) -> bool:
        """Whether telling versions apart takes a look at rows: how long that takes is then not for everybody's eyes."""
        return False

    @abstractmethod
    def close(self) -> None:
        """Let go of everything. What is asked afterwards opens it again."""

    def check(self, query: ExactQuery) -> None:
        """Whether the query can be run at all, before anything is charged.

        It looks at names, types and rows of public tables, never at private rows.

        Raises:
            Refused: it cannot; as with `run`, the engine's own words stay on this side.
        """
        refusal = Refused("data-unavailable", "The data cannot be asked at the moment.", "Ask the custodian.")
        if isinstance(query, MarginalSums) and len(query.keys) > MOST_KEYS:
            reason = f"More than {MOST_KEYS} columns cannot be counted at once."
            raise Refused("too-complex", reason, "Name fewer of them.")
        try:
            self._check_work(query)
            self.plan(self.emit(query))
        except TooManyRowsError:
            reason = f"So many public rows match that one person (or row) could have more than {MOST_ROWS:,} rows."
            refusal = Refused("too-many-rows", reason, "Join on more columns, or have most_rows declared.")
        except TooManyPairsError:
            reason = f"To plan this, more than {MOST_PAIRS:,} pairs of public rows would have to be counted."
            refusal = Refused("too-complex", reason, "Join public tables on equal columns, or private rows first.")
        except TooLongError:
            refusal = Refused("too-long", "The question grows too long for the engine.", "Nest fewer functions.")
        except GapError as error:
            hint = "See docs/engines.md for what each engine cannot do."
            refusal = Refused("engine-gap", f"The engine that holds the data cannot compute {error}.", hint)
        except UnlikeUnitsError:
            hint = "The custodian must store it in one type."
            refusal = Refused("unit-types", "The files name people by types that cannot be compared.", hint)
        except Exception as error:  # noqa: BLE001 - whatever it is, its text stays on this side
            _curator_log.error("a query cannot be put to the engine: %s", type(error).__name__)
        else:
            return
        raise refusal  # out here, so that it carries no trace of the cause

    def _check_work(self, query: ExactQuery) -> None:
        for work in query.source.work:
            rows = work.rows * prod(self.matched(matches) for matches in work.matches)
            if work.counting and rows > MOST_PAIRS:
                raise TooManyPairsError("public tables have too many pairs of rows")
            if not work.counting and rows > MOST_ROWS:
                raise TooManyRowsError("a unit could own too many rows")

    def exact(self, query: GroupQuery) -> pa.Table:
        """What the query's SELECT gives; an engine may also ask for some units at a time. May raise anything."""
        return self.fetch(self.emit(query))

    def total(self, query: VectorSums) -> pa.Array:
        """The kernel's sum over rows as vectors, here; an engine that can does it where the rows are.

        May raise anything.
        """
        rows = self.fetch(self.emit(query))
        return pa.array(query.kernel.total(batches(query.kernel.design, rows.to_batches(ROWS))))

    def run(self, query: ExactQuery) -> pa.Table:
        """The exact answer: the keys, then whole numbers; one row without keys. Of vectors, a row for each number.

        Raises:
            Failed: whatever went wrong; the text of an error can quote private rows, so it carries none.
        """
        try:
            if isinstance(query, VectorSums):
                return _vector(query, self.total(query))
            return self._checked(query, self.exact(query))
        except Exception as error:  # noqa: BLE001 - whatever it is, its text stays on this side
            _curator_log.error("the engine failed: %s", _named(error))  # without a traceback: that quotes it
        raise Failed  # out here, so that it carries no trace of the cause

    def _checked(self, query: GroupQuery, table: pa.Table) -> pa.Table:
        """The columns that the query promises, in order, with their types and without missing numbers."""
        schema = _schema(query)
        if table.schema != pa.schema([column.with_name(self.label(column.name)) for column in schema]):
            raise Broken("the columns are not those that were asked for")
        if not query.keys and table.num_rows != 1:
            raise Broken("there is not exactly one row")
        named = table.rename_columns(schema.names)
        if any(named[name].null_count for name in _numbers(query)):
            raise Broken("a whole number is missing")
        return named


def _named(error: Exception) -> str:
    """What the log may know: not even a custodian's log should quote a row."""
    return str(error) if isinstance(error, Broken) else type(error).__name__


def _vector(query: VectorSums, total: pa.Array) -> pa.Table:
    """As many whole numbers as the kernel promises."""
    if total.type != pa.int64() or len(total) != query.kernel.size or total.null_count:
        raise Broken("the numbers are not those that were asked for")
    return pa.table({TOTAL: total})


def _schema(query: GroupQuery) -> pa.Schema:
    """Keys by their kind; everything else is a whole number."""
    keys = [(key.name, TYPES[key.value.kind]) for key in query.keys]
    return pa.schema([*keys, *((name, pa.int64()) for name in _numbers(query))])


def _numbers(query: GroupQuery) -> tuple[str, ...]:
    if isinstance(query, Units | DistinctValues):
        return (query.name,)
    totals = tuple(total.name for total in query.totals)
    if isinstance(query, MarginalSums):
        return (query.left, *totals)
    return (*totals, query.units) if isinstance(query, Kept) else totals
