"""How much is left, and what that means for the next question."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import exp, log, log1p, sqrt

import pyarrow as pa

from deniable.accounting import Filter
from deniable.core.distributions.normal import scaled_tail
from deniable.core.loss import Loss
from deniable.core.number import exact
from deniable.core.shown import at_least, at_most
from deniable.display import Sheet, SheetColumn, Tabular
from deniable.planner import ChargeLimits

_SUMS = {"epsilon": "epsilon", "rho": "rho", "mu_squared": "mu²"}
_NAMES = {"epsilon": "epsilon (pure)", "rho": "rho (zCDP)", "mu_squared": "mu² (GDP)", "delta": "delta (group keys)"}
_SMOOTHING = 5
"""What Gaussian noise on whole numbers keeps of its variance for rounding; see docs/proofs/gaussian.md."""
_DIGITS = Context(prec=4, rounding=ROUND_FLOOR)
_NORMAL = 1.96
"""Within so many deviations normal noise lies at 95%."""
_SIGNS = {"epsilon": "ε", "rho": "ρ"}


_MOST_LIKE = 1 << 20


@dataclass(frozen=True, slots=True, repr=False)
class Budget(Tabular):
    """The account of a population, or of one analyst's share of it.

    A question is allowed while epsilon, rho or mu² still has room for it: one sum within its cap is enough.
    """

    name: str
    filter: Filter
    spent: Loss
    """Everything that was ever charged to it, form by form; a form is None if a question lacked it."""
    limits: ChargeLimits
    """What one question may cost, which is the same for every account."""
    asked: tuple[int, int] | None = None
    """How many questions it has paid for today, and how many a day it may; None: any number."""
    within: Budget | None = None
    """The population's own account, if this is a share of it: every question is charged to both."""
    raised: tuple[str, ...] = ()
    """When, by how much and why the budget was raised since the first question."""
    last: Loss | None = None
    """What the last question cost, if it was not long ago."""
    counted: tuple[str, int] | None = None
    """A private table, and how many rows of a person count there: what a count of it costs is said."""

    @property
    def total(self) -> Loss:
        """The caps of the three sums, of which one must hold."""
        return self.filter.limit

    @property
    def remaining(self) -> Loss:
        """What each sum still has room for; None where a sum is past its cap."""
        return self.filter.remaining(self.spent)

    @property
    def loss(self) -> Loss:
        """What was spent, under the name that every result has for it."""
        return self.spent

    @property
    def largest_epsilon(self) -> float:
        """The largest single question with Laplace noise that still fits, by whichever sum has most room; rounded down.

        A pure epsilon costs epsilon^2 / 2 of rho, and (2 Phi^-1(e^epsilon / (1 + e^epsilon)))^2 of mu^2.
        """
        left, half = self.remaining, float(self.remaining.mu_squared or 0) ** 0.5 / 2
        by_mu, by_rho = _log_odds(half), float(2 * (left.rho or 0)) ** 0.5
        found = max(left.epsilon or Fraction(0), Fraction(by_rho), Fraction(by_mu))
        return self._fitting("epsilon", found, Loss.pure, None if self.within is None else self.within.largest_epsilon)

    @property
    def largest_rho(self) -> float:
        """The largest single question with Gaussian noise that still fits, whatever it asks for; rounded down.

        On whole numbers that a unit moves by one step, the dearest case, rho costs 2 rho / (1 - 10 rho) of mu^2.
        """
        left, mu_squared = self.remaining, self.remaining.mu_squared or Fraction(0)
        found = max(left.rho or Fraction(0), mu_squared / (2 + 2 * _SMOOTHING * mu_squared))
        return self._fitting("rho", found, _gaussian, None if self.within is None else self.within.largest_rho)

    @property
    def notes(self) -> tuple[str, ...]:
        """What may still be asked: a line for each kind of noise, and one for group keys that are private."""
        lines = [
            f"{noise} noise: nothing more may be asked."
            if size == "0"
            else f"{noise} noise: one question may still cost up to {sign} {size}."
            for noise, (sign, size) in self.largest.items()
        ]
        if self.total.delta:
            lines.append(f"Group keys that the policy does not list: δ {at_least(self.remaining.delta)} is left.")
        if self.last is not None and (times := self.more_like(self.last)):
            questions = "question" if times == 1 else "questions"
            lines.append(f"About {times:,} more {questions} like the last one, which cost {self.last}.")
        if (count := self._count()) is not None:
            lines.append(count)
        raised = self.raised if self.within is None else self.within.raised
        return (*lines, *(f"The budget was raised on {when}." for when in raised))

    @property
    def largest(self) -> dict[str, tuple[str, str]]:
        """The largest single question with each kind of noise, as it is written."""
        sizes = {"Laplace": ("ε", self.largest_epsilon), "Gaussian": ("ρ", self.largest_rho)}
        return {noise: (sign, at_least(exact(noise, size)) if size else "0") for noise, (sign, size) in sizes.items()}

    def _count(self) -> str | None:
        """What a count costs at 95%: within the least power of ten for which a tenth of what is left is enough."""
        if self.counted is None or not (self.largest_epsilon or self.largest_rho):
            return None
        table, rows = self.counted
        pure = self.remaining.epsilon is not None and bool(self.largest_epsilon)
        form, left = ("epsilon", self.largest_epsilon) if pure else ("rho", self.largest_rho)

        def costs(off: int) -> float:
            return rows * log(20) / off if pure else (rows * _NORMAL / off) ** 2 / 2

        off = next((10**power for power in range(1, 20) if costs(10**power) <= left / 10), None)
        if off is None:
            return None
        price = max(exact(form, costs(off)), self.limits.least.get(form, Fraction(0)))
        return f"A count of {table} within ± {off:,} costs about {_SIGNS[form]} {float(price):.2g}."

    def more_like(self, loss: Loss) -> int:
        """How many more questions of this price fit, one after the other."""
        fits, most = 0, 1
        while most <= _MOST_LIKE and self._admits(loss.times(most)):
            fits, most = most, 2 * most
        while most - fits > 1:
            middle = (fits + most) // 2
            fits, most = (middle, most) if self._admits(loss.times(middle)) else (fits, middle)
        return fits

    @property
    def rules(self) -> tuple[str, ...]:
        """What holds for every question, whatever is left."""
        today = () if self.asked is None else ("Questions today: {:,} of {:,}.".format(*self.asked),)
        return (*self.limits.words, *today)

    def warns(self, loss: Loss) -> tuple[str, ...]:
        """What a question of this loss would do to the account, if that is more than to spend from it."""
        asked, most = self.asked or (0, 1)
        if asked >= most:
            return (f"warning: this would be refused: {most:,} questions a day may be asked, and were asked today.",)
        if not self._admits(loss):
            return (f"warning: this would be refused: it is more than what is left. {' '.join(self.notes)}",)
        closed = dict.fromkeys(name for account in self._accounts for name in _closed_by(account, loss))
        if not closed:
            return ()
        left = " or ".join(f"{sign} {size}" for sign, size in self.after(loss).largest.values() if size != "0")
        then = f"one question may cost {left} at most" if left else "nothing more may be asked"
        return (f"warning: this would close {' and '.join(closed)}, for good; then {then}. Why: docs/accounting.md",)

    def after(self, loss: Loss) -> Budget:
        """The account as it would be once a question of this loss is paid."""
        within = None if self.within is None else replace(self.within, spent=self.within.spent + loss)
        return replace(self, spent=self.spent + loss, within=within)

    @property
    def table(self) -> pa.Table:
        """A row for each sum: its cap, what is spent of it, what is left."""
        losses = {"cap": self.total, "spent": self.spent, "left": self.remaining}
        columns = {
            name: pa.array([_float(getattr(loss, form)) for form in self._forms], pa.float64())
            for name, loss in losses.items()
        }
        return pa.table({"sum": [_NAMES[form] for form in self._forms], **columns})

    def sheet(self) -> Sheet:
        """What is shown of it."""
        forms = self._forms
        spent = [getattr(self.spent, form) for form in forms]
        left = [getattr(self.remaining, form) for form in forms]
        columns = (
            SheetColumn.texts("sum", [_NAMES[form] for form in forms]),
            _column("cap", [at_least(getattr(self.total, form)) for form in forms]),
            _column("spent", ["—" if one is None else at_most(one) for one in spent]),
            _column("left", ["closed" if one is None else at_least(one) for one in left]),
        )
        sums = [name for form, name in _SUMS.items() if form in forms]
        several = f"{', '.join(sums[:-1])} or {sums[-1]}" if len(sums) > 1 else sums[0]
        rule = f"A question is allowed while {several} still has room for it."
        return Sheet(columns, "\n".join((rule, *self.notes, *self.rules)), title=f"Budget of {self.owner}")

    def to_dict(self) -> dict[str, object]:
        """All of it in values that JSON can say, for front ends."""
        return {
            "name": self.name,
            "total": self.total.to_dict(),
            "spent": self.spent.to_dict(),
            "remaining": self.remaining.to_dict(),
            "largest_epsilon": self.largest_epsilon,
            "largest_rho": self.largest_rho,
            "notes": list(self.notes),
            "rules": list(self.rules),
        }

    @property
    def owner(self) -> str:
        """Whose it is, for people."""
        return "the population" if self.name == "population" else self.name.removeprefix("analyst:")

    @property
    def _accounts(self) -> list[Budget]:
        """All that a question is charged to."""
        return [self] if self.within is None else [self.within, self]

    @property
    def _forms(self) -> list[str]:
        """The sums that this budget has."""
        return [form for form in _NAMES if getattr(self.total, form)]

    def _admits(self, loss: Loss) -> bool:
        return all(account.filter.admits(account.spent + loss) for account in self._accounts)

    def _fitting(self, form: str, found: Fraction, loss: Callable[[Fraction], Loss], most: float | None) -> float:
        """The largest number of four digits, up to what was found and to what the population has, that is admitted.

        Nothing, if that is less than a question must cost.
        """
        found = min(found, self.limits.most.get(form, found))
        size = _DIGITS.divide(Decimal(found.numerator), Decimal(found.denominator))
        size = size if most is None else min(size, Decimal(repr(most)))
        while size > 0 and not self._admits(loss(Fraction(size))):
            size = size.next_minus(_DIGITS)
        return float(size) if size >= self.limits.least.get(form, 0) and size > 0 else 0.0


def _closed_by(account: Budget, loss: Loss) -> list[str]:
    """The sums that have room, and would have none."""
    before, after = account.remaining, account.filter.remaining(account.spent + loss)
    return [
        f"the sum of {name}"
        for form, name in _SUMS.items()
        if getattr(before, form) is not None and getattr(after, form) is None
    ]


def _gaussian(rho: Fraction) -> Loss:
    """What Gaussian noise loses at most, in every form."""
    spare = 1 - 2 * _SMOOTHING * rho
    return Loss.concentrated(rho, 2 * rho / spare if spare > 0 else None)


def _float(form: Fraction | None) -> float | None:
    return None if form is None else float(form)


def _column(name: str, texts: list[str]) -> SheetColumn:
    return SheetColumn(name, tuple((text, "") for text in texts), number=True)


def _log_odds(place: float) -> float:
    """ln(Phi(t) / Phi(-t)), the epsilon of mu = 2 t; Phi(-t) is e^(-t^2/2) scaled_tail(t / sqrt 2) / 2."""
    tail = scaled_tail(place / sqrt(2)) / 2
    return log1p(-exp(-place * place / 2) * tail) + place * place / 2 - log(tail)
