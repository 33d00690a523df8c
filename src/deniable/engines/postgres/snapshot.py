"""One transaction that reads and nothing else: whatever is asked in it is about one state of the data."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from contextlib import suppress
from threading import Timer
from typing import TYPE_CHECKING, TypeVar

import pyarrow as pa
from pyarrow import csv

from deniable.core.deadline import go_on, left
from deniable.engines.engine import Broken

if TYPE_CHECKING:
    import psycopg

_T = TypeVar("_T")
_CONNECT_SECONDS = 10
_GRACE = 2.0
"""Seconds that a server has to stop by itself; then the connection is cut."""
_SETTINGS = {
    "search_path": "pg_catalog",  # nobody's functions stand in for PostgreSQL's own
    "default_transaction_read_only": "on",
    "standard_conforming_strings": "on",
    "DateStyle": "ISO",
    "IntervalStyle": "postgres",
    "TimeZone": "UTC",
    "extra_float_digits": "1",
    "jit": "off",
}
_ARROW = {
    16: pa.bool_(),
    20: pa.int64(),
    21: pa.int64(),
    23: pa.int64(),
    701: pa.float64(),
    1082: pa.date32(),
    1083: pa.time64("us"),
    1114: pa.timestamp("us"),
}
"""By the numbers of PostgreSQL's types; all others are texts."""


class Snapshot:
    """A connection, and the transaction in it. Not for use by two threads at once."""

    def __init__(self, connection: psycopg.Connection, seconds: float) -> None:
        self._connection, self._seconds = connection, seconds

    @classmethod
    def opened(cls, url: str, password: str | None, seconds: float) -> Snapshot:
        """A new connection. Nothing of the error's text leaves: it names hosts and users."""
        import psycopg  # noqa: PLC0415 - an extra, and slow to load

        options = " ".join(f"-c {name}={value}" for name, value in _SETTINGS.items())
        try:
            connection = psycopg.connect(
                url,
                options=options,
                client_encoding="utf8",
                connect_timeout=_CONNECT_SECONDS,
                application_name="deniable",
                keepalives_idle=30,
                password=password,
            )
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            connection.read_only = True
        except psycopg.Error as error:
            raise Broken(f"no connection: {type(error).__name__}") from None
        if connection.info.parameter_status("server_encoding") != "UTF8":
            connection.close()  # elsewhere there is no normal form, which shows only with a row that is not ASCII
            raise Broken("the database is not in UTF-8")
        return cls(connection, seconds)

    def rows(self, sql: str, *values: object) -> list[tuple[object, ...]]:
        """Of a question about the catalogue; values stand for %s."""
        return self._timed(lambda: self._connection.execute(sql.encode(), values or None).fetchall())

    def fetch(self, sql: str) -> pa.Table:
        """The rows of one SELECT. Their types are asked first; then they are copied, and read column by column."""
        names, types = self._timed(lambda: self._described(sql))
        data = self._timed(lambda: self._copied(sql))
        return _parsed(data, names, types)

    def plan(self, sql: str) -> None:
        """Nothing, if the statement is understood and allowed. No row is read."""
        self._timed(lambda: self._connection.execute(b"EXPLAIN " + sql.encode()).fetchall())

    def close(self) -> None:
        """End the transaction, and the connection with it."""
        with suppress(Exception):  # it may be gone already
            self._connection.close()

    def _described(self, sql: str) -> tuple[list[str], list[pa.DataType]]:
        import psycopg  # noqa: PLC0415 - as above

        self._connection.execute("SELECT 1")  # begins the transaction
        link = self._connection.pgconn
        result = link.prepare(b"", sql.encode())
        if result.status != psycopg.pq.ExecStatus.COMMAND_OK:
            raise Broken("a statement was not understood")
        result = link.describe_prepared(b"")
        names = [(result.fname(place) or b"").decode() for place in range(result.nfields)]
        return names, [_ARROW.get(result.ftype(place), pa.string()) for place in range(result.nfields)]

    def _copied(self, sql: str) -> bytes:
        with (
            self._connection.cursor() as cursor,
            cursor.copy(b"COPY (" + sql.encode() + b") TO STDOUT (FORMAT csv)") as rows,
        ):
            return b"".join(rows)

    def _timed(self, work: Callable[[], _T]) -> _T:
        """Within the time that is left: the server stops by itself, or is told to, or is left alone."""
        import psycopg  # noqa: PLC0415 - as above

        go_on()
        seconds = min(self._seconds, left())
        alarms = [Timer(seconds + _GRACE / 2, self._cancel), Timer(seconds + _GRACE, self._cut)]
        for alarm in alarms:
            alarm.daemon = True
            alarm.start()
        try:
            self._connection.execute(f"SET LOCAL statement_timeout = {max(1, int(seconds * 1000))}")
            return work()
        except psycopg.Error as error:
            raise Broken(type(error).__name__) from None
        finally:
            for alarm in alarms:
                alarm.cancel()

    def _cancel(self) -> None:
        with suppress(Exception):
            self._connection.cancel()

    def _cut(self) -> None:
        """The other side is gone, or does not listen."""
        with suppress(Exception):
            link = socket.socket(fileno=os.dup(self._connection.pgconn.socket))
            link.shutdown(socket.SHUT_RDWR)
            link.close()


def _parsed(data: bytes, names: list[str], types: list[pa.DataType]) -> pa.Table:
    schema = pa.schema(list(zip(names, types, strict=True)))
    if not data:
        return schema.empty_table()
    places = [str(place) for place in range(len(names))]
    table = csv.read_csv(
        pa.BufferReader(data),
        read_options=csv.ReadOptions(column_names=places, block_size=min(len(data) + 1, (1 << 31) - 1)),
        parse_options=csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
        convert_options=csv.ConvertOptions(
            column_types=dict(zip(places, types, strict=True)),
            null_values=[""],
            true_values=["t"],
            false_values=["f"],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )
    return table.rename_columns(names)
