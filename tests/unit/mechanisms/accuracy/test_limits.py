"""What can still be done: the impossible is impossible, and what is said to be reached is."""

from __future__ import annotations

from itertools import product
from math import exp, log

import numpy as np
import pytest

from deniable.mechanisms import Gaussian
from deniable.mechanisms.accuracy.limits import METHODS, Limits, impossible_below

SPEND = {"epsilon": 1, "delta": "1e-6", "confidence": "0.95"}


@pytest.mark.parametrize("epsilon", [0.1, 1, 3])
def test_answers_that_good_give_away_more_than_privacy_allows(epsilon: float) -> None:
    """Two tables of six bits with close answers to all 64 subset queries are close: enumerated."""
    tables = np.array(list(product([0, 1], repeat=6)))
    queries = tables
    counts = tables @ queries.T
    for error in (0.5, 1.0, 1.5):
        gaps = np.abs(counts[:, None, :] - counts[None, :, :]).max(axis=2)
        apart = np.abs(tables[:, None, :] - tables[None, :, :]).sum(axis=2)
        assert (apart[gaps <= 2 * error] <= 4 * error).all()
    known = 1 - 4 * impossible_below(epsilon, "1e-6")
    assert known == pytest.approx(exp(epsilon) / (1 + exp(epsilon)) + 1e-6)


def test_what_is_reached_is_what_the_formulas_say() -> None:
    found = Limits(cells=100, **SPEND).reached(log(1000), 10_000)
    sigma = Gaussian(sensitivity=1, epsilon=1, delta="1e-6", step="1/1024").sigma
    assert found["matrix mechanism"] == pytest.approx(sigma * np.sqrt(100 * 2 * log(2 * 1000 / 0.05)) / 10_000)
    tried = [2 * np.sqrt(log(100) / t) + 10 * t * log(1000) / 10_000 for t in range(1, 2000)]
    assert min(tried) <= found["multiplicative weights"] <= 1.05 * min(tried)


def test_sums_of_noisy_cells_stay_within_the_bound() -> None:
    """Four hundred queries, ten draws at 95%: seven or more fail with probability below 1e-6 (120 x 0.05^7)."""
    chance = np.random.default_rng(1)
    queries = chance.random((400, 50)) < 0.5
    bound = Limits(cells=50, **SPEND).reached(log(400), 1000)["matrix mechanism"] * 1000
    gaussian = Gaussian(sensitivity=1, epsilon=1, delta="1e-6", step="1/1024")
    worst = [np.abs(queries @ gaussian.sample(0, 50)).max() for _ in range(10)]
    assert sum(one > bound for one in worst) <= 6


@pytest.mark.parametrize("method", METHODS)
def test_the_people_needed_are_just_enough(method: str) -> None:
    study = Limits(cells=64, **SPEND)
    needed = study.people_for(0.05, method, log(50))
    assert needed is not None
    assert study.reached(log(50), needed)[method] <= 0.05
    assert study.reached(log(50), needed * 99 // 100)[method] > 0.05
