"""ROLLUP, CUBE and GROUPING SETS: the sets of keys that rows are put together by."""

from __future__ import annotations

from itertools import combinations, product

from sqlglot import exp

from deniable.core.errors import Refused
from deniable.planner.parse import position

_MOST = 32
Terms = tuple[exp.Expression, ...]


def grouping_sets(group: exp.Group | None) -> list[Terms]:
    """The terms of each set; of a plain GROUP BY, one set. Several in one clause are multiplied, as SQL does."""
    if group is None:
        return [()]
    factors = [_sets(term) for term in group.expressions]
    for clause, kind in (("rollup", exp.Rollup), ("cube", exp.Cube), ("grouping_sets", exp.GroupingSets)):
        for term in group.args.get(clause) or ():
            if isinstance(term, kind) and not term.expressions:  # GROUP BY a, b WITH ROLLUP
                factors = [_sets(kind(expressions=[one.copy() for one in group.expressions]))]
            else:
                factors.append(_sets(term))
    found = [tuple(term for part in parts for term in part) for parts in product(*factors)]
    if len(found) > _MOST:
        reason = f"This has {len(found)} sets of keys, and may have {_MOST}."
        raise Refused("too-many-groups", reason, "Name the sets that are wanted: GROUPING SETS (...)", position(group))
    return found


def _sets(term: exp.Expression) -> list[Terms]:
    if isinstance(term, exp.Rollup):
        parts = [_terms(part) for part in term.expressions]
        return [_flat(parts[:size]) for size in range(len(parts), -1, -1)]
    if isinstance(term, exp.Cube):
        parts = [_terms(part) for part in term.expressions]
        return [_flat(list(some)) for size in range(len(parts), -1, -1) for some in combinations(parts, size)]
    if isinstance(term, exp.GroupingSets):
        return [one for part in term.expressions for one in _sets(part)]
    return [_terms(term)]


def _terms(node: exp.Expression) -> Terms:
    """A tuple stands for its parts together."""
    if isinstance(node, exp.Tuple):
        return tuple(node.expressions)
    while isinstance(node, exp.Paren):
        node = node.this
    return (node,)


def _flat(parts: list[Terms]) -> Terms:
    return tuple(term for part in parts for term in part)
