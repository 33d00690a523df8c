"""Exact aggregates from files of every format."""

from __future__ import annotations

import json
import logging
import os
import weakref
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from threading import Lock

import pyarrow as pa

from deniable.core.algebra.expression import Column, Expression
from deniable.core.algebra.query import ExactQuery, GroupQuery, Source, VectorSums
from deniable.core.algebra.relation import Matches
from deniable.core.algebra.relation import tables as tables_of
from deniable.core.errors import InvalidArgumentError, Refused
from deniable.engines.duckdb.dialect import DuckDBDialect
from deniable.engines.duckdb.killable import Killable
from deniable.engines.duckdb.lockdown import locks, tables
from deniable.engines.duckdb.look import rejected, row
from deniable.engines.duckdb.parts import AT_ONCE, together
from deniable.engines.engine import Broken, Declared, Engine, RowCounts
from deniable.engines.sql.compare import compared
from deniable.engines.sql.fan_out import count, lightened
from deniable.engines.sql.public import shown
from deniable.engines.sql.relations import Tables
from deniable.engines.sql.statements import is_divisible, statement, statement_of_part
from deniable.files.fingerprint import Contents, content
from deniable.files.scan import HERE, Step, columns, quoted
from deniable.files.source import DataFile, Stamp
from deniable.files.tables import unreadable
from deniable.policy import Policy

_curator_log = logging.getLogger("deniable.curator")

_TRIES = 3
_NO_ROW = "InvalidInputException"
"""What a worker says of a file of texts in which a line is no row."""


class DuckDB(Engine):
    """Reads the declared files in a process of its own, and reaches nothing else.

    Sees:       exact SQL and private rows; never a budget, a noise scale or an analyst.
    Isolation:  a worker process that runs single SELECTs, with no file but the declared ones (and a private directory
                for what memory cannot hold), no network, no extension, settings locked; it dies with its parent.
    Numbers:    whole numbers are exact and sums have 128 bits, cut to 2^61 at the end; nothing wraps, nothing raises.
                Numbers are doubles, NaN is NULL, dates outside the years 1 to 9999 are NULL.
    Limits:     `seconds` of running time, after which the worker is killed; `memory`, beyond which it uses the disk;
                one query at a time; expressions of a hundred thousand characters.
    Caution:    whether and how fast a query ends depends on the data; see docs/threats.md. A text in a Parquet file
                that is not valid UTF-8 fails every query that reads it; a line of a CSV or JSON file that is no row,
                or longer than 2 MB, fails every query of its table. The bounds that a Parquet file states for its
                columns are believed, as every engine does.
    Gaps:       never: other statements than SELECT. not yet: files on other machines.
    Needs:      nothing beyond `deniable` itself.

    Example:
        >>> import tempfile, pyarrow.parquet
        >>> from fractions import Fraction
        >>> from deniable.core.algebra.expression import Kind, Literal
        >>> from deniable.core.algebra.query import Source, Sums, Total
        >>> one = Literal(Fraction(1), Kind.INTEGER)
        >>> folder = tempfile.TemporaryDirectory()
        >>> people = Path(folder.name) / "people.parquet"
        >>> pa.parquet.write_table(pa.table({"age": [31, 47]}), people)
        >>> engine = DuckDB({"people": people}, seconds=5)
        >>> count = Sums(Source("people", None, 1, None), (), (Total("n", one, None, 1, 0),))
        >>> engine.run(count).to_pylist()
        [{'n': 2}]
        >>> engine.close(), folder.cleanup()
        (None, None)
    """

    def __init__(
        self,
        sources: Mapping[str, str | Path | DataFile],
        seconds: float = 60.0,
        memory: str = "4GB",
        threads: int | None = None,
        contents: Contents | None = None,
    ) -> None:
        """Tables by name, each a source: a file, several files, or 'file.duckdb::table'. Nothing is opened yet."""
        self._contents = contents or Contents()
        self._files = {
            name: source if isinstance(source, DataFile) else DataFile.named(source) for name, source in sources.items()
        }
        self._seconds, self._memory = seconds, memory
        self._threads = threads or os.cpu_count() or 1
        self._lock = Lock()
        self._columns: dict[str, tuple[Stamp | None, dict[str, str]]] = {}
        self._sound: dict[str, Stamp | None] = {}
        self._matched: dict[Matches, tuple[_Stamps, int]] = {}
        self._spelled: tuple[_VectorRows, _Stamps, str] | None = None
        self._started: list[tuple[_Stamps, Killable]] = []
        weakref.finalize(self, _dismiss, self._started)

    @property
    def tables(self) -> Tables:
        """The declared tables, in DuckDB's words."""
        return Tables(self._stored, lambda table: f"main.{quoted(table)}", DuckDBDialect())

    def emit(self, query: ExactQuery) -> str:
        """Every node of the algebra has one spelling here, and each spelling is total.

        Sums over the same vectors, one after the other in a training, have one SELECT: it is spelled once, while no
        file changes.
        """
        if not isinstance(query, VectorSums):
            return statement(lightened(query, self.matched), self.tables)
        rows, stamps = (query.source, query.fields), self._stamps()
        known = self._spelled
        if known is None or known[1] != stamps or not _are(known[0], rows):
            known = self._spelled = rows, stamps, statement(lightened(query, self.matched), self.tables)
        return known[2]

    def matched(self, matches: Matches) -> int:
        """Counted once for each version of the public files."""
        stamps = tuple(self._file(table).stamp() for table in tables_of(matches.table))
        known = self._matched.get(matches)
        if known is None or known[0] != stamps:
            found = int(self.fetch(count(matches, self.tables))["most"][0].as_py())
            known = self._matched[matches] = stamps, found
        return known[1]

    def fetch(self, sql: str) -> pa.Table:
        """One query at a time: each has all the threads and all the memory.

        If a file has changed meanwhile, it may have been read half before and half after: it is read again.
        """
        with self._lock:
            for _ in range(_TRIES):
                stamps = self._stamps()
                table = self._worker(stamps).ask(sql)
                if self._stamps() == stamps:
                    return table
        raise Broken("a file changes faster than it can be read")

    def few(self, sql: str, cells: int) -> pa.Table:
        """The rows of one SELECT, if they have at most so many cells. May raise anything."""
        return self.fetch(json.dumps({"sql": sql, "cells": cells}))

    def exact(self, query: GroupQuery) -> pa.Table:
        """In parts, where pairs of people and groups could be more than memory holds."""
        parts = 1 + self._rows(str(query.source.table)) // AT_ONCE if is_divisible(query) else 1
        if parts == 1:
            return super().exact(query)
        found = [self.fetch(statement_of_part(query, self.tables, place, parts)) for place in range(parts)]
        return together(found, [key.name for key in query.keys])

    def total(self, query: VectorSums) -> pa.Array:
        """Added up in the worker: no row leaves it."""
        request = json.dumps({"sql": self.emit(query), "kernel": query.kernel.to_dict()})
        return self.fetch(request)["total"].combine_chunks()

    def describe(self, table: str) -> dict[str, str]:
        """The columns in the file and DuckDB's names for their types; those of a text file are texts. Reads no rows."""
        file = self._file(table)
        if not file.files:
            raise InvalidArgumentError(table, f"has no file at {file.path}")
        try:
            file.require(table)
            return columns(file)
        except unreadable() as error:
            problem = file.unreadable(table, error)
        raise problem

    def ensure_rows(self, table: str) -> None:
        """Looked up once for each version of a file of texts; every SELECT raises, too, where a line is no row."""
        file = self._file(table)
        stamp = file.stamp()
        if not file.is_text or self._sound.get(table) == stamp:
            return
        try:
            self.fetch(f"SELECT COUNT(COLUMNS(*)) FROM {self.tables.place(table)}")  # noqa: S608 - a declared table, quoted
        except Broken as error:
            broken = str(error) == _NO_ROW
            said = "a line is no row; deniable check says which" if broken else "it cannot be read"
            _curator_log.error("table %s: %s", table, said)
        else:
            self._sound[table] = stamp
            return
        reason = (
            f"Not every line of the data of {table} is a row." if broken else f"The data of {table} cannot be read."
        )
        hint = "Ask the custodian, whom `deniable check` tells what is wrong with the file."
        raise Refused("data-unavailable", reason, hint)

    def compare(self, table: str, declared: Declared, distinct: Collection[str]) -> list[RowCounts]:
        """How many rows are not as they are declared, column by column."""
        file = self._file(table)
        alone = Tables(lambda _: columns(file), lambda _: HERE, DuckDBDialect())
        try:
            return compared(alone, table, declared, distinct, lambda sql: row(file, sql))
        except unreadable() as error:
            problem = file.unreadable(table, error)
        raise problem

    def broken(self, table: str) -> str:
        """Why rows cannot be read, and where the first line is that is none; nothing if all can. For custodians."""
        return rejected(self._file(table))

    def where(self) -> str:
        """Files, here."""
        return "DuckDB, over files, in a locked process of its own"

    def identity(self, table: str) -> str:
        """Every byte of the files."""
        return content(self._file(table)).hex()

    def rows(self, table: str, columns: Sequence[Column]) -> pa.Table:
        """As a question would read them."""
        return self.fetch(shown(self.tables, table, columns))

    def version(self, table: str) -> str:
        """Of every byte, under a key; computed again when the files' sizes or times have changed."""
        try:
            return self._contents.of(self._file(table))
        except OSError:
            raise InvalidArgumentError(table, "cannot be read at the moment") from None

    @property
    def process(self) -> int | None:
        """The number of the worker's process, while there is one; for whoever measures what it uses."""
        return self._started[0][1].process if self._started else None

    def close(self) -> None:
        """End the worker."""
        with self._lock:
            _dismiss(self._started)

    def _file(self, table: str) -> DataFile:
        if table not in self._files:
            raise InvalidArgumentError(table, "is not a declared table")
        return self._files[table]

    def _rows(self, table: str) -> int:
        """How many there are; of a file that is too small for many, nothing is counted."""
        if sum(size for _, size, *_ in self._file(table).stamp() or ()) < AT_ONCE:
            return 0
        return int(self.fetch(f"SELECT COUNT(*) AS n FROM {self.tables.place(table)}")["n"][0].as_py())  # noqa: S608 - a declared table, quoted

    def _stored(self, table: str) -> dict[str, str]:
        """The columns of a table's file and their types, looked up again when the file has changed."""
        file = self._file(table)
        stamp = file.stamp()
        known, stored = self._columns.get(table, (None, {}))
        if known != stamp or not stored:
            stored = columns(file)
            self._columns[table] = stamp, stored
        return stored

    def _stamps(self) -> _Stamps:
        return tuple(file.stamp() for file in self._files.values())

    def _worker(self, stamps: _Stamps) -> Killable:
        """The worker; a new one if it died, or if a file has changed under it."""
        if not any(seen == stamps and worker.alive for seen, worker in self._started):
            _dismiss(self._started)
            self._started.append((stamps, Killable(self._tables, self._locks, self._seconds)))
        return self._started[0][1]

    def _tables(self, scratch: str) -> list[Step]:
        return tables(self._files, scratch)

    def _locks(self, spill: str) -> list[str]:
        return locks(self._files, self._memory, self._threads, spill)


_Stamps = tuple[Stamp | None, ...]
_VectorRows = tuple[Source, tuple[Expression, ...]]
"""Which rows, and which of their numbers."""


def _are(known: _VectorRows, rows: _VectorRows) -> bool:
    """The very same objects, which never change: cheaper than to compare what may be large."""
    return known[0] is rows[0] and known[1] is rows[1]


def _dismiss(started: list[tuple[_Stamps, Killable]]) -> None:
    while started:
        started.pop()[1].kill()


def opened(policy: Policy, contents: Contents | None = None) -> DuckDB:
    """The engine that a policy names, over the files that it declares, which it tells apart under a key."""
    settings = policy.engine
    sources = {name: file for name, table in policy.tables.items() if (file := table.file) is not None}
    return DuckDB(sources, settings.seconds, settings.memory, settings.threads, contents)
