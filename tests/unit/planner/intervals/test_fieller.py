"""Quotients: the hull against the definition of Fieller's set, and its coverage summed up over all of the noise."""

from fractions import Fraction

import numpy as np
import pytest

from deniable.planner.intervals.fieller import QuotientLaw, slack_of
from deniable.planner.intervals.forms import Affine, Ratio
from deniable.planner.intervals.law import radius
from tests.unit.planner.intervals.test_law import law, noise

DOUBT = Fraction(1, 20)
NOISES = {"s": noise(12, worth="0.5"), "n": noise(10)}
MEAN = Ratio(Affine(multiples={"s": Fraction(1)}), Affine(multiples={"n": Fraction(1)}))
SHARED = Ratio(
    Affine(multiples={"s": Fraction(1), "n": Fraction(30)}), Affine(multiples={"n": Fraction(1), "s": Fraction(1, 10)})
)
NOTHING = (np.zeros(1), np.zeros(1))


def hull(ratio, noisy, noises=NOISES):
    top, bottom = (
        float(one.constant) + sum(float(times) * noisy[name] for name, times in one.multiples.items())
        for one in (ratio.top, ratio.bottom)
    )
    slack = np.zeros_like(top)
    return QuotientLaw.of(ratio, noises, DOUBT).hull(top, bottom, (slack, slack))


@pytest.mark.parametrize("ratio", [MEAN, SHARED], ids=["mean", "shared"])
@pytest.mark.parametrize("noisy", [(400.0, 100.0), (-77.0, 45.0), (0.0, 1000.0), (50.0, -90.0)])
def test_the_hull_holds_every_value_that_the_noise_allows(ratio, noisy):
    sums = {"s": np.array([noisy[0]]), "n": np.array([noisy[1]])}
    low, high = hull(ratio, sums)
    values = np.concatenate([np.linspace(-100, 100, 4001), np.linspace(low[0] - 1, high[0] + 1, 2001)])
    values = values[np.isfinite(values)]
    names = ["n", "s"]
    tops, bottoms = (
        np.array([float(one.multiples.get(name, 0)) for name in names]) for one in (ratio.top, ratio.bottom)
    )
    sizes = tops[:, None] - bottoms[:, None] * values
    left = sizes.T @ np.array([noisy[1], noisy[0]])
    allowed = values[np.abs(left) <= radius([NOISES[name] for name in names], sizes, DOUBT)]
    assert allowed.size
    assert low[0] <= allowed.min()
    assert high[0] >= allowed.max()
    if np.isfinite(low[0]):
        assert high[0] - low[0] <= (allowed.max() - allowed.min()) * 1.04 + 0.2


@pytest.mark.parametrize("ratio", [MEAN, SHARED], ids=["mean", "shared"])
@pytest.mark.parametrize("exact", [(300, 90), (-500, 200), (0, 400)])
def test_the_set_holds_the_quotient_as_often_as_it_says(ratio, exact):
    """Every pair of noises, with its probability: nothing is sampled."""
    (first, weights), (second, others) = law(NOISES["s"]), law(NOISES["n"])
    likely, rarely = weights > 1e-9, others > 1e-9
    sums = {
        "s": np.repeat(exact[0] + first[likely], rarely.sum()),
        "n": np.tile(exact[1] + second[rarely], likely.sum()),
    }
    low, high = hull(ratio, sums)
    truths = [
        sum(
            float(times) * value
            for times, value in ((one.multiples.get("s", 0), exact[0]), (one.multiples.get("n", 0), exact[1]))
        )
        for one in (ratio.top, ratio.bottom)
    ]
    truth = truths[0] / truths[1]
    chance = np.outer(weights[likely], others[rarely]).reshape(-1)
    held = float(chance[(low <= truth) & (truth <= high)].sum())
    assert 0.95 - 1e-6 <= held <= 0.966


def test_a_divisor_that_may_be_zero_leaves_everything_open():
    low, high = hull(MEAN, {"s": np.array([500.0]), "n": np.array([12.0])})
    assert (low[0], high[0]) == (-np.inf, np.inf)


WITHIN = [(0.0, 5.0), (-3.0, 2.0), (0.0, np.inf), (-np.inf, 0.5), (1.0, 1.5)]


@pytest.mark.parametrize("within", WITHIN)
@pytest.mark.parametrize("slack", [0.0, 3.0])
def test_between_public_ends_it_is_what_is_left_of_the_set(within, slack):
    """Hundreds of noisy sums, many of whose divisors may be zero: against the definition, value by value.

    Nothing that the law allows is left out, and nothing is in that its convex polygon, which is little more, forbids.
    """
    law_of_mean = QuotientLaw.of(MEAN, NOISES, DOUBT)
    chance = np.random.default_rng(5)
    top, bottom = chance.normal(0, 30, 300), chance.normal(5, 25, 300)
    once, per_value = np.full(300, slack), np.full(300, slack / 10)
    low, high = law_of_mean.hull(top, bottom, (once, per_value), within)
    ends = [end if np.isfinite(end) else np.sign(end) * 40 for end in within]
    values = np.linspace(*ends, 1501)
    off = np.abs(top[:, None] - bottom[:, None] * values) - once[:, None] - np.abs(values) * per_value[:, None]
    surely, allowed = (
        off <= np.interp(values, law_of_mean.values, law.reaches) for law in (law_of_mean, law_of_mean.convex())
    )
    outside = (values < low[:, None] - 1e-9) | (values > high[:, None] + 1e-9)
    assert not (surely & outside).any()
    step, some = values[1] - values[0], allowed.any(axis=1)
    first = values[allowed.argmax(axis=1)]
    last = values[::-1][allowed[:, ::-1].argmax(axis=1)]
    tight = (low >= first - 1.01 * step - 1e-9) | (low == within[0]) | (first == values[0])
    assert tight[some].all()
    tight = (high <= last + 1.01 * step + 1e-9) | (high == within[1]) | (last == values[-1])
    assert tight[some].all()
    assert not (some & np.isfinite(within[0]) & ~allowed[:, 0] & (low == within[0])).any()
    assert not (some & np.isfinite(within[1]) & ~allowed[:, -1] & (high == within[1])).any()


@pytest.mark.parametrize(("within", "most"), [((0.0, 5.0), 0.966), ((0.0, np.inf), 0.966), ((-np.inf, np.inf), 0.99)])
def test_where_the_divisor_may_be_zero_public_ends_bring_the_coverage_back(within, most):
    """Summed up over all of the noise: without public ends, an unbounded set always holds."""
    (first, weights), (second, others) = law(NOISES["s"]), law(NOISES["n"])
    likely, rarely = weights > 1e-7, others > 1e-7
    sums = {"s": np.repeat(40 + first[likely], rarely.sum()), "n": np.tile(25 + second[rarely], likely.sum())}
    slack = np.zeros_like(sums["s"])
    low, high = QuotientLaw.of(MEAN, NOISES, DOUBT).hull(sums["s"], sums["n"], (slack, slack), within)
    chance = np.outer(weights[likely], others[rarely]).reshape(-1)
    held = float(chance[(low <= 40 / 25) & (high >= 40 / 25)].sum())
    assert 0.95 - 1e-4 <= held <= most
    assert most < 0.97 or held > 0.975


def test_the_polygon_is_convex_and_nowhere_less_than_the_law():
    law_of_mean = QuotientLaw.of(SHARED, NOISES, DOUBT).convex()
    slopes = np.diff(law_of_mean.reaches) / np.diff(law_of_mean.values)
    assert np.all(np.diff(slopes) >= -1e-9 * np.abs(slopes[1:]))
    some = law_of_mean.values[1000:3000:50]
    sizes = np.stack([np.abs(30 - some), np.abs(1 - some / 10)])
    found = radius([NOISES["n"], NOISES["s"]], sizes, DOUBT)
    reaches = np.interp(some, law_of_mean.values, law_of_mean.reaches)
    assert np.all(reaches >= found * (1 - 1e-12))
    assert np.all(reaches <= found * 1.02 + 0.05)


def test_shared_noise_is_counted_once():
    """Of x / (x + y) with hardly any noise on y, hardly anything is unknown."""
    noises = {"x": noise(1000), "y": noise(1)}
    share = Ratio(Affine(multiples={"x": Fraction(1)}), Affine(multiples={"x": Fraction(1), "y": Fraction(1)}))
    low, high = hull(share, {"x": np.array([10_000.0]), "y": np.array([0.0])}, noises)
    assert 0.99 < low[0] <= 1 <= high[0] < 1.01


def test_slack_widens_both_ends():
    law_of_mean = QuotientLaw.of(MEAN, NOISES, DOUBT)
    sums = np.array([400.0]), np.array([100.0])
    plain, loose = (law_of_mean.hull(*sums, (np.array([slack]), np.zeros(1))) for slack in (0.0, 10.0))
    assert loose[0] < plain[0]
    assert loose[1] > plain[1]


def test_slack_grows_with_the_rows_that_there_may_be():
    one = Affine(multiples={"s": Fraction(1)}, slack={"n": Fraction(1, 8)})
    assert slack_of(one, {"n": np.array([800.0, 16.0, -5.0])}, 3).tolist() == [100.0, 2.0, 0.0]
