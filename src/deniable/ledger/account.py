"""Who pays: the population, or one analyst's share of it."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from deniable.accounting.filter import Filter
from deniable.core.loss import Loss
from deniable.ledger import refusals
from deniable.ledger.sums import plus


@dataclass(frozen=True, slots=True)
class Account:
    """A name under which losses are added up, and the filter that says how far they may go.

    Example:
        >>> from deniable.core.guarantee import Guarantee
        >>> alice = Account("alice", Filter(Guarantee(1)))
        >>> alice.pay(Loss.pure("0.75"), Loss.pure("0.5"))
        Traceback (most recent call last):
        deniable.core.errors.Refused: The account 'alice' has epsilon 0.25 left; this question loses epsilon 0.5...
    """

    name: str
    filter: Filter

    def pay(self, spent: Loss, loss: Loss) -> Loss:
        """What is spent once `loss` is, too; refused if that is more than the filter admits."""
        total = plus(spent, loss)
        if self.filter.admits(total):
            return total
        raise refusals.over_budget(self.name, self._left(spent, loss), _words(loss, ", ", _UP))

    def _left(self, spent: Loss, loss: Loss) -> str:
        """The room of each branch that is open; of delta, if the question needs any."""
        left = self.filter.remaining(spent)
        if left.epsilon is left.rho is left.mu_squared is None:
            return "nothing"
        room = Loss(left.epsilon, left.rho, left.mu_squared)
        delta = f", and delta {_short(left.delta, _DOWN)}," if loss.delta else ""
        return _words(room, " or ", _DOWN) + delta


_DOWN = Context(prec=6, rounding=ROUND_FLOOR)
_UP = Context(prec=6, rounding=ROUND_CEILING)


def _words(loss: Loss, between: str, rounding: Context) -> str:
    """The forms of a loss by name."""
    forms = {"epsilon": loss.epsilon, "rho": loss.rho, "mu squared": loss.mu_squared, "delta": loss.delta or None}
    return between.join(f"{name} {_short(form, rounding)}" for name, form in forms.items() if form is not None)


def _short(number: Fraction, rounding: Context) -> str:
    """Six digits, room rounded down and losses up, so that what is said to fit does fit."""
    return f"{rounding.divide(Decimal(number.numerator), Decimal(number.denominator)).normalize(rounding):g}"
