"""One session with a Spark Connect server: quiet, in UTC, and stopped when its time is over."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TookTooLong
from secrets import token_hex
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa

from deniable.core.deadline import left
from deniable.core.errors import InvalidArgumentError
from deniable.engines.engine import Broken

if TYPE_CHECKING:  # an extra
    from pyspark.sql.connect.session import SparkSession

_T = TypeVar("_T")
_SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
}
"""Moments have one number; nothing overflows in silence; a partition `region=01` is not the number 1."""


class SparkConnection:
    """A session of our own on the server. One statement at a time."""

    def __init__(self, url: str, token: str | None, views: Mapping[str, str], seconds: float) -> None:
        self._seconds = seconds
        self._session = self._within(lambda: _opened(url if token is None else f"{url}/;use_ssl=true;token={token}"))
        self._within(lambda: self._prepare(views))

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
        Thread(target=self._session.stop, daemon=True).start()

    def _prepare(self, views: Mapping[str, str]) -> None:
        for name, value in _SETTINGS.items():
            self._session.conf.set(name, value)
        zone = self._session.sql("SELECT CAST(TIMESTAMP '1970-01-01 00:00:00Z' AS TIMESTAMP_NTZ) AS v").toArrow()
        if str(zone["v"][0].as_py()) != "1970-01-01 00:00:00":
            raise Broken("the server's session is not in UTC")
        for view, source in views.items():
            found = self._session.read.parquet(source) if _is_path(source) else self._session.table(source)
            found.createOrReplaceTempView(view)

    def _within(self, work: Callable[[], _T]) -> _T:
        """What the work gives, if there is time for it; else it is interrupted, and left to itself."""
        tag, done = f"deniable-{token_hex(8)}", Future[_T]()

        def run() -> None:
            try:
                if (session := getattr(self, "_session", None)) is not None:
                    session.addTag(tag)
                done.set_result(work())
            except BaseException as error:  # noqa: BLE001 - whatever it is, it belongs to who waits
                done.set_exception(error)

        Thread(target=run, daemon=True).start()
        try:
            return done.result(min(self._seconds, left()))
        except TookTooLong:
            Thread(target=self._interrupt, args=(tag,), daemon=True).start()
        raise Broken("the time is over")

    def _interrupt(self, tag: str) -> None:
        self._session.interruptTag(tag)


def _opened(url: str) -> SparkSession:
    """A new session. The client's own log is turned off: it quotes rows in the texts of errors."""
    logging.getLogger("pyspark").setLevel(logging.CRITICAL + 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            from pyspark.sql.connect.session import SparkSession  # noqa: PLC0415 - an extra
        except ImportError:
            hint = "needs an extra: pip install 'deniable[spark]'"
            raise InvalidArgumentError("engine.kind", hint) from None
        session: Any = SparkSession.builder.remote(url).create()
    return session  # type: ignore[no-any-return]


def _is_path(source: str) -> bool:
    """A folder or file of Parquet; otherwise a table of the server's catalogue."""
    return "/" in source or source.endswith(".parquet")
