"""What the counts in a noisy table are counts of: the table says so itself, so that later questions can find it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

import pyarrow as pa

from deniable.core.algebra.expression import Expression
from deniable.planner import Plan
from deniable.planner.divided import LABEL
from deniable.planner.plan import Bound, Noisy, singly

_ABOUT = b"counts"
_CONFIDENCE = Fraction(19, 20)


def rows_of(bound: Bound) -> str:
    """The name of the rows that a question is about: of which people, with which weight, under which condition."""
    return named(bound.source)


def said(plan: Plan, noisy: pa.Table) -> pa.Table:
    """The noisy table, which says itself what its counts are counts of."""
    counts = {named(where): parts for where, parts in counts_in(plan)}
    if not counts:
        return noisy
    keys = {key.name: named((key.value, key.domain)) for key in plan.bound.keys}
    about = {"rows": rows_of(plan.bound), "keys": keys, "private": plan.bound.private_keys, "counts": counts}
    return noisy.replace_schema_metadata({_ABOUT: json.dumps(about).encode()})


def subjects(tables: Iterable[pa.Table]) -> tuple[str, ...]:
    """The rows that noisy tables count, for the ledger to find them by."""
    return tuple(about["rows"] for table in tables if (about := said_of(table)) is not None)


def said_of(table: pa.Table) -> dict[str, Any] | None:
    """What a noisy table says of itself; None: nothing."""
    found = (table.schema.metadata or {}).get(_ABOUT)
    return None if found is None else dict(json.loads(found))


def counts_in(plan: Plan) -> Iterator[tuple[Expression | None, dict[str, tuple[str, float]]]]:
    """Each condition whose rows are counted, with the noisy numbers that add up to the count: worth and error."""
    noisy = [part for part in singly(plan.noise) if isinstance(part, Noisy) and part.statistic.total is not None]
    for label, number in (("count", 1), (LABEL, 2)):
        parts: dict[Expression | None, list[Noisy]] = {}
        for part in noisy:
            if part.label == label and part.statistic.total is not None:
                parts.setdefault(part.statistic.total.where, []).append(part)
        for where, several in parts.items():
            if len(several) == number:
                worth = {one.statistic.name: (str(one.statistic.worth), one.error(_CONFIDENCE)) for one in several}
                yield where, worth


def named(what: object) -> str:
    """A short name for a part of a question."""
    return hashlib.sha256(repr(what).encode()).hexdigest()
