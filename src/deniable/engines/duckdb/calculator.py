"""Computing with tables that are public: a locked, empty DuckDB for whatever is made of noisy answers."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from threading import Lock

import pyarrow as pa

from deniable.engines.duckdb.calculating import request
from deniable.engines.duckdb.killable import Killable
from deniable.engines.duckdb.lockdown import locks_of_nothing

_MEMORY = "512MB"
_THREADS = 1


class RejectedError(Exception):
    """A statement that cannot be run on tables of these columns, in DuckDB's words; no row was there to be quoted."""


class Calculator:
    """Runs one SELECT over tables that it is given, and has nothing else.

    Sees:       noisy tables, public tables, and a statement over them: nothing that is private.
    Isolation:  a process of its own without any file, network, extension or setting; it dies with its parent.
    Limits:     `seconds` of running time, after which it is killed; half a gigabyte; an answer of so many cells.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._lock = Lock()
        self._started: list[Killable] = []
        weakref.finalize(self, _dismiss, self._started)

    def columns(self, sql: str, tables: Mapping[str, pa.Schema], cells: int) -> pa.Schema:
        """The columns that the statement gives, found on empty tables.

        Raises:
            RejectedError: it cannot be run on such columns.
            Broken: it takes too long, or too much memory, even so.
        """
        empty = {name: schema.empty_table() for name, schema in tables.items()}
        return self._asked(request(sql, empty, cells=cells, check=True)).schema

    def run(self, sql: str, tables: Mapping[str, pa.Table], cells: int) -> pa.Table:
        """The rows that the statement gives, at most so many cells.

        Raises:
            Broken: it gives none: it took too long, or too much, or met a value that it cannot compute with.
        """
        return self._asked(request(sql, dict(tables), cells=cells, check=False))

    def close(self) -> None:
        """End the process."""
        with self._lock:
            _dismiss(self._started)

    def _asked(self, message: bytes) -> pa.Table:
        with self._lock:
            if not self._started or not self._started[0].alive:
                _dismiss(self._started)
                self._started.append(
                    Killable(lambda _: [], lambda _: locks_of_nothing(_MEMORY, _THREADS), self._seconds, "calculating")
                )
            reply = self._started[0].exchange(message)
        if reply[:1] == b"W":
            raise RejectedError(reply[1:].decode())
        return pa.ipc.open_stream(reply[1:]).read_all()


def _dismiss(started: list[Killable]) -> None:
    while started:
        started.pop().kill()
