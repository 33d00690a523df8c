"""Intervals of the local model hold as often as they say, from fifty people to a million.

Every check is by exact binomial tails at a false-alarm rate of 1e-6.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from deniable.local import (
    Duchi,
    HadamardResponse,
    Hybrid,
    KaryResponse,
    LocalHashing,
    Marginals,
    MeanVector,
    OptimizedUnary,
    Piecewise,
    ProjectiveGeometry,
    Rappor,
    SubsetSelection,
    SymmetricUnary,
    WarnerResponse,
)
from deniable.local.intervals import chance_interval, mean_radius
from tests.support.coverage import covers

SIZES = [50, 1_000, 30_000]
HISTOGRAMS = {
    "k-ary": lambda: KaryResponse(5, 1),
    "symmetric": lambda: SymmetricUnary(5, 1),
    "optimized": lambda: OptimizedUnary(5, 1),
    "hashing": lambda: LocalHashing(5, 1),
    "hadamard": lambda: HadamardResponse(5, 1),
    "geometry": lambda: ProjectiveGeometry(5, 1),
    "subset": lambda: SubsetSelection(5, 1),
    "rappor": lambda: Rappor(5, 1, 2),
}
MEANS = {"duchi": Duchi, "piecewise": Piecewise, "hybrid": Hybrid}


def tries(people: int) -> int:
    """Many small surveys, few large ones."""
    return max(20, min(300, 600_000 // people))


@pytest.mark.parametrize("people", SIZES)
@pytest.mark.parametrize("name", HISTOGRAMS)
def test_intervals_of_shares_hold(name: str, people: int) -> None:
    protocol, rounds = HISTOGRAMS[name](), tries(people)
    values = np.minimum(np.arange(people) % 20, 4)  # shares of 5%, 5%, 5%, 5%, 80%
    truth = np.bincount(values, minlength=5) / people
    each, together = np.zeros(5, dtype=int), 0
    for _ in range(rounds):
        estimate = protocol.estimate(protocol.perturb(values))
        each += (estimate.interval[0] <= truth) & (truth <= estimate.interval[1])
        together += bool(((estimate.simultaneous[0] <= truth) & (truth <= estimate.simultaneous[1])).all())
    assert all(covers(int(hits), rounds, 0.95, rate=1e-6 / 6) for hits in each)
    assert covers(together, rounds, 0.95, rate=1e-6 / 6)


@pytest.mark.parametrize("people", SIZES)
@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 1.0])
def test_intervals_of_yes_hold(share: float, people: int) -> None:
    protocol, rounds = WarnerResponse(epsilon=1), tries(people)
    answers = np.arange(people) < share * people
    found = [protocol.estimate(protocol.perturb(answers)).interval for _ in range(rounds)]
    assert covers(sum(low <= share <= high for low, high in found), rounds, 0.95)


@pytest.mark.parametrize("people", SIZES)
@pytest.mark.parametrize("name", MEANS)
@pytest.mark.parametrize("epsilon", [0.5, 3])
def test_intervals_of_means_hold(name: str, epsilon: float, people: int) -> None:
    protocol, rounds = MEANS[name](epsilon, (0, 10)), tries(people)
    values = np.where(np.arange(people) % 2 == 0, 1.0, 4.0)
    found = [protocol.estimate(protocol.perturb(values)).interval for _ in range(rounds)]
    assert covers(sum(low <= 2.5 <= high for low, high in found), rounds, 0.95)


@pytest.mark.parametrize("people", [50, 3_000])
def test_intervals_of_vectors_and_tables_hold(people: int) -> None:
    vector, tables, rounds = MeanVector(3, 6, (0, 1)), Marginals({"a": 2, "b": 2, "c": 2}, 2), 200
    numbers = np.tile([0.0, 0.3, 1.0], (people, 1))
    columns = {"a": np.arange(people) % 2, "b": np.zeros(people, dtype=int), "c": np.arange(people) % 2}
    means = cells = 0
    for _ in range(rounds):
        low, high = vector.estimate(vector.perturb(numbers)).simultaneous
        means += bool(((low <= [0.0, 0.3, 1.0]) & (high >= [0.0, 0.3, 1.0])).all())
        low, high = tables.estimate(tables.perturb(columns))["a", "c"].simultaneous
        cells += bool(((low <= [[0.5, 0], [0, 0.5]]) & (high >= [[0.5, 0], [0, 0.5]])).all())
    assert covers(means, rounds, 0.95, rate=5e-7)
    assert covers(cells, rounds, 0.95, rate=5e-7)


@pytest.mark.parametrize("protocol", [ProjectiveGeometry(100, 1), Hybrid(1)], ids=["geometry", "hybrid"])
def test_a_million_people(protocol: ProjectiveGeometry | Hybrid) -> None:
    # 20 surveys of a million; of the hundred values at once, which hold together with 0.95
    values = np.arange(10**6) % 100 if isinstance(protocol, ProjectiveGeometry) else np.full(10**6, 0.25)
    truth = 0.01 if isinstance(protocol, ProjectiveGeometry) else 0.25
    hits = 0
    for _ in range(5):
        low, high = protocol.estimate(protocol.perturb(values)).simultaneous
        hits += bool(np.all((low <= truth) & (truth <= high)))
    assert covers(hits, 5, 0.95)


# The theorem itself, without sampling


@pytest.mark.parametrize("people", [1, 2, 5, 50, 400])
@pytest.mark.parametrize("alpha", [0.5, 0.05, 1e-4])
@pytest.mark.parametrize(("truth", "lie"), [(0.731, 0.269), (0.5, 0.27), (0.01, 0.001), (0.999, 0.0002)])
def test_the_interval_of_chances_is_exact_for_given_respondents(
    people: int, alpha: float, truth: float, lie: float
) -> None:
    counts = np.arange(people + 1)
    low, high = chance_interval(counts, people, alpha)
    for holders in {0, 1, people // 3, people // 2, people}:
        law = np.convolve(
            binom.pmf(np.arange(holders + 1), holders, truth),
            binom.pmf(np.arange(people - holders + 1), people - holders, lie),
        )
        mean = (holders * truth + (people - holders) * lie) / people
        assert law[low > mean + 1e-12].sum() <= alpha / 2 + 1e-12
        assert law[high < mean - 1e-12].sum() <= alpha / 2 + 1e-12


@pytest.mark.parametrize("people", [50, 10_000, 10**6])
def test_the_radius_of_means_holds_for_a_skew_coin(people: int) -> None:
    chance, alpha = 0.02, 0.05  # far from normal
    sigma = float(np.sqrt(chance * (1 - chance)))
    radius = mean_radius(people, alpha, reach=1 - chance, least=sigma, most=sigma)
    outside = binom.cdf(np.ceil(people * (chance - radius)) - 1, people, chance) + binom.sf(
        np.floor(people * (chance + radius)), people, chance
    )
    assert outside <= alpha
    if people == 10**6:
        assert radius <= 1.05 * 1.96 * sigma / np.sqrt(people)  # and for many people it is close to the normal one
