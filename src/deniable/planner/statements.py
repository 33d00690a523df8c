"""Statements with their prices: the questions inside, each asked once, and what is computed from their answers."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from operator import add

from deniable.core.errors import Refused
from deniable.core.number import Number
from deniable.planner.aggregates.statistics import Statistic
from deniable.planner.bernstein import fitting
from deniable.planner.consistent import Totals
from deniable.planner.outer import OuterQuery, SplitStatement
from deniable.planner.plan import Bound, OutputColumn, Plan, Quote
from deniable.planner.pricing.batch import Batch, divided, price_all
from deniable.planner.pricing.price import price, restated
from deniable.planner.spend import Spend
from deniable.planner.steps import CONSISTENT, notes


@dataclass(frozen=True, slots=True)
class PricedStatement:
    """One statement: the plan of each of its noisy tables, and what is computed from them (nothing: it is the one)."""

    plans: tuple[Plan, ...]
    places: tuple[int, ...]
    """For each noisy table, which of the questions that are paid for together it is an answer to."""
    outer: OuterQuery | None = None
    after: tuple[str, ...] = ()
    """What is made of its noisy tables before anything is computed from them: they agree, or nothing."""
    computed: tuple[OutputColumn, ...] = ()
    """The columns of the outer query, once they are known: an empty database finds them."""

    @property
    def columns(self) -> tuple[OutputColumn, ...]:
        """What the answer will have."""
        if self.outer is not None:
            return self.computed
        (plan,) = self.plans
        noisy = {line.column for line in plan.quote.lines}
        return tuple(OutputColumn(one.name, one.value.kind, one.name in noisy) for one in plan.bound.outputs)

    @property
    def clock(self) -> tuple[str, ...]:
        """What the clock showed."""
        return self.plans[0].bound.clock if self.outer is None else self.outer.clock

    @property
    def quote(self) -> Quote:
        """The price: of a question by itself its own, else that of all questions inside."""
        if self.outer is None:
            return self.plans[0].quote
        once = {place: plan.quote for place, plan in zip(self.places, self.plans, strict=True)}
        quotes = [plan.quote for plan in self.plans]
        shown = [quote.shown_from for quote in quotes if quote.shown_from is not None]
        return Quote(
            loss=reduce(add, (quote.loss for quote in once.values())),
            lines=tuple(line for quote in quotes for line in quote.lines),
            groups=None,
            shown_from=max(shown, default=None),
            confidence=quotes[0].confidence,
            notes=tuple(
                dict.fromkeys(
                    [
                        *self.outer.clock,
                        *(note for quote in quotes for note in quote.notes),
                        *_every(self),
                        *_after(self),
                    ]
                )
            ),
            person=quotes[0].person,
            after=self.after,
            outer=tuple(column.name for column in self.computed),
        )


def _every(asked: PricedStatement) -> list[str]:
    """What counting groups would miss, or count besides."""
    private = [plan.bound.private_keys for plan in asked.plans if plan.bound.keys]
    known = ["a noisy answer has a row for each known key, also for one that no row has"] * (False in private)
    hidden = ["a noisy answer leaves out private groups of few people, and so does what is computed from it"]
    return [*known, *(hidden * (True in private))]


def _after(asked: PricedStatement) -> list[str]:
    """What was done after the noise, and to which columns it could not be done."""
    if not asked.after:
        return []
    left = Totals.of(asked.plans).left
    stays = [f"left as it is: {', '.join(left)}, as it is no sum of its parts"] * bool(left)
    return [*notes(asked.after), "quoted errors are those before it", *stays]


@dataclass(frozen=True, slots=True)
class PricedStatements:
    """Statements for one charge, and the questions that it pays for: those inside of all of them, each once."""

    asked: tuple[PricedStatement, ...]
    batch: Batch


def price_statements(
    statements: Sequence[SplitStatement], spend: Spend, shares: Sequence[Number] | None = None, *, alone: bool
) -> PricedStatements:
    """All of them for this spend, divided evenly or by shares; `alone`: there is one, and it is no batch.

    Questions that read the same, with the same statistics, are one question: what differs is computed from its answer.
    They are put in an order of their own, so that however a statement names them, they are found again.
    """
    statements = [
        replace(statement, inner=tuple(fitting(bound, spend) for bound in statement.inner)) for statement in statements
    ]
    if all(statement.outer is None for statement in statements):
        bounds = [bound for statement in statements for bound in statement.inner]
        batch = _one(bounds[0], spend) if alone else price_all(bounds, spend, shares)
        return PricedStatements(
            tuple(PricedStatement((plan,), (place,)) for place, plan in enumerate(batch.plans)), batch
        )
    after, spend = spend.after, replace(spend, after=())
    if spend.simultaneous or set(after) - {CONSISTENT}:
        reason = "What is computed around noisy answers has neither simultaneous intervals nor steps after the noise."
        hint = "Ask the question inside by itself. Totals by ROLLUP and the like can be made 'consistent', and no more."
        raise Refused("bad-spend", reason, hint)
    parts = divided(len(statements), shares)
    runs: dict[Hashable, Bound] = {}
    paid: dict[Hashable, Fraction] = {}
    for statement, part in zip(statements, parts, strict=True):
        own = {_run(bound, spend): bound for bound in statement.inner}
        for key, bound in own.items():
            runs.setdefault(key, bound)
            paid[key] = paid.get(key, Fraction(0)) + part / len(own)
    order = sorted(runs, key=repr)
    if len(order) == 1:
        batch = _one(runs[order[0]], spend)
    else:
        batch = price_all([runs[key] for key in order], spend, [paid[key] for key in order])
    found = []
    for statement in statements:
        places = tuple(order.index(_run(bound, spend)) for bound in statement.inner)
        plans = tuple(
            plan if plan.bound == bound else restated(plan, bound)
            for bound, plan in zip(statement.inner, (batch.plans[place] for place in places), strict=True)
        )
        if after:
            Totals.of(plans)
        found.append(PricedStatement(plans, places, statement.outer, after))
    return PricedStatements(tuple(found), batch)


def _one(bound: Bound, spend: Spend) -> Batch:
    plan = price(bound, spend)
    return Batch((plan,), plan.quote.loss, "basic")


def _run(bound: Bound, spend: Spend) -> Hashable:
    """Equal if one question answers both: the same rows, groups and sums. Choices and accuracies look at columns."""
    plain = all(isinstance(statistic, Statistic) for statistic in bound.statistics)
    if spend.accuracy is not None or spend.weights or not plain:
        return replace(bound, clock=())
    return bound.source, bound.person, bound.neighbours, bound.most_keys, bound.keys, bound.statistics
