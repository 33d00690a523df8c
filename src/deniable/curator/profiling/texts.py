"""Texts whose values the policy does not list: the profile finds common ones first, if it is given a delta."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from deniable.core.algebra.expression import Kind
from deniable.display import Tabular
from deniable.planner import ChargeLimits, Spend
from deniable.planner.listing import values_question
from deniable.policy import DeclaredColumn, DeclaredTable, Policy

_PART = Fraction(1, 10)
"""Of the spend, for finding texts, evenly; listed ones have their shares, too: once all are, it is the same profile."""
MOST_TEXTS = 200
"""Of a column that are counted."""


@dataclass(frozen=True, slots=True)
class FoundTexts:
    """Common texts of a column, in order, and the ledger's name of the question that found them."""

    values: tuple[str, ...]
    question: str


Texts = Mapping[tuple[str, str], FoundTexts]
"""By table and column."""


def unlisted_texts(policy: Policy, spend: Spend) -> tuple[dict[tuple[str, str], str], Spend, Spend]:
    """A question for each text column whose values only the data knows, what each may spend, and what is left.

    Without a delta there are none: such columns are left out of the profile.
    """
    if spend.delta is None or spend.rho is None:
        return {}, spend, spend
    texts = [(table.name, column) for table in policy.tables.values() for column in _texts(table)]
    unlisted = [(table, column.name) for table, column in texts if column.values is None]
    rest = replace(spend, rho=spend.rho * (1 - _PART), delta=None)
    if not unlisted:
        return {}, rest, rest
    share = Fraction(1, len(texts))
    ChargeLimits.of(policy).admit(spend, share * _PART)
    each = replace(spend, rho=spend.rho * share * _PART, delta=spend.delta * share)
    return {place: values_question(*place) for place in unlisted}, each, rest


def common_texts(answer: Tabular) -> tuple[str, ...]:
    """What such a question lets through, the most common of it if there is much."""
    texts, counts = (column.to_pylist() for column in answer.table.columns[:2])
    found = sorted((-count, text) for text, count in zip(texts, counts, strict=True) if text is not None)
    return tuple(sorted(text for _, text in found[:MOST_TEXTS]))


def _texts(table: DeclaredTable) -> list[DeclaredColumn]:
    """Those that do not name people or rows, or lead to them; none, where questions would be refused."""
    names = {table.unit, table.key, *(step.column for step in table.path[:1])}
    texts = (
        []
        if table.public or table.unweighed
        else [column for column in table.columns.values() if column.kind is Kind.TEXT]
    )
    return [column for column in texts if column.name not in names]
