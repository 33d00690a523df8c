from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import floor

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from deniable.core.errors import InvalidArgumentError
from deniable.core.grid import RANGE, Grid
from deniable.core.number import amount

STEPS = st.one_of(
    st.sampled_from([Fraction(text) for text in ("1", "1/2", "0.01", "0.1", "1/3", "7", "1000", "1e-6", "2/7", "1e9")]),
    st.fractions(min_value=Fraction(1, 10**9), max_value=10**9, max_denominator=10**9),
)
FLOATS = st.floats(min_value=-1e9, max_value=1e9)
INTEGERS = st.integers(min_value=-(2**80), max_value=2**80)
FRACTIONS = st.fractions(min_value=-(10**9), max_value=10**9)
NUMBERS = st.one_of(FLOATS, st.integers(min_value=-(10**9), max_value=10**9), FRACTIONS)


def meant(number: object) -> Fraction:
    """A float is the binary fraction that it stores."""
    return Fraction(number)


def defined(number: object, step: Fraction) -> int:
    """The nearest multiple, halves upward, in fractions."""
    return floor(meant(number) / step + Fraction(1, 2))


def index(number: object, step: Fraction) -> int:
    return int(Grid(step).indices("x", number)[0])


@settings(deadline=None)
@given(number=NUMBERS, step=STEPS)
def test_index_is_the_nearest_multiple_halves_upward(number: object, step: Fraction) -> None:
    assume(abs(defined(number, step)) <= RANGE)
    assert index(number, step) == defined(number, step)


@settings(deadline=None)
@given(whole=st.integers(min_value=-(2**40), max_value=2**40), step=STEPS, ulps=st.integers(min_value=-8, max_value=8))
@example(whole=0, step=Fraction(1), ulps=-1)
@example(whole=-1, step=Fraction(1), ulps=0)
@example(whole=2**40, step=Fraction(1, 3), ulps=0)
def test_floats_next_to_a_half_are_exact(whole: int, step: Fraction, ulps: int) -> None:
    number = float((whole + Fraction(1, 2)) * step)
    for _ in range(abs(ulps)):
        number = float(np.nextafter(number, np.inf if ulps > 0 else -np.inf))
    assume(abs(defined(number, step)) <= RANGE)
    assert index(number, step) == defined(number, step)


@pytest.mark.parametrize("step", [Fraction(text) for text in ("1/3", "0.1", "0.01", "2/7", "3e-6", "1e-9", "1234.567")])
@pytest.mark.parametrize("size", [10, 10**4, 10**9])
def test_thousands_of_floats_next_to_a_half_are_exact(step: Fraction, size: int) -> None:
    wholes = np.random.default_rng(1).integers(-size, size, 1000).tolist()
    halves = np.array([float((whole + Fraction(1, 2)) * step) for whole in wholes])
    numbers = np.concatenate([halves, np.nextafter(halves, np.inf), np.nextafter(halves, -np.inf)])
    assert Grid(step).indices("x", numbers).tolist() == [defined(number, step) for number in numbers.tolist()]


@settings(deadline=None)
@given(numbers=st.lists(FLOATS, min_size=1, max_size=50), step=STEPS)
def test_a_vector_goes_number_by_number(numbers: list[float], step: Fraction) -> None:
    assume(all(abs(defined(number, step)) <= RANGE for number in numbers))
    found = Grid(step).indices("x", np.array(numbers))
    assert found.dtype == np.int64
    assert found.tolist() == [defined(number, step) for number in numbers]


@settings(deadline=None)
@given(numbers=st.lists(INTEGERS, min_size=1, max_size=20), step=STEPS)
def test_integers_of_any_size_are_exact(numbers: list[int], step: Fraction) -> None:
    assume(all(abs(defined(number, step)) <= RANGE for number in numbers))
    assert Grid(step).indices("x", numbers).tolist() == [defined(number, step) for number in numbers]


@settings(deadline=None)
@given(one=NUMBERS, other=NUMBERS, step=STEPS)
def test_monotone_and_never_farther_apart_than_the_distance(one: object, other: object, step: Fraction) -> None:
    low, high = sorted((one, other), key=meant)
    assume(max(abs(defined(low, step)), abs(defined(high, step))) <= RANGE)
    difference = meant(high) - meant(low)
    assert 0 <= index(high, step) - index(low, step) <= Grid(step).distance(difference)


@settings(deadline=None)
@given(number=FLOATS, steps=st.integers(min_value=0, max_value=20), step=STEPS, ulps=st.integers(0, 3))
def test_the_distance_holds_at_its_edge(number: float, steps: int, step: Fraction, ulps: int) -> None:
    other = float(meant(number) + steps * step)
    for _ in range(ulps):
        other = float(np.nextafter(other, np.inf))
    assume(max(abs(defined(number, step)), abs(defined(other, step))) <= RANGE)
    difference = abs(meant(other) - meant(number))
    assert abs(index(other, step) - index(number, step)) <= Grid(step).distance(difference)


@settings(deadline=None, max_examples=500)
@given(
    whole=st.integers(-200, 200),
    digits=st.integers(1, 99),
    places=st.integers(0, 4),
    times=st.integers(1, 5),
    ulps=st.tuples(st.integers(-2, 2), st.integers(-2, 2)),
)
@example(whole=0, digits=1, places=1, times=1, ulps=(-1, 0))  # 0.049999999999999996 and 0.15
@example(whole=1, digits=1, places=1, times=1, ulps=(0, 0))  # 0.15 and 0.25, whose difference is the stored 0.1
def test_floats_around_edges_that_are_a_float_apart_land_within_its_distance(
    whole: int, digits: int, places: int, times: int, ulps: tuple[int, int]
) -> None:
    """Whatever is written for step and sensitivity as a float, and whichever floats lie next to two edges."""
    step = digits / 10**places
    sensitivity = times * step
    low, high = ((whole + shift + 0.5) * step for shift in (0, times))
    for _ in range(2):
        low = float(np.nextafter(low, np.inf * ulps[0])) if ulps[0] else low
        high = float(np.nextafter(high, np.inf * ulps[1])) if ulps[1] else high
    assume(Fraction(high) - Fraction(low) <= Fraction(sensitivity))
    grid = Grid(step)
    found = grid.indices("x", np.array([low, high]))
    assert found[1] - found[0] <= grid.distance(amount("sensitivity", sensitivity))


def test_reading_decimals_would_break_the_distance() -> None:
    # the planted error that the test above would find: less than a tenth apart, and yet two tenths
    low, high = 0.049999999999999996, 0.15
    assert Fraction(high) - Fraction(low) < Fraction(1, 10)
    places = [floor(Fraction(repr(number)) / Fraction("0.1") + Fraction(1, 2)) for number in (low, high)]
    assert places == [0, 2]
    for step in (0.1, "0.1"):
        assert Grid(step).indices("x", [low, high]).tolist() == [0, 1]


@settings(deadline=None)
@given(number=FRACTIONS, steps=st.integers(min_value=-(10**6), max_value=10**6), step=STEPS)
def test_moving_by_whole_steps_moves_the_index_by_as_many(number: Fraction, steps: int, step: Fraction) -> None:
    assume(max(abs(defined(number, step)), abs(defined(number + steps * step, step))) <= RANGE)
    assert index(number + steps * step, step) == index(number, step) + steps


def test_rounding_halves_to_even_would_break_the_distance() -> None:
    # the planted error that the two tests above would find
    assert np.rint(1.5) - np.rint(0.5) == 2 > Grid(1).distance(Fraction(1))
    assert index(1.5, Fraction(1)) - index(0.5, Fraction(1)) == 1


@pytest.mark.parametrize(
    ("step", "low", "high"),
    [
        (1, [2**53 + 1, 0.5], [2**53 + 2, 0.5]),  # as floats, 2^53 and 2^53 + 2
        ("0.1", np.longdouble("0.05") - np.longdouble(2) ** -66, np.longdouble("0.15") - np.longdouble(2) ** -66),
        (1, np.longdouble("0.5") - np.longdouble(2) ** -54, np.longdouble("1.5") - np.longdouble(2) ** -54),
        (1024, [2**63 - 513, -1], [2**63 - 512, -1]),  # NumPy would make floats of these integers
    ],
)
def test_numbers_that_do_not_fit_a_double_keep_their_distance(step: int, low: object, high: object) -> None:
    grid = Grid(step)
    assert np.abs(grid.indices("x", high) - grid.indices("x", low)).max() <= 1


@pytest.mark.parametrize("step", ["1e300", "1e30", "1e-30", "1e-300"])
@pytest.mark.parametrize("number", [0, 0.0, np.array([], dtype=np.int64), np.array([]), Fraction(0)], ids=repr)
def test_zero_has_its_place_on_the_finest_and_the_coarsest_grid(step: str, number: object) -> None:
    assert not Grid(step).indices("x", number).any()


@settings(deadline=None)
@given(number=FLOATS, step=STEPS)
@example(number=0.015, step=Fraction("0.01"))
def test_a_float_has_the_same_place_in_every_company(number: float, step: Fraction) -> None:
    assume(abs(defined(number, step)) <= RANGE)
    grid = Grid(step)
    companies = [
        number,
        [number],
        [number, 0],
        np.array([number]),
        np.array([number, Fraction(1, 3)]),
        [np.float64(number)],
    ]
    assert {int(grid.indices("x", company)[0]) for company in companies} == {defined(number, step)}


def test_numpy_integers_among_objects_do_not_overflow() -> None:
    mixed = np.array([np.int64(2**50), Fraction(1, 2)], dtype=object)
    assert Grid("0.001").indices("x", mixed).tolist() == [2**50 * 1000, 500]


@pytest.mark.parametrize(
    "kind", [np.int8, np.uint8, np.int32, np.uint64, np.float16, np.float32, np.float64, ">f8", np.longdouble, object]
)
def test_every_kind_of_number_has_the_same_place(kind: object) -> None:
    assert Grid("0.25").indices("x", np.array([0, 1, 100]).astype(kind)).tolist() == [0, 4, 400]


def test_decimals_and_text_are_read_exactly() -> None:
    assert Grid("0.01").indices("x", [Decimal("0.005"), Decimal("0.0049")]).tolist() == [1, 0]
    assert Grid("0.01").indices("x", "1/3").tolist() == [33]


@pytest.mark.parametrize(
    "values",
    [
        float("nan"),
        [1.0, float("inf")],
        [1, float("nan")],
        Decimal("NaN"),
        Decimal("Infinity"),
        np.longdouble("inf"),
        np.array([None]),
        "many",
        "1/0",
        1j,
        [[1, 2], [3, 4]],
        [[1.5, 2], [3, 4]],
        2**61 + 1,
        -(2**61) - 1,
        2.0**62,
        1e300,
        Fraction(2**62),
    ],
    ids=repr,
)
def test_what_has_no_place_is_refused_by_name(values: object) -> None:
    with pytest.raises(InvalidArgumentError, match=r"^age must") as caught:
        Grid(1).indices("age", values)
    assert caught.value.argument == "age"


@pytest.mark.parametrize("step", [0, -1, "nan", "none", "1e400", "1e-320"])
def test_a_step_must_be_positive_and_no_extreme(step: object) -> None:
    with pytest.raises(InvalidArgumentError, match=r"^step must"):
        Grid(step)


@pytest.mark.parametrize("edge", [2**61, -(2**61), Fraction(2**61), 2e18, -2e18])
def test_the_edges_of_the_range_have_their_place(edge: object) -> None:
    assert index(edge, Fraction(1)) == int(edge)


@settings(deadline=None)
@given(indices=st.lists(st.integers(-RANGE, RANGE), max_size=20), step=STEPS)
def test_values_are_multiples_of_the_step(indices: list[int], step: Fraction) -> None:
    values = Grid(step).values(np.array(indices, dtype=np.int64))
    expected = [number * step for number in indices]
    if values.dtype == np.int64:
        assert values.tolist() == expected
    else:
        assert np.allclose(values, [float(value) for value in expected], rtol=1e-15, atol=0)


@settings(deadline=None)
@given(indices=st.lists(st.integers(-(2**40), 2**40), min_size=1, max_size=20), step=STEPS)
def test_values_on_the_grid_come_back(indices: list[int], step: Fraction) -> None:
    grid = Grid(step)
    assert grid.indices("x", grid.values(np.array(indices))).tolist() == indices


@pytest.mark.parametrize(
    ("step", "values", "rounds"),
    [
        (1, np.array([1]), False),
        ("1/4", np.array([1]), False),
        (2, np.array([1]), True),
        ("2/3", np.array([1]), True),
        (1, np.array([1.0]), True),
        ("0.5", np.array([0.5]), True),
        (1, np.array([Fraction(1)]), True),
    ],
)
def test_rounds_where_numbers_may_lie_between(step: object, values: np.ndarray, *, rounds: bool) -> None:
    assert Grid(step).rounds(values) is rounds
