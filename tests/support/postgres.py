"""A PostgreSQL server for tests: the one that DENIABLE_TEST_POSTGRES names, or one that is started and thrown away."""

from __future__ import annotations

import os
import pwd
import re
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

URL = "DENIABLE_TEST_POSTGRES"
"""Of a superuser, on a server that may be filled with databases: postgresql://postgres@127.0.0.1:5432/postgres"""

MISSING = f"no PostgreSQL: `make programs` installs it where it can, or {URL} names a server"

_PLACES = ("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql*/bin")
_NOT_ROOT = ("postgres", "nobody")
"""Users as whom a server is started by root, which it refuses to run as."""

_UNTIL_WE_END = '"$@" & server=$!; read _; kill -INT $server; wait $server'
"""A server ends with the process that started it, however that one ends: the shell then reads the end of its input."""

_number = count()


@dataclass(frozen=True)
class Server:
    """A server that is running."""

    url: str
    """That of a superuser, to a database that is always there."""

    def of(self, database: str, user: str | None = None) -> str:
        """The url of one of its databases."""
        parts = urlsplit(self.url)
        host = parts.netloc.rpartition("@")[2]
        return parts._replace(netloc=f"{user or parts.username}@{host}", path=f"/{database}").geturl()

    def run(self, *statements: str, database: str | None = None) -> None:
        """As the superuser."""
        run(self.url if database is None else self.of(database), *statements)

    @contextmanager
    def database(self, options: str = "") -> Iterator[str]:
        """The url of a new, empty database, which is dropped afterwards."""
        name = f"test_{os.getpid()}_{next(_number)}"
        self.run(f"CREATE DATABASE {name} {options}")
        try:
            yield self.of(name)
        finally:
            self.run(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


@dataclass(frozen=True)
class Started(Server):
    """A server of one's own, in a folder of its own, which can be stopped, killed and started again."""

    folder: Path
    settings: Mapping[str, str]
    _running: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(self) -> None:
        """Run it, and wait until it answers. What it says stands in `log`."""
        options = [f"-c{name}={value}" for name, value in self.settings.items()]
        command = [_program("postgres"), "-D", str(self.folder / "data"), *options]
        with (self.folder / "log").open("ab") as log:
            self._running.append(
                subprocess.Popen(
                    ["/bin/sh", "-c", _UNTIL_WE_END, "sh", *command],
                    stdin=subprocess.PIPE,
                    stdout=log,
                    stderr=log,
                    cwd=self.folder,
                    **_as_nobody(),
                )
            )
        self._wait()

    def stop(self) -> None:
        """In an orderly way, at once: whoever is connected is thrown out."""
        for process in self._running:
            assert process.stdin is not None
            process.stdin.close()
            process.wait(timeout=60)
        self._running.clear()

    def crash(self) -> None:
        """As if the machine had lost its power, except that the disk keeps what was written."""
        with suppress(FileNotFoundError, ProcessLookupError):
            os.kill(int((self.folder / "data" / "postmaster.pid").read_text().split()[0]), 3)  # at once, no clean-up
        self.stop()

    def _wait(self) -> None:
        import psycopg  # noqa: PLC0415 - only where there is a server

        end = time.monotonic() + 60
        while True:
            try:
                psycopg.connect(self.url, connect_timeout=2).close()
            except psycopg.OperationalError:
                if time.monotonic() > end or self._running[-1].poll() is not None:
                    raise AssertionError((self.folder / "log").read_text()[-2000:]) from None
                time.sleep(0.02)
            else:
                return


@cache
def binaries() -> Path | None:
    """Where the newest server's programs are, if there are any."""
    if found := shutil.which("initdb"):
        return Path(found).resolve().parent
    every = [folder for place in _PLACES for folder in Path("/").glob(place[1:]) if (folder / "initdb").exists()]
    return max(every, key=lambda folder: [float(part) for part in re.findall(r"[0-9.]+", str(folder))], default=None)


@contextmanager
def started(where: str | None = None, **settings: str) -> Iterator[Started]:
    """A new server on the loopback, with these settings, whose data are gone afterwards. It trusts everybody."""
    where = _quick() if where is None else where
    with tempfile.TemporaryDirectory(prefix="deniable-postgres-", dir=where, ignore_cleanup_errors=True) as name:
        folder, port = Path(name), _free_port()
        if _as_nobody():
            os.chown(folder, pwd.getpwnam(_user()).pw_uid, -1)
        made = [_program("initdb"), "-D", str(folder / "data"), "-U", "postgres", "-A", "trust", "--no-sync"]
        subprocess.run([*made, "-E", "UTF8", "--locale=C"], check=True, capture_output=True, cwd=folder, **_as_nobody())
        ours = {"port": str(port), "listen_addresses": "127.0.0.1", "unix_socket_directories": str(folder)}
        url = f"postgresql://postgres@127.0.0.1:{port}/postgres"
        server = Started(url, folder, {**ours, "shared_buffers": "64MB", "logging_collector": "off", **settings})
        try:
            server.start()
            yield server
        finally:
            server.crash()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """The server of this run; where there is none, tests that need it are skipped, and fail under CI."""
    if named := os.environ.get(URL):
        yield Server(named)
        return
    need_programs()
    with started() as server:
        yield server


@pytest.fixture
def own_postgres() -> Iterator[Started]:
    """A server that a test may kill."""
    need_programs()
    with started() as server:
        yield server


@pytest.fixture
def database(postgres: Server) -> Iterator[str]:
    """The url of an empty database."""
    with postgres.database() as url:
        yield url


def run(url: str, *statements: str) -> None:
    """Each statement by itself."""
    import psycopg  # noqa: PLC0415 - only where there is a server

    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())


def need_programs() -> None:
    """Skip where no server can be started; what is checked on every change is never skipped."""
    if binaries() is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(MISSING)


def _program(name: str) -> str:
    found = binaries()
    assert found is not None
    return str(found / name)


def _quick() -> str | None:
    """A folder in memory, if there is one with room: flushing takes no time there, and no test cuts the power."""
    shared = Path("/dev/shm")  # noqa: S108 - what is made in it has a name of its own
    return str(shared) if os.access(shared, os.W_OK) and shutil.disk_usage(shared).free > 1 << 31 else None


def _user() -> str:
    """Whom to start it as, where root starts it."""
    return next(name for name in _NOT_ROOT if any(user.pw_name == name for user in pwd.getpwall()))


def _as_nobody() -> dict[str, Any]:
    if os.getuid() != 0:
        return {}
    user = pwd.getpwnam(_user())
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port
