"""Claimed never below true: what a batch is said to lose, against sums of binomials and the Gaussian's formula."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest

from deniable.accounting import METHODS, compose
from deniable.accounting.pld import _CELLS, _distribution, pld
from deniable.core.errors import InvalidArgumentError
from deniable.core.loss import Loss
from deniable.mechanisms import Gaussian, Laplace, RandomizedResponse
from tests.support.true_losses import Batch, mp


def check(batch: Batch, delta: Fraction, tolerance: Fraction = Fraction(1, 100)) -> None:
    """The claim is true, and a hundredth less would not be."""
    losses = batch.losses
    with mpmath.workdps(40):
        claimed = pld(losses, delta)
        assert claimed is not None, batch
        assert batch.delta(claimed) <= mp(delta), (batch, delta, float(claimed))
        if claimed:
            assert batch.delta(claimed * (1 - tolerance)) > mp(delta), (batch, delta, float(claimed))
        best = compose(losses, delta).guarantee.epsilon
        assert batch.delta(best) <= mp(delta), (batch, delta, float(best))


def random_batches(number: int, seed: int) -> Iterator[tuple[Batch, Fraction]]:
    random = np.random.default_rng(seed)

    def fraction(low: float, high: float) -> Fraction:
        """Between powers of ten, of five digits."""
        return Fraction(f"{10 ** random.uniform(low, high):.5g}")

    for place in range(number):
        delta = fraction(-15, -1)
        kinds, most = [(1, 3.3), (2, 1.3), (3, 0.8), (1, 1.5), (0, 0)][place % 5]
        responses = tuple((fraction(-3, 0.5), int(10 ** random.uniform(0, most))) for _ in range(kinds))
        leaks = ((delta * fraction(-4, -1), int(random.integers(1, 9))),) if place % 3 == 0 else ()
        mu_squared = fraction(-4, 1) if place % 5 >= 3 else Fraction(0)
        yield Batch(responses, leaks, mu_squared), delta


@pytest.mark.parametrize("seed", range(6))
def test_no_random_batch_loses_more_than_is_claimed(seed: int) -> None:
    for batch, delta in random_batches(50, seed):
        check(batch, delta)


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(100, 120))
def test_no_batch_of_a_thousand_loses_more_than_is_claimed(seed: int) -> None:
    for batch, delta in random_batches(50, seed):
        check(batch, delta)


@pytest.mark.parametrize(
    ("epsilon", "count", "delta"),
    [
        ("0.0123", 10_000, "1e-12"),
        ("0.001", 10_000, "1e-6"),
        ("0.0123", 1_000, "1e-15"),
        ("0.3", 2_000, "1e-9"),
        ("3", 300, "1e-100"),
        ("20", 50, "1e-9"),
        ("0.0001", 5_000, "1e-15"),
    ],
)
def test_many_equal_counts_lose_no_more_than_is_claimed(epsilon: str, count: int, delta: str) -> None:
    """As many as let the error of a fast Fourier transform reach delta; here the true loss is a sum of binomials."""
    check(Batch(((Fraction(epsilon), count),)), Fraction(delta), tolerance=Fraction(1, 10**6))


@pytest.mark.parametrize("delta", ["1e-3", "1e-6", "1e-12"])
def test_counts_of_mechanisms_lose_no_more_than_is_claimed(delta: str) -> None:
    """Discrete Laplace noise on a count has the losses of a randomized response; squares of mu add up."""
    counts, coins = Laplace(sensitivity=1, epsilon="0.11"), RandomizedResponse(epsilon="0.37")
    noise = Gaussian(sensitivity=1, rho="1/800")
    assert noise.loss.mu_squared is not None
    batch = Batch(((Fraction("0.11"), 20), (Fraction("0.37"), 7)), mu_squared=4 * noise.loss.mu_squared)
    with mpmath.workdps(40):
        claimed = pld([counts.loss] * 20 + [noise.loss] * 4 + [coins.loss] * 7, Fraction(delta))
        assert claimed is not None
        assert batch.delta(claimed) <= mp(Fraction(delta)) < batch.delta(claimed * Fraction(999, 1000))


@pytest.mark.parametrize("method", ["best", *METHODS])
@pytest.mark.parametrize("count", [1, 40, 1_000])
def test_no_method_claims_less_than_is_lost(method: str, count: int) -> None:
    with mpmath.workdps(40):
        for each, delta in product(["0.0123", "0.25"], ["1e-12", "1e-3", "0.9"]):
            batch = Batch(((Fraction(each), count),))
            try:
                claimed = compose(batch.losses, delta, method).guarantee.epsilon
            except InvalidArgumentError:
                continue
            assert batch.delta(claimed) <= mp(Fraction(delta))


@pytest.mark.parametrize("kinds", [40, 400])
def test_many_kinds_lose_little_less_than_is_claimed(kinds: int) -> None:
    """Between the same number of the smallest and of the largest kind, whose losses are known."""
    delta = Fraction(1, 10**6)
    epsilons = [Fraction(1, 10) + Fraction(place, 10**6) for place in range(kinds)]
    claimed = pld([Loss.pure(epsilon) for epsilon in epsilons], delta)
    assert claimed is not None
    with mpmath.workdps(40):
        assert Batch(((epsilons[0], kinds),)).delta(claimed) <= mp(delta)
        assert Batch(((epsilons[-1], kinds),)).delta(claimed * Fraction(99, 100)) > mp(delta)


def test_it_is_fast_enough_to_be_asked_again_and_again() -> None:
    """Counted in cells, not by a clock: whatever a batch holds, its distribution has no more than so many."""
    for epsilons in ({Fraction(1, 10): 10_000}, {Fraction(place, 997): 25 for place in range(1, 400)}):
        assert _distribution(epsilons, 1e-12).masses.size <= _CELLS + 64
