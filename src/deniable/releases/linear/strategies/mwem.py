"""Private multiplicative weights: very many queries about few people, by asking only those that are worst answered."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import floor, inf, log
from typing import ClassVar

import numpy as np

from deniable.core.errors import Refused
from deniable.core.grid import IntArray
from deniable.core.number import root_above
from deniable.mechanisms import Exponential, Gaussian, Laplace, Mechanism, PermuteAndFlip
from deniable.releases.linear.design import Design, Exact
from deniable.releases.linear.matrices.factors import FloatArray
from deniable.releases.linear.matrices.integer_matrix import Whole, image
from deniable.releases.linear.measurement import Noise
from deniable.releases.linear.reader import sums_of
from deniable.releases.linear.strategies.strategy import Strategy
from deniable.releases.linear.task import Factors, ListedQueries, Piece, Task, spread

_MOST_CELLS = 1 << 18
_MOST_QUERIES = 1 << 20
_ROUNDS = 10
_PASSES = 20
"""How often all measurements are gone through after each round; they are public, so this is free."""
_STEEPEST = 50.0
_TOTAL = Fraction(1, 20)
_CHECK = Fraction(1, 5)


@dataclass(frozen=True, slots=True)
class Mwem(Strategy):
    """Keeps a guess of all cells; in each round, finds a query that the guess answers badly, measures it, and learns.

    Input:      any workload on few cells.
    Guarantee:  that of its steps together: each round chooses a query (permute-and-flip, or the exponential mechanism
                for rho) and measures it (Laplace or Gaussian noise), a twentieth measures the total, a fifth checks.
    Error:      the last fifth measures the query that is worst answered in the end: no answer is farther off than
                that, plus its noise and what the choice may have missed. One bound for all queries; it depends on the
                data, and is private. Further queries have no bound.
    Cost:       a pass over all queries and cells in each round.
    Reference:  Hardt, Ligett, McSherry 2012; Hardt, Rothblum 2010.
    """

    name: ClassVar[str] = "mwem"
    rounds: int = _ROUNDS

    def refusal(self, task: Task) -> str | None:
        """Cells and queries must be few enough to go through in each round."""
        if task.domain.cells > _MOST_CELLS:
            return f"there would be {task.domain.cells:,} cells, and {_MOST_CELLS:,} are the most"
        return f"there are more than {_MOST_QUERIES:,} queries" if task.queries > _MOST_QUERIES else None

    def design(self, task: Task, noise: Noise) -> MwemDesign:
        """A twentieth for the total, a fifth for the check, the rest for the rounds; half of each to choose."""
        each = (1 - _TOTAL - _CHECK) / self.rounds / 2
        return MwemDesign(task, noise, self.rounds, each)


@dataclass(frozen=True, slots=True)
class Guess:
    """What is believed of the cells, and everything that was measured."""

    cells: FloatArray
    noisy: IntArray


@dataclass(frozen=True, eq=False)
class MwemDesign(Design):
    """The rounds, with their spend."""

    task: Task
    noise: Noise
    rounds: int
    each: Fraction
    """The share of one choice, and of one measurement."""
    name: str = Mwem.name
    bound: float | None = None

    @property
    def mechanisms(self) -> Sequence[Mechanism]:
        """The total; choices and measurements by turns; the check."""
        turns = [self._choice(self.each), self._measure(self.each)] * self.rounds
        return [self._measure(_TOTAL), *turns, self._choice(_CHECK / 2), self._measure(_CHECK / 2)]

    @property
    def numbers(self) -> int:
        """Of each turn, which query and what it counts; and the total."""
        return 1 + 2 * (self.rounds + 1)

    @property
    def needs(self) -> tuple[tuple[int, ...], ...]:
        """All cells."""
        return (tuple(range(len(self.task.domain.shape))),)

    def release(self, exact: Exact) -> IntArray:
        """Every choice and every number that comes out is private; the guess is made from those alone."""
        cells = exact(self.needs[0])
        answers = np.concatenate([_exact(cells, piece) for piece in self.task.pieces])
        first, *turns = self.mechanisms
        found = [_released(first, int(cells.sum()))]
        for choice, measure in zip(turns[::2], turns[1::2], strict=True):
            guess = self._guess(np.array(found, dtype=np.int64))
            guesses = np.concatenate([sums_of(guess, piece) for piece in self.task.pieces])
            scores = np.abs(answers - np.rint(guesses / float(self.noise.worth)).astype(np.int64))
            place = choice.choose(scores)  # type: ignore[attr-defined]
            found += [place, _released(measure, int(answers[place]))]
        return np.array(found, dtype=np.int64)

    def solve(self, noisy: IntArray) -> Guess:
        """The guess after all rounds."""
        return Guess(self._guess(noisy), noisy)

    def answers(self, solution: Guess, piece: Piece) -> FloatArray:
        """Sums of the guess."""
        return sums_of(solution.cells, piece)

    def deviations(self, solution: Guess | None, piece: Piece) -> FloatArray:
        """Nobody knows; see `radius`."""
        del solution
        return np.full(piece.rows, np.nan)

    def radius(self, solution: Guess | None, piece: Piece, confidence: float) -> FloatArray:
        """One bound for all queries, from the check: half of the doubt is for its choice, half for its noise.

        Before data, and for queries that were not among the candidates, there is none.
        """
        if solution is None or not any(own is piece for own in self.task.pieces):
            return np.full(piece.rows, inf)
        *_, choice, measure = self.mechanisms
        place, value = int(solution.noisy[-2]), float(solution.noisy[-1])
        guess = float((self._row(place) * solution.cells).sum())
        worth, doubt = float(self.noise.worth), (1 - confidence) / 2
        seen = abs(value * worth - guess) + worth  # guesses were rounded to a unit of the cells
        error = measure.error(1 - doubt) * worth  # type: ignore[attr-defined]
        missed = choice.utility(self.task.queries, t=log(1 / doubt)) * worth  # type: ignore[attr-defined]
        return np.full(piece.rows, float(seen + error + missed))

    def cells(self, solution: Guess) -> FloatArray:
        """The guess."""
        return solution.cells

    def squares(self, piece: Piece) -> float:
        """Nobody knows before the data are seen."""
        del piece
        return inf

    @property
    def digest(self) -> str:
        """The candidates, their order, and every step."""
        return hashlib.sha256(repr((self.name, self.task, self.noise, self.rounds, self.events)).encode()).hexdigest()

    def _guess(self, noisy: IntArray) -> FloatArray:
        """Even at first; each measured query then draws its cells towards what was measured."""
        worth = float(self.noise.worth)
        total = max(float(noisy[0]) * worth, 1.0)
        guess = np.full(self.task.domain.shape, total / self.task.domain.cells)
        turns = noisy[1 : 1 + 2 * self.rounds].reshape(-1, 2)
        measured = [(self._row(int(place)), float(value) * worth) for place, value in turns]
        for _ in range(_PASSES):
            for row, value in measured:
                error = value - float((row * guess).sum())
                guess = guess * np.exp(np.clip(row * error / (2 * total), -_STEEPEST, _STEEPEST))
                guess *= total / guess.sum()
        return guess

    def _choice(self, share: Fraction) -> PermuteAndFlip | Exponential:
        """A score differs by at most `reach` between neighbours: a query counts a row once, if at all."""
        if self.noise.pure:
            return PermuteAndFlip(sensitivity=self.noise.reach, epsilon=self.noise.spend * share)
        # epsilon costs epsilon^2 / 8 of rho: the epsilon that costs the share, rounded down
        epsilon = Fraction(floor(root_above(8 * self.noise.spend * share) * 10**9) - 1, 10**9)
        return Exponential(sensitivity=self.noise.reach, epsilon=epsilon)

    def _measure(self, share: Fraction) -> Laplace | Gaussian:
        if self.noise.pure:
            return Laplace(sensitivity=self.noise.reach, epsilon=self.noise.spend * share)
        return Gaussian(sensitivity=self.noise.reach, rho=self.noise.spend * share)

    def _row(self, place: int) -> FloatArray:
        """The cells that a query counts."""
        for piece in self.task.pieces:
            if place < piece.rows:
                return _row(piece, place, self.task.domain.shape)
            place -= piece.rows
        raise Refused("no-cells", "There is no such query.", "")


def _released(mechanism: Mechanism, value: int) -> int:
    return int(mechanism.release(value))  # type: ignore[attr-defined]


def _exact(cells: IntArray, piece: Piece) -> IntArray:
    """The exact answers, in whole numbers."""
    if isinstance(piece, Factors):
        return image(cells, piece.factors, 1).reshape(-1)
    others = tuple(axis for axis in range(cells.ndim) if axis not in piece.axes)
    matrix = Whole(piece.matrix.reshape(piece.rows, -1).astype(np.int64))
    return image(cells.sum(axis=others).reshape(-1), [matrix], 1)


def _row(piece: Piece, place: int, shape: tuple[int, ...]) -> FloatArray:
    if isinstance(piece, ListedQueries):
        one = ListedQueries(piece.axes, piece.matrix[place : place + 1], piece.weight)
        return np.asarray(spread(one, shape)[0], dtype=np.float64)
    places = np.unravel_index(place, [factor.rows for factor in piece.factors])
    rows = [factor.row(int(axis)) for factor, axis in zip(piece.factors, places, strict=True)]
    return np.asarray(reduce(np.multiply.outer, rows))
