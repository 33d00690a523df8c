"""The table of entries: rows are added at its end, and read in their order. The same statements on every database."""

from __future__ import annotations

from collections.abc import Iterator

from deniable.ledger.entries.entry import Link
from deniable.ledger.storage import places
from deniable.ledger.storage.database import Connection

ENTRIES, PLACES = "entries", "places"

_LINK = "sequence, kind, body, payload, previous, digest"
_PAGE = 256
"""Rows that are fetched at once."""
_PAGE_OF_PLACES = 4096


def append(connection: Connection, link: Link) -> None:
    """One row more."""
    row = (link.sequence, link.kind, link.body, link.payload, link.previous, link.digest)
    connection.rows(f"INSERT INTO {connection.prefix}entries ({_LINK}) VALUES (?, ?, ?, ?, ?, ?)", *row)  # noqa: S608
    index(connection, link)


def index(connection: Connection, link: Link) -> None:
    """Where the row can be found."""
    for key in places.keys(link):
        statement = f"INSERT INTO {connection.prefix}places (key, sequence) VALUES (?, ?)"  # noqa: S608
        connection.rows(statement, key, link.sequence)


def first(connection: Connection, key: str) -> int | None:
    """The first row under a key."""
    sequence: int | None = connection.value(
        f"SELECT min(sequence) FROM {connection.prefix}places WHERE key = ?",  # noqa: S608
        key,
    )
    return sequence


def under(connection: Connection, key: str, most: int) -> list[int]:
    """The first so many rows under a key, in their order."""
    statement = f"SELECT sequence FROM {connection.prefix}places WHERE key = ? ORDER BY sequence LIMIT ?"  # noqa: S608
    return [sequence for (sequence,) in connection.rows(statement, key, most)]


def last(connection: Connection, key: str, until: int) -> int | None:
    """The last row under a key, up to a place."""
    sequence: int | None = connection.value(
        f"SELECT max(sequence) FROM {connection.prefix}places WHERE key = ? AND sequence <= ?",  # noqa: S608
        key,
        until,
    )
    return sequence


def charges(connection: Connection, words: str) -> list[int]:
    """Where charges stand that have these words in them, the last first. No index: for what is rarely sought."""
    escaped = words.replace("/", "//").replace("%", "/%").replace("_", "/_")
    rows = connection.rows(
        f"SELECT sequence FROM {connection.prefix}entries"  # noqa: S608
        " WHERE kind = 'charged' AND body LIKE ? ESCAPE '/' ORDER BY sequence DESC",
        f"%{escaped}%",
    )
    return [sequence for (sequence,) in rows]


def every_place(connection: Connection) -> Iterator[tuple[str, int]]:
    """The whole index, a page at a time."""
    some, after = f"SELECT key, sequence FROM {connection.prefix}places", "ORDER BY key, sequence LIMIT ?"  # noqa: S608
    page = connection.rows(f"{some} {after}", _PAGE_OF_PLACES)
    while page:
        yield from page
        page = connection.rows(f"{some} WHERE (key, sequence) > (?, ?) {after}", *page[-1], _PAGE_OF_PLACES)


def links(connection: Connection, since: int = 0) -> Iterator[Link]:
    """The rows from this sequence on, in order, a page at a time."""
    some = f"SELECT {_LINK} FROM {connection.prefix}entries WHERE sequence >= ? ORDER BY sequence LIMIT ?"  # noqa: S608
    while True:
        page = [Link(*row) for row in connection.rows(some, since, _PAGE)]
        yield from page
        if len(page) < _PAGE:
            return
        since = page[-1].sequence + 1


def link(connection: Connection, sequence: int) -> Link | None:
    """One row."""
    found = connection.rows(f"SELECT {_LINK} FROM {connection.prefix}entries WHERE sequence = ?", sequence)  # noqa: S608
    return Link(*found[0]) if found else None


def with_digest(connection: Connection, digest: str) -> Link | None:
    """The row that has the digest. Nothing here looks often, so a file keeps no index for it."""
    found = connection.rows(f"SELECT {_LINK} FROM {connection.prefix}entries WHERE digest = ?", digest)  # noqa: S608
    return Link(*found[0]) if found else None
