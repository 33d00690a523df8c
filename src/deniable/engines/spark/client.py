"""The library that speaks Spark Connect, made to end: nothing waits for a server that has gone, and nothing is retried.

Left to itself, it tries each call again for ten minutes, sends more of them when the process ends, and asks again what
was asked, of a server that has started anew. Here each call has its time, is made once, and ends with its session.
"""

from __future__ import annotations

import atexit
import logging
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.machinery import ModuleSpec
from threading import Lock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # an extra
    from pyspark.sql.connect.session import SparkSession

_loading = Lock()


def connected(url: str, seconds: float) -> SparkSession:
    """A new session, each of whose calls is given up after so many seconds. Nothing is sent yet.

    Whatever an answer was cut off from is not asked again: then half of it could be there twice.
    """
    with _loading:
        session_of, channel_of, within = _library()
    channel = channel_of(url)
    channel.add_interceptor(within(seconds))
    session: SparkSession = session_of(connection=channel)
    client: Any = session.client
    client.set_retry_policies([])
    client.disable_reattachable_execute()
    atexit.unregister(client._on_exit)  # noqa: SLF001 - there is no other way to end without a call
    return session


def ended(session: SparkSession) -> None:
    """The server forgets the session. Its own `stop` would keep every other session waiting meanwhile."""
    client: Any = session.client
    try:
        client.release_session()
    except Exception:  # noqa: BLE001, S110 - the server forgets it by itself, too
        pass
    finally:
        client.close()


@cache
def _library() -> tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]:
    """The classes of a session and of a channel, and what gives each call its time.

    The library's log is turned off, whatever the environment says: it quotes rows in the texts of errors.
    """
    with warnings.catch_warnings(), _named_main():
        warnings.simplefilter("ignore")
        import grpc  # noqa: PLC0415 - an extra
        from pyspark.sql.connect.client import DefaultChannelBuilder  # noqa: PLC0415 - an extra
        from pyspark.sql.connect.session import SparkSession  # noqa: PLC0415 - an extra
    for name in ("pyspark", "pyspark.sql.connect.logging"):
        logging.getLogger(name).disabled = True

    class Within(grpc.UnaryUnaryClientInterceptor, grpc.UnaryStreamClientInterceptor):  # type: ignore[misc]
        """Gives each call so many seconds."""

        def __init__(self, seconds: float) -> None:
            self._seconds = seconds

        def intercept_unary_unary(self, call: Callable[..., Any], details: Any, request: Any) -> Any:  # noqa: ANN401
            """For short calls."""
            return call(details._replace(timeout=self._seconds), request)

        intercept_unary_stream = intercept_unary_unary

    return SparkSession, DefaultChannelBuilder, Within


@contextmanager
def _named_main() -> Iterator[None]:
    """While the library is loaded, the program has a name.

    Where it has none (`python -c`, a program inside another), the library takes itself to be under test, looks for a
    Spark on this machine, and ends the process if there is none.
    """
    main = sys.modules["__main__"]
    before = getattr(main, "__spec__", None)
    if before is None:
        main.__spec__ = ModuleSpec("__main__", None)
    try:
        yield
    finally:
        main.__spec__ = before
