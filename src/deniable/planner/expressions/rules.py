"""What a rule is: the arguments of a node that have a meaning, and what the node means; and the commonest of them."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from deniable.core.algebra.expression import Expression
from deniable.planner.expressions.conversions import alike, computed
from deniable.planner.expressions.decimals import exactly
from deniable.planner.expressions.functions import call

Go = Callable[[exp.Expression | None], Expression]
"""What a part of a node means."""
Build = Callable[[exp.Expression, Go], Expression]
Rule = tuple[frozenset[str], Build]
THIS = frozenset({"this"})
PAIR = frozenset({"this", "expression"})


def binary(name: str) -> Rule:
    """A function of two values that are compared or computed with each other."""
    return PAIR, lambda node, go: computed(name, *alike(go(node.this), go(node.expression)))


def unary(name: str) -> Rule:
    """A function of one value."""
    return THIS, lambda node, go: exactly(name, go(node.this))


def several(name: str) -> Rule:
    """A function of several values of one kind."""

    def build(node: exp.Expression, go: Go) -> Expression:
        return call(name, *alike(*(go(part) for part in (node.this, *node.expressions))))

    return frozenset({"this", "expressions"}), build
