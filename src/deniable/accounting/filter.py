"""The account of questions that are chosen one after the other: may this one still be asked?"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from deniable.core.cap import Cap
from deniable.core.conversion import budget_for_mu_squared, budget_for_rho
from deniable.core.loss import Loss


@dataclass(frozen=True, slots=True)
class Filter:
    """Admits a question while at least one of three running sums, over all questions so far, stays within its cap.

    The sums are pure epsilon, zCDP rho and GDP mu^2; a question that lacks a form closes that branch for good. The
    cap's delta is divided beforehand between the conversions of the second and third sum, and a reserve for questions
    that have a delta of their own.

    Guarantee:  everything that was ever admitted, by however adaptive and malicious an analyst, is together
                (epsilon, delta)-private with the epsilon and delta of the cap.
    Rounding:   sums are exact fractions; caps are rounded down. No drift, however many questions.
    Reference:  Rogers, Roth, Ullman, Vadhan 2016 (filters); Feldman, Zrnic 2021 (zCDP); Koskela, Tobaben, Honkela 2023
                and Smith, Thakurta 2022 (GDP).
    Proof:      docs/proofs/filter.md

    Example:
        >>> account = Filter(Cap(1, "1e-6"))
        >>> account.how_many(Loss.pure("0.1")), account.how_many(Loss.pure("0.01"))
        (10, 458)
        >>> account.admits(Loss.pure("0.1").times(11))
        False
    """

    cap: Cap
    limit: Loss = field(init=False, compare=False, repr=False)
    """The cap of each sum; None where the budget leaves nothing for it."""

    def __post_init__(self) -> None:
        """Each sum may go as far as its part of delta can still convert to the cap's epsilon."""
        cap = self.cap
        limit = Loss(
            epsilon=cap.epsilon,
            rho=budget_for_rho(cap.epsilon, cap.concentrated) if cap.concentrated else None,
            mu_squared=budget_for_mu_squared(cap.epsilon, cap.gaussian) if cap.gaussian else None,
            delta=cap.approximate,
        )
        object.__setattr__(self, "limit", limit)

    def admits(self, total: Loss) -> bool:
        """Whether questions that lost `total` altogether may all have been answered."""
        return total.delta <= self.limit.delta and any(
            spent is not None and cap is not None and spent <= cap
            for spent, cap in (
                (total.epsilon, self.limit.epsilon),
                (total.rho, self.limit.rho),
                (total.mu_squared, self.limit.mu_squared),
            )
        )

    def remaining(self, spent: Loss) -> Loss:
        """What each branch still has room for; None where it is closed."""
        return Loss(
            epsilon=_left(self.limit.epsilon, spent.epsilon),
            rho=_left(self.limit.rho, spent.rho),
            mu_squared=_left(self.limit.mu_squared, spent.mu_squared),
            delta=self.limit.delta - spent.delta,
        )

    def how_many(self, question: Loss, spent: Loss | None = None) -> int:
        """How many such questions still fit, after `spent`."""
        left = self.remaining(spent or Loss.zero())
        if left.delta < 0:
            return 0
        by_branch = [
            room // cost
            for room, cost in (
                (left.epsilon, question.epsilon),
                (left.rho, question.rho),
                (left.mu_squared, question.mu_squared),
            )
            if room is not None and cost
        ]
        most = max(by_branch, default=0)
        return min(most, left.delta // question.delta) if question.delta else most


def _left(cap: Fraction | None, spent: Fraction | None) -> Fraction | None:
    """Room, or None for a branch that is closed."""
    return None if cap is None or spent is None or spent > cap else cap - spent
