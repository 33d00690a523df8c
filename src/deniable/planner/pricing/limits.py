"""What the policy's limits mean for one charge: refused alike by explain and ask, from public facts alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Self

from deniable.accounting import Filter
from deniable.core.cap import Cap
from deniable.core.errors import Refused
from deniable.core.loss import Loss
from deniable.core.shown import at_least, at_most
from deniable.planner.spend import Spend
from deniable.policy import Policy

_SIGNS = {"epsilon": "ε", "rho": "ρ"}


@dataclass(frozen=True, slots=True)
class ChargeLimits:
    """The least and the most that one charge may cost, in each form in which it is paid, and the size of its answer.

    The forms are those of a payment. One that the budget has no room for, ever, has no limits, and none has a most if a
    question may cost all that there is: the account refuses what is more than that.

    Example:
        >>> limits = ChargeLimits({"epsilon": Fraction(1, 10_000)}, {}, 1_000_000)
        >>> limits.admit(Spend(epsilon=Fraction(1, 100_000)))
        Traceback (most recent call last):
        deniable.core.errors.Refused: Epsilon 1e-5 is less than a question must cost. (least-spend)
        hint: Spend at least epsilon 1e-4.
    """

    least: Mapping[str, Fraction]
    most: Mapping[str, Fraction]
    size: int

    @classmethod
    def of(cls, policy: Policy) -> Self:
        """Parts of the population's cap, whoever asks: an analyst's share is no reason to ask for less."""
        wholes, limits = _wholes(policy.cap), policy.limits
        return cls(
            {form: whole * limits.least_spend for form, whole in wholes.items()},
            {form: whole * limits.most_spend for form, whole in wholes.items() if limits.most_spend < 1},
            limits.answer_size,
        )

    def admit(self, spend: Spend, part: Fraction = Fraction(1)) -> Spend:
        """The spend, if `part` of it is enough for a charge; an accuracy learns what it must cost at least."""
        for form, whole in self.least.items():
            paid, least = getattr(spend, form), whole / part
            if paid is not None and paid < least:
                raise Refused(
                    "least-spend",
                    f"{form.capitalize()} {at_most(paid)} is less than a question must cost.",
                    f"Spend at least {form} {at_most(least)}.",
                )
            self._check_most(form, paid)
        return spend if spend.accuracy is None else replace(spend, least=self.least["epsilon"])

    def check_accuracy(self, spend: Spend, loss: Loss) -> None:
        """Refuse what a wanted accuracy makes too dear; only its price shows that."""
        if spend.accuracy is not None:
            self._check_most("epsilon", loss.epsilon)

    def check_size(self, numbers: int) -> None:
        """Refuse an answer that is too large to keep."""
        if numbers > self.size:
            raise Refused(
                "answer-size",
                f"The answer would have {numbers:,} noisy numbers, and may have {self.size:,}.",
                "Group by fewer or coarser keys, or ask for fewer columns.",
            )

    @property
    def words(self) -> tuple[str, ...]:
        """For people."""
        least = " or ".join(f"{_SIGNS[form]} {at_most(size)}" for form, size in self.least.items())
        most = " or ".join(f"{_SIGNS[form]} {at_least(size)}" for form, size in self.most.items())
        costs = f"A question costs at least {least}{f', and at most {most}' if most else ''}."
        return (costs, f"An answer has at most {self.size:,} noisy numbers.")

    def _check_most(self, form: str, paid: Fraction | None) -> None:
        """Refuse a charge that is too dear."""
        most = self.most.get(form)
        if paid is not None and most is not None and paid > most:
            raise Refused(
                "most-spend",
                f"{form.capitalize()} {at_most(paid)} is more than one question may cost.",
                f"Spend at most {form} {at_least(most)}.",
            )


@lru_cache(maxsize=16)
def _wholes(cap: Cap) -> dict[str, Fraction]:
    """The whole budget in each form of a payment; of rho, by the sum that has most room (rho costs 2 rho of mu^2)."""
    limit = Filter(cap).limit
    rhos = [rho for rho in (limit.rho, limit.mu_squared and limit.mu_squared / 2) if rho]
    return {"epsilon": cap.epsilon} | ({"rho": max(rhos)} if rhos else {})
