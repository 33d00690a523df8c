"""One session with a Spark Connect server: quiet, in UTC, and stopped when its time is over."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TookTooLong
from contextlib import suppress
from secrets import token_hex
from threading import Thread
from typing import TypeVar

import pyarrow as pa

from deniable.core.deadline import left
from deniable.engines.engine import Broken
from deniable.engines.spark.client import connected, ended

_T = TypeVar("_T")
_SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED",
}
"""Moments have one number; nothing overflows in silence; a partition `region=01` is not the number 1; an old date is
read as it stands, and does not stop the query."""
_GOODBYE = 2.0
"""Seconds that a server has to stop a statement, or to forget a session; a process that ends waits no longer."""


class SparkConnection:
    """A session of our own on the server. One statement at a time."""

    def __init__(self, url: str, token: str | None, views: Mapping[str, str], seconds: float) -> None:
        self._seconds, self.version = seconds, ""
        whole = url if token is None else f"{url}/;use_ssl=true;token={token}"
        self._session = connected(whole, seconds + _GOODBYE)
        try:
            self._within(lambda: self._prepare(views))
        except BaseException:
            self.close()
            raise

    def fetch(self, sql: str) -> pa.Table:
        """The rows of one SELECT; which columns can be NULL, servers say differently."""
        found = self._within(lambda: self._session.sql(sql).toArrow())
        return pa.Table.from_arrays(found.columns, names=found.column_names)

    def plan(self, sql: str) -> None:
        """Nothing, if the server understands the SELECT, and knows how to go about it; no row is read."""
        self._within(lambda: self._session.sql(sql).schema)
        self._within(lambda: self._session.sql(f"EXPLAIN {sql}").toArrow())

    def types(self, view: str) -> dict[str, str]:
        """The columns of a view, and Spark's names for their types."""
        schema = self._within(lambda: self._session.table(view).schema)
        return {field.name: field.dataType.simpleString() for field in schema.fields}

    def close(self) -> None:
        """End the session; the server goes on."""
        _meanwhile(lambda: ended(self._session))

    def _prepare(self, views: Mapping[str, str]) -> None:
        for name, value in _SETTINGS.items():
            self._session.conf.set(name, value)
        epoch = "CAST(TIMESTAMP '1970-01-01 00:00:00Z' AS TIMESTAMP_NTZ)"
        (told,) = self._session.sql(f"SELECT {epoch} AS epoch, VERSION() AS version").toArrow().to_pylist()
        if str(told["epoch"]) != "1970-01-01 00:00:00":
            raise Broken("the server's session is not in UTC")
        self.version = str(told["version"])
        for view, source in views.items():
            found = self._session.read.parquet(source) if _is_path(source) else self._session.table(source)
            found.createOrReplaceTempView(view)

    def _within(self, work: Callable[[], _T]) -> _T:
        """What the work gives, if there is time for it; else it is interrupted, and left to itself."""
        tag, done = f"deniable-{token_hex(8)}", Future[_T]()

        def run() -> None:
            try:
                self._session.addTag(tag)
                done.set_result(work())
            except BaseException as error:  # noqa: BLE001 - whatever it is, it belongs to who waits
                done.set_exception(error)

        Thread(target=run, daemon=True).start()
        try:
            return done.result(min(self._seconds, left()))
        except TookTooLong:
            _meanwhile(lambda: self._interrupt(tag))
        raise Broken("the time is over")

    def _interrupt(self, tag: str) -> None:
        with suppress(Exception):  # a server that does not answer has stopped by itself, or will
            self._session.interruptTag(tag)


def _meanwhile(work: Callable[[], object]) -> None:
    """Nothing; the work is done by then, or is not waited for."""
    thread = Thread(target=work, daemon=True)
    thread.start()
    thread.join(_GOODBYE)


def _is_path(source: str) -> bool:
    """A folder or file of Parquet; otherwise a table of the server's catalogue."""
    return "/" in source or source.endswith(".parquet")
