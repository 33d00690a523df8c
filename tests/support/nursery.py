"""Workers of tests, born of one process that has imported what they need: thousands of imports are half of a run.

What is born runs the same program as one that is started; the tests of tests/unit/engines/duckdb start theirs.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import IO, Any

import pytest

from deniable.engines.duckdb import calculating, killable, worker

_PROGRAMS = {"worker": worker.main, "calculating": calculating.main}
_SIZE = 1 << 20
_ALONE = "tests/unit/engines/duckdb/"
_STARTED = killable.started


class Born:
    """A process that is nobody's child here; it has what is used of subprocess.Popen."""

    def __init__(self, pid: int, handle: int, stdin: IO[bytes], stdout: IO[bytes]) -> None:
        self.pid, self._handle, self.stdin, self.stdout = pid, handle, stdin, stdout

    def poll(self) -> int | None:
        """Zero, whatever it died of; None while it lives."""
        return 0 if self._handle < 0 or select.select([self._handle], [], [], 0)[0] else None

    def kill(self) -> None:
        """At once."""
        if self._handle >= 0:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._handle, signal.SIGKILL)

    def wait(self) -> int:
        """Until it is dead."""
        if self._handle >= 0:
            select.select([self._handle], [], [])
            os.close(self._handle)
            self._handle = -1
        return 0


class Nursery:
    """The process that others are born of, and the way to ask it."""

    def __init__(self) -> None:
        """Start it."""
        self._owner, self._turn = os.getpid(), Lock()
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.support.nursery", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},  # no thread may run where a process is forked
                start_new_session=True,
            )

    def started(self, program: killable.Program) -> Born | subprocess.Popen[bytes]:
        """A process that runs it, in this process' surroundings. A copy of this process starts its own."""
        if os.getpid() != self._owner:
            return _STARTED(program)
        (its_input, our_input), (our_output, its_output) = os.pipe(), os.pipe()
        message = json.dumps([program, str(Path.cwd()), dict(os.environ)]).encode()
        with self._turn:
            socket.send_fds(self._socket, [message], [its_input, its_output])
            pid, (handle,), *_ = socket.recv_fds(self._socket, _SIZE, 1)
        os.close(its_input)
        os.close(its_output)
        return Born(int(pid), handle, os.fdopen(our_input, "wb", 0), os.fdopen(our_output, "rb"))

    def close(self) -> None:
        """Whoever was born lives on, until its own owner is gone."""
        self._socket.close()
        self._process.wait()


def bear(control: socket.socket) -> None:
    """One process after the other, until nobody asks any more."""
    while True:
        message, pipes, *_ = socket.recv_fds(control, _SIZE, 2)
        if not message:
            return
        program, folder, surroundings = json.loads(message)
        if not (pid := os.fork()):
            _live(control, pipes, program, folder, surroundings)
        handle = os.pidfd_open(pid)
        socket.send_fds(control, [str(pid).encode()], [handle])
        for number in (handle, *pipes):
            os.close(number)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def _live(control: socket.socket, pipes: list[int], program: str, folder: str, surroundings: dict[str, Any]) -> None:
    """As if it had just been started."""
    try:
        control.close()
        os.setsid()
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(surroundings)
        time.tzset()
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for number, place in zip((*pipes, nowhere), range(3), strict=True):
            os.dup2(number, place)
            os.close(number)
        _PROGRAMS[program]()
    finally:
        os._exit(0)


@pytest.fixture(scope="session")
def nursery() -> Iterator[Nursery | None]:
    """One for each process of tests; none where there are no handles of processes."""
    if not hasattr(os, "pidfd_open"):
        yield None
        return
    found = Nursery()
    yield found
    found.close()


@pytest.fixture(scope="module", autouse=True)
def _born(request: pytest.FixtureRequest, nursery: Nursery | None) -> Iterator[None]:
    """Before any other fixture of a file makes an engine."""
    with pytest.MonkeyPatch.context() as changed:
        if nursery is not None and not request.node.nodeid.startswith(_ALONE):
            changed.setattr(killable, "started", nursery.started)
        yield


if __name__ == "__main__":
    bear(socket.socket(fileno=int(sys.argv[1])))
