"""The passes, in their order: written once, for whoever needs the plan of a question.

The order is part of their meaning. Nothing is bound that was not parsed as one SELECT, nothing is priced that is not
bound to the policy; and each refuses what it cannot prove, so that no later pass meets it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from sqlglot import exp

from deniable.core.number import Number
from deniable.planner.bind import bind
from deniable.planner.listing import may_list
from deniable.planner.outer import split
from deniable.planner.parse import parse, plain, read
from deniable.planner.plan import Plan
from deniable.planner.pricing.limits import ChargeLimits
from deniable.planner.pricing.price import price
from deniable.planner.spend import Spend
from deniable.planner.statements import PricedStatements, price_statements
from deniable.policy import Policy


def plan_question(sql: str, policy: Policy, spend: Spend) -> Plan:
    """Everything that is needed to answer the question for this spend, or a refusal."""
    limits = ChargeLimits.of(policy)
    admitted = limits.admit(spend)
    tree = parse(sql)
    bound = bind(tree, policy)
    limits.check_size(bound.size)
    plan = price(bound, admitted)
    limits.check_accuracy(admitted, plan.quote.loss)
    return plan


def plan_statement(sql: str, policy: Policy, spend: Spend) -> PricedStatements:
    """The plan of any statement: the questions in it are planned, and what is around them is kept for later."""
    return _planned([sql], policy, spend, None, alone=True)


def plan_statements(
    statements: Sequence[str], policy: Policy, spend: Spend, shares: Sequence[Number] | None = None
) -> PricedStatements:
    """Statements that are all fixed in advance: priced together, for one spend."""
    return _planned(statements, policy, spend, shares, alone=False)


def _planned(
    texts: Sequence[str], policy: Policy, spend: Spend, shares: Sequence[Number] | None, *, alone: bool
) -> PricedStatements:
    limits = ChargeLimits.of(policy)
    admitted = limits.admit(spend)
    found = [split(read(sql), policy) for sql in texts]
    limits.check_size(sum(bound.size for statement in found for bound in statement.inner))
    together = price_statements(found, admitted, shares, alone=alone)
    limits.check_accuracy(admitted, together.batch.loss)
    return together


def plan_listing(sql: str, policy: Policy) -> Plan | None:
    """The plan of a question that asks for nothing but values which the policy declares; None: it asks for more."""
    tree = read(sql)
    if not isinstance(tree, exp.Select) or not may_list(tree):
        return None
    bound = bind(plain(tree), policy)
    return price(bound, Spend(epsilon=Fraction(1))) if bound.listed else None
