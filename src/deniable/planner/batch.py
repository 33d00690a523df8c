"""Questions that are all fixed before the first answer: priced together, and charged once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from math import floor
from operator import add

from deniable.accounting import compose
from deniable.core.errors import InvalidArgumentError, Refused
from deniable.core.loss import Loss
from deniable.core.number import Number, positive
from deniable.planner.plan import Bound, Plan, Quote
from deniable.planner.price import price
from deniable.planner.spend import Spend

_FINE = 1000
"""Shares grow in thousandths."""
_MOST = 64
"""No composition of a batch saves more than this, at any delta that is worth the name."""


@dataclass(frozen=True, slots=True)
class BatchQuote:
    """The price of a batch. Follows from public facts alone."""

    loss: Loss
    method: str
    """How the losses of its parts add up: 'basic', or a tighter way, which uses the delta."""
    questions: tuple[Quote, ...]


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
        raise Refused("bad-spend", "A batch is divided between questions, not columns.", "Give shares instead.")
    parts = _parts(len(bounds), shares)
    if spend.accuracy is not None:
        return _added([price(bound, spend) for bound in bounds])
    own = replace(spend, delta=_for_keys(bounds, spend))
    plain = _added([price(bound, _scaled(own, part)) for bound, part in zip(bounds, parts, strict=True)])
    if spend.epsilon is None or spend.delta is None:
        return plain
    return _tight(bounds, spend, own, parts, plain)


def _parts(count: int, shares: Sequence[Number] | None) -> list[Fraction]:
    """What each question gets, of one."""
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
