"""Smooth sensitivity: an upper bound on local sensitivity that neighbours see nearly alike, checked on every table."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise
from math import ceil, inf, log, nan

import numpy as np
import pytest

from deniable.audit import audit
from deniable.core.bits import OperatingSystem
from deniable.core.errors import InvalidArgumentError
from deniable.core.sampling import discrete_laplace
from deniable.mechanisms import SmoothMedian
from deniable.mechanisms.smooth_median import _weights
from tests.support.coverage import covers
from tests.support.laws import laplace, misfits, student

Table = tuple[int, ...]
VALUES = range(4)

SETTINGS = [
    {"epsilon": "2"},
    {"epsilon": "0.1"},
    {"epsilon": "8", "quantile": "1/4"},
    {"epsilon": "1", "quantile": "0.9"},
    {"epsilon": "1", "quantile": "0"},
    {"epsilon": "1", "quantile": "1"},
    {"epsilon": "2", "delta": "1e-3"},
    {"epsilon": "0.5", "delta": "1e-6", "quantile": "3/4"},
]


def tables(most: int) -> list[Table]:
    """All tables with up to so many values, in order."""
    return [table for size in range(most + 1) for table in combinations_with_replacement(VALUES, size)]


def neighbours(table: Table) -> Iterator[Table]:
    """One value more, one less, or one replaced."""
    for value in VALUES:
        yield tuple(sorted((*table, value)))
    for place in range(len(table)):
        rest = table[:place] + table[place + 1 :]
        yield rest
        for value in VALUES:
            yield tuple(sorted((*rest, value)))


def statistic(table: Table, quantile: Fraction) -> int:
    """The order statistic of rank ceil(quantile * n); the lower bound where there is none."""
    rank = ceil(quantile * len(table))
    return table[rank - 1] if rank else VALUES[0]


@pytest.mark.parametrize("arguments", SETTINGS, ids=str)
def test_smooth_and_an_upper_bound_on_every_small_table(arguments: dict[str, str]) -> None:
    # in exact fractions: |f(x) - f(y)| <= S(x), and S(x) <= (1 + growth) S(y), for all neighbours x and y
    mechanism = SmoothMedian(lower=VALUES[0], upper=VALUES[-1], **arguments)
    growth = mechanism._growth
    small = tables(6)
    smooth = {table: mechanism._smooth(np.array(table, dtype=np.int64)) for table in small}
    pairs = 0
    for table in small:
        for other in neighbours(table):
            if other in smooth:
                pairs += 1
                jump = abs(statistic(table, mechanism.quantile) - statistic(other, mechanism.quantile))
                assert jump <= smooth[table], (table, other)
                assert smooth[table] <= (1 + growth) * smooth[other], (table, other)
    assert pairs > 4000


def test_growth_is_within_the_theorem() -> None:
    # 1 + epsilon/8 <= e^(epsilon/8) for Student's t; growth * (ln(2/delta) + epsilon/2) <= epsilon/2 for Laplace
    assert SmoothMedian(lower=0, upper=1, epsilon=2)._growth == Fraction(1, 4)
    for epsilon, delta in [(1, 1e-6), (0.1, 0.1), (5, 1e-12)]:
        growth = SmoothMedian(lower=0, upper=1, epsilon=epsilon, delta=delta)._growth
        assert growth * Fraction(log(2 / delta) + epsilon / 2) <= Fraction(epsilon) / 2
        assert float(growth) == pytest.approx(epsilon / 2 / (log(2 / delta) + epsilon / 2), rel=1e-9)


def test_weights_fall_no_faster_than_growth_allows() -> None:
    for growth in (Fraction(1, 1000), Fraction(1, 8), Fraction(3)):
        weights = _weights(growth)
        assert all(later * (1 + growth) >= earlier for earlier, later in pairwise(weights))
        assert weights[-1] > 0


# It is worth it


def test_beats_the_global_sensitivity_on_concentrated_data() -> None:
    # the median's global sensitivity is the whole range, 100; here the smooth one is a thousand times less
    ages = [40] * 300 + list(range(100))
    mechanism = SmoothMedian(lower=0, upper=100, epsilon=1)
    assert mechanism.smooth_sensitivity(ages) < 0.1
    assert mechanism.release(ages) == 40
    spread = [0] * 50 + [100] * 50
    assert mechanism.smooth_sensitivity(spread) == 100


def test_smooth_sensitivity_is_at_most_the_range() -> None:
    mechanism = SmoothMedian(lower=-3, upper=4, epsilon="0.001")
    for table in ([], [0], [-3, 4], list(range(-3, 5))):
        assert 0 < mechanism.smooth_sensitivity(table) <= 7


# It is private, and noise at local sensitivity is not

EDGE = ([0, 50, 50, 50, 100], [0, 0, 50, 50, 100])
"""The median is 50 in both; replacing one value more can move it by 0 in the first and by 50 in the second."""


def at_local_sensitivity(data: list[int], count: int) -> np.ndarray:
    """The noise of a mechanism that looks only at its own table's neighbours."""
    low, middle, high = sorted(data)[1:4]
    local = max(high - middle, middle - low)
    noise = discrete_laplace(Fraction(local), count, OperatingSystem()) if local else np.zeros(count, dtype=np.int64)
    return middle + noise


def test_noise_at_local_sensitivity_is_not_private() -> None:
    # the first table always gives 50, the second one time in a hundred: ln 100 = 4.6 and more at 50,000 trials
    verdict = audit(at_local_sensitivity, EDGE, epsilon=1)
    assert not verdict.passed
    assert verdict.lower_bound > 4


@pytest.mark.parametrize("delta", [None, "0.001"])
def test_noise_at_smooth_sensitivity_is_private_on_the_same_tables(delta: str | None) -> None:
    # false alarms: 1e-6
    mechanism = SmoothMedian(lower=0, upper=100, epsilon=1, delta=delta)
    assert audit(mechanism, EDGE, epsilon=1, delta=delta or 0).passed
    assert audit(mechanism, epsilon=1, delta=delta or 0).passed


# The draw


def test_noise_is_students_t_or_laplace() -> None:
    # wide bounds, so that none is clamped but once in a million; values so far apart that the noise is several steps
    # wide; false alarms: 1e-6 each
    values = list(range(-50_000, 50_001, 1000))
    pure = SmoothMedian(lower=-(10**9), upper=10**9, epsilon=1000)
    scale = 4 * pure._smooth(np.array(values)) / pure.epsilon
    assert not misfits(student(scale), pure.sample(values, 50_000))
    approximate = SmoothMedian(lower=-(10**9), upper=10**9, epsilon=1000, delta="1e-3")
    scale = 2 * approximate._smooth(np.array(values)) / approximate.epsilon
    assert not misfits(laplace(scale), approximate.sample(values, 50_000))


@pytest.mark.parametrize("epsilon", ["0.5", "3", "40"])
def test_error_covers(epsilon: str) -> None:
    # pure: 7.4 S / epsilon at 0.95; with delta: 2 S / epsilon ln(1 / beta); in whole steps. False alarms: 1e-6 each
    values = list(range(0, 3000, 3))
    centre = values[499]
    pure = SmoothMedian(lower=0, upper=3000, epsilon=epsilon)
    bound = ceil(7.4 * pure.smooth_sensitivity(values) / float(epsilon))
    inside = int((np.abs(pure.sample(values, 20_000) - centre) <= bound).sum())
    assert covers(inside, 20_000, 0.95)
    approximate = SmoothMedian(lower=0, upper=3000, epsilon=epsilon, delta="1e-6")
    for beta in (0.3, 0.05):
        bound = ceil(2 * approximate.smooth_sensitivity(values) / float(epsilon) * log(1 / beta))
        inside = int((np.abs(approximate.sample(values, 20_000) - centre) <= bound).sum())
        assert covers(inside, 20_000, 1 - beta)


@pytest.mark.parametrize(("quantile", "expected"), [(0, 0), ("0.25", 25), ("0.5", 50), ("0.9", 90), (1, 100)])
def test_any_order_statistic(quantile: object, expected: int) -> None:
    mechanism = SmoothMedian(lower=0, upper=100, epsilon=10**6, quantile=quantile)
    assert mechanism.release(list(range(1, 101))) == expected


def test_values_are_clamped_and_answers_stay_within_the_bounds() -> None:
    mechanism = SmoothMedian(lower=0, upper=10, epsilon="0.01")
    noisy = mechanism.sample([-500, 5, 900], 2000)
    assert noisy.min() >= 0
    assert noisy.max() <= 10
    sharp = SmoothMedian(lower=0, upper=10, epsilon=10**6)
    assert sharp.release([900, 900, -5]) == 10
    assert sharp.release([inf, 1e300, -inf]) == 10
    assert sharp.release([]) in range(11)


def test_a_fine_grid() -> None:
    mechanism = SmoothMedian(lower=0, upper=1, epsilon=10**6, step="0.01")
    assert mechanism.release([0.25, 0.5, 0.75]) == pytest.approx(0.5)
    low, high = mechanism.neighbours()
    assert set(low) == set(high) == {0.0, 1.0}
    half = SmoothMedian(lower="0.25", upper="0.75", epsilon=1, step="0.25")
    assert set(half.neighbours()[0]) == {0.25, 0.75}


@pytest.mark.usefixtures("no_randomness")
@pytest.mark.parametrize("values", [[nan], [nan, 1.0], ["abc"], "abc", None, [None], [[1, 2]]])
def test_bad_values(values: object) -> None:
    mechanism = SmoothMedian(lower=0, upper=10, epsilon=1)
    for use in (mechanism.release, mechanism.smooth_sensitivity):
        with pytest.raises(InvalidArgumentError) as error:
            use(values)
        assert error.value.argument == "values"


@pytest.mark.usefixtures("no_randomness")
@pytest.mark.parametrize(
    ("argument", "changes"),
    [
        ("upper", {"upper": 0}),
        ("upper", {"upper": -1}),
        ("lower", {"lower": nan}),
        ("quantile", {"quantile": "1.1"}),
        ("quantile", {"quantile": -1}),
        ("delta", {"delta": 0}),
        ("delta", {"delta": 1}),
        ("step", {"step": 1000}),
        ("step", {"step": "1e-9"}),
        ("step", {"upper": 2**33, "epsilon": "1e-9"}),
    ],
)
def test_bad_settings(argument: str, changes: dict[str, object]) -> None:
    with pytest.raises(InvalidArgumentError) as error:
        SmoothMedian(**{"lower": 0, "upper": 100, "epsilon": 1, **changes})
    assert error.value.argument == argument
