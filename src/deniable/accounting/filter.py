"""The account of questions that are chosen one after the other: may this one still be asked?"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from deniable.core.conversion import budget_for_mu_squared, budget_for_rho
from deniable.core.errors import InvalidArgumentError
from deniable.core.guarantee import Guarantee
from deniable.core.loss import Loss
from deniable.core.number import Number, exact


@dataclass(frozen=True, slots=True, init=False)
class Filter:
    """Admits a question while at least one of three running sums, over all questions so far, stays within its cap.

    The sums are pure epsilon, zCDP rho and GDP mu^2; a question that lacks a form closes that branch for good. The
    cap's delta is divided beforehand: `concentrated` and `gaussian` pay for the conversion of the second and third sum,
    `approximate` is a reserve for questions that have a delta of their own (partition selection). What is not said is
    divided evenly.

    Guarantee:  everything that was ever admitted, by however adaptive and malicious an analyst, is together
                (epsilon, delta)-private with the epsilon and delta of the cap.
    Rounding:   sums are exact fractions; caps are rounded down. No drift, however many questions.
    Reference:  Rogers, Roth, Ullman, Vadhan 2016 (filters); Feldman, Zrnic 2021 (zCDP); Koskela, Tobaben, Honkela 2023
                and Smith, Thakurta 2022 (GDP).
    Proof:      docs/proofs/filter.md

    Example:
        >>> account = Filter(Guarantee(1, "1e-6"))
        >>> account.how_many(Loss.pure("0.1")), account.how_many(Loss.pure("0.01"))
        (10, 458)
        >>> account.admits(Loss.pure("0.1").times(11))
        False
    """

    cap: Guarantee
    concentrated: Fraction
    gaussian: Fraction
    approximate: Fraction
    limit: Loss = field(compare=False, repr=False)
    """The cap of each sum; None where the budget leaves nothing for it."""

    def __init__(
        self,
        cap: Guarantee,
        *,
        concentrated: Number | None = None,
        gaussian: Number | None = None,
        approximate: Number = 0,
    ) -> None:
        reserve = _share("approximate", approximate, cap)
        named = {"concentrated": concentrated, "gaussian": gaussian}
        given = [_share(name, part, cap) for name, part in named.items() if part is not None]
        rest = (cap.delta - reserve - sum(given)) / max(1, 2 - len(given))
        shares = {
            name: max(rest, Fraction(0)) if part is None else _share(name, part, cap) for name, part in named.items()
        }
        shares["approximate"] = reserve
        if sum(shares.values()) > cap.delta:
            raise InvalidArgumentError(
                "concentrated", "with gaussian and approximate must add up to at most the cap's delta"
            )
        limit = Loss(
            epsilon=cap.epsilon,
            rho=budget_for_rho(cap.epsilon, shares["concentrated"]) if shares["concentrated"] else None,
            mu_squared=budget_for_mu_squared(cap.epsilon, shares["gaussian"]) if shares["gaussian"] else None,
            delta=reserve,
        )
        for name, value in {"cap": cap, "limit": limit, **shares}.items():
            object.__setattr__(self, name, value)

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


def _share(name: str, value: Number, cap: Guarantee) -> Fraction:
    """A part of the cap's delta."""
    share = exact(name, value)
    if not 0 <= share <= cap.delta:
        raise InvalidArgumentError(name, f"must lie between 0 and the cap's delta, not {value}")
    return share


def _left(cap: Fraction | None, spent: Fraction | None) -> Fraction | None:
    """Room, or None for a branch that is closed."""
    return None if cap is None or spent is None or spent > cap else cap - spent
