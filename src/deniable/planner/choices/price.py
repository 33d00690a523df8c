"""What choices cost, and what they become in the answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, time
from fractions import Fraction
from math import ceil, floor, log

import numpy as np
from numpy.typing import NDArray

from deniable.core.calendar import counted
from deniable.core.errors import InvalidArgumentError
from deniable.core.event import Event
from deniable.core.grid import RANGE
from deniable.core.loss import Loss
from deniable.core.number import above, root_above
from deniable.core.sensitivity import Neighbours
from deniable.mechanisms import Exponential, PermuteAndFlip
from deniable.mechanisms.ranks import rank_sensitivity
from deniable.planner.choices.around import Around, around
from deniable.planner.choices.histogram import Choice, Mode, Quantile
from deniable.planner.expressions.evaluate import Band, Result, labelled, labels
from deniable.planner.expressions.keys import Value

Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Chosen:
    """A choice and how it is made: each of its uses by the same mechanism, in all groups at once."""

    choice: Choice
    mechanism: PermuteAndFlip | Exponential
    confidence: Fraction
    """With which the interval holds."""
    offset: int = 0
    """Of an extreme: how many ranks aside it is sought, in the histogram's weight."""
    around: Around | None = None
    """Of any other quantile: the counts that its interval follows from."""

    @property
    def names(self) -> frozenset[str]:
        """What the answer's algebra calls what was chosen."""
        return self.choice.names

    @property
    def label(self) -> str:
        """For people."""
        return self.choice.label

    @property
    def loss(self) -> Loss:
        """All its uses, and the interval."""
        chosen = self.mechanism.loss.times(self.choice.uses)
        return chosen if self.around is None else chosen + self.around.mechanism.loss

    @property
    def events(self) -> tuple[Event, ...]:
        """For the ledger: one for each use, and one for the interval."""
        beside = () if self.around is None else (self.around.mechanism.event,)
        return (self.mechanism.event,) * self.choice.uses + beside

    @property
    def sensitivity(self) -> float:
        """How far one unit moves the scores, in rows."""
        return float(self.mechanism.sensitivity / self._row)

    @property
    def scale(self) -> float:
        """By how many rows a score falls behind while its odds fall by e."""
        return float(2 * self.mechanism.sensitivity / self.mechanism.epsilon / self._row)

    @property
    def ranks(self) -> float:
        """How far an end of the interval is aside, in rows."""
        return self.offset / self.choice.histogram.row if self.around is None else self.around.ranks

    def error(self, confidence: Fraction, rows: int) -> float:
        """Half the width of a quantile's interval, in a group of so many rows spread evenly between the bounds."""
        if isinstance(self.choice, Mode):
            return 0.0
        cells = self.choice.cells
        width = float(cells.high - cells.low)
        aside = width * self.ranks / rows + float(cells.step) / 2
        return width / 2 if confidence > self.confidence else min(width / 2, aside)

    def results(self, recorded: Mapping[str, Places], confidence: Fraction) -> dict[str, Result]:
        """The columns of the answer's algebra, with intervals of this confidence.

        The interval was drawn at one confidence. For a lower one it holds all the more; for a higher one only the
        bounds are sure.
        """
        if isinstance(self.choice, Mode):
            return {name: _labels(self.choice, recorded[name]) for name in self.choice.names}
        return {self.choice.name: band(self.choice, recorded, sure=confidence <= self.confidence)}

    def expected(self, confidence: Fraction, rows: int, fractions: NDArray[np.float64]) -> dict[str, Result]:
        """What `results` may look like for groups of so many rows; once for each of the fractions."""
        if isinstance(self.choice, Mode):
            return {name: _labels(self.choice, np.zeros(fractions.size, dtype=np.int64)) for name in self.names}
        middle = float(self.choice.cells.low + self.choice.cells.high) / 2
        return {self.choice.name: Band.around(np.full(fractions.size, middle), self.error(confidence, rows))}

    @property
    def _row(self) -> int:
        """What one row is in the score."""
        bottom = self.choice.quantile.denominator if isinstance(self.choice, Quantile) else 1
        return bottom * self.choice.histogram.row


_VALUE, _VALUE_OF_RHO = Fraction(11, 20), Fraction(7, 10)
"""Of a quantile's spend, what its value gets; the rest is for its interval. Rho buys by its root."""


def by_epsilon(
    choice: Choice, epsilon: Fraction, confidence: Fraction, neighbours: Neighbours, *, grouped: bool
) -> Chosen:
    """Permute-and-flip, the best choice that is pure; several places share epsilon evenly."""
    beside = _beside(choice, (epsilon * (1 - _VALUE), None), confidence, neighbours)
    chosen = epsilon * (1 if beside is None else _VALUE) / choice.uses
    moved = _sensitivity(choice, neighbours, grouped=grouped)
    return _aside(choice, PermuteAndFlip(sensitivity=moved, epsilon=chosen), confidence, beside)


def by_rho(choice: Choice, rho: Fraction, confidence: Fraction, neighbours: Neighbours, *, grouped: bool) -> Chosen:
    """The exponential mechanism, whose epsilon costs only epsilon^2 / 8 of rho: the most that does, rounded down."""
    beside = _beside(choice, (None, rho * (1 - _VALUE_OF_RHO)), confidence, neighbours)
    chosen = rho * (1 if beside is None else _VALUE_OF_RHO) / choice.uses
    moved = _sensitivity(choice, neighbours, grouped=grouped)
    epsilon = Fraction(floor(root_above(8 * chosen) * 10**9) - 1, 10**9)
    return _aside(choice, Exponential(sensitivity=moved, epsilon=epsilon), confidence, beside)


def _beside(
    choice: Choice, spend: tuple[Fraction | None, Fraction | None], confidence: Fraction, neighbours: Neighbours
) -> Around | None:
    """What a quantile's interval follows from. An extreme is an end of one itself, and a label has none."""
    if isinstance(choice, Mode) or 0 not in choice.sides:
        return None
    return around(choice, spend, confidence, neighbours)


def _sensitivity(choice: Choice, neighbours: Neighbours, *, grouped: bool) -> int:
    """How far the scores of all groups can move together.

    A count moves by at most what the unit weighs there. Replaced, a unit can leave one group and enter another.
    Proof: docs/proofs/quantiles.md
    """
    reach = choice.histogram.reach
    if isinstance(choice, Quantile):
        return rank_sensitivity(choice.quantile, reach, neighbours, grouped=grouped)
    return reach if neighbours is Neighbours.ADD_REMOVE or not grouped else 2 * reach


def _aside(
    choice: Choice, mechanism: PermuteAndFlip | Exponential, confidence: Fraction, beside: Around | None
) -> Chosen:
    """Of an extreme, the offset at which it lies on the wrong side with probability 1 - confidence at most.

    A cell that scores g less than the best is chosen with probability at most exp(-epsilon g / (2 sensitivity)), and
    cells on the wrong side score at least the offset below.
    """
    if isinstance(choice, Mode) or beside is not None:
        return Chosen(choice, mechanism, confidence, around=beside)
    odds = above(log(choice.candidates / (1 - confidence)))
    offset = ceil(odds * 2 * mechanism.sensitivity / mechanism.epsilon / choice.quantile.denominator)
    if offset > RANGE:
        raise InvalidArgumentError("epsilon", "is too small")
    return Chosen(choice, mechanism, confidence, offset)


def band(choice: Quantile, recorded: Mapping[str, Places], *, sure: bool) -> Band:
    """The found value between its ends; an extreme has its public bound as the other end."""
    cells = choice.cells
    found = {side: recorded[choice.recorded(side)] for side in choice.sides}
    value = found.get(0, next(iter(found.values())))
    size = len(value)
    bottom, top = np.zeros(size, dtype=np.int64), np.full(size, cells.number - 1)
    ends = np.stack([found.get(-1, bottom), found.get(1, top)]) if sure else np.stack([bottom, top])
    low, high = ends.min(axis=0), ends.max(axis=0)
    inside = cells.values(np.clip(value, low, high))
    return Band(inside, cells.values(low, -1), cells.values(high, 1))


def _labels(choice: Mode, places: Places) -> Result:
    """The values at these positions; of numbers, nothing but the bounds is sure."""
    if labelled(choice.values, choice.key.value.kind):
        return labels(choice.values)[places]
    numbers = np.array([_number(value) for value in choice.values], dtype=np.float64)
    taken = numbers[places]
    return Band(taken, np.full_like(taken, numbers.min()), np.full_like(taken, numbers.max()))


def _number(value: Value) -> float:
    """Dates and times are counted."""
    return float(counted(value) if isinstance(value, date | time) else value or 0)
