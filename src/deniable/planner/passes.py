"""The passes, in their order: written once, for whoever needs the plan of a question.

The order is part of their meaning. Nothing is bound that was not parsed as one SELECT, nothing is priced that is not
bound to the policy; and each refuses what it cannot prove, so that no later pass meets it.
"""

from __future__ import annotations

from collections.abc import Sequence

from deniable.core.number import Number
from deniable.planner.batch import Batch, price_all
from deniable.planner.bind import bind
from deniable.planner.limits import ChargeLimits
from deniable.planner.parse import parse
from deniable.planner.plan import Plan
from deniable.planner.price import price
from deniable.planner.spend import Spend
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


def plan_batch(questions: Sequence[str], policy: Policy, spend: Spend, shares: Sequence[Number] | None = None) -> Batch:
    """The same passes for questions that are all fixed in advance: priced together, for one spend."""
    limits = ChargeLimits.of(policy)
    admitted = limits.admit(spend)
    bounds = [bind(parse(sql), policy) for sql in questions]
    limits.check_size(sum(bound.size for bound in bounds))
    batch = price_all(bounds, admitted, shares)
    limits.check_accuracy(admitted, batch.loss)
    return batch
