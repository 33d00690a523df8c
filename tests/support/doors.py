"""Doors that are open on a free port, in a thread with a loop of its own."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from deniable.curator import create
from deniable.doors.http.server import HttpDoor
from deniable.doors.postgres.login import Encryption
from deniable.doors.postgres.server import PostgresDoor
from deniable.service.limits import ServerLimits
from deniable.service.service import Service
from tests.support.served import PEOPLE, served


@dataclass(frozen=True)
class Opened:
    """Where the doors are, and who may come in."""

    port: int
    tokens: dict[str, str]
    service: Service
    loop: asyncio.AbstractEventLoop

    def dsn(self, name: str = "alice", **more: str) -> str:
        """For psycopg and psql."""
        said = {"sslmode": "disable", **more}
        extra = " ".join(f"{key}='{value}'" for key, value in said.items())
        return f"host=127.0.0.1 port={self.port} user={name} password={self.tokens[name]} dbname=clinic {extra}"

    @property
    def url(self) -> str:
        """For HTTP."""
        return f"http://127.0.0.1:{self.port}"

    def spent(self) -> float:
        """By everybody together."""
        return float(self.service.populations["clinic"].curator.budget().spent.epsilon)

    def held(self) -> int:
        """How many connections there are, or have something waiting to be sent."""

        async def count() -> int:
            found = asyncio.get_running_loop()._transports.values()
            return sum(not one._conn_lost or one.get_write_buffer_size() > 0 for one in found)

        return self.do(count)

    def do(self, work: Callable[[], Awaitable[object]]) -> object:
        """In the doors' own loop."""
        return asyncio.run_coroutine_threadsafe(work(), self.loop).result(30)


def takes_little(port: int) -> socket.socket:
    """A connection of a client for which the system keeps next to nothing."""
    found = socket.socket()
    found.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    found.settimeout(60)
    found.connect(("127.0.0.1", port))
    return found


def until(holds: Callable[[], bool], seconds: float) -> None:
    """Wait for it."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it does not come"
        time.sleep(0.05)


@contextmanager
def postgres(
    folder: Path,
    after: str = "1ms",
    pace: Callable[[], float] | None = lambda: 0.0,
    limits: ServerLimits | None = None,
    encryption: Encryption | None = None,
) -> Iterator[Opened]:
    """The PostgreSQL door."""
    with _opened(folder, after, pace, limits, lambda service: PostgresDoor(service, encryption)) as opened:
        yield opened


@contextmanager
def http(
    folder: Path,
    after: str = "1ms",
    pace: Callable[[], float] | None = lambda: 0.0,
    limits: ServerLimits | None = None,
    certificate: tuple[str, str] | tuple[None, None] = (None, None),
) -> Iterator[Opened]:
    """The HTTP door."""
    with _opened(folder, after, pace, limits, lambda service: HttpDoor(service, *certificate)) as opened:
        yield opened


@contextmanager
def _opened(folder, after, pace, limits, make) -> Iterator[Opened]:
    with running() as loop:

        async def start():
            entered = served(folder, after, pace, limits)
            service, tokens = entered.__enter__()
            door = make(service)
            return entered, service, tokens, door, await door.listen("127.0.0.1", 0)

        entered, service, tokens, door, port = asyncio.run_coroutine_threadsafe(start(), loop).result(60)

        async def stop() -> None:
            await door.close()
            await service.close()
            entered.__exit__(None, None, None)

        try:
            yield Opened(port, tokens, service, loop)
        finally:
            asyncio.run_coroutine_threadsafe(stop(), loop).result(60)


@contextmanager
def filed(folder: Path, policy: str, state: Path) -> Iterator[Opened]:
    """The HTTP door of a population that is served from its file, with an account on disk."""
    (folder / "clinic.toml").write_text(policy)
    with pytest.MonkeyPatch.context() as environment, running() as loop:
        environment.setenv("DENIABLE_STATE", str(state))
        create(folder / "clinic.toml").close()

        async def start():
            service = await Service.open([folder / "clinic.toml"])
            door = HttpDoor(service)
            return service, door, await door.listen("127.0.0.1", 0)

        service, door, port = asyncio.run_coroutine_threadsafe(start(), loop).result(60)
        tokens = service.populations["clinic"].tokens
        yield Opened(port, {name: tokens.create(name, role)[0] for name, role in PEOPLE.items()}, service, loop)

        async def stop():
            await door.close()
            await service.close()

        asyncio.run_coroutine_threadsafe(stop(), loop).result(60)


@contextmanager
def running() -> Iterator[asyncio.AbstractEventLoop]:
    """A loop that runs in a thread."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield loop
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
