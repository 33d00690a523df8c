"""The best strategy for Gaussian noise, with a proof of how far from the best it can be.

Among all matrices A whose columns have l2 norm at most 1, least squares after Gaussian noise of variance 1 errs by
tr(G X^-1) in all, X = A^T A, G being the queries' Gram matrix. That is convex in X, with diag(X) <= 1 (Li, Miklau,
Hay, McGregor, Rastogi 2015; Yuan, Yang, Zhang, Hao 2016). For any positive l the Lagrange dual is

    g(l) = 2 tr((L^1/2 G L^1/2)^1/2) - sum(l)  <=  tr(G X^-1)  for every allowed X,      L = diag(l),

attained by X(l) = L^-1/2 (L^1/2 G L^1/2)^1/2 L^-1/2; at the best l, its diagonal is 1. So l is multiplied by that
diagonal until it is (a fixed point that Denisov, McMahan, Rush, Smith, Thakurta 2022 use for prefixes); the best
multiple of any l gives the bound tr(...)^2 / sum(l).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deniable.releases.linear.matrices.centrosymmetric import halves, put_together
from deniable.releases.linear.matrices.factors import FloatArray

_ROUNDS = 60
_CLOSE = 1e-6
"""How far apart, in relation, error and bound may stay."""
_RIDGE = 1e-9


@dataclass(frozen=True, slots=True)
class Optimum:
    """A strategy, and what no strategy can do better."""

    matrix: FloatArray
    """Its columns have l2 norm 1."""
    bound: float
    """No matrix with such columns has a smaller tr(G (A^T A)^-1)."""


def optimum(gram: FloatArray) -> Optimum:
    """The best strategy for queries with this Gram matrix.

    Example:
        >>> best = optimum(np.array([[2.0, 1.0], [1.0, 2.0]]))                       # two cells and their sum
        >>> error = np.trace(np.array([[2, 1], [1, 2]]) @ np.linalg.inv(best.matrix.T @ best.matrix))
        >>> round(float(error), 4), round(best.bound, 4)
        (3.7321, 3.7321)
    """
    ridge = _RIDGE * max(float(np.trace(gram)) / len(gram), 1e-300)
    problem = _Dual(halves(gram + ridge * np.eye(len(gram))))
    dual = np.sqrt(problem.diagonal + ridge)
    for _ in range(_ROUNDS):
        roots, diagonal = problem.root(dual)
        if float(diagonal.max()) * problem.total(dual) <= roots * (1 + _CLOSE):
            break
        dual = dual * diagonal
    exact, _ = _Dual(halves(gram)).root(dual)
    matrix = problem.strategy(dual)
    return Optimum(matrix / np.sqrt((matrix**2).sum(axis=0)), exact**2 / problem.total(dual) * (1 - _RIDGE))


@dataclass(frozen=True, slots=True)
class _Dual:
    """The dual problem of a Gram matrix, or of the two blocks that it falls apart into."""

    parts: tuple[FloatArray, ...]

    @property
    def diagonal(self) -> FloatArray:
        """Of the matrix, as far as its entries differ."""
        return np.asarray(sum(np.diag(part) for part in self.parts)) / len(self.parts)

    def total(self, dual: FloatArray) -> float:
        """The sum over all cells: of two blocks, each entry stands for two of them."""
        return float(dual.sum()) * len(self.parts)

    def root(self, dual: FloatArray) -> tuple[float, FloatArray]:
        """The trace of (L^1/2 G L^1/2)^1/2, and the diagonal of X(l)."""
        total, diagonal = 0.0, np.zeros_like(dual)
        for part in self.parts:
            values, vectors = self._eigen(part, dual)
            total += float(np.sqrt(values).sum())
            diagonal += vectors**2 @ np.sqrt(values)
        return total, diagonal / len(self.parts) / dual

    def strategy(self, dual: FloatArray) -> FloatArray:
        """A matrix A with A^T A = X(l): (L^1/2 G L^1/2)^1/4 L^-1/2."""
        roots = []
        for part in self.parts:
            values, vectors = self._eigen(part, dual)
            roots.append((vectors * values**0.25) @ vectors.T / np.sqrt(dual))
        return put_together(roots)

    @staticmethod
    def _eigen(part: FloatArray, dual: FloatArray) -> tuple[FloatArray, FloatArray]:
        scales = np.sqrt(dual)
        values, vectors = np.linalg.eigh(part * np.multiply.outer(scales, scales))
        return np.maximum(values, 0), vectors
