"""Every sampler against its exact law, at scales from a millionth to 2^54.

Each test raises a false alarm with probability at most 1e-6 (see tests/support/laws.py). Draws use the operating
system's randomness, as releases do. That the check can fail is shown at the end, on planted errors.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import exp, tanh

import numpy as np
import pytest

from deniable.core.bits import BitSource, OperatingSystem
from deniable.core.sampling import (
    IntArray,
    bernoulli,
    bernoulli_exponentials,
    coin,
    discrete_gaussian,
    discrete_laplace,
    discrete_student,
    geometric,
    student,
    uniform,
    uniforms,
)
from deniable.core.sampling.digits import exponential, logistic
from tests.support import laws
from tests.support.bits import SeededBits
from tests.support.laws import RATE, Event, Law, misfits, unlikely

FAST = 200_000
DRAWS = [FAST, pytest.param(20 * FAST, marks=pytest.mark.deep)]
SCALES = [Fraction(text) for text in ("1e-6", "1/2", "1", "7/3", "50", "1000", "1e6", "1e12", str(2**54))]

Sampler = Callable[[Fraction, int, BitSource], IntArray]
NOISE: dict[str, tuple[Sampler, Callable[[Fraction], Law]]] = {
    "geometric": (geometric, laws.geometric),
    "laplace": (discrete_laplace, laws.laplace),
    "gaussian": (lambda sigma, *rest: discrete_gaussian(sigma**2, *rest), lambda sigma: laws.gaussian(sigma**2)),
    "student": (discrete_student, laws.student),
}


@pytest.mark.parametrize("draws", DRAWS)
@pytest.mark.parametrize("scale", SCALES, ids=str)
@pytest.mark.parametrize("noise", NOISE)
def test_noise_follows_its_law(noise: str, scale: Fraction, draws: int) -> None:
    sample, law = NOISE[noise]
    assert misfits(law(scale), sample(scale, draws, OperatingSystem())) == []


@pytest.mark.parametrize("draws", DRAWS)
@pytest.mark.parametrize("variance", [Fraction(1, 3), Fraction(2), Fraction(10, 3), Fraction(3 * 10**7)], ids=str)
def test_gaussian_of_irrational_deviation_follows_its_law(variance: Fraction, draws: int) -> None:
    assert misfits(laws.gaussian(variance), discrete_gaussian(variance, draws, OperatingSystem())) == []


@pytest.mark.parametrize("noise", ["laplace", "gaussian", "student"])
def test_short_draws_follow_the_same_law(noise: str) -> None:
    sample, law = NOISE[noise]
    scale = Fraction(7, 3)
    drawn = np.concatenate([sample(scale, 3, OperatingSystem()) for _ in range(2000)])
    assert misfits(law(scale), drawn) == []


@pytest.mark.parametrize("draws", DRAWS)
def test_reciprocal_follows_its_law(draws: int) -> None:
    assert misfits(laws.reciprocal(), student._reciprocal(draws, OperatingSystem())) == []


BOUNDS = [1, 2, 3, 100, 255, 256, 257, 1000, 2**16, 2**16 + 1, 10**6, 2**32 + 1, 10**12, 2**53 + 1, 2**62 + 1, 2**63]


@pytest.mark.parametrize("draws", DRAWS)
@pytest.mark.parametrize("bound", BOUNDS)
def test_uniform_follows_its_law(bound: int, draws: int) -> None:
    assert misfits(laws.uniform(bound), uniform(bound, draws, OperatingSystem())) == []


@pytest.mark.parametrize("draws", DRAWS)
def test_uniforms_follow_each_its_own_law(draws: int) -> None:
    bounds = [1, 2, 3, 5, 64, 65, 1000, 2**32 + 1, 10**12, 2**52 - 1]
    drawn = uniforms(np.tile(bounds, draws // 4), OperatingSystem()).reshape(-1, len(bounds)).T
    for bound, column in zip(bounds, drawn, strict=True):
        assert misfits(laws.uniform(bound), column, RATE / len(bounds)) == []


@pytest.mark.parametrize("draws", DRAWS)
@pytest.mark.parametrize(
    "probability", [Fraction(text) for text in ("0", "1e-30", "1e-6", "1/3", "1/2", "7/9", "0.999999", "1")], ids=str
)
def test_bernoulli_follows_its_law(probability: Fraction, draws: int) -> None:
    assert misfits(laws.coin(float(probability)), _whole(bernoulli(probability, draws, OperatingSystem()))) == []


@pytest.mark.parametrize("draws", DRAWS)
@pytest.mark.parametrize("exponent", [Fraction(0), *SCALES], ids=str)
def test_exponential_coin_follows_its_law(exponent: Fraction, draws: int) -> None:
    drawn = coin(exponential(exponent), draws, OperatingSystem())
    assert misfits(laws.coin(exp(-exponent)), _whole(drawn)) == []


@pytest.mark.parametrize("draws", DRAWS)
@pytest.mark.parametrize("exponent", SCALES, ids=str)
def test_logistic_coin_follows_its_law(exponent: Fraction, draws: int) -> None:
    drawn = coin(logistic(exponent), draws, OperatingSystem())
    assert misfits(laws.coin((1 - tanh(exponent / 2)) / 2), _whole(drawn)) == []


@pytest.mark.parametrize("draws", DRAWS)
@pytest.mark.parametrize("rate", [1 / scale for scale in SCALES], ids=str)
def test_bernoulli_exponentials_follow_each_its_own_law(rate: Fraction, draws: int) -> None:
    multiples = [0, 1, 2, 3, 10, 700, 10**6, 10**12, 2**54, 2**62]
    drawn = bernoulli_exponentials(np.tile(multiples, draws // 4), rate, OperatingSystem())
    for multiple, column in zip(multiples, drawn.reshape(-1, len(multiples)).T, strict=True):
        assert misfits(laws.coin(exp(-multiple * rate)), _whole(column), RATE / len(multiples)) == []


@pytest.mark.parametrize("draws", DRAWS)
@pytest.mark.parametrize("scale", SCALES, ids=str)
@pytest.mark.parametrize("noise", NOISE)
def test_draws_are_independent_of_one_another(noise: str, scale: Fraction, draws: int) -> None:
    sample, law = NOISE[noise]
    drawn = sample(scale, draws, OperatingSystem())
    half = draws // 2
    neighbours = _together(law(scale), drawn[::2], drawn[1::2])
    far_apart = _together(law(scale), drawn[:half], drawn[half:])
    assert unlikely([*neighbours, *far_apart]) == []


@pytest.mark.parametrize("draws", DRAWS)
@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_two_geometric_draws_are_independent(scale: Fraction, draws: int) -> None:
    first, second = geometric(scale, draws, OperatingSystem()), geometric(scale, draws, OperatingSystem())
    assert unlikely(_comparison(scale, first, second)) == []


@pytest.mark.parametrize("draws", DRAWS)
@pytest.mark.parametrize("scale", SCALES[4:], ids=str)
def test_digits_of_a_geometric_draw_are_independent(scale: Fraction, draws: int) -> None:
    assert unlikely(_digits_together(scale, geometric(scale, draws, OperatingSystem()))) == []


def _together(law: Law, first: IntArray, second: IntArray) -> list[Event]:
    """Both at most k, for every quantile k: independent draws do so with the square of the probability."""
    edges = law.quantiles()
    return [
        Event(f"both <= {k}", int(((first <= k) & (second <= k)).sum()), first.size, float(p) ** 2)
        for k, p in zip(edges, law.below(edges), strict=True)
    ]


def _comparison(scale: Fraction, first: IntArray, second: IntArray) -> list[Event]:
    """Equal with probability (1 - q) / (1 + q) = tanh(1 / (2 scale)); else either is above as often as the other."""
    equal = tanh(1 / (2 * scale))
    return [
        Event("equal", int((first == second).sum()), first.size, equal),
        Event("above", int((first > second).sum()), first.size, (1 - equal) / 2),
        Event("below", int((first < second).sum()), first.size, (1 - equal) / 2),
        *_together(laws.geometric(scale), first, second),
    ]


def _digits_together(scale: Fraction, drawn: IntArray) -> list[Event]:
    """The lowest digit in base 256 and what stands before it, which is geometric with scale / 256."""
    high, low = laws.geometric(scale / 256), laws.geometric(scale)
    lowest = drawn & 255

    def expected(k: int, r: int) -> float:
        up_to_r = low.below(np.array([r, 255]))
        return float(high.below(np.array([k]))[0] * up_to_r[0] / up_to_r[1])

    return [
        Event(f"high <= {k}, low <= {r}", int(((drawn >> 8 <= k) & (lowest <= r)).sum()), drawn.size, expected(k, r))
        for k in high.quantiles().tolist()
        for r in (0, 15, 127, 240)
    ]


def _whole(heads: np.ndarray) -> IntArray:
    return heads.astype(np.int64)


# --- the same checks on planted errors -------------------------------------------------------------------------------


def _rounded_laplace(scale: float, size: int) -> IntArray:
    """What a float sampler rounded to whole numbers gives."""
    return np.rint(np.random.default_rng(7).laplace(scale=scale, size=size)).astype(np.int64)


def _swapped_digits(scale: Fraction) -> IntArray:
    """A geometric draw whose two lowest digits in base 256 have changed places."""
    drawn = geometric(scale, FAST, SeededBits(8))
    return drawn >> 16 << 16 | (drawn & 255) << 8 | drawn >> 8 & 255


def _skipped_coin() -> IntArray:
    """Proposals of the Gaussian sampler, accepted without the coin."""
    return discrete_laplace(Fraction(51), FAST, SeededBits(9))


def _two_zeros() -> IntArray:
    """A random sign for every size, and minus zero not refused: zero comes twice as often as it should."""
    drawn = discrete_student(Fraction(50), FAST, SeededBits(10))
    return np.concatenate([drawn, drawn[drawn == 0]])


PLANTED: dict[str, tuple[Law, Callable[[], IntArray]]] = {
    **{
        f"{noise} at scale {scale}, 3 % too wide": (
            law(scale),
            lambda sample=sample, scale=scale: sample(scale * Fraction(103, 100), FAST, SeededBits(1)),
        )
        for noise, (sample, law) in NOISE.items()
        for scale in SCALES[3:-1]
    },
    **{
        f"{noise} at scale {scale}, off by a fiftieth of it": (
            law(scale),
            lambda sample=sample, scale=scale: sample(scale, FAST, SeededBits(2)) + int(scale / 50),
        )
        for noise, (sample, law) in NOISE.items()
        for scale in SCALES[5:]
    },
    "laplace at scale 1, rounded from floats": (laws.laplace(Fraction(1)), lambda: _rounded_laplace(1, FAST)),
    "laplace at scale 2^54, rounded from floats": (
        laws.laplace(Fraction(2**54)),
        lambda: _rounded_laplace(2.0**54, FAST),
    ),
    "laplace from one side only": (laws.laplace(Fraction(50)), lambda: geometric(Fraction(50), FAST, SeededBits(3))),
    "geometric at scale 1000, digits swapped": (
        laws.geometric(Fraction(1000)),
        lambda: _swapped_digits(Fraction(1000)),
    ),
    "geometric at scale 1e6, digits swapped": (
        laws.geometric(Fraction(10**6)),
        lambda: _swapped_digits(Fraction(10**6)),
    ),
    "geometric at scale 1e12, lowest digit stuck": (
        laws.geometric(Fraction(10**12)),
        lambda: geometric(Fraction(10**12), FAST, SeededBits(4)) | 1,
    ),
    "geometric at scale 2^54, a middle digit always even": (
        laws.geometric(Fraction(2**54)),
        lambda: geometric(Fraction(2**54), FAST, SeededBits(5)) & ~(1 << 24),
    ),
    "gaussian without its coin": (laws.gaussian(Fraction(2500)), _skipped_coin),
    "student with two zeros": (laws.student(Fraction(50)), _two_zeros),
    "uniform by remainder": (
        laws.uniform(1000),
        lambda: np.frombuffer(SeededBits(6).read(2 * FAST), dtype=np.uint16).astype(np.int64) % 4096 % 1000,
    ),
    "coin of 1/3 as 0.34": (
        laws.coin(1 / 3),
        lambda: _whole(bernoulli(Fraction("0.34"), FAST, SeededBits(11))),
    ),
    "rare coin, three times as often": (
        laws.coin(1e-4),
        lambda: _whole(bernoulli(Fraction("3e-4"), FAST, SeededBits(12))),
    ),
    "reciprocal rounded up": (laws.reciprocal(), lambda: student._reciprocal(FAST, SeededBits(13)) + 1),
}


@pytest.mark.parametrize("error", PLANTED)
def test_the_check_catches_a_planted_error(error: str) -> None:
    law, draw = PLANTED[error]
    assert misfits(law, draw()) != []


@pytest.mark.parametrize("scale", SCALES[1:], ids=str)
def test_the_check_catches_draws_that_depend_on_one_another(scale: Fraction) -> None:
    drawn = geometric(scale, FAST, SeededBits(14))
    again = np.where(np.arange(FAST) % 10 == 0, drawn, geometric(scale, FAST, SeededBits(15)))
    assert misfits(laws.geometric(scale), again) == []
    assert unlikely(_comparison(scale, drawn, again)) != []
    assert unlikely(_together(laws.geometric(scale), drawn, drawn)) != []


def test_the_check_catches_digits_that_depend_on_one_another() -> None:
    scale = Fraction(1000)
    drawn = geometric(scale, FAST, SeededBits(16))
    drawn[::2] = drawn[::2] >> 8 << 8 | drawn[::2] >> 8 & 255
    assert unlikely(_digits_together(scale, drawn)) != []
