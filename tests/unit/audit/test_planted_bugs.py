"""Broken mechanisms, and the auditor catching each.

Every bug names two inputs and the probabilities of an event on them. From these follows how much an audit that looks
at this event proves in the worst one of a million runs; the first test checks that this is well above the claim. The
auditor is free to choose another event, and does so only if that one promises more on samples of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, tanh
from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr
from scipy.stats import binom

from deniable.audit import audit
from deniable.audit.bounds import proven_epsilon
from deniable.mechanisms import Exponential, Laplace, PartitionSelection, RandomizedResponse

RNG = np.random.default_rng()
SAMPLES = 200_000
ALPHA = 1e-6
MISS = 1e-6


@dataclass(frozen=True)
class Bug:
    """A mechanism that claims (epsilon, delta) and does not keep it."""

    name: str
    box: Callable[[Any, int], Any]
    inputs: tuple[Any, Any]
    chances: tuple[float, float]
    """Of the event that gives it away, on either input; the larger one first."""
    epsilon: float = 1
    delta: float = 0

    def worst_bound(self) -> float:
        """What the event proves, except with probability MISS."""
        trials = SAMPLES // 2
        fewest = binom.ppf(MISS / 2, trials, self.chances[0])
        most = binom.isf(MISS / 2, trials, self.chances[1])
        return proven_epsilon(fewest, most, trials, self.delta, ALPHA).item()


def laplace(scale: float, size: int | tuple[int, int]) -> NDArray[Any]:
    """Whole-numbered Laplace noise."""
    stop = 1 - exp(-1 / scale)
    return RNG.geometric(stop, size) - RNG.geometric(stop, size)


def laplace_tail(scale: float, least: int) -> float:
    """Pr[noise >= least]."""
    q = exp(-1 / scale)
    return q**least / (1 + q) if least > 0 else 1 - q ** (1 - least) / (1 + q)


def float_laplace(data: ArrayLike, count: int) -> NDArray[Any]:
    return data + RNG.laplace(size=count)


def histogram(data: ArrayLike, count: int) -> NDArray[Any]:
    """Two cells at sensitivity 1, though replacing a row moves both; as one number, cut off far outside."""
    cells = np.clip(data + laplace(1, (count, 2)), -8, 8) + 8
    return cells @ [17, 1]


def median_at_local_sensitivity(data: ArrayLike, count: int) -> NDArray[Any]:
    """The noise has the scale that this table would need, and so tells which table it is."""
    low, middle, high = np.sort(data)[len(data) // 2 - 1 : len(data) // 2 + 2]
    local = max(high - middle, middle - low)
    return middle + (laplace(local, count) if local else np.zeros(count, dtype=int))


def where_it_stops(above: NDArray[np.bool_]) -> NDArray[Any]:
    return np.where(above.any(axis=1), above.argmax(axis=1), above.shape[1])


def fixed_threshold(data: ArrayLike, count: int) -> NDArray[Any]:
    """Sparse vector that forgets the noise on the threshold: every 'no' is paid for by nobody."""
    return where_it_stops(data + laplace(2, (count, len(data))) >= 0)


def exact_values(data: ArrayLike, count: int) -> NDArray[Any]:
    """Sparse vector that forgets the noise on the values."""
    return where_it_stops(np.asarray(data) >= laplace(2, (count, 1)))


def never_stops(data: ArrayLike, count: int) -> NDArray[Any]:
    """Sparse vector that goes on after 'yes', with the same noisy threshold."""
    above = data + laplace(2, (count, len(data))) >= laplace(2, (count, 1))
    return above @ (1 << np.arange(len(data)))


def pattern_chance(values: list[int], pattern: list[bool]) -> float:
    """Of this pattern of replies from `never_stops`."""
    thresholds = np.arange(-200, 201)
    chance = np.array([laplace_tail(2, t) - laplace_tail(2, t + 1) for t in thresholds.tolist()])
    for value, yes in zip(values, pattern, strict=True):
        above = np.array([laplace_tail(2, t - value) for t in thresholds.tolist()])
        chance = chance * (above if yes else 1 - above)
    return float(chance.sum())


def noisy_max_with_its_score(data: ArrayLike, count: int) -> NDArray[Any]:
    """One-sided noise is right for the name of the winner, and shows a lower bound on every score."""
    return (data + RNG.geometric(1 - exp(-1 / 2), (count, len(data))) - 1).max(axis=1)


def shifted_selection(data: ArrayLike, count: int) -> NDArray[Any]:
    """The right probabilities, read one place too far: a single unit gets the chance of two."""
    if data == 0:
        return np.zeros(count, dtype=bool)
    return PartitionSelection(epsilon=1, delta=0.01).sample(data + 1, count)


def low_threshold(data: ArrayLike, count: int) -> NDArray[Any]:
    """Noisy count against the threshold that makes nobody rare, where one unit had to be."""
    threshold = int(np.ceil(np.log(1 / 0.02)))
    return (laplace(1, count) + data >= threshold) & (data > 0)


TURNED = ([0, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0])
PATTERN = [False, False, False, True, True, True]

BUGS = [
    Bug(
        "noise halved",
        Laplace(sensitivity=1, epsilon=2).sample,
        (0, 1),
        (laplace_tail(0.5, 0), laplace_tail(0.5, 1)),
    ),
    Bug(
        "sensitivity forgotten",
        Laplace(sensitivity=1, epsilon=1).sample,
        (0, 3),
        (laplace_tail(1, 0), laplace_tail(1, 3)),
    ),
    Bug(
        "histogram that forgets the second cell",
        histogram,
        ([1, 0], [0, 1]),
        (laplace_tail(1, 0) ** 2, laplace_tail(1, 1) ** 2),
    ),
    # |z| < 1/4 is a multiple of 2^-54 and no more at least half of the time; 1 + z, if as small, is one of 2^-53
    Bug("float noise on a lattice", float_laplace, (0.0, 1.0), ((1 - exp(-1 / 4)) / 2, 0.0)),
    Bug(
        "local sensitivity as scale",
        median_at_local_sensitivity,
        ([0, 50, 50, 50, 100], [0, 0, 50, 50, 100]),
        (1.0, tanh(1 / 100)),
    ),
    Bug(
        "sparse vector, fixed threshold",
        fixed_threshold,
        ([-2] * 10, [-1] * 10),
        ((1 - laplace_tail(2, 2)) ** 10, (1 - laplace_tail(2, 1)) ** 10),
    ),
    Bug(
        "sparse vector, exact values",
        exact_values,
        ([0, 1], [1, 0]),
        (laplace_tail(2, 1) - laplace_tail(2, 2), 0.0),
    ),
    Bug(
        "sparse vector that never stops",
        never_stops,
        TURNED,
        (pattern_chance(TURNED[0], PATTERN), pattern_chance(TURNED[1], PATTERN)),
    ),
    Bug(
        "partition selection, one unit too many",
        shifted_selection,
        (1, 0),
        (0.01 * (1 + exp(1)), 0.0),
        delta=0.01,
    ),
    Bug(
        "partition selection, threshold off by one",
        low_threshold,
        (1, 0),
        (laplace_tail(1, 3), 0.0),
        delta=0.01,
    ),
    # tells the truth with e^epsilon / (1 + e^epsilon), and otherwise what a fair coin says, which may be the truth
    Bug(
        "randomized response with a second coin",
        RandomizedResponse(keep=1 - 0.5 / (1 + exp(1))).sample,
        (0, 1),
        (1 - 0.5 / (1 + exp(1)), 0.5 / (1 + exp(1))),
    ),
    Bug(
        "exponential mechanism without the factor 2",
        Exponential(sensitivity=1, epsilon=2).sample,
        ([1] + [0] * 9, [0] + [1] * 9),
        (exp(1) / (exp(1) + 9), 1 / (1 + 9 * exp(1))),
    ),
    Bug(
        "exponential mechanism at half the sensitivity",
        Exponential(sensitivity=1, epsilon=1).sample,
        ([2] + [0] * 9, [0] + [2] * 9),
        (exp(1) / (exp(1) + 9), 1 / (1 + 9 * exp(1))),
    ),
    Bug(
        "noisy max that shows the score",
        noisy_max_with_its_score,
        ([0, 0], [1, 0]),
        ((1 - exp(-1 / 2)) ** 2, 0.0),
    ),
    Bug(
        "Gaussian noise without the logarithm",
        lambda data, count: np.round(data + RNG.normal(size=count), 2),
        (0.0, 1.0),
        (float(ndtr(-1)), float(ndtr(-2))),
        delta=1e-6,
    ),
]


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_bug_is_large_enough_to_be_certain(bug: Bug) -> None:
    assert bug.worst_bound() > 1.3 * bug.epsilon


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_bug_is_caught(bug: Bug) -> None:
    verdict = audit(bug.box, bug.inputs, bug.epsilon, bug.delta, SAMPLES, ALPHA)
    assert not verdict.passed, verdict
    # the search finds the stated event or a better one; a fifth is left for its errors
    assert verdict.lower_bound > 0.8 * bug.worst_bound(), verdict


def test_float_lattice_is_far_beyond_its_claim() -> None:
    assert audit(float_laplace, (0.0, 1.0), 1).lower_bound > 3


def test_the_lattice_is_seen_by_bits_and_not_by_values() -> None:
    verdict = audit(float_laplace, (0.0, 1.0), 1)
    assert "lowest set bit" in verdict.event
    rounded = audit(lambda data, count: np.round(float_laplace(data, count), 3), (0.0, 1.0), 1)
    assert rounded.passed, "the same noise, rounded to a public grid, is as private as claimed"
