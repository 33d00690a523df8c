"""Whether an account can pay, and if not, what to say."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from deniable.accounting.filter import Filter
from deniable.core.loss import Loss
from deniable.ledger import refusals
from deniable.ledger.sums import plus
from deniable.policy import Account


def pay(account: Account, spent: Loss, loss: Loss) -> Loss:
    """What is spent once `loss` is, too; refused if that is more than the filter of the account's cap admits.

    Example:
        >>> from deniable.core.cap import Cap
        >>> pay(Account("alice", Cap(1)), Loss.pure("0.75"), Loss.pure("0.5"))
        Traceback (most recent call last):
        deniable.core.errors.Refused: The account 'alice' has epsilon 0.25 left; this question loses epsilon 0.5...
    """
    total, admitted = plus(spent, loss), Filter(account.cap)
    if admitted.admits(total):
        return total
    left = admitted.remaining(spent)
    raise refusals.over_budget(account.name, _room(left, delta=bool(loss.delta)), _words(loss, ", ", _UP))


def _room(left: Loss, *, delta: bool) -> str:
    """That of each branch that is open; of delta, if the question needs any."""
    if left.epsilon is left.rho is left.mu_squared is None:
        return "nothing"
    reserve = f", and delta {_short(left.delta, _DOWN)}," if delta else ""
    return _words(Loss(left.epsilon, left.rho, left.mu_squared), " or ", _DOWN) + reserve


_DOWN = Context(prec=6, rounding=ROUND_FLOOR)
_UP = Context(prec=6, rounding=ROUND_CEILING)


def _words(loss: Loss, between: str, rounding: Context) -> str:
    """The forms of a loss by name."""
    forms = {"epsilon": loss.epsilon, "rho": loss.rho, "mu squared": loss.mu_squared, "delta": loss.delta or None}
    return between.join(f"{name} {_short(form, rounding)}" for name, form in forms.items() if form is not None)


def _short(number: Fraction, rounding: Context) -> str:
    """Six digits, room rounded down and losses up, so that what is said to fit does fit."""
    return f"{rounding.divide(Decimal(number.numerator), Decimal(number.denominator)).normalize(rounding):g}"
