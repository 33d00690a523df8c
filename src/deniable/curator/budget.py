"""How much is left."""

from __future__ import annotations

from dataclasses import dataclass

from deniable.accounting import Filter
from deniable.core.loss import Loss


@dataclass(frozen=True, slots=True)
class Budget:
    """The account of a population, or of one analyst's share of it."""

    name: str
    filter: Filter
    spent: Loss
    """Everything that was ever charged to it, form by form; a form is None if a question lacked it."""

    @property
    def total(self) -> Loss:
        """The caps of the three sums, of which one must hold."""
        return self.filter.limit

    @property
    def remaining(self) -> Loss:
        """What each sum still has room for; None where a sum is past its cap."""
        return self.filter.remaining(self.spent)

    @property
    def largest_epsilon(self) -> float:
        """The largest single question with Laplace noise that still fits, by whichever sum has most room.

        A pure epsilon costs epsilon^2 / 2 of rho.
        """
        left = self.remaining
        by_rho = 0.0 if left.rho is None else float(2 * left.rho) ** 0.5
        return max(float(left.epsilon or 0), by_rho)

    @property
    def largest_rho(self) -> float:
        """The largest single question with Gaussian noise that still fits, about: mu^2 is twice rho, a little more."""
        left = self.remaining
        return max(float(left.rho or 0), float(left.mu_squared or 0) / 2)
