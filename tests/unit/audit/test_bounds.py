"""Clopper-Pearson: exact where it is defined, and never wrong more often than it says."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from deniable.audit.bounds import least_probability, most_probability, proven_epsilon

ALPHAS = [0.3, 0.05, 1e-3, 1e-6]


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("trials", [1, 7, 40, 5000])
def test_at_the_bound_the_tail_is_exactly_alpha(trials: int, alpha: float) -> None:
    hits = np.unique(np.linspace(0, trials, 30).astype(int))
    least, most = least_probability(hits, trials, alpha), most_probability(hits, trials, alpha)
    assert least[0] == 0
    assert most[-1] == 1
    assert binom.sf(hits[1:] - 1, trials, least[1:]) == pytest.approx(alpha, rel=1e-6)
    assert binom.cdf(hits[:-1], trials, most[:-1]) == pytest.approx(alpha, rel=1e-6)


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("trials", [1, 7, 40])
def test_bounds_are_wrong_with_probability_at_most_alpha(trials: int, alpha: float) -> None:
    hits = np.arange(trials + 1)
    least, most = least_probability(hits, trials, alpha), most_probability(hits, trials, alpha)
    for truth in np.linspace(0, 1, 201):
        chances = binom.pmf(hits, trials, truth)
        assert chances[least > truth].sum() <= alpha * (1 + 1e-6)
        assert chances[most < truth].sum() <= alpha * (1 + 1e-6)


def test_bounds_grow_with_the_hits_and_enclose_the_frequency() -> None:
    hits = np.arange(101)
    least, most = least_probability(hits, 100, 0.01), most_probability(hits, 100, 0.01)
    assert (np.diff(least) > 0).all()
    assert (np.diff(most) > 0).all()
    assert ((least <= hits / 100) & (hits / 100 <= most)).all()


@pytest.mark.parametrize("delta", [0.0, 0.1])
@pytest.mark.parametrize("alpha", [0.3, 0.05, 1e-3])
def test_proven_epsilon_is_wrong_with_probability_at_most_alpha(alpha: float, delta: float) -> None:
    # all pairs of counts at once: the probability of those that prove too much
    trials = 60
    hits = np.arange(trials + 1)
    proven = proven_epsilon(hits[:, None], hits[None, :], trials, delta, alpha)
    for likely, unlikely in [(0.75, 0.25), (0.5, 0.1), (0.99, 0.6), (0.3, 0.3), (0.15, 0.01)]:
        truth = max(0.0, np.log(max(likely - delta, 1e-300) / unlikely))
        chances = np.outer(binom.pmf(hits, trials, likely), binom.pmf(hits, trials, unlikely))
        assert chances[proven > truth].sum() <= alpha


def test_nothing_is_proven_by_nothing() -> None:
    assert proven_epsilon(0, 0, 1000, 0, 1e-6) == 0
    assert proven_epsilon(500, 500, 1000, 0, 1e-6) == 0
    assert proven_epsilon(100, 0, 1000, 0.2, 1e-6) == 0, "delta alone explains this"


def test_an_event_that_never_happens_on_one_input_proves_a_finite_epsilon() -> None:
    assert proven_epsilon(1000, 0, 1000, 0, 1e-6) == pytest.approx(np.log(0.9856 / 0.0144), abs=0.01)
