"""Choosing one of several candidates by their scores: what the choosing mechanisms have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import log
from typing import Any, Self, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.core.bits import BitSource, OperatingSystem
from deniable.core.errors import InvalidArgumentError
from deniable.core.grid import Grid
from deniable.core.number import Number, amount, exact, positive, positive_amount, whole
from deniable.core.sampling import BoolArray, IntArray, uniforms
from deniable.mechanisms.mechanism import Mechanism

Candidate = TypeVar("Candidate")

_CELLS = 1 << 20
"""Coins flipped at a time: bounds the memory of many choices at once."""
_TABLE = 2


class Selection(Mechanism):
    """Scores go to the grid, and the gaps to the best score decide how likely each candidate is."""

    __slots__ = ()

    sensitivity: Fraction
    """How far any one score can differ between neighbours."""
    epsilon: Fraction
    step: Fraction
    """The grid of the scores."""

    def __init__(self, *, sensitivity: Number, epsilon: Number, step: Number = 1) -> None:
        self._set(
            sensitivity=positive_amount("sensitivity", sensitivity),
            epsilon=positive("epsilon", epsilon),
            step=positive_amount("step", step),
        )

    @abstractmethod
    def _each(self, scores: IntArray, bits: BitSource) -> IntArray:
        """For each row of scores, the position of its choice; rows are independent."""

    def _choices(self, scores: IntArray, count: int, bits: BitSource) -> IntArray:
        """The positions that `count` independent choices by the same scores pick."""
        return in_rows(count, scores.size, lambda rows: self._each(np.tile(scores, (rows, 1)), bits))

    @overload
    def choose(self, candidates: ArrayLike) -> int: ...
    @overload
    def choose(self, candidates: Sequence[Candidate], score: Callable[[Candidate], Number]) -> Candidate: ...

    def choose(self, candidates: Any, score: Callable[[Any], Number] | None = None) -> Any:
        """The position of one of these scores; or, with a scoring function, one of the candidates."""
        scores = candidates if score is None else scores_of(candidates, score)
        position = int(self._choices(self._indices(scores), 1, OperatingSystem())[0])
        return position if score is None else candidates[position]

    def choose_each(self, scores: IntArray) -> IntArray:
        """One choice per row, by whole scores in steps.

        Where the scores of row g move by at most s_g steps between neighbours, choosing in that row loses epsilon
        s_g / sensitivity. So all rows together lose epsilon, if the s_g add up to the sensitivity at most; rho too, as
        the sum of their squares is at most the square of their sum. See docs/proofs/quantiles.md
        """
        if scores.ndim != _TABLE or not scores.shape[1]:
            raise InvalidArgumentError("scores", "must have rows of at least one candidate each")
        bits, rows = OperatingSystem(), max(1, _CELLS // scores.shape[1])
        chosen = [self._each(scores[start : start + rows], bits) for start in range(0, len(scores), rows)]
        return np.concatenate(chosen) if chosen else np.zeros(0, dtype=np.int64)

    def utility(self, candidates: int, optimal: int = 1, t: Number = 3) -> float:
        """How far below the best the chosen score may lie, except with probability e^-t.

        2 sensitivity / epsilon * (ln(candidates / optimal) + t), where `optimal` of the candidates attain the best
        score (McSherry, Talwar 2007; Dwork, Roth 2014, theorem 3.11). Does not depend on the number of people.
        The sensitivity is counted in whole steps, and scores as they lie on the grid.
        """
        ratio = Fraction(whole("candidates", candidates), whole("optimal", optimal))
        if ratio < 1:
            raise InvalidArgumentError("optimal", f"must not exceed the {candidates} candidates, not {optimal}")
        return float(self.step / self._rate) * (log(ratio) + float(exact("t", t)))

    @classmethod
    def typical(cls, epsilon: Number) -> Self:
        """Scores that are counts."""
        return cls(sensitivity=1, epsilon=epsilon)

    def neighbours(self) -> tuple[list[float], list[float]]:
        """One candidate falls behind nine rivals: the more there are, the closer its odds move by the full factor."""
        move = self._grid.values(np.array([self._grid.distance(self.sensitivity)]))[0].item()
        return [move] + [0] * 9, [0] + [move] * 9

    def sample(self, data: ArrayLike, count: int) -> NDArray[np.int64]:
        """`count` independent choices by the same scores."""
        return self._choices(self._indices(data), count, OperatingSystem())

    @property
    def _grid(self) -> Grid:
        return Grid(self.step)

    @property
    def _rate(self) -> Fraction:
        """The exponent per step of score: epsilon / (2 sensitivity), the sensitivity in steps."""
        return self.epsilon / (2 * self._grid.distance(self.sensitivity))

    def _indices(self, scores: ArrayLike) -> IntArray:
        """Scores in steps; there must be at least one."""
        if np.size(scores) == 0:
            raise InvalidArgumentError("candidates", "must not be empty")
        return self._grid.indices("scores", scores)


def scores_of(candidates: Sequence[Candidate], score: Callable[[Candidate], Number]) -> NDArray[Any]:
    """Each candidate's score, exactly as the function gave it."""
    return np.array([amount("score", score(candidate)) for candidate in candidates], dtype=object)


def in_rows(count: int, width: int, choose: Callable[[int], IntArray]) -> IntArray:
    """`count` choices among `width` candidates, so many at a time that their table of coins stays small."""
    rows = max(1, _CELLS // width)
    return np.concatenate([choose(min(rows, count - start)) for start in range(0, count, rows)])


def one_of_each(eligible: BoolArray, bits: BitSource) -> IntArray:
    """For each row, one of its eligible positions, all equally likely."""
    ranks = eligible.cumsum(axis=1)
    wanted = uniforms(ranks[:, -1], bits) + 1
    return np.asarray((ranks == wanted[:, None]).argmax(axis=1), dtype=np.int64)
