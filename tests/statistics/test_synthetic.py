"""Intervals of synthetic tables: certificates, and answers from the noisy counts. Each states its false-alarm rate."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binom

import deniable
from deniable.audit import audit
from deniable.core.algebra.query import WEIGHT
from deniable.core.distributions.normal import quantile
from deniable.core.sensitivity import Neighbours
from deniable.releases.synthetic.certificate import Certificate
from deniable.releases.synthetic.measured.portion import FINE, Portion, Vectors
from tests.support.limits import LOOSE

ALARM = 1e-7
"""The chance that a right implementation fails a test of this file."""
TRIES = 800


@pytest.mark.parametrize(
    ("rows", "neighbours"),
    [(0, Neighbours.ADD_REMOVE), (60, Neighbours.REPLACE), (8_000, Neighbours.ADD_REMOVE), (8_000, Neighbours.REPLACE)],
)
def test_certificates_hold_the_true_distance_as_often_as_they_say(rows, neighbours):
    """Also if hardly anything is there, and if it is known as badly as can be how many rows there are.

    The table has too many in nearly all cells, so that with too many rows the distance is always too large.
    """
    chance, pair = np.random.default_rng(1), (0, 1)
    data = np.bincount(np.arange(rows) % 16, minlength=16).reshape(4, 4)
    places = np.arange(1, 16)
    made = [places // 4, places % 4]
    drawn = np.append(0, np.ones(15)).reshape(4, 4) / 15
    true = 0.5 * np.abs(data / max(rows, 1) - drawn).sum()
    portion = Portion(Fraction(1, 100), WEIGHT, Vectors.DISTANCES, neighbours)
    doubt = portion.deviation(FINE)
    held = inside = 0
    for _ in range(TRIES):
        certificate = Certificate(max(1.0, rows + doubt * chance.standard_normal()), doubt, (pair,), portion)
        found = certificate.read(certificate.measure({pair: data * WEIGHT}, made), -quantile(0.025))
        held += int((found.low <= true <= found.high).sum())
        inside += int((0 <= found.low <= found.values <= found.high <= 1).sum())
    low, high = binom.ppf(ALARM / 2, TRIES, 0.95), binom.ppf(1 - ALARM / 2, TRIES, 0.95)
    assert inside == TRIES
    assert 0.9 * TRIES < low <= held
    assert held <= high or rows < 100, "intervals are wider than they say"


def test_answers_from_noisy_counts_hold_the_truth_as_often_as_they_say():
    chance = np.random.default_rng(2)
    town, sex = chance.integers(0, 3, 900), chance.integers(0, 2, 900)
    town[:300] = sex[:300]
    table = pa.table({"town": town, "sex": sex})
    tries, held = 60, 0
    bounds = {"town": (0, 2), "sex": (0, 1)}
    with deniable.protect(table, epsilon=10**6, delta=1e-6, bounds=bounds, limits=LOOSE) as curator:
        for number in range(tries):
            release = curator.synthesize(rho=Fraction(1, 2) + Fraction(number, 10**6))
            for condition, true in (("town = 1", (town == 1).sum()), ("sex = 0", (sex == 0).sum())):
                found = release.query(condition)
                held += found.low <= true <= found.high
    low, high = binom.ppf(ALARM / 2, 2 * tries, 0.95), binom.ppf(1 - ALARM / 2, 2 * tries, 0.95)
    assert low <= held <= high


def _measured(portion, weights, distance):
    """Draws of all that is measured, on two inputs, in the direction in which a replaced unit moves it."""
    counts = portion.kind is Vectors.COUNTS
    cells, step = (np.array([40, 30]), np.array([1, -1])) if counts else (np.array([100]), np.array([2]))
    cells = cells * WEIGHT
    vectors = [cells], [cells + distance * WEIGHT * step]
    direction = np.concatenate([weight * step for weight in weights])
    direction = direction / np.linalg.norm(direction)

    def sample(place, count):
        return np.array([portion.measure(vectors[place] * len(weights), weights) @ direction for _ in range(count)])

    return sample


@pytest.mark.parametrize("kind", list(Vectors))
def test_measurements_of_neighbours_are_told_apart_no_better_than_was_paid_for(kind):
    """Each audit is wrong with probability 1e-6 at most."""
    portion = Portion(Fraction(1, 8), WEIGHT, kind, Neighbours.REPLACE)
    claim, delta = portion.mechanism.loss.at(Fraction(1, 10**5)).epsilon, Fraction(1, 10**5)
    found = audit(_measured(portion, [3000, 2700], 1), inputs=(0, 1), epsilon=claim, delta=delta, samples=1600)
    assert found.passed
    heavy = audit(_measured(portion, [3000, 2700], 8), inputs=(0, 1), epsilon=claim, delta=delta, samples=1600)
    assert not heavy.passed, "a unit that weighs eight times what was paid for"
