"""The list of accounts on a server: which populations have their ledger there, and on what data."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from secrets import token_bytes

from sqlalchemy import Connection

from deniable.ledger import refusals
from deniable.ledger.canon import MALFORMED, canonical
from deniable.ledger.lists import AccountList, Holding
from deniable.ledger.storage import server
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
        engine = server.connect(self._address)
        try:
            with engine.connect() as connection:
                server.hold(connection, _NUMBER)
                if connection.exec_driver_sql("SELECT to_regclass('deniable.accounts')").scalar() is None:
                    connection.exec_driver_sql("BEGIN")
                    connection.exec_driver_sql(_PREPARE)
                    connection.exec_driver_sql("INSERT INTO deniable.secret VALUES (%s)", (token_bytes(_BYTES),))
                    connection.commit()
                self._connection = connection
                yield
        finally:
            self._connection = None
            engine.dispose()

    def key(self) -> bytes:
        """Made together with the list."""
        return bytes(self._said.exec_driver_sql("SELECT key FROM deniable.secret").scalar_one())

    def read(self) -> list[Holding]:
        """In the order in which they were added."""
        columns = "ledger, population, sources, reason"
        rows = self._said.exec_driver_sql(f"SELECT {columns} FROM deniable.accounts ORDER BY number").all()  # noqa: S608
        try:
            return [Holding(row.ledger, row.population, dict(json.loads(row.sources)), row.reason) for row in rows]
        except MALFORMED:
            raise refusals.registry_damaged("deniable.accounts") from None

    def add(self, holding: Holding) -> None:
        """At the end."""
        row = (holding.ledger, holding.population, canonical(dict(holding.sources)), holding.reason)
        self._said.exec_driver_sql(
            "INSERT INTO deniable.accounts (ledger, population, sources, reason) VALUES (%s, %s, %s, %s)", row
        )

    def remove(self, holding: Holding) -> None:
        """From the end."""
        self._said.exec_driver_sql(
            "DELETE FROM deniable.accounts WHERE number = (SELECT max(number) FROM deniable.accounts)"
            " AND ledger = %s AND population = %s",
            (holding.ledger, holding.population),
        )

    @property
    def _said(self) -> Connection:
        if self._connection is None:
            raise refusals.closed()
        return self._connection
