"""What counts most likely are: nothing is lost where there is little noise, and much is won where there is much."""

from itertools import pairwise, product

import numpy as np
import pytest

from deniable.releases.synthetic.measured.smoothing import MarkovChain, smoothed


def test_a_chain_is_exactly_the_mean_over_all_ways():
    """Forwards and backwards, beside adding up every way through three levels."""
    odds, law = np.random.default_rng(3).random((4, 3)), np.array([0.5, 0.3, 0.2])
    near = np.array([[0.7 / 0.85, 0.15 / 0.85, 0], [0.15, 0.7, 0.15], [0, 0.15 / 0.85, 0.7 / 0.85]])
    step = 0.9 * near + 0.1 * law
    ways = np.zeros((4, 3))
    for way in product(range(3), repeat=4):
        likely = law[way[0]] * np.prod([step[one, other] for one, other in pairwise(way)])
        likely *= np.prod(odds[np.arange(4), way])
        ways[np.arange(4), way] += likely
    chain = MarkovChain(0.1, 0.3, odds, law)
    found = chain.levels()
    assert np.allclose(found / found.sum(axis=1, keepdims=True), ways / ways.sum(axis=1, keepdims=True))
    assert np.isclose(chain.likelihood, np.log(ways[0].sum()))


@pytest.mark.parametrize("ordered", [True, False])
def test_counts_far_above_the_noise_stay(ordered):
    counts = np.random.default_rng(5).integers(500, 50_000, 80).astype(float)
    assert np.abs(smoothed(counts, 2.0, counts.mean(), ordered=ordered) - counts).max() < 2.0


def test_a_peak_stays_where_its_neighbours_are_nothing():
    counts = np.zeros(100)
    counts[[40, 50]] = 20_000, 4_000
    noisy = counts + np.random.default_rng(6).normal(0, 200, 100)
    found = smoothed(noisy, 200.0, 240.0, ordered=True)
    assert np.abs(found - counts)[[40, 50]].max() < 1000
    assert np.abs(np.delete(found, [40, 50])).max() < 200


@pytest.mark.parametrize(
    ("counts", "ordered", "part"),
    [
        (np.full(150, 300.0), False, 0.3),
        (800 * np.exp(-np.arange(200) / 60), True, 0.4),
        (30_000 / np.arange(1, 301) ** 1.1, False, 0.8),
    ],
    ids=["alike", "falling", "few are common"],
)
def test_noise_as_large_as_the_counts_is_mostly_gone(counts, ordered, part):
    """Beside the best that single counts allow: what is negative, as nothing."""
    noise = np.random.default_rng(7).normal(0, 250, counts.size)
    found = smoothed(counts + noise, 250.0, counts.mean(), ordered=ordered)
    assert np.abs(found - counts).sum() < part * np.abs(np.maximum(counts + noise, 0) - counts).sum()


def test_few_values_stay_as_they_were_measured():
    noisy = np.array([3.0, -8.0, 900.0])
    assert smoothed(noisy, 50.0, 300.0, ordered=True) is noisy
