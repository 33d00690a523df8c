"""An account that goes on elsewhere: the same entries on a server, and the old ledger closed by its last one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from secrets import token_bytes

from deniable.core.errors import InvalidArgumentError
from deniable.ledger import clock, refusals
from deniable.ledger.entries.balances import Standing
from deniable.ledger.entries.chain import Chain, attempt
from deniable.ledger.entries.entry import Head, Link
from deniable.ledger.entries.records import Records
from deniable.ledger.ledger import KEY
from deniable.ledger.storage import table
from deniable.ledger.storage.database import Connection
from deniable.ledger.storage.storages import server_of, store_at
from deniable.ledger.storage.store import Store

Progress = Callable[[int, int], None]


def move(url: str, to: str, population: str, progress: Progress = lambda _done, _of: None) -> Head:
    """Move a ledger to a server, and close it where it was. Returns the head that both had in common.

    The order is the safety argument. The old ledger is closed first, by an entry that says where it goes on: from then
    on, nothing can be charged to it. Then all entries before that one are copied, each checked, in one transaction. So
    at no moment can the budget be spent in two places. Whoever is interrupted says the same again.

    Raises:
        Refused: there is a ledger in the new place, it cannot be written to, the old one does not fit, or it went
            elsewhere; as long as it says so, nothing is closed.
    """
    address = server_of(to)
    if address is None:
        raise InvalidArgumentError("to", "must be the address of a server, postgresql://...")
    target, there = str(address), store_at(to, population)
    with closing(there), closing(store_at(url, population)) as here:
        chain = Chain.open(here, population)
        if (closed := chain.read(lambda _, standing: standing.moved)) and closed != target:
            raise refusals.moved_elsewhere(closed)
        is_there = attempt(there.is_there)
        if is_there and not closed:
            raise refusals.exists("the new address")
        if not closed:
            chain.walk(lambda link: progress(link.sequence, link.sequence))
            attempt(lambda: _can_be_written(there))
            chain.append(lambda _, standing: Link.after(standing.head, "moved", {"to": target, "written": clock.now()}))
        head = chain.read(_before_closing)
        if not is_there:
            attempt(lambda: _copy(here, there, population, head, progress))
        return _verified(there, population, head, progress)


def _can_be_written(there: Store) -> None:
    """Before anything is closed."""
    with there.writing():
        pass


def _before_closing(past: Records, standing: Standing) -> Head:
    """The head that the ledger had before its last entry."""
    return Head(standing.head.sequence - 1, past.entry(standing.head.sequence).previous)


def _copy(here: Store, there: Store, population: str, head: Head, progress: Progress) -> None:
    key = here.secret() or token_bytes(KEY)
    with here.reading() as connection:
        there.begin(_checked(connection, population, head, progress), key)


def _checked(connection: Connection, population: str, head: Head, progress: Progress) -> Iterator[Link]:
    """Every entry up to the head, if it follows from those before."""
    afresh = Standing(population)
    past = Records(connection, afresh, {})
    for link in table.links(connection):
        if link.sequence > head.sequence:
            break
        afresh.step(link, past)
        progress(link.sequence, head.sequence)
        yield link
    if afresh.head != head:
        raise refusals.edited(head.sequence)


def _verified(there: Store, population: str, head: Head, progress: Progress) -> Head:
    """The new ledger, read from the server and checked from the first entry on, goes through the head."""
    chain = Chain.open(there, population)

    def digest(link: Link) -> str:
        progress(link.sequence, head.sequence)
        return link.digest

    digests = chain.walk(digest)
    if len(digests) < head.sequence or digests[head.sequence - 1] != head.digest:
        raise refusals.edited(head.sequence)
    return head
