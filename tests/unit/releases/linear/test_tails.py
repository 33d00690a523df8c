"""Sums of Laplace noise stay within the stated number of deviations, whatever their weights."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import gamma, laplace, norm

from deniable.releases.linear import tails


@pytest.mark.parametrize("confidence", [0.5, 0.8, 0.95, 0.99, 0.999])
@pytest.mark.parametrize("terms", [1, 2, 3, 5, 20, 200])
def test_equal_weights_are_covered(confidence, terms):
    """A sum of k equal terms is Gaussian with a variance of a gamma law: its tail is one integral."""
    t = tails.laplace(confidence)
    law = gamma(terms, scale=1 / terms)
    beyond, _ = quad(lambda v: 2 * norm.sf(t / np.sqrt(v)) * law.pdf(v), 0, 1 + 40 / np.sqrt(terms), limit=500)
    assert beyond <= (1 - confidence) * (1 + 1e-6)


@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
def test_little_is_given_away(confidence):
    single = laplace(scale=2**-0.5).isf((1 - confidence) / 2)
    assert max(single, tails.normal(confidence)) <= tails.laplace(confidence) <= 1.2 * single


def test_random_weights_are_covered():
    """A million sums of terms with weights drawn once; false alarm below 1e-9 (Hoeffding, with room for 0.4%)."""
    chance = np.random.default_rng(8)
    weights = chance.dirichlet(np.full(6, 0.3)) ** 0.5
    sums = chance.laplace(scale=2**-0.5, size=(1_000_000, 6)) @ weights
    assert (np.abs(sums) > tails.laplace(0.95)).mean() <= 0.05 + 0.004
