"""A good strategy for Laplace noise: every cell, and a few weighted sums of cells that are found by descent.

The matrix is A = [I; T] D: each cell alone, and p sums with weights T >= 0, all scaled by D so that every column has l1
norm 1 (the p-identity strategies of McKenna, Miklau, Hay, Machanavajjhala 2018). The error tr(G (A^T A)^-1) and its
gradient take O(p n^2) by the Woodbury identity:

    (A^T A)^-1 = D^-1 (I - T^T (I + T T^T)^-1 T) D^-1.

It is not convex. The descent starts from the nodes of a tree of branching 4, and draws nothing at random: the same
queries have the same strategy.
"""

from __future__ import annotations

import numpy as np

from deniable.core.extras import needed
from deniable.releases.linear.matrices.factors import FloatArray

_BRANCHING = 4
_NARROWEST = 6
"""Nodes over fewer cells than this are no sums of their own."""
_ROUNDS = 400


def identity_plus(gram: FloatArray) -> FloatArray:
    """A strategy for queries with this Gram matrix, with columns of l1 norm 1.

    Example:
        >>> places = np.arange(64)
        >>> gram = np.minimum.outer(places + 1, places + 1) * (64.0 - np.maximum.outer(places, places))  # all ranges
        >>> matrix = identity_plus(gram)
        >>> bool(np.allclose(np.abs(matrix).sum(axis=0), 1))
        True
        >>> error = np.trace(gram @ np.linalg.inv(matrix.T @ matrix))
        >>> bool(np.trace(gram) / error > 1.3)                                              # cells alone err more
        True
    """
    cells = len(gram)
    start = _start(cells)
    scale = 1 / max(float(np.trace(gram)), 1e-300)

    def error(flat: FloatArray) -> tuple[float, FloatArray]:
        value, slope = _error(flat.reshape(start.shape), gram)
        return value * scale, slope.reshape(-1) * scale

    minimize = needed("strategy", "scipy.optimize", "scipy").minimize
    options = {"maxiter": _ROUNDS, "maxfun": 2 * _ROUNDS, "maxcor": 10, "ftol": 1e-9}
    found = minimize(
        error, start.reshape(-1), jac=True, method="L-BFGS-B", bounds=[(0, None)] * start.size, options=options
    )
    weights = found.x.reshape(start.shape)
    matrix = np.vstack([np.eye(cells), weights])
    return np.asarray(matrix / matrix.sum(axis=0))


def _start(cells: int) -> FloatArray:
    """The wide nodes of a tree, each a little uneven so that no two cells look the same."""
    nodes = [np.ones(cells)]
    width = -(-cells // _BRANCHING)
    while width >= _NARROWEST:
        for first in range(0, cells, width):
            node = np.zeros(cells)
            node[first : first + width] = 1
            nodes.append(node)
        width = -(-width // _BRANCHING)
    places = np.multiply.outer(np.arange(1, len(nodes) + 1), np.arange(1, cells + 1))
    return np.asarray(nodes) + 0.005 * (1 + np.cos(places * 0.618))


def _error(weights: FloatArray, gram: FloatArray) -> tuple[float, FloatArray]:
    """The error, and how it changes with each weight: by itself, and through the norm of its column."""
    norms = 1 + weights.sum(axis=0)
    inner = np.linalg.inv(np.eye(len(weights)) + weights @ weights.T)
    seen = (weights * norms) @ gram
    queries = seen * norms
    middle = queries @ weights.T
    diagonal = np.diag(gram)
    value = float((diagonal * norms**2).sum() - (inner * middle).sum())
    own = 2 * (inner @ middle @ inner) @ weights - 2 * inner @ queries
    shared = 2 * diagonal * norms - 2 * ((inner @ weights) * seen).sum(axis=0)
    return value, own + shared
