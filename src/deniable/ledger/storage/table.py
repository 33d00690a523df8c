"""The table of entries: rows are added at its end, and read in their order. The same statements on every database."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    func,
    insert,
    select,
)

from deniable.ledger.entry import Link
from deniable.ledger.storage import places

_metadata = MetaData()
_Sequence = BigInteger().with_variant(Integer, "sqlite")

ENTRIES = Table(
    "entries",
    _metadata,
    Column("sequence", _Sequence, primary_key=True, autoincrement=False),
    Column("kind", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("payload", LargeBinary),
    Column("previous", Text, nullable=False),
    Column("digest", Text, nullable=False),
    UniqueConstraint("previous").ddl_if(dialect="postgresql"),  # what the lock sees to, once more: no two after one
    UniqueConstraint("digest").ddl_if(dialect="postgresql"),
)
PLACES = Table(
    "places",
    _metadata,
    Column("key", Text, primary_key=True),
    Column("sequence", _Sequence, primary_key=True, autoincrement=False),
    sqlite_with_rowid=False,
)

_PAGE = 256
"""Rows that are fetched at once."""


def append(connection: Connection, link: Link) -> None:
    """One row more."""
    row = {column.name: getattr(link, column.name) for column in ENTRIES.columns}
    connection.execute(insert(ENTRIES).values(row))
    index(connection, link)


def index(connection: Connection, link: Link) -> None:
    """Where the row can be found."""
    rows = [{"key": key, "sequence": link.sequence} for key in places.keys(link)]
    if rows:
        connection.execute(insert(PLACES), rows)


def first(connection: Connection, key: str) -> int | None:
    """The first row under a key."""
    sequence: int | None = connection.scalar(select(func.min(PLACES.c.sequence)).where(PLACES.c.key == key))
    return sequence


def last(connection: Connection, key: str, until: int) -> int | None:
    """The last row under a key, up to a place."""
    rows = select(func.max(PLACES.c.sequence)).where(PLACES.c.key == key, PLACES.c.sequence <= until)
    sequence: int | None = connection.scalar(rows)
    return sequence


def charges(connection: Connection, words: str) -> list[int]:
    """Where charges stand that have these words in them, the last first. No index: for what is rarely sought."""
    there = ENTRIES.c.body.contains(words, autoescape=True)
    rows = select(ENTRIES.c.sequence).where(ENTRIES.c.kind == "charged", there)
    return list(connection.scalars(rows.order_by(ENTRIES.c.sequence.desc())))


def every_place(connection: Connection) -> Iterator[tuple[str, int]]:
    """The whole index."""
    for row in connection.execute(select(PLACES), execution_options={"yield_per": 4096}):
        yield row.key, row.sequence


def links(connection: Connection, since: int = 0) -> Iterator[Link]:
    """The rows from this sequence on, in order, a page at a time."""
    while True:
        rows = select(ENTRIES).where(ENTRIES.c.sequence >= since).order_by(ENTRIES.c.sequence).limit(_PAGE)
        page = [Link(*row) for row in connection.execute(rows)]
        yield from page
        if len(page) < _PAGE:
            return
        since = page[-1].sequence + 1


def link(connection: Connection, sequence: int) -> Link | None:
    """One row."""
    row = connection.execute(select(ENTRIES).where(ENTRIES.c.sequence == sequence)).one_or_none()
    return None if row is None else Link(*row)


def with_digest(connection: Connection, digest: str) -> Link | None:
    """The row that has the digest. Nothing here looks often, so a file keeps no index for it."""
    row = connection.execute(select(ENTRIES).where(ENTRIES.c.digest == digest)).one_or_none()
    return None if row is None else Link(*row)
