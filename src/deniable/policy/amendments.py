"""What may change from afar: what is asked and how exactly, never whom it protects or where the rows are."""

from __future__ import annotations

from collections.abc import Iterator

from deniable.policy.policy import Policy
from deniable.policy.table import DeclaredTable
from deniable.policy.terms import Change, Weight, changes, terms_of

_FIXED = {
    "population": "its name",
    "neighbours": "what neighbours are",
    "engine": "the engine",
    "ledger": "the ledger",
    "place": "the place of the account",
    "serving": "how it is served",
}
_OF_A_TABLE = {
    "source": "its source",
    "unit": "its unit",
    "path": "the way to its unit",
    "key": "its key",
    "keys": "in how many groups one person counts",
    "public": "whether it is public",
    "layout": "how its file is read",
    "remote": "where it is",
    "version_query": "how its versions are told apart",
}


def amendments(old: Policy, new: Policy) -> list[Change]:
    """Every difference; those that are not plain cannot be made from afar. The weightiest first.

    A browser can be taken over more easily than a machine. So what a promise rests on stays out of its reach: with any
    sequence of plain changes, the same people are protected by the same budget, from the same rows.
    """
    order = list(Weight)
    found = [*_fixed(old, new), *changes(terms_of(old), terms_of(new))]
    return sorted(found, key=lambda change: -order.index(change.weight))


def _fixed(old: Policy, new: Policy) -> Iterator[Change]:
    """What is not in the account's terms, or is plain there, and is fixed here."""
    for name, words in _FIXED.items():
        if getattr(old, name) != getattr(new, name):
            yield Change(f"the population: {words} cannot change from here", Weight.CONFIRMED)
    for title, table in new.tables.items():
        before = old.tables.get(title)
        if before is None:
            yield Change(f"table {title}: a new table cannot be added from here", Weight.CONFIRMED)
        else:
            yield from _table(title, before, table)


def _table(title: str, before: DeclaredTable, after: DeclaredTable) -> Iterator[Change]:
    follows = all(table.keys == table.contribution for table in (before, after))  # as it does where nothing is said
    for name, words in _OF_A_TABLE.items():
        if getattr(before, name) != getattr(after, name) and not (name == "keys" and follows):
            yield Change(f"table {title}: {words} cannot change from here", Weight.CONFIRMED)
