"""The list of accounts on a server: which populations have their ledger there, and on what data."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from secrets import token_bytes

from deniable.ledger import refusals
from deniable.ledger.accounts.lists import AccountList, Holding
from deniable.ledger.entries.canon import MALFORMED, canonical
from deniable.ledger.storage import server
from deniable.ledger.storage.database import Connection
from deniable.policy import ServerAddress

_PREPARE = """
CREATE SCHEMA IF NOT EXISTS deniable;
CREATE TABLE deniable.accounts (number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, ledger text NOT NULL,
    population text NOT NULL, sources text NOT NULL, reason text NOT NULL);
CREATE TABLE deniable.secret (key bytea NOT NULL);
"""
_NUMBER = server.number("list", "accounts")
_BYTES = 32


class ServerList(AccountList):
    """A table in a schema `deniable`, for every machine that keeps ledgers in the database."""

    def __init__(self, address: ServerAddress) -> None:
        self._address = address
        self._connection: Connection | None = None

    @property
    def order(self) -> str:
        """After all folders."""
        return f"\uffff{self._address}"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """By a lock of the session, which ends with it: what is listed is committed before the account is made."""
        database = server.connect(self._address)
        try:
            with database.connect() as connection:
                server.hold(connection, _NUMBER)
                if connection.value("SELECT to_regclass('deniable.accounts')") is None:
                    connection.rows("BEGIN")
                    connection.rows(_PREPARE)
                    connection.rows("INSERT INTO deniable.secret VALUES (?)", token_bytes(_BYTES))
                    connection.commit()
                self._connection = connection
                yield
        finally:
            self._connection = None
            database.dispose()

    def key(self) -> bytes:
        """Made together with the list."""
        return bytes(self._said.value("SELECT key FROM deniable.secret"))

    def read(self) -> list[Holding]:
        """In the order in which they were added."""
        columns = "ledger, population, sources, reason"
        rows = self._said.rows(f"SELECT {columns} FROM deniable.accounts ORDER BY number")  # noqa: S608
        try:
            return [Holding(ledger, name, dict(json.loads(sources)), reason) for ledger, name, sources, reason in rows]
        except MALFORMED:
            raise refusals.registry_damaged("deniable.accounts") from None

    def add(self, holding: Holding) -> None:
        """At the end."""
        row = (holding.ledger, holding.population, canonical(dict(holding.sources)), holding.reason)
        self._said.rows("INSERT INTO deniable.accounts (ledger, population, sources, reason) VALUES (?, ?, ?, ?)", *row)

    def remove(self, holding: Holding) -> None:
        """From the end."""
        self._said.rows(
            "DELETE FROM deniable.accounts WHERE number = (SELECT max(number) FROM deniable.accounts)"
            " AND ledger = ? AND population = ?",
            holding.ledger,
            holding.population,
        )

    @property
    def _said(self) -> Connection:
        if self._connection is None:
            raise refusals.closed()
        return self._connection
