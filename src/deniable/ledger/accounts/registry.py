"""Which accounts there are, and on what: one population has one account, so a second one on the same data is refused.

Kept twice: beside the ledgers (in their folder, or in a table on their server), for everybody who keeps accounts there,
and in the user's own state folder, for every place that this user keeps accounts in. Nothing here is secret or adds up:
it is there to stop a slip, by which the same people would be promised the budget twice. Who deletes both lists is not
stopped; see docs/threats.md
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from typing import TypeVar

from deniable.files.state import state
from deniable.ledger import refusals
from deniable.ledger.accounts.lists import AccountList, FolderList, Holding
from deniable.ledger.entries.chain import attempt
from deniable.ledger.storage import sqlite
from deniable.ledger.storage.storages import server_of, store_at

Argument = TypeVar("Argument")
Result = TypeVar("Result")

_BESIDE = ".deniable-accounts.json"
_OWN = "accounts.json"


@contextmanager
def claimed(holding: Holding) -> Iterator[None]:
    """The block makes the account; it is on the lists before that, and off them if the block raises.

    Raises:
        Refused: an account holds the same source or the same data, be its ledger there or not, and no reason is given.
    """
    with _lists(holding) as lists:
        ours = {listed: holding.under(attempt(listed.key)) for listed in lists}
        others = [other for listed in lists for other in attempt(listed.read) if other.shares(ours[listed])]
        if others and not holding.reason.strip() and not _is_there(holding):  # where there is one, the block is refused
            raise refusals.source_taken(others[0].population, others[0].ledger)
        for listed, said in ours.items():
            attempt(_step(listed.add, said))
        try:
            yield
        except BaseException:
            for listed, said in ours.items():
                attempt(_step(listed.remove, said))
            raise


def note(holding: Holding) -> None:
    """Put an account that is there on the lists: one from before they were kept, or that has other sources now."""
    with _lists(holding) as lists:
        for listed in lists:
            ours = holding.under(attempt(listed.key))
            if ours not in attempt(listed.read):
                attempt(_step(listed.add, ours))


@contextmanager
def _lists(holding: Holding) -> Iterator[list[AccountList]]:
    """Both lists, which nobody else changes meanwhile; in one folder they are two files, which is locked once."""
    own = state().resolve()
    attempt(lambda: own.mkdir(parents=True, exist_ok=True, mode=0o700))
    lists = sorted([_beside(holding), FolderList(own / _OWN)], key=lambda listed: listed.order)
    with ExitStack() as stack:
        for listed in {listed.order: listed for listed in lists}.values():
            attempt(_step(stack.enter_context, listed.locked()))
        yield lists


def _beside(holding: Holding) -> AccountList:
    """The list of those who keep their accounts in the same place."""
    if (address := server_of(holding.ledger)) is None:
        return FolderList(sqlite.place(holding.ledger).parent / _BESIDE)
    from deniable.ledger.storage.server_list import ServerList  # noqa: PLC0415 - a file does without

    return ServerList(address)


def _is_there(holding: Holding) -> bool:
    with closing(store_at(holding.ledger, holding.population)) as store:
        return attempt(store.is_there)


def _step(do: Callable[[Argument], Result], argument: Argument) -> Callable[[], Result]:
    return lambda: do(argument)
