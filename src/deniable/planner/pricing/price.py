"""What one question costs, for a spend, or for an accuracy."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from deniable.core.errors import Refused
from deniable.core.loss import Loss
from deniable.core.number import least_decimal
from deniable.core.sensitivity import Neighbours
from deniable.core.shown import at_most, percent
from deniable.planner import work
from deniable.planner.aggregates.statistics import Statistic
from deniable.planner.bernstein import fitting
from deniable.planner.expressions.evaluate import unrounded
from deniable.planner.expressions.keys import groups
from deniable.planner.plan import Bound, Output, Part, Plan, each
from deniable.planner.pricing.effort import check_effort
from deniable.planner.pricing.noise import noise_for, selection_for
from deniable.planner.pricing.queries import queries_of
from deniable.planner.pricing.quote import SAMPLE_GROUP, expected, linear, quoted
from deniable.planner.spend import Spend
from deniable.planner.steps import CONSISTENT, notes
from deniable.planner.typical import expecting

_BEYOND = Fraction(10**6)
"""An epsilon at which there is hardly any noise."""


def price(bound: Bound, spend: Spend) -> Plan:
    """The plan for this spend; for a wanted accuracy, the plan with the least spend that reaches it."""
    if CONSISTENT in spend.after:
        reason = "This is one answer by one set of keys, in which nothing is a total of something else."
        raise Refused("bad-spend", reason, "Ask for totals and their parts in one question: GROUP BY ROLLUP (region).")
    bound = expecting(fitting(bound, spend), dict(spend.means))
    with work.counted():
        plan = _noted(_priced(bound, _each(bound, spend)), bound, spend)
    check_effort(plan.noise, 1 if bound.private_keys else groups(bound.keys))
    return plan


def _each(bound: Bound, spend: Spend) -> Spend:
    """For each interval by itself: with all groups that are known, and each column that has noise."""
    if not spend.simultaneous:
        return spend
    if bound.private_keys and spend.accuracy is not None:
        reason = "How many groups there are is not known, so no spend can promise an accuracy for all of them at once."
        raise Refused("accuracy", reason, "Give epsilon, or leave out simultaneous.")
    statistics = frozenset().union(*(base.names for base in bound.statistics))
    columns = sum(bool(statistics & output.rests_on) for output in bound.outputs)
    number = 1 if bound.private_keys else groups(bound.keys)
    return replace(spend, confidence=each(spend.confidence, number * columns))


def _noted(plan: Plan, bound: Bound, spend: Spend) -> Plan:
    """With what was asked for beside the numbers, in the quote and in its notes."""
    if not spend.simultaneous and not spend.after:
        return plan
    said = [f"all intervals of this answer hold at once with {percent(spend.confidence)} confidence"]
    if bound.private_keys:
        said.append("the errors above are those of one group: with every group that is shown, intervals are wider")
    texts = (*plan.quote.notes, *(said if spend.simultaneous else ()), *notes(spend.after))
    told = replace(plan.quote, confidence=spend.confidence, simultaneous=spend.simultaneous, after=spend.after)
    return replace(plan, quote=replace(told, notes=texts))


def restated(plan: Plan, bound: Bound) -> Plan:
    """The same queries with the same noise, for a question that makes other columns of the same statistics."""
    quote = plan.quote
    told = quoted(bound, Spend(confidence=quote.confidence), plan.noise, plan.selection, quote.loss)
    return replace(plan, bound=bound, quote=told)


def _priced(bound: Bound, spend: Spend) -> Plan:
    if bound.private_keys:
        _check_private_keys(bound, spend)
    else:
        groups(bound.keys)
    if spend.accuracy is None or bound.listed:
        return _plan(bound, spend, noise_for(bound, spend))
    wanted, steady, rows = spend.accuracy, _steady(bound, spend), spend.rows or SAMPLE_GROUP

    def enough(epsilon: Fraction) -> bool:
        noise = noise_for(bound, replace(spend, accuracy=None, epsilon=epsilon))
        found = (expected(output, noise, spend.confidence, rows) for output in steady)
        return all(error <= (wanted * abs(Fraction(value)) if spend.relative else wanted) for value, error in found)

    if not enough(_BEYOND):
        hint = "Allow a larger error; instead of a quotient of sums ask for an average or a rate; or give epsilon."
        raise Refused("accuracy", "No spend is known to reach this accuracy.", hint)
    epsilon = least_decimal(enough)
    paid = max(epsilon, spend.least)
    reached = replace(spend, accuracy=None, epsilon=paid)
    plan = _plan(bound, reached, noise_for(bound, reached))
    return plan if paid == epsilon else replace(plan, quote=plan.quote.with_notes([least_paid(paid, epsilon)]))


def least_paid(paid: Fraction, enough: Fraction) -> str:
    """Why an accuracy costs more than it needs."""
    return f"costs ε {at_most(paid)}, the least that may be spent; ε {at_most(enough)} would be accurate enough"


def _check_private_keys(bound: Bound, spend: Spend) -> None:
    """What private keys need."""
    if bound.crowd and (bound.neighbours is Neighbours.REPLACE or spend.delta is None):
        hint = "Group by fewer or coarser keys, or give delta: then only the groups of enough people are shown."
        raise Refused("too-many-groups", f"There would be {bound.crowd:,} groups.", hint)
    if bound.neighbours is Neighbours.REPLACE:
        raise Refused(
            "private-keys", "Private keys need neighbours = 'add-remove' in the policy.", "Group by declared values."
        )
    if spend.delta is None:
        raise Refused(
            "private-keys",
            "The policy does not list these group keys, and revealing them costs a delta.",
            "Give delta, or group by a column with declared values, or list the keys: WHERE key IN (...).",
        )


def _plan(bound: Bound, spend: Spend, noise: tuple[Part, ...]) -> Plan:
    """Queries, noise, selection and quote."""
    selection = selection_for(bound, spend)
    parts = [part.loss for part in noise] + ([] if selection is None else [selection.loss])
    loss = sum(parts, start=Loss.zero())
    return Plan(bound, queries_of(bound), noise, selection, quoted(bound, spend, noise, selection, loss))


def _steady(bound: Bound, spend: Spend) -> list[Output]:
    """The noisy columns, less their rounding: if an accuracy is asked for, their error must not depend on the data."""
    statistics = frozenset().union(*(statistic.names for statistic in bound.statistics))
    choices = frozenset().union(*(base.names for base in bound.statistics if not isinstance(base, Statistic)))
    noisy = [replace(output, value=unrounded(output.value)) for output in bound.outputs if statistics & output.rests_on]
    for output in noisy:
        varies = not linear(output.value) or bool(choices & output.rests_on)
        if spend.rows is None and (varies or spend.relative):
            raise Refused(
                "accuracy",
                f"The error of {output.name!r} depends on the data, so no spend can promise an accuracy.",
                "Say how many rows a group has: rows=10000; or ask for counts and sums; or give epsilon.",
            )
    return noisy
