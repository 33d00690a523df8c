"""Questions that are all fixed before the first answer: priced together, and charged once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from math import floor
from operator import add
from typing import Self

import pyarrow as pa

from deniable.accounting import compose
from deniable.core.errors import InvalidArgumentError, Refused
from deniable.core.loss import Loss
from deniable.core.number import Number, positive
from deniable.core.shown import percent
from deniable.display import Sheet, SheetColumn, Tabular
from deniable.display.sheet import MOST_ROWS
from deniable.planner.plan import Bound, Plan, Quote
from deniable.planner.pricing.price import price
from deniable.planner.spend import Spend

_FINE = 1000
"""Shares grow in thousandths."""
_MOST = 64
"""No composition of a batch saves more than this, at any delta that is worth the name."""


@dataclass(frozen=True, slots=True, repr=False)
class BatchQuote(Tabular):
    """The price of a batch. Follows from public facts alone."""

    loss: Loss
    method: str
    """How the losses of its parts add up: 'basic', or a tighter way, which uses the delta."""
    questions: tuple[Quote, ...]
    account: tuple[str, ...] = ()
    """What the account makes of it."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What the answers leave out besides noise, each once; and what the account makes of it."""
        return (*dict.fromkeys(note for quote in self.questions for note in quote.notes), *self.account)

    @property
    def table(self) -> pa.Table:
        """The rows of all quotes, with the number of the question before them."""
        tables = [quote.table for quote in self.questions]
        numbers = [number for number, table in enumerate(tables, 1) for _ in range(table.num_rows)]
        return pa.concat_tables(tables).add_column(0, "question", pa.array(numbers, pa.int64()))

    def with_notes(self, notes: Iterable[str]) -> Self:
        """The same quote, with more to be said: what the account makes of it."""
        return replace(self, account=(*self.account, *notes))

    def sheet(self) -> Sheet:
        """What is shown of it."""
        rows = [(number, line) for number, quote in enumerate(self.questions, 1) for line in quote.lines]
        lines = [line for _, line in rows[:MOST_ROWS]]
        columns = (
            SheetColumn.keys("question", [number for number, _ in rows[:MOST_ROWS]]),
            SheetColumn.texts("column", [line.column for line in lines]),
            SheetColumn.texts("noise", [line.mechanism for line in lines]),
            SheetColumn.errors("error", [line.error for line in lines]),
        )
        ways = "added up" if self.method == "basic" else f"accounted for as a whole ({self.method})"
        price = f"price {self.loss} · {len(self.questions):,} questions, {ways}"
        levels = ", ".join(dict.fromkeys(percent(quote.confidence) for quote in self.questions))
        return Sheet(columns, price, self.notes, f"Errors at {levels} confidence", max(0, len(rows) - MOST_ROWS))

    def to_dict(self) -> dict[str, object]:
        """All of it in values that JSON can say, for front ends."""
        return {
            "questions": [quote.to_dict() for quote in self.questions],
            "loss": self.loss.to_dict(),
            "method": self.method,
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True)
class Batch:
    """The plans of several questions, and what they lose together."""

    plans: tuple[Plan, ...]
    loss: Loss
    method: str

    @property
    def quote(self) -> BatchQuote:
        """What the batch costs."""
        return BatchQuote(self.loss, self.method, tuple(plan.quote for plan in self.plans))


def price_all(bounds: Sequence[Bound], spend: Spend, shares: Sequence[Number] | None = None) -> Batch:
    """The batch for this spend, divided evenly or by shares; by accuracy, each question as if it were asked alone.

    With `epsilon` and `delta`, shares are as large as the tightest composition of the whole batch allows
    (accounting.compose: privacy-loss distributions, where they say most). That is sound here, and not from
    question to question, because all settings are fixed before the first answer. Such a batch enters the account as one
    (epsilon, delta) question, in that form and in no better one: what is likely enough to hold for epsilon need not be
    what a sum of rhos speaks of. Half of `delta` is kept for private group keys, if there are any.
    """
    if not bounds:
        raise Refused("empty", "There is no question.", "Give at least one.")
    if spend.weights:
        raise Refused("bad-spend", "A batch is divided between questions, not between columns.", "Give shares instead.")
    parts = divided(len(bounds), shares)
    if spend.accuracy is not None:
        each = replace(spend, least=spend.least / len(bounds))
        return _added([price(bound, each) for bound in bounds])
    own = replace(spend, delta=_for_keys(bounds, spend))
    plain = _added([price(bound, _scaled(own, part)) for bound, part in zip(bounds, parts, strict=True)])
    if spend.epsilon is None or spend.delta is None:
        return plain
    return _tight(bounds, spend, own, parts, plain)


def divided(count: int, shares: Sequence[Number] | None) -> list[Fraction]:
    """What each of so many gets, of one."""
    try:
        given = [positive("shares", share) for share in shares] if shares is not None else [Fraction(1)] * count
    except InvalidArgumentError as error:
        raise Refused("bad-spend", f"{error}.", "Give positive numbers.") from None
    if len(given) != count:
        raise Refused("bad-spend", f"There are {len(given)} shares for {count} questions.", "Give one for each.")
    return [share / sum(given) for share in given]


def _for_keys(bounds: Sequence[Bound], spend: Spend) -> Fraction | None:
    private = sum(bound.private_keys for bound in bounds)
    return None if spend.delta is None or not private else spend.delta / (2 * private)


def _scaled(spend: Spend, part: Fraction) -> Spend:
    return replace(
        spend,
        epsilon=None if spend.epsilon is None else spend.epsilon * part,
        rho=None if spend.rho is None else spend.rho * part,
    )


def _added(plans: list[Plan]) -> Batch:
    """Losses simply add up."""
    return Batch(tuple(plans), reduce(add, (plan.quote.loss for plan in plans)), "basic")


def _tight(bounds: Sequence[Bound], spend: Spend, own: Spend, parts: list[Fraction], plain: Batch) -> Batch:
    """Every share times the largest factor at which the whole batch still costs no more than the spend."""
    epsilon, delta = spend.epsilon or Fraction(0), spend.delta or Fraction(0)
    losses = [loss for plan in plain.plans for loss in plan.losses]

    def fits(factor: Fraction) -> bool:
        return compose([_stretched(loss, factor) for loss in losses], delta).guarantee.epsilon <= epsilon

    factor = _largest(fits)
    while factor > 1:
        plans = [price(bound, _scaled(own, part * factor)) for bound, part in zip(bounds, parts, strict=True)]
        found = compose([loss for plan in plans for loss in plan.losses], delta)
        if found.guarantee.epsilon <= epsilon:
            return Batch(tuple(plans), Loss.approximate(found.guarantee.epsilon, delta), found.method)
        factor -= Fraction(1, _FINE)
    return plain


def _stretched(loss: Loss, factor: Fraction) -> Loss:
    """About what a part loses that gets more: each is pure, but for a delta."""
    if loss.epsilon is None:
        return loss
    epsilon = loss.epsilon * factor
    return Loss.approximate(epsilon, loss.delta) if loss.delta else Loss.pure(epsilon)


def _largest(fits: Callable[[Fraction], bool]) -> Fraction:
    """The largest factor in thousandths, from 1 on, by halving: what fits larger shares fits smaller ones."""
    low, high = _FINE, _FINE * _MOST
    while low < high:
        middle = floor((low + high + 1) / 2)
        if fits(Fraction(middle, _FINE)):
            low = middle
        else:
            high = middle - 1
    return Fraction(low, _FINE)
