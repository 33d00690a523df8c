"""A worker process that can be stopped at any moment: DuckDB's own interrupt may take minutes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from threading import Timer
from typing import IO, BinaryIO, Literal, cast

import pyarrow as pa

from deniable.core.deadline import go_on, left
from deniable.engines.duckdb.messages import DONE, receive, send
from deniable.engines.engine import Broken
from deniable.files.scan import Step

Program = Literal["worker", "calculating"]


def started(program: Program) -> subprocess.Popen[bytes]:
    """A new interpreter that runs it."""
    return subprocess.Popen(  # noqa: S603 - one of two programs of ours
        [sys.executable, "-m", f"deniable.engines.duckdb.{program}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # nothing that a library prints about rows is kept
        start_new_session=True,  # Ctrl-C is for whoever asked
    )


class Killable:
    """One worker: it answers within its time, or it is killed. Not for use by two threads at once."""

    def __init__(
        self,
        tables: Callable[[str], list[Step]],
        locks: Callable[[str], list[str]],
        seconds: float,
        program: Program = "worker",
    ) -> None:
        """Start it, show it the tables and lock it, given the directory where it may put what memory cannot hold."""
        self._seconds = seconds
        self._owner = os.getpid()
        self._spill = tempfile.mkdtemp(prefix="deniable-")
        setup = {"tables": tables(self._spill), "locks": locks(self._spill), "spill": self._spill}
        self._process = started(program)
        try:
            self.exchange(json.dumps(setup).encode())
        except BaseException:
            self.kill()
            raise

    @property
    def process(self) -> int:
        """The number of its process."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it can be asked: a copy of this process, made by fork, must not listen in on its answers."""
        return self._owner == os.getpid() and self._process.poll() is None

    def ask(self, sql: str) -> pa.Table:
        """The rows of one SELECT. Raises `Broken`, with the name of an error's class, if there are none."""
        return pa.ipc.open_stream(self.exchange(sql.encode())).read_all()

    def kill(self) -> None:
        """At once, and whatever it is doing."""
        if self._owner != os.getpid():
            return
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            _quietly_closed(pipe)
        shutil.rmtree(self._spill, ignore_errors=True)

    def exchange(self, message: bytes) -> bytes:
        """A message there and an answer back. If anything comes between, a late one must not answer the next."""
        go_on()
        alarm = Timer(min(self._seconds, left()), self._process.kill)
        alarm.start()
        try:
            send(cast("BinaryIO", self._process.stdin), message)
            outcome, reply = (receive(cast("BinaryIO", self._process.stdout)) for _ in range(2))
        except BaseException as error:
            self.kill()
            if isinstance(error, EOFError | OSError):
                raise Broken("it took too long, or its process died") from None
            raise
        finally:
            alarm.cancel()
        if outcome != DONE:
            raise Broken(reply.decode())
        return reply


def _quietly_closed(pipe: IO[bytes] | None) -> None:
    try:
        if pipe is not None:
            pipe.close()
    except OSError:
        pass  # it was full, and nobody will read it
