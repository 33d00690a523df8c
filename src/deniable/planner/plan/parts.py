"""What is paid for: statistics with their noise, alone or for one price, and what answers are computed from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from deniable.core.event import Event
from deniable.core.loss import Loss
from deniable.mechanisms import Gaussian, Laplace
from deniable.planner.aggregates.statistics import Statistic
from deniable.planner.choices.price import Chosen
from deniable.planner.choices.running_counts import Counted
from deniable.planner.expressions.evaluate import Band, Result
from deniable.planner.intervals.added import AddedNoise
from deniable.planner.intervals.columns import Material
from deniable.planner.intervals.public import PublicFacts


@dataclass(frozen=True, slots=True)
class Noisy:
    """A statistic and its noise."""

    statistic: Statistic
    mechanism: Laplace | Gaussian

    @property
    def names(self) -> frozenset[str]:
        """What the answer's algebra calls it."""
        return self.statistic.names

    @property
    def label(self) -> str:
        """For people."""
        return self.statistic.label

    @property
    def loss(self) -> Loss:
        """What it costs."""
        return self.mechanism.loss

    @property
    def events(self) -> tuple[Event, ...]:
        """For the ledger."""
        return (self.mechanism.event,)

    @property
    def sensitivity(self) -> float:
        """How far one unit can move it, in the answer's unit."""
        return float(self.mechanism.sensitivity) * float(self.statistic.worth)

    @property
    def scale(self) -> float:
        """The width of the noise, in the answer's unit."""
        scale = float(self.mechanism.scale) if isinstance(self.mechanism, Laplace) else self.mechanism.sigma
        return scale * float(self.statistic.worth)

    def error(self, confidence: Fraction, rows: int = 0) -> float:
        """How far the noisy statistic stays from the exact one, in the answer's unit, however many rows there are."""
        del rows
        return float(self.mechanism.error(confidence) * self.statistic.worth)

    @property
    def noise(self) -> AddedNoise:
        """For intervals of what is computed from it."""
        return AddedNoise(self.mechanism, self.statistic.worth)

    def results(self, recorded: Mapping[str, NDArray[np.int64]], confidence: Fraction) -> dict[str, Result]:
        """The statistic with its interval, in the answer's unit."""
        values = recorded[self.statistic.name].astype(np.float64) * float(self.statistic.worth)
        return {self.statistic.name: Band.around(values, self.error(confidence))}

    def expected(self, confidence: Fraction, rows: int, fractions: NDArray[np.float64]) -> dict[str, Result]:
        """What `results` may look like for groups of so many rows, whose values lie at their mean or in the middle.

        Where counts are weighed they need not be whole, and rounding can add to the width: so with some fractions.
        """
        middle = np.full(fractions.size, float(rows * self.statistic.each_row))
        values = middle + fractions if self.statistic.worth.denominator > 1 else middle
        return {self.statistic.name: Band.around(values, self.error(confidence))}


@dataclass(frozen=True, slots=True)
class Parallel:
    """Statistics of different rows, each with its noise, for one price.

    One row counts in one of them at most, or in two by parts that make one (the statement sees to that), so the shares
    of their sensitivities by which one unit moves them add up to one at most. Proof: docs/proofs/parallel.md
    """

    members: tuple[Noisy, ...]

    @property
    def names(self) -> frozenset[str]:
        """What the answer's algebra calls them."""
        return frozenset().union(*(member.names for member in self.members))

    @property
    def loss(self) -> Loss:
        """What all of them together cost: as much as the dearest, which are equal but for rounding."""
        return self._dearest.loss

    @property
    def events(self) -> tuple[Event, ...]:
        """For the ledger: one mechanism, whose vector is divided by each entry's own sensitivity."""
        return self._dearest.events

    @property
    def _dearest(self) -> Noisy:
        return max(self.members, key=lambda member: (member.loss.epsilon or 0, member.loss.rho or 0))


Single = Noisy | Chosen | Counted
"""Something that has noise."""
Part = Single | Parallel
"""Something that is paid for."""
Results = Callable[[Single, Fraction], Mapping[str, Result]]
"""What parts become, with intervals of a confidence."""


def material(parts: Sequence[Part], results: Results, keys: Mapping[str, Result], rows: int) -> Material:
    """What outputs are computed from: keys, statistics with their noise, and choices as they were made."""
    noisy = [part for part in singly(parts) if isinstance(part, Noisy)]
    choices = [part for part in singly(parts) if not isinstance(part, Noisy)]
    values = {name: value for part in noisy for name, value in results(part, _ANY).items()}
    return Material(
        {**keys, **values},
        {part.statistic.name: part.noise for part in noisy},
        lambda confidence: {name: value for part in choices for name, value in results(part, confidence).items()},
        rows,
        facts_of(part.statistic for part in noisy),
    )


def facts_of(statistics: Iterable[Statistic]) -> PublicFacts:
    """What is known of them before anything is looked at."""
    return PublicFacts.of({one.name: one.total for one in statistics if one.nonnegative})


_ANY = Fraction(1, 2)
"""A confidence that does not matter."""


def singly(parts: Iterable[Part]) -> tuple[Single, ...]:
    """Each statistic with its noise, whoever it shares its price with."""
    return tuple(one for part in parts for one in (part.members if isinstance(part, Parallel) else (part,)))


def each(confidence: Fraction, number: int) -> Fraction:
    """What each of so many must hold with, so that all of them hold at once with this confidence (Boole).

    Example:
        >>> each(Fraction(19, 20), 10)
        Fraction(199, 200)
    """
    return 1 - (1 - confidence) / max(1, number)
