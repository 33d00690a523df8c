"""Which storage a url names."""

from __future__ import annotations

from deniable.ledger import refusals
from deniable.ledger.storage import sqlite
from deniable.ledger.storage.store import Store
from deniable.policy import AddressError, ServerAddress

_SERVER = "postgres"


def store_at(url: str, population: str) -> Store:
    """The storage of a population's ledger; refused if the address is none."""
    if (address := server_of(url)) is None:
        return sqlite.SQLite(sqlite.place(url))
    from deniable.ledger.storage.postgres import Postgres  # noqa: PLC0415 - a file does without

    return Postgres(address, population)


def server_of(url: str) -> ServerAddress | None:
    """The server that the url names; None: it names a file."""
    if not url.startswith(_SERVER):
        return None
    try:
        return ServerAddress.read(url)
    except AddressError as error:
        what, hint = error.what, error.hint
    raise refusals.bad_url(what, hint)
