"""Private ranking: the best k candidates, in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.core.bits import BitSource, OperatingSystem
from deniable.core.errors import InvalidArgumentError
from deniable.core.loss import Loss
from deniable.core.number import Number, positive, positive_amount, whole
from deniable.core.sampling import IntArray
from deniable.mechanisms.exponential import Exponential
from deniable.mechanisms.mechanism import Mechanism
from deniable.mechanisms.selection import Candidate, scores_of


@dataclass(frozen=True, slots=True, init=False)
class TopK(Mechanism):
    """Peels the exponential mechanism: chooses the first place, takes it out, chooses the second, and so on.

    Input:      scores of a public list of candidates; each differs by at most `sensitivity` between neighbours.
    Guarantee:  pure differential privacy with `epsilon`, all k places together; zCDP with rho = epsilon^2 / (8 k).
    Rounding:   scores go to the grid, halves upward; the sensitivity is rounded up to whole steps. The draw is exact.
    Error:      with probability 1 - k e^-t, each place's score is within 2 k sensitivity/epsilon (ln R + t) of the best
                that was left.
    Cost:       k choices among at most R candidates, each vectorised over the candidates.
    Caution:    the time depends on the scores, as the exponential mechanism's does.
    Reference:  McSherry, Talwar 2007; Durfee, Rogers 2019 (peeling).
    Proof:      docs/proofs/top_k.md

    Example:
        >>> TopK(k=2, sensitivity=1, epsilon=1.0).choose([5, 500, 7, 900])
        [3, 1]
        >>> TopK(k=3, sensitivity=1, epsilon=30.0).choose(["aa", "a", "aaaa"], score=lambda name: 100 * len(name))
        ['aaaa', 'aa', 'a']
    """

    k: int
    sensitivity: Fraction
    epsilon: Fraction
    step: Fraction

    def __init__(self, *, k: int, sensitivity: Number, epsilon: Number, step: Number = 1) -> None:
        self._set(
            k=whole("k", k),
            sensitivity=positive_amount("sensitivity", sensitivity),
            epsilon=positive("epsilon", epsilon),
            step=positive_amount("step", step),
        )

    @property
    def place(self) -> Exponential:
        """The choice of one place, with its share of epsilon."""
        return Exponential(sensitivity=self.sensitivity, epsilon=self.epsilon / self.k, step=self.step)

    @property
    def loss(self) -> Loss:
        """Basic composition of the places, in every form."""
        return self.place.loss.times(self.k)

    @overload
    def choose(self, candidates: ArrayLike) -> list[int]: ...
    @overload
    def choose(self, candidates: Sequence[Candidate], score: Callable[[Candidate], Number]) -> list[Candidate]: ...

    def choose(self, candidates: Any, score: Callable[[Any], Number] | None = None) -> list[Any]:
        """The positions of the k chosen scores, best first; or, with a scoring function, the candidates."""
        scores = self._indices(candidates if score is None else scores_of(candidates, score))
        positions = self._rankings(scores, 1, OperatingSystem())[0].tolist()
        return positions if score is None else [candidates[position] for position in positions]

    def utility(self, candidates: int, t: Number = 3) -> float:
        """How far below the best that was left any place's score may lie, except with probability k e^-t."""
        return self.place.utility(candidates, 1, t)

    @classmethod
    def typical(cls, epsilon: Number) -> Self:
        """The first two."""
        return cls(k=2, sensitivity=1, epsilon=epsilon)

    def neighbours(self) -> tuple[list[float], list[float]]:
        """The first k fall behind nine rivals."""
        up, down = self.place.neighbours()
        return up[:1] * self.k + up[1:], down[:1] * self.k + down[1:]

    def sample(self, data: ArrayLike, count: int) -> NDArray[np.int64]:
        """`count` rankings, each as one number whose digits, in base R, are the places."""
        scores = self._indices(data)
        weights = scores.size ** np.arange(self.k)
        return np.asarray(self._rankings(scores, count, OperatingSystem()) @ weights, dtype=np.int64)

    def _rankings(self, scores: IntArray, count: int, bits: BitSource) -> IntArray:
        """Choose, take out, choose again: one ranking per row. Rows that agree so far choose together."""
        place = self.place
        rankings = np.zeros((count, self.k), dtype=np.int64)
        for column in range(self.k):
            taken, group = np.unique(rankings[:, :column], axis=0, return_inverse=True)
            for number, chosen in enumerate(taken):
                rows = np.flatnonzero(group.reshape(-1) == number)
                left = np.delete(np.arange(scores.size), chosen)
                choices = place._choices(scores[left], rows.size, bits)  # noqa: SLF001 - the same draw, bits passed on
                rankings[rows, column] = left[choices]
        return rankings

    def _indices(self, scores: ArrayLike) -> IntArray:
        """Scores in steps; there must be at least k."""
        if np.size(scores) < self.k:
            raise InvalidArgumentError("candidates", f"must be at least k = {self.k}, not {np.size(scores)}")
        return self.place._indices(scores)  # noqa: SLF001 - the same grid
