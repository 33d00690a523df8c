"""What an account's numbers mean: the terms that a policy sets, and what a change of them would do.

A sum of losses bounds something only together with whom it protects, against which neighbours, and up to which cap. So
the ledger keeps these terms beside the sums; a policy that says something else is not served until somebody says why.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any

from deniable.policy.policy import Policy
from deniable.policy.table import ARROW, DeclaredTable

Terms = Mapping[str, Any]
"""As plain words, lists and mappings, ready for JSON."""

_PARTS = ("epsilon", "delta", "concentrated", "gaussian", "approximate")


class Weight(Enum):
    """What it takes to accept a change."""

    PLAIN = "a reason"
    """It changes what is asked, not what is promised."""
    CONFIRMED = "a reason and a confirmation"
    """It may be right, and it may also mean that other people are counted, or nobody is protected."""
    RAISE = "`deniable ledger raise`"
    """It promises less to everybody who is in the data."""
    NEVER = "a ledger on which nothing was spent"
    """The sums so far would no longer mean what they say."""


@dataclass(frozen=True, slots=True)
class Change:
    """One difference, in words."""

    words: str
    weight: Weight


def terms_of(policy: Policy) -> Terms:
    """What the ledger pins. Sources are named from the ledger's folder, so that a folder may move as a whole.

    From the policy's, where the ledger is on a server: so they have the same names on every machine.
    """
    home = policy.place.parent
    return {
        "population": policy.population,
        "neighbours": policy.neighbours.value,
        "budget": {part: str(getattr(policy.cap, part)) for part in _PARTS},
        "limits": policy.limits.facts,
        "analysts": {
            name: {"epsilon": str(share.epsilon), "delta": str(share.delta)} for name, share in policy.analysts.items()
        },
        "tables": {name: {**table.facts, "source": _named(table, home)} for name, table in policy.tables.items()},
    }


def _named(table: DeclaredTable, home: Path) -> str | None:
    """A file from the ledger's folder; a table of a database as it is called there."""
    return table.source if table.source is None or table.remote else os.path.relpath(table.source, home)


def digest_of(terms: Terms) -> str:
    """One digest for the same terms, in whatever order they are written."""
    return sha256(json.dumps(terms, sort_keys=True).encode()).hexdigest()


def changes(old: Terms, new: Terms) -> list[Change]:
    """Every difference; the weightiest first.

    Example:
        >>> budget = dict.fromkeys(_PARTS, "0") | {"epsilon": "1"}
        >>> old = {"neighbours": "replace", "budget": budget, "analysts": {}, "tables": {}}
        >>> changes(old, {**old, "budget": budget | {"epsilon": "2"}})
        [Change(words='budget: epsilon 1 -> 2', weight=<Weight.RAISE: '`deniable ledger raise`'>)]
    """
    found = [*_neighbours(old, new), *_budget(old["budget"], new["budget"]), *_tables(old["tables"], new["tables"])]
    for name in sorted(old["analysts"].keys() | new["analysts"].keys()):
        found += _plain(f"analyst {name}", old["analysts"].get(name), new["analysts"].get(name))
    found += _plain("limits", old.get("limits", new.get("limits")), new.get("limits"))
    order = list(Weight)
    return sorted(found, key=lambda change: -order.index(change.weight))


def reunited(past: Iterable[Terms], new: Terms) -> list[Change]:
    """Tables and sources that once had another unit: leaving a table out for a while does not change whom it protects.

    Example:
        >>> by_patient = {"tables": {"visits": {"unit": "patient", "source": "v.csv", "public": False}}}
        >>> by_row = {"tables": {"stays": {"unit": None, "source": "v.csv", "public": False}}}
        >>> [change.words for change in reunited([by_patient], by_row)]
        ["table stays: v.csv was protected by 'patient', and would be by the row"]
    """
    units: dict[str, Terms] = {}
    for terms in past:
        for name, table in terms["tables"].items():
            if not table["public"]:
                units.setdefault(name, table)
                units.setdefault(f"source {table['source']}", table)
    found = []
    for name, table in new["tables"].items():
        for known, said in ((name, "it"), (f"source {table['source']}", table["source"])):
            before = units.get(known)
            if before is not None and not table["public"] and _root(before) != _root(table):
                words = f"table {name}: {said} was protected by {_unit(before)}, and would be by {_unit(table)}"
                found.append(Change(words, Weight.NEVER))
    return found


def _neighbours(old: Terms, new: Terms) -> Iterator[Change]:
    if old["neighbours"] != new["neighbours"]:
        yield Change(f"neighbours: {old['neighbours']} -> {new['neighbours']}", Weight.NEVER)


def _budget(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Change]:
    """A part that grows is a raise. A part of delta that shrinks could be moved to another sum once its own is full."""
    differs = [part for part in _PARTS if old[part] != new[part]]
    if not differs:
        return
    down = [part for part in differs if Fraction(new[part]) < Fraction(old[part])]
    weight = Weight.PLAIN if differs == down == ["epsilon"] else Weight.NEVER if down else Weight.RAISE
    words = ", ".join(f"{part} {_number(old[part])} -> {_number(new[part])}" for part in differs)
    yield Change(f"budget: {words}", weight)


def _tables(old: Mapping[str, Terms], new: Mapping[str, Terms]) -> Iterator[Change]:
    for name in sorted(old.keys() | new.keys()):
        before, after = old.get(name), new.get(name)
        if before is None or after is None:
            yield Change(f"table {name} is {'new' if before is None else 'gone'}", Weight.PLAIN)
            continue
        if after["public"] and not before["public"]:
            yield Change(f"table {name} becomes public: nobody in it is protected any more", Weight.CONFIRMED)
        elif before["unit"] != after["unit"]:
            words = f"table {name}: the unit is {_unit(after)} and no longer {_unit(before)}"
            yield Change(words, _moved(before, after))
        if before.get("key") != after.get("key"):
            words = f"table {name}: key {_said(before.get('key'))} -> {_said(after.get('key'))}"
            yield Change(words, Weight.PLAIN if after["public"] else Weight.CONFIRMED)
        if before["source"] != after["source"]:
            yield Change(f"table {name}: source {before['source']} -> {after['source']}", Weight.CONFIRMED)
        for key in sorted((before.keys() | after.keys()) - {"columns", "unit", "key", "source", "public"}):
            yield from _plain(f"table {name}: {key}", before.get(key), after.get(key))
        for column in sorted(before["columns"].keys() | after["columns"].keys()):
            yield from _plain(f"{name}.{column}", before["columns"].get(column), after["columns"].get(column))


def _plain(what: str, before: object, after: object) -> Iterator[Change]:
    """A difference that only changes what can be asked, or how exactly."""
    if before is None and after is not None:
        yield Change(f"{what} is new", Weight.PLAIN)
    elif after is None and before is not None:
        yield Change(f"{what} is gone", Weight.PLAIN)
    elif isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in sorted(before.keys() | after.keys()):
            if before.get(key) != after.get(key):
                yield Change(f"{what}: {key} {_said(before.get(key))} -> {_said(after.get(key))}", Weight.PLAIN)
    elif before != after:
        yield Change(f"{what} {_said(before)} -> {_said(after)}", Weight.PLAIN)


def _moved(before: Terms, after: Terms) -> Weight:
    """Another way to the same people may be right, and may give rows to other people; other people are never right."""
    if before["public"]:
        return Weight.PLAIN
    return Weight.CONFIRMED if _root(before) == _root(after) else Weight.NEVER


def _root(table: Terms) -> str | None:
    """What names the unit at the end of the way: a column of the table itself, or `orders.customer_id`."""
    return None if table["unit"] is None else str(table["unit"]).rpartition(ARROW)[2].strip()


def _unit(table: Terms) -> str:
    return "the row" if table["unit"] is None else repr(table["unit"])


def _number(text: str) -> str:
    return f"{float(Fraction(text)):.6g}"


def _said(value: object) -> str:
    return json.dumps(value, ensure_ascii=False) if value is not None else "nothing"
