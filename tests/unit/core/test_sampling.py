"""What draws do at their edges: ties, saturation, sizes. Their laws are in tests/statistics/test_samplers.py."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from fractions import Fraction
from functools import cache

import mpmath
import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from deniable.core.bits import OperatingSystem
from deniable.core.sampling import (
    LARGEST_SCALE,
    bernoulli,
    bernoulli_exponentials,
    coin,
    discrete_gaussian,
    discrete_laplace,
    discrete_laplace_radius,
    discrete_student,
    geometric,
    student,
    uniform,
    uniforms,
)
from deniable.core.sampling.batches import PIECE, in_pieces, until_full
from deniable.core.sampling.digits import exponential, logistic, rational
from deniable.core.sampling.geometric import LIMIT, _Thresholds
from deniable.core.sampling.inversion import Inversion
from tests.support.bits import ScriptedBits, SeededBits, word, written

PLACES = 256
"""Digits of every scripted uniform: four words, so that ties can last for three of them."""
DEPTHS = st.one_of(st.integers(2, PLACES), st.sampled_from([16, 17, 63, 64, 65, 127, 128, 129, 192, 255, 256]))
NUDGES = st.integers(-3, 3).filter(bool)
SCALES = st.sampled_from([Fraction(text) for text in ("1/9", "1/2", "1", "7/3", "5")])
ONES = b"\xff"


@pytest.fixture(autouse=True, scope="module")
def _digits() -> object:
    with mpmath.workdps(250):
        yield


def mp(value: Fraction) -> mpmath.mpf:
    return mpmath.mpf(value.numerator) / value.denominator


def near(real: mpmath.mpf, depth: int, nudge: int) -> int:
    """A uniform of 256 digits that agrees with `real` in about `depth` of them."""
    uniform_real = int(mpmath.floor(mpmath.ldexp(real, PLACES))) + nudge * 2 ** (PLACES - depth)
    assume(0 <= uniform_real < 2**PLACES)
    return uniform_real


def script_for_table(uniform_real: int) -> ScriptedBits:
    """As a table reads it: sixteen digits, 48 more as the high part of a word, then words."""
    first, rest = uniform_real >> (PLACES - 64), uniform_real & (2 ** (PLACES - 64) - 1)
    low = (first & (2**48 - 1)) << 16 | 0xABCD
    return ScriptedBits(word(first >> 48, 16) + word(low) + written(rest, 3))


# --- ties: the draw must agree with exact arithmetic on every digit of the uniform -----------------------------------


@settings(deadline=None)
@given(scale=SCALES, threshold=st.integers(1, 15), depth=DEPTHS, nudge=NUDGES)
@example(scale=Fraction(1), threshold=1, depth=256, nudge=1)
@example(scale=Fraction(1), threshold=1, depth=256, nudge=-1)
@example(scale=Fraction(1), threshold=30, depth=64, nudge=1)
def test_ties_of_a_geometric_draw_are_settled(scale: Fraction, threshold: int, depth: int, nudge: int) -> None:
    # these scales need one digit only: x is the number of thresholds 1 - exp(-j / scale) that the uniform reaches
    uniform_real = near(-mpmath.expm1(-threshold / mp(scale)), depth, nudge)
    expected = mpmath.floor(-mp(scale) * mpmath.log1p(-mpmath.ldexp(mpmath.mpf(uniform_real), -PLACES)))
    assert geometric(scale, 1, script_for_table(uniform_real)).tolist() == [int(expected)]


@settings(deadline=None)
@given(
    step=st.sampled_from([Fraction(text) for text in ("1/6", "1/10", "1/256", "1e-12", str(Fraction(1, 2**54)))]),
    threshold=st.integers(1, 255),
    depth=DEPTHS,
    nudge=NUDGES,
)
def test_ties_of_a_lower_digit_are_settled(step: Fraction, threshold: int, depth: int, nudge: int) -> None:
    table, thresholds = lower_digit(step)
    uniform_real = near(thresholds[threshold - 1], depth, nudge)
    expected = sum(mpmath.ldexp(reached, PLACES) < uniform_real for reached in thresholds)
    assert table.draw(1, script_for_table(uniform_real)).tolist() == [expected]


@cache
def lower_digit(step: Fraction) -> tuple[Inversion, list[mpmath.mpf]]:
    """A digit from 0 to 255, and Pr[digit < j] for j = 1 to 255."""
    total = mpmath.expm1(-256 * mp(step))
    return Inversion(_Thresholds(step, closed=True)), [mpmath.expm1(-j * mp(step)) / total for j in range(1, 256)]


def test_ties_among_other_draws_leave_those_alone() -> None:
    # the middle one of three ties at sixteen digits, and again at 64
    floor = exponential(Fraction(1))
    tied = 2**128 - 1 - floor(128)  # 1 - 1/e
    prefixes = [0, tied >> 112, 0xFFF0]
    low = (tied >> 64 & (2**48 - 1)) << 16
    bits = ScriptedBits(b"".join(word(prefix, 16) for prefix in prefixes) + word(low) + word((tied & (2**64 - 1)) + 1))
    assert geometric(Fraction(1), 3, bits).tolist() == [0, 1, 8]
    assert bits.left == b""


def test_past_the_table_the_law_starts_over() -> None:
    # 369 ones reach all 256 thresholds 1 - exp(-j); the restart draws a plain 5
    five = int(-mpmath.expm1(-5.5) * 2**16)
    bits = ScriptedBits(ONES * (2 + 8 + 5 * 8) + word(five, 16))
    assert geometric(Fraction(1), 1, bits).tolist() == [261]
    assert bits.left == b""


CHANCES: dict[str, tuple[Callable[[ScriptedBits], np.ndarray], Callable[[], mpmath.mpf]]] = {
    "1/3": (lambda bits: bernoulli(Fraction(1, 3), 1, bits), lambda: mpmath.mpf(1) / 3),
    "1/2": (lambda bits: bernoulli(Fraction(1, 2), 1, bits), lambda: mpmath.mpf(1) / 2),
    "1e-30": (lambda bits: bernoulli(Fraction(1, 10**30), 1, bits), lambda: mpmath.mpf(10) ** -30),
    "exp(-7/3)": (lambda bits: coin(exponential(Fraction(7, 3)), 1, bits), lambda: mpmath.exp(-mpmath.mpf(7) / 3)),
    "exp(-60)": (lambda bits: coin(exponential(Fraction(60)), 1, bits), lambda: mpmath.exp(-60)),
    "logistic(1/9)": (
        lambda bits: coin(logistic(Fraction(1, 9)), 1, bits),
        lambda: 1 / (1 + mpmath.exp(mpmath.mpf(1) / 9)),
    ),
    **{
        f"exp(-{multiple} * {rate})": (
            lambda bits, m=multiple, r=rate: bernoulli_exponentials(np.array([m]), r, bits),
            lambda m=multiple, r=rate: mpmath.exp(-m * mp(r)),
        )
        for multiple, rate in [
            (1, Fraction(1, 3)),
            (7, Fraction(1, 10**9)),
            (2**62, Fraction(3, 2**62)),
            (12345, Fraction(1, 400)),
            (3, Fraction(200)),
        ]
    },
}


@settings(deadline=None)
@given(chance=st.sampled_from(sorted(CHANCES)), depth=DEPTHS, nudge=NUDGES)
def test_ties_of_a_coin_are_settled(chance: str, depth: int, nudge: int) -> None:
    toss, probability = CHANCES[chance]
    uniform_real = near(probability(), depth, nudge)
    expected = uniform_real < mpmath.ldexp(probability(), PLACES)
    assert toss(ScriptedBits(written(uniform_real, 4))).tolist() == [expected]


def test_a_coin_of_finitely_many_digits_is_tails_at_its_edge() -> None:
    edge = ScriptedBits(word(2**63) + word(0) + word(0) + word(1))
    assert bernoulli(Fraction(1, 2), 1, edge).tolist() == [False]
    assert edge.left == b""
    assert bernoulli(Fraction(1, 2), 1, ScriptedBits(word(2**63 - 1))).tolist() == [True]


def test_certain_and_impossible_coins() -> None:
    words = word(2**64 - 1) + word(0)
    assert bernoulli(Fraction(1), 2, ScriptedBits(words)).tolist() == [True, True]
    assert bernoulli(Fraction(0), 2, ScriptedBits(words + word(1))).tolist() == [False, False]
    assert coin(exponential(Fraction(0)), 2, ScriptedBits(words)).tolist() == [True, True]
    assert bernoulli_exponentials(np.array([0, 0]), Fraction(1), ScriptedBits(words)).tolist() == [True, True]
    assert bernoulli_exponentials(np.array([2**62]), Fraction(10**6), ScriptedBits(word(1))).tolist() == [False]


@settings(deadline=None)
@given(
    n=st.one_of(st.integers(1, 300), st.integers(1, 2**64), st.integers(0, 70).map(lambda power: 2**power)),
    depth=st.integers(2, PLACES),
    nudge=NUDGES,
)
@example(n=2, depth=256, nudge=1)
@example(n=2, depth=256, nudge=-1)
@example(n=2**62, depth=256, nudge=-1)
@example(n=2**62 + 1, depth=256, nudge=-1)
def test_ties_of_a_reciprocal_are_settled(n: int, depth: int, nudge: int) -> None:
    uniform_real = near(mpmath.mpf(1) / n, depth, nudge)
    assume(uniform_real and 2**PLACES // uniform_real == 2**PLACES // (uniform_real + 1))
    drawn = student._reciprocal(1, ScriptedBits(written(uniform_real, 4)))
    assert drawn.tolist() == [min(2**PLACES // uniform_real, LIMIT)]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([2**64 - 1], 1),
        ([2**63, 0, 0, 1], 1),
        ([2**63 - 1], 2),
        ([1, 2**64 - 1], 2**62),
        ([0, 1], LIMIT),
        ([0, 0, 2**64 - 1], LIMIT),
        ([3, 0], LIMIT),
        ([4, 0, 1], 2**62 - 1),
    ],
)
def test_reciprocal_at_its_ends(words: list[int], expected: int) -> None:
    bits = ScriptedBits(b"".join(map(word, words)))
    assert student._reciprocal(1, bits).tolist() == [expected]
    assert bits.left == b""


def refused(draw: Callable[[ScriptedBits], np.ndarray], bits: ScriptedBits) -> bool:
    """Whether the only proposal in the script is refused, so that the sampler asks for more."""
    try:
        draw(bits)
    except AssertionError:
        return True
    return False


@settings(deadline=None)
@given(depth=DEPTHS, nudge=NUDGES)
def test_ties_of_a_gaussian_proposal_are_settled(depth: int, nudge: int) -> None:
    # variance 1: Laplace of scale 2 proposes 1 - 0, which is kept with probability exp(-(1 - 1/2)^2 / 2)
    chance = mpmath.exp(-mpmath.mpf(1) / 8)
    uniform_real = near(chance, depth, nudge)
    bits = ScriptedBits(word(0x8000, 16) + word(0, 16) + written(uniform_real, 4))
    expected = uniform_real >= mpmath.ldexp(chance, PLACES)
    assert refused(lambda bits: discrete_gaussian(Fraction(1), 1, bits), bits) == expected


@settings(deadline=None)
@given(depth=DEPTHS, nudge=NUDGES)
def test_ties_of_a_student_proposal_are_settled(depth: int, nudge: int) -> None:
    # scale 1: block 1 and hence size 1, kept with probability 5/9 * 4 * 9 / 5 * (1/2)^2 = 1; block 0 with 20/27
    chance = mpmath.mpf(20) / 27
    uniform_real = near(chance, depth, nudge)
    plus = word(2**64 - 1)
    bits = ScriptedBits(word(2**64 - 1) * 2 + b"\0" + plus + written(uniform_real, 4))
    expected = uniform_real >= mpmath.ldexp(chance, PLACES)
    assert refused(lambda bits: discrete_student(Fraction(1), 1, bits), bits) == expected


def test_a_student_proposal_of_minus_zero_is_refused() -> None:
    minus, kept = word(0), word(0)
    assert refused(
        lambda bits: discrete_student(Fraction(1), 1, bits), ScriptedBits(word(2**64 - 1) * 2 + b"\0" + minus + kept)
    )


# --- saturation, sizes, memory ---------------------------------------------------------------------------------------


def test_geometric_saturates_at_its_limit() -> None:
    # the leading digit has thresholds 1 - exp(-4 j): 1478 ones reach all 256, the restart adds nothing
    bits = ScriptedBits(ONES * (2 + 8 + 23 * 8) + word(0, 16) + ONES * 2 * 7)
    assert geometric(Fraction(LARGEST_SCALE), 1, bits).tolist() == [LIMIT]
    assert bits.left == b""


def test_student_saturates_at_its_limit() -> None:
    far = word(2**64 // 300 + 9)  # block 298, past the 256 that fit
    bits = ScriptedBits(far + far + word(2**54 - 1) + word(2**64 - 1) + word(0))
    assert discrete_student(Fraction(LARGEST_SCALE), 1, bits).tolist() == [LIMIT]


NOISE: dict[str, Callable[[int, object], np.ndarray]] = {
    "bernoulli": lambda size, bits: bernoulli(Fraction(1, 3), size, bits),
    "geometric": lambda size, bits: geometric(Fraction(LARGEST_SCALE), size, bits),
    "laplace": lambda size, bits: discrete_laplace(Fraction(LARGEST_SCALE), size, bits),
    "gaussian": lambda size, bits: discrete_gaussian(Fraction(LARGEST_SCALE) ** 2, size, bits),
    "student": lambda size, bits: discrete_student(Fraction(LARGEST_SCALE), size, bits),
    "uniform": lambda size, bits: uniform(2**63, size, bits),
    "uniforms": lambda size, bits: uniforms(np.full(size, 2**52 - 1), bits),
}


@pytest.mark.parametrize("noise", NOISE)
@pytest.mark.parametrize("size", [0, 1, 7, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE])
def test_as_many_draws_as_asked_in_64_bits(noise: str, size: int) -> None:
    drawn = NOISE[noise](size, OperatingSystem())
    assert drawn.shape == (size,)
    assert drawn.dtype == (np.bool_ if noise == "bernoulli" else np.int64)


@pytest.mark.parametrize("noise", NOISE)
def test_draws_follow_from_their_bits(noise: str) -> None:
    assert (NOISE[noise](1000, SeededBits(1)) == NOISE[noise](1000, SeededBits(1))).all()
    assert (NOISE[noise](1000, SeededBits(1)) != NOISE[noise](1000, SeededBits(2))).any()


@pytest.mark.parametrize("noise", ["laplace", "gaussian", "student", "geometric"])
def test_the_largest_scale_leaves_room_for_a_value(noise: str) -> None:
    # each draw stays within 2^62, so that an index of at most 2^61 can be added in 64 bits
    drawn = NOISE[noise](200_000, OperatingSystem())
    assert np.abs(drawn).max() <= LIMIT


@pytest.mark.parametrize("noise", NOISE)
def test_a_million_draws_take_little_memory(noise: str) -> None:
    NOISE[noise](10, OperatingSystem())
    tracemalloc.start()
    try:
        NOISE[noise](10**6, OperatingSystem())
        assert tracemalloc.get_traced_memory()[1] < 200e6
    finally:
        tracemalloc.stop()


def test_pieces_are_joined_in_their_order() -> None:
    sizes = []

    def draw(count: int) -> np.ndarray:
        sizes.append(count)
        return np.full(count, len(sizes))

    drawn = in_pieces(2 * PIECE + 3, draw)
    assert sizes == [PIECE, PIECE, 3]
    assert (np.diff(drawn) >= 0).all()


def test_rejection_keeps_the_first_that_were_accepted() -> None:
    proposals = iter(range(10**6))

    def accepted(count: int) -> np.ndarray:
        return np.array([number for number in (next(proposals) for _ in range(count)) if number % 3 == 0])

    assert until_full(5, accepted).tolist() == [0, 3, 6, 9, 12]
    assert until_full(0, accepted).size == 0


@settings(deadline=None)
@given(bound=st.integers(1, 2**63), seed=st.integers(0, 2**32))
def test_uniform_stays_below_its_bound(bound: int, seed: int) -> None:
    drawn = uniform(bound, 50, SeededBits(seed))
    assert 0 <= drawn.min() <= drawn.max() < bound


@settings(deadline=None)
@given(bounds=st.lists(st.integers(1, 2**52 - 1), min_size=1, max_size=50), seed=st.integers(0, 2**32))
def test_uniforms_stay_below_their_bounds(bounds: list[int], seed: int) -> None:
    drawn = uniforms(np.array(bounds), SeededBits(seed))
    assert ((drawn >= 0) & (drawn < np.array(bounds))).all()


def test_uniform_throws_away_what_is_past_its_bound() -> None:
    assert uniform(5, 1, ScriptedBits(b"\x07" + b"\xff" * 9 + b"\xfc")).tolist() == [4]


@settings(deadline=None)
@given(
    scale=st.fractions(min_value=Fraction(1, 20), max_value=10**6),
    beta=st.sampled_from([Fraction(text) for text in ("1e-9", "0.01", "0.05", "1/3", "0.99")]),
)
def test_laplace_radius_is_the_least(scale: Fraction, beta: Fraction) -> None:
    radius = discrete_laplace_radius(scale, beta)
    q = mpmath.exp(-1 / mp(scale))

    def beyond(m: int) -> mpmath.mpf:
        return 2 * q ** (m + 1) / (1 + q)

    assert beyond(radius) <= mp(beta) * (1 + mpmath.mpf("1e-12"))
    assert radius == 0 or beyond(radius - 1) > mp(beta) * (1 - mpmath.mpf("1e-12"))
    assert radius <= max(0, mpmath.ceil(mp(scale) * -mpmath.log(mp(beta))))


def test_a_rational_coin_and_its_digits_are_the_same_coin() -> None:
    probability = Fraction(5, 17)
    direct = bernoulli(probability, 1000, SeededBits(3))
    assert (direct == coin(rational(probability), 1000, SeededBits(3))).all()
