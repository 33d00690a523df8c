"""From noisy subset counts back to bits: three ways."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from deniable.core.errors import InvalidArgumentError
from deniable.core.extras import needed

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
Decoder = Callable[[BoolArray, FloatArray], BoolArray]

EXHAUSTIVE = 14
"""People: every table is tried, against every subset."""
_TABLES = 1 << 10
"""Tried at a time."""
PROGRAM = 600
"""People up to whom a linear program takes seconds; beyond, least squares are the better buy."""


def linear_program(subsets: BoolArray, answers: FloatArray) -> BoolArray:
    """The table of numbers in [0, 1] whose largest error is least, rounded.

    Any table that is within E of every answer is right in all but few rows, if the questions are about n log^2 n
    random ones and E is o(sqrt n); a rounded solution of the linear program is such a table (Dinur, Nissim 2003,
    theorem 5). Solved by HiGHS, an interior point method.
    """
    questions, people = subsets.shape
    ones = np.ones((questions, 1))
    weights = subsets.astype(np.float64)
    solved = needed("decoder", "scipy.optimize", "scipy").linprog(
        np.append(np.zeros(people), 1.0),
        A_ub=np.block([[weights, -ones], [-weights, -ones]]),
        b_ub=np.concatenate([answers, -answers]),
        bounds=[(0, 1)] * people + [(0, None)],
        method="highs-ipm",
        options={"presolve": False},
    )
    if solved.x is None:
        raise InvalidArgumentError("answers", "could not be decoded: the linear program has no solution")
    return np.asarray(solved.x[:people] > 0.5)  # noqa: PLR2004 - rounded


def least_squares(subsets: BoolArray, answers: FloatArray) -> BoolArray:
    """The numbers whose squared errors are least, rounded: one system of n equations.

    A half is taken off every bit first, and a ridge of one part in a million keeps the system solvable when
    there are fewer questions than people.
    """
    weights = subsets.astype(np.float32)
    centred = (answers - subsets.sum(axis=1) / 2).astype(np.float32)
    gram = (weights.T @ weights).astype(np.float64)
    gram[np.diag_indices_from(gram)] += 1e-6 * max(1.0, float(gram.trace()) / gram.shape[0])
    return np.asarray(np.linalg.solve(gram, (weights.T @ centred).astype(np.float64)) > 0)


def exhaustive(subsets: BoolArray, answers: FloatArray) -> BoolArray:
    """The table of bits whose largest error is least: all 2^n are tried.

    If every subset was answered within E, no table within E of every answer is wrong in more than 4 E rows (Dinur,
    Nissim 2003, theorem 3): of the rows that it has wrongly 0, and of those that it has wrongly 1, the subset
    that consists of just them shows that there are at most 2 E.
    """
    people = subsets.shape[1]
    if people > EXHAUSTIVE:
        raise InvalidArgumentError(
            "n", f"must be at most {EXHAUSTIVE} for the exhaustive attack, not {people}: it tries 2^n tables"
        )
    best, least = np.zeros(people, dtype=bool), np.inf
    for start in range(0, 1 << people, _TABLES):
        numbers = np.arange(start, min(start + _TABLES, 1 << people))
        tables = (numbers[:, None] >> np.arange(people)) & 1 == 1
        errors = np.abs(tables.astype(np.float32) @ subsets.T.astype(np.float32) - answers).max(axis=1)
        if errors.min() < least:
            best, least = tables[errors.argmin()], float(errors.min())
    return best


DECODERS: Mapping[str, Decoder] = {"lp": linear_program, "least-squares": least_squares, "exhaustive": exhaustive}
