"""Where a test keeps its ledger: in a file, or on a server; whatever holds of a ledger holds in both."""

from __future__ import annotations

import os
import re
import socket
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Timer

import pytest

from deniable.ledger.entries.entry import Link
from deniable.ledger.storage.database import Connection
from deniable.policy import ServerAddress, load
from tests.support.postgres import Server

POPULATION = "clinic"


class Place(ABC):
    """A place for the ledger of a population."""

    url: str

    @property
    @abstractmethod
    def anchor(self) -> Path:
        """The file that remembers how long the ledger is."""

    @abstractmethod
    def rows(self, query: str) -> list[tuple]:
        """As somebody sees them who looks with other eyes."""

    @abstractmethod
    def by_hand(self, *statements: str) -> None:
        """As somebody does who can write to it and knows about the triggers."""

    @abstractmethod
    def slip(self, statement: str) -> None:
        """As somebody does who can write to it; raises what the database says."""

    @abstractmethod
    def remove(self) -> None:
        """The ledger is gone; its anchor is not."""

    @abstractmethod
    def lose(self, connection: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
        """From now on nobody can look; whoever was connected is not any more."""

    @abstractmethod
    def insert(self, link: Link) -> None:
        """An entry that the ledger did not write."""


@dataclass(frozen=True)
class FilePlace(Place):
    path: Path

    @property
    def url(self) -> str:
        return f"sqlite:///{self.path}"

    @property
    def anchor(self) -> Path:
        return self.path.with_name(f"{self.path.name}.head")

    def rows(self, query: str) -> list[tuple]:
        hand = sqlite3.connect(self.path)
        try:
            return hand.execute(query).fetchall()
        finally:
            hand.close()

    def by_hand(self, *statements: str) -> None:
        hand = sqlite3.connect(self.path)
        for table in ("entries", "places"):
            for done in ("changed", "removed"):
                hand.execute(f"DROP TRIGGER IF EXISTS {table}_are_never_{done}")
        for statement in statements:
            assert hand.execute(statement).rowcount != 0
        hand.commit()
        hand.close()

    def slip(self, statement: str) -> None:
        hand = sqlite3.connect(self.path)
        try:
            hand.execute(statement)
        finally:
            hand.close()

    def remove(self) -> None:
        self.path.unlink()

    def lose(self, connection: Connection, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ARG002 - the name is enough
        self.path.rename(self.path.with_name("away"))

    def insert(self, link: Link) -> None:
        hand = sqlite3.connect(self.path)
        hand.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?)", _row(link))
        hand.commit()
        hand.close()


@dataclass(frozen=True)
class ServerPlace(Place):
    url: str
    population: str = POPULATION

    @property
    def schema(self) -> str:
        from deniable.ledger.storage.postgres import schema_of  # noqa: PLC0415 - only where there is a server

        return schema_of(self.population)

    @property
    def anchor(self) -> Path:
        from deniable.ledger.storage.postgres import Postgres  # noqa: PLC0415 - only where there is a server

        store = Postgres(ServerAddress.read(self.url), self.population)
        store.close()
        return store.anchor.path

    def rows(self, query: str) -> list[tuple]:
        with self._hand() as hand:
            return hand.execute(query.encode()).fetchall()

    def by_hand(self, *statements: str) -> None:
        with self._hand() as hand:
            for table in ("entries", "places"):
                hand.execute(f"DROP TRIGGER IF EXISTS {table}_are_never_changed ON {table}".encode())
            for statement in statements:
                spelled = re.sub(r"x'([0-9a-f]*)'", r"'\\x\1'::bytea", statement)
                assert hand.execute(spelled.encode()).rowcount != 0

    def slip(self, statement: str) -> None:
        with self._hand() as hand:
            hand.execute(statement.encode())

    def remove(self) -> None:
        with self._hand() as hand:
            hand.execute(f"DROP SCHEMA {self.schema} CASCADE".encode())

    def lose(self, connection: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
        import psycopg  # noqa: PLC0415 - only where there is a server

        def unreachable(*_: object, **__: object) -> None:
            raise psycopg.OperationalError("no route to host")

        connection.raw.close()
        monkeypatch.setattr(psycopg, "connect", unreachable)

    def insert(self, link: Link) -> None:
        with self._hand() as hand:
            hand.execute("INSERT INTO entries VALUES (%s, %s, %s, %s, %s, %s)", _row(link))

    @contextmanager
    def cut_off_in_commit(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
        """From now on a commit takes a second; of the first, the client hears no more while it is under way."""
        self.by_hand(
            "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS"
            " $$ BEGIN PERFORM pg_sleep(1); RETURN NULL; END $$",
            "CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON entries DEFERRABLE INITIALLY DEFERRED FOR EACH ROW"
            " EXECUTE FUNCTION slow()",
        )
        commit, cuts = Connection.commit, []

        def cut(connection: Connection) -> None:
            if not cuts:
                cuts.append(socket.socket(fileno=os.dup(connection.raw.fileno())))
                Timer(0.3, cuts[0].shutdown, [socket.SHUT_RDWR]).start()
            commit(connection)

        with monkeypatch.context() as patch:
            patch.setattr(Connection, "commit", cut)
            yield patch
        cuts[0].close()

    def _hand(self):
        import psycopg  # noqa: PLC0415 - only where there is a server

        return psycopg.connect(self.url, options=f"-c search_path={self.schema} -c lock_timeout=10s")


def _row(link: Link) -> tuple:
    return link.sequence, link.kind, link.body, link.payload, link.previous, link.digest


def forget(policy: Path) -> None:
    """The account of a policy is gone, with whatever lies beside it on this machine."""
    loaded = load(policy)
    if loaded.ledger.startswith("sqlite"):
        for file in loaded.place.parent.glob(f"{loaded.place.name}*"):
            file.unlink()
        return
    place = ServerPlace(loaded.ledger, loaded.population)
    place.anchor.unlink()
    place.remove()


_EMPTY = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid();
DO $$ DECLARE name text; BEGIN
FOR name IN SELECT nspname FROM pg_namespace WHERE nspname LIKE 'deniable%' LOOP
EXECUTE format('DROP SCHEMA %I CASCADE', name); END LOOP; END $$
"""


@pytest.fixture(scope="session")
def _accounts(postgres: Server) -> Iterator[str]:
    with postgres.database() as url:
        yield url


@pytest.fixture
def server_url(_accounts: str) -> Iterator[str]:
    """Of a database without ledgers; whatever a test leaves there is removed."""
    import psycopg  # noqa: PLC0415 - only where there is a server

    connect = psycopg.connect  # a test may take it away
    yield _accounts
    with connect(_accounts, autocommit=True) as connection:
        connection.execute(_EMPTY.encode())


@pytest.fixture
def server_place(server_url: str) -> ServerPlace:
    return ServerPlace(server_url)


@pytest.fixture(params=["file", "server"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """Where the ledger of the population 'clinic' is kept."""
    if request.param == "server":
        return request.getfixturevalue("server_place")
    return FilePlace(tmp_path / "clinic.ledger")


@pytest.fixture(params=["file", pytest.param("server", marks=pytest.mark.deep)])
def ledger_section(request: pytest.FixtureRequest) -> str:
    """What a policy says of its ledger; on a server in deep runs, and where a test is `everywhere`."""
    if request.param == "server":
        return f'[ledger]\nurl = "{request.getfixturevalue("server_url")}"\n'
    return ""


everywhere = pytest.mark.parametrize("ledger_section", ["file", "server"], indirect=True)
"""In a file and on a server, in every run."""
