"""Releases err as they say: measured error against the expected one, and intervals that hold.

Each test states its false-alarm rate. Counts do not matter for the error, so releases are drawn without an engine.
"""

from math import log, sqrt

import numpy as np
import pytest
from scipy.stats import binom

from deniable.releases.linear.strategies import choose
from tests.support.workloads import MARGINALS, MIXED, SMALL, dense, marginals_of, noise, task

RUNS = 200
ALPHA = 1e-7
CELLS = np.random.default_rng(11).integers(0, 200, SMALL.shape)
CASES = [
    ("alone", MIXED),
    ("identity", MIXED),
    ("hierarchical", MIXED),
    ("matrix", MIXED),
    ("residual", MIXED),
    ("residual", MARGINALS),
    ("marginals", MARGINALS),
]
IDS = [f"{name} {'mixed' if work is MIXED else 'marginals'}" for name, work in CASES]


def errors(design, kind, runs):
    """What each release is off by, for all queries: one row per release."""
    exact = np.concatenate([dense(piece) @ CELLS.reshape(-1) for piece in design.task.pieces])
    counts = marginals_of(CELLS, kind)
    found = []
    for _ in range(runs):
        solution = design.solve(design.release(counts))
        found.append(np.concatenate([design.answers(solution, piece) for piece in design.task.pieces]) - exact)
    return np.array(found)


@pytest.mark.parametrize("contribution", [None, 2], ids=["rows", "units"])
@pytest.mark.parametrize(("name", "work"), CASES, ids=IDS)
def test_the_measured_error_of_200_releases_is_the_expected_one(name, work, contribution):
    """With Gaussian noise squared errors are a weighted chi-square law, whose tails Laurent and Massart (2000) bound.

    False alarm: 2e-7 per case.
    """
    kind = noise(rho="0.5", contribution=contribution)
    design = choose(name, task(work), kind)
    off = errors(design, kind, RUNS)
    expected = sum(design.squares(piece) for piece in design.task.pieces)
    variances = np.concatenate([design.deviations(None, piece) for piece in design.task.pieces]) ** 2
    assert variances.sum() == pytest.approx(expected, rel=1e-6)
    # eigenvalues of the covariance: at most the trace in sum, and the largest is at most the trace
    weights = np.linalg.eigvalsh(_covariance(design))
    x, length = log(1 / ALPHA), sqrt(float((weights**2).sum()) / RUNS)
    measured = float((off**2).sum(axis=1).mean())
    assert measured <= expected + 2 * length * sqrt(x) + 2 * float(weights.max()) * x / RUNS
    assert measured >= expected - 2 * length * sqrt(x)


def _covariance(design):
    """Of all answers, from what unit noise in each measurement does to them."""
    columns = []
    for place, one in enumerate(design.measurements):
        for entry in range(one.size):
            noisy = [np.zeros(other.block.shape) for other in design.measurements]
            noisy[place].reshape(-1)[entry] = one.deviation
            solution = design.reader.solve(noisy)
            columns.append(np.concatenate([design.answers(solution, piece) for piece in design.task.pieces]))
    matrix = np.array(columns)
    return matrix @ matrix.T


@pytest.mark.parametrize("spend", [{"epsilon": 1}, {"rho": "0.5"}], ids=["laplace", "gaussian"])
@pytest.mark.parametrize(("name", "work"), CASES, ids=IDS)
def test_intervals_hold_and_are_not_wide(name, work, spend):
    """One query of each part: held as often as a binomial law allows (1e-7 each), and about as wide as it should be."""
    kind = noise(**spend)
    design = choose(name, task(work), kind)
    off = errors(design, kind, RUNS)
    first = 0
    for piece in design.task.pieces:
        column = np.abs(off[:, first])
        radius, deviation = design.radius(None, piece, 0.95)[0], design.deviations(None, piece)[0]
        assert (column <= radius).sum() >= binom.ppf(ALPHA, RUNS, 0.95)
        room = sqrt(log(2 / ALPHA) / (2 * RUNS))
        assert 0.24 - room <= (column > deviation).mean() <= 0.32 + room
        first += piece.rows
