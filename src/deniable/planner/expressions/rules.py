"""What a rule is: the arguments of a node that have a meaning, and what the node means; and the commonest of them."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from deniable.core.algebra.expression import Expression, Literal
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


COMPARISONS: dict[type[exp.Expression], tuple[str, str]] = {
    exp.EQ: ("equal", "equal"),
    exp.NEQ: ("unequal", "unequal"),
    exp.LT: ("less", "more"),
    exp.LTE: ("at_most", "at_least"),
    exp.GT: ("more", "less"),
    exp.GTE: ("at_least", "at_most"),
}
"""What they are called, and what they are called with the sides exchanged."""


def compared(name: str, turned: str) -> Rule:
    """A comparison. A constant stands on the right of it: both ways of writing it are one question, and paid once."""

    def build(node: exp.Expression, go: Go) -> Expression:
        left, right = alike(go(node.this), go(node.expression))
        if isinstance(left, Literal) and not isinstance(right, Literal):
            return computed(turned, right, left)
        return computed(name, left, right)

    return PAIR, build


def unary(name: str) -> Rule:
    """A function of one value."""
    return THIS, lambda node, go: exactly(name, go(node.this))


def several(name: str) -> Rule:
    """A function of several values of one kind."""

    def build(node: exp.Expression, go: Go) -> Expression:
        return call(name, *alike(*(go(part) for part in (node.this, *node.expressions))))

    return frozenset({"this", "expressions"}), build
