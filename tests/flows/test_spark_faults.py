"""A Spark that breaks between the charge and the answer: nothing is said but that it failed, and it stays paid."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread, Timer

import pyarrow as pa
import pytest

import deniable
from deniable.core.algebra.query import ExactQuery
from deniable.core.errors import Failed, Refused
from deniable.curator import Curator
from deniable.engines.engine import Engine
from tests.flows.test_spark import COUNT, made
from tests.support.sail import OwnSail, alone

SLOW = "SELECT COUNT(*) AS n FROM range(0, 1000000000000) WHERE id % 7 = 3"
SORTED = (
    "SELECT COUNT(*) AS n FROM (SELECT id, ROW_NUMBER() OVER (ORDER BY id % 1000003, id) AS place "
    "FROM range(0, 20000000)) WHERE place > 7"
)
"""Of more rows than fit into the memory that is there."""
NO_ROOM = {
    "SAIL_RUNTIME__MEMORY_POOL__TYPE": "fair",
    "SAIL_RUNTIME__MEMORY_POOL__FAIR__MAX_SIZE": str(64 << 20),
    "SAIL_RUNTIME__TEMPORARY_FILES__MAX_SIZE": "1024",
}
MIDWAY = 0.5
"""Seconds after which a statement that takes minutes is under way."""


class Wire:
    """A way to a server that can be cut, on either side of which everything else goes on."""

    def __init__(self, url: str) -> None:
        host, _, port = url.removeprefix("sc://").partition(":")
        self._there, self._ends, self._carriers = (host, int(port)), list[socket.socket](), list[Thread]()
        self._door = socket.create_server(("127.0.0.1", 0))
        self.url = f"sc://127.0.0.1:{self._door.getsockname()[1]}"
        self._start(self._open)

    def cut(self) -> None:
        for end in self._ends:
            with suppress(OSError):  # one that has ended by itself
                end.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._door.shutdown(socket.SHUT_RDWR)
        self._carriers[0].join()
        self.cut()
        for carrier in self._carriers:
            carrier.join()
        for end in (self._door, *self._ends):
            end.close()

    def _open(self) -> None:
        with suppress(OSError):  # the door is closed
            while True:
                ends = self._door.accept()[0], socket.create_connection(self._there)
                self._ends += ends
                self._start(_carry, *ends)
                self._start(_carry, *reversed(ends))

    def _start(self, work: Callable[..., None], *ends: socket.socket) -> None:
        self._carriers.append(Thread(target=work, args=ends, daemon=True))
        self._carriers[-1].start()


def _carry(one: socket.socket, other: socket.socket) -> None:
    with suppress(OSError):
        while data := one.recv(1 << 16):
            other.sendall(data)
    with suppress(OSError):
        other.shutdown(socket.SHUT_WR)


@pytest.fixture
def wire() -> Iterator[Wire]:
    """To a server that has little memory, and no room on its disk to put anything aside."""
    with alone(**NO_ROOM) as server:
        found = Wire(server.url)
        yield found
        found.close()


@contextmanager
def opened(folder: Path, url: str, seconds: int) -> Iterator[Curator]:
    policy = made(folder, url)
    policy.write_text(policy.read_text().replace('kind = "spark"', f'kind = "spark", seconds = {seconds}'))
    with deniable.create(policy) as curator:
        yield curator


def fails(curator: Curator, break_it: Callable[[], object], statement: str, patch: pytest.MonkeyPatch) -> None:
    """The next question is paid, and its answer is that it failed."""
    plain, before = Engine.run, curator.budget().spent.epsilon or 0

    def broken(engine: Engine, query: ExactQuery) -> pa.Table:
        patch.setattr(engine, "emit", lambda _query: statement)
        break_it()
        return plain(engine, query)

    with patch.context() as inside:
        inside.setattr(Engine, "run", broken)
        with pytest.raises(Failed) as failure:
            curator.ask(COUNT, epsilon=2)
    assert failure.value.__cause__ is None
    assert failure.value.__context__ is None
    assert curator.budget().spent.epsilon == before + 2


def answers(curator: Curator) -> None:
    """Each time another question, which is not answered from the record."""
    spent = curator.budget().spent.epsilon or 0
    assert curator.ask(COUNT, epsilon=spent + 1).table.num_rows == 3


def test_cut_off_or_too_slow_or_without_room_it_stays_paid_and_the_next_question_is_answered(
    tmp_path: Path, wire: Wire, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with opened(tmp_path, wire.url, seconds=6) as curator:
        fails(curator, Timer(MIDWAY, wire.cut).start, SLOW, monkeypatch)
        answers(curator)
        fails(curator, lambda: None, SORTED, monkeypatch)
        fails(curator, lambda: None, SLOW, monkeypatch)
        assert "time is over" in caplog.text
        answers(curator)


def test_a_server_that_is_killed_midway_stays_paid_and_refuses_what_is_asked_next(
    tmp_path: Path, own_sail: OwnSail, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(tmp_path, own_sail.url, seconds=20) as curator:
        fails(curator, Timer(MIDWAY, os.kill, (own_sail.process, signal.SIGKILL)).start, SLOW, monkeypatch)
        with pytest.raises(Refused) as refusal:
            curator.ask("SELECT COUNT(*) AS n FROM visits", epsilon=2)
        assert refusal.value.code == "data-unavailable"
        assert curator.budget().spent.epsilon == 2
