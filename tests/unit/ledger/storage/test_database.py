from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from deniable.ledger.storage.database import Connection, Database, DatabaseError


@pytest.fixture
def database(tmp_path: Path) -> Database:
    made = Database(lambda: sqlite3.connect(tmp_path / "x", isolation_level=None), sqlite3.Error)
    with made.connect() as connection:
        connection.rows("CREATE TABLE t (x INTEGER)")
    return made


def test_values_are_values(database: Database) -> None:
    with database.connect() as connection:
        assert connection.rows("SELECT ?, ?", "'; DROP TABLE t; --", None) == [("'; DROP TABLE t; --", None)]
        assert connection.value("SELECT x FROM t") is None


def test_what_is_not_committed_is_undone(database: Database) -> None:
    with database.connect() as connection:
        connection.rows("BEGIN")
        connection.rows("INSERT INTO t VALUES (?)", 1)
    with database.connect() as connection:
        assert connection.rows("SELECT x FROM t") == []
        connection.rows("BEGIN")
        connection.rows("INSERT INTO t VALUES (?)", 2)
        connection.commit()
    database.dispose()
    with database.connect() as connection:
        assert connection.rows("SELECT x FROM t") == [(2,)]


def test_what_the_driver_says_is_the_cause(database: Database) -> None:
    with database.connect() as connection, pytest.raises(DatabaseError) as raised:
        connection.rows("SELECT y FROM t")
    assert isinstance(raised.value.__cause__, sqlite3.OperationalError)
    assert not raised.value.lost


class _Gone:
    """A connection that the server has closed."""

    closed = True

    def execute(self, *_: object) -> None:
        raise sqlite3.OperationalError("gone")

    rollback = execute

    def close(self) -> None:
        pytest.fail("it is closed already")


def test_a_connection_that_is_lost_is_made_anew() -> None:
    made: list[_Gone] = []

    def opened() -> _Gone:
        made.append(_Gone())
        return made[-1]

    database = Database(opened, sqlite3.Error)
    for _ in range(2):
        with database.connect() as connection, pytest.raises(DatabaseError) as raised:
            connection.rows("SELECT 1")
        assert raised.value.lost
    assert len(made) == 2


def test_what_cannot_be_undone_ends_with_its_connection(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise DatabaseError("disk I/O error")

    connection = database.connect()
    connection.rows("BEGIN")
    connection.rows("INSERT INTO t VALUES (3)")
    with monkeypatch.context() as patch:
        patch.setattr(Database, "guarded", broken)
        connection.close()
    with database.connect() as another:
        assert isinstance(another, Connection)
        assert another.raw is not connection.raw
        assert another.rows("SELECT x FROM t") == []
