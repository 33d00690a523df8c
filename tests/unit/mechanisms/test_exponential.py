"""The exponential mechanism: its law, its utility bound, and the textbook's examples."""

from __future__ import annotations

from fractions import Fraction
from math import exp, inf, log, nan

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable.core.errors import InvalidArgumentError
from deniable.mechanisms import Exponential
from tests.support import choices
from tests.support.coverage import covers

TABLES = [[0], [3, 3, 3], [5, 0], [0, 1, 2, 3], [7, -2, 7, 6, 0], [10**6, 10**6 - 3, 0], [-(2**60), 2**60]]


@pytest.mark.parametrize("scores", TABLES, ids=str)
@pytest.mark.parametrize("epsilon", ["0.3", "2"])
def test_law(scores: list[int], epsilon: str) -> None:
    # false alarms: 1e-6 each
    mechanism = Exponential(sensitivity=1, epsilon=epsilon)
    law = choices.exponential(scores, Fraction(epsilon) / 2)
    assert not choices.misfits(mechanism.sample(scores, 50_000), law)


def test_scores_on_a_grid() -> None:
    # false alarms: 1e-6. Scores in steps of 1/4 (halves upward), sensitivity 0.6 = 3 steps, rounded up
    mechanism = Exponential(sensitivity="0.6", epsilon=1, step="1/4")
    law = choices.exponential([0, 1, 2, 5], Fraction(1, 6))
    assert not choices.misfits(mechanism.sample([0.1, 0.125, 0.5, 1.3], 50_000), law)


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_no_neighbour_moves_any_chance_by_more_than_epsilon(data: st.DataObject) -> None:
    # the law itself, on every table hypothesis can think of: ln of the ratio is at most epsilon
    size = data.draw(st.integers(1, 5))
    scores = data.draw(st.lists(st.integers(-20, 20), min_size=size, max_size=size))
    moves = data.draw(st.lists(st.integers(-2, 2), min_size=size, max_size=size))
    epsilon = data.draw(st.fractions(Fraction(1, 100), 5))
    rate = Exponential(sensitivity=2, epsilon=epsilon)._rate
    assert rate == epsilon / 4
    one = choices.exponential(scores, rate)
    other = choices.exponential([score + move for score, move in zip(scores, moves, strict=True)], rate)
    for a, b in zip(one, other, strict=True):
        assert mpmath.log(a / b) <= mpmath.mpf(epsilon.numerator) / epsilon.denominator + mpmath.mpf(10) ** -12


# Utility


@pytest.mark.parametrize("epsilon", [0.1, 1, 2])
def test_textbook_numbers(epsilon: float) -> None:
    # most common nationality of 4: OPT - 8.77 / epsilon with t = 3; eye colour of 5: OPT - 9.22 / epsilon
    mechanism = Exponential(sensitivity=1, epsilon=epsilon)
    assert mechanism.utility(candidates=4, t=3) == pytest.approx(8.77 / epsilon, abs=0.005 / epsilon)
    assert mechanism.utility(candidates=5, t=3) == pytest.approx(9.22 / epsilon, abs=0.005 / epsilon)
    assert 1 - exp(-3) >= 0.95


def test_several_best_candidates_help() -> None:
    mechanism = Exponential(sensitivity=2, epsilon=1)
    assert mechanism.utility(8, optimal=8, t=1) == pytest.approx(4)
    assert mechanism.utility(8, optimal=2, t=1) == pytest.approx(4 * (log(4) + 1))


@given(
    scores=st.lists(st.integers(-30, 30), min_size=1, max_size=8),
    t=st.floats(0.1, 5),
    epsilon=st.fractions(Fraction(1, 10), 5),
)
def test_the_utility_bound_holds_for_the_law(scores: list[int], t: float, epsilon: Fraction) -> None:
    mechanism = Exponential(sensitivity=1, epsilon=epsilon)
    best = max(scores)
    bound = mechanism.utility(len(scores), scores.count(best), t)
    law = choices.exponential(scores, epsilon / 2)
    missed = sum(chance for score, chance in zip(scores, law, strict=True) if score < best - bound)
    assert missed <= mpmath.exp(-t)


def test_the_utility_bound_holds_for_the_draw() -> None:
    # false alarms: 1e-6
    mechanism = Exponential(sensitivity=1, epsilon="0.2")
    scores = np.arange(0, 200, 2)
    chosen = scores[mechanism.sample(scores, 20_000)]
    for t in (0.5, 1, 3):
        good = int((chosen >= scores.max() - mechanism.utility(scores.size, 1, t)).sum())
        assert covers(good, 20_000, 1 - exp(-t))


def test_apples() -> None:
    # buyers pay up to 1.00, 1.00, 1.00 and 4.01; noise on the best price ruins it (4.02 sells nothing), a noisy
    # choice does not. Revenue moves by at most the highest price, 5, when a buyer comes or goes.
    def revenue(price: Fraction) -> Fraction:
        return price * sum(price <= limit for limit in (1, 1, 1, Fraction("4.01")))

    prices = [Fraction("1.00"), Fraction("1.01"), Fraction("4.01"), Fraction("4.02")]
    assert [revenue(price) for price in prices] == [4, Fraction("1.01"), Fraction("4.01"), 0]
    mechanism = Exponential(sensitivity=5, epsilon=1, step="0.01")
    law = choices.exponential([400, 101, 401, 0], Fraction(1, 1000))
    chosen = mechanism.sample([revenue(price) for price in prices], 50_000)
    assert not choices.misfits(chosen, law)  # false alarms: 1e-6
    assert law[2] > law[0] > law[1] > law[3]
    assert mechanism.choose(prices, score=lambda price: 10**6 * revenue(price)) == Fraction("4.01")


# Choosing


def test_positions_and_candidates() -> None:
    mechanism = Exponential(sensitivity=1, epsilon=1)
    assert mechanism.choose([0, 500, 0]) == 1
    assert isinstance(mechanism.choose([0, 500, 0]), int)
    assert mechanism.choose(["a", "b"], score=lambda name: 500 * (name == "b")) == "b"
    assert mechanism.choose(np.array([0.0, 500.0])) == 1
    assert mechanism.choose([7]) == 0


def test_many_candidates() -> None:
    scores = np.zeros(1_000_000, dtype=int)
    scores[123_456] = 1000
    assert Exponential(sensitivity=1, epsilon=1).choose(scores) == 123_456


def test_a_bounded_range_costs_an_eighth() -> None:
    assert Exponential(sensitivity=1, epsilon=2).loss.rho == Fraction(1, 2)


@pytest.mark.usefixtures("no_randomness")
@pytest.mark.parametrize(
    ("argument", "candidates"),
    [
        ("candidates", []),
        ("scores", [nan, 1.0]),
        ("scores", [inf, 1.0]),
        ("scores", [-inf, 1.0]),
        ("scores", ["a", "b"]),
        ("scores", [2**62, 0]),
        ("scores", [1e300, 0]),
        ("scores", [[1, 2], [3, 4]]),
        ("scores", [None, 1]),
    ],
)
def test_bad_scores(argument: str, candidates: list[object]) -> None:
    with pytest.raises(InvalidArgumentError) as error:
        Exponential(sensitivity=1, epsilon=1).choose(candidates)
    assert error.value.argument == argument


@pytest.mark.usefixtures("no_randomness")
@pytest.mark.parametrize("bad", [nan, inf, "abc", None])
def test_bad_scoring_functions(bad: object) -> None:
    with pytest.raises(InvalidArgumentError) as error:
        Exponential(sensitivity=1, epsilon=1).choose(["a"], score=lambda _: bad)
    assert error.value.argument == "score"
    with pytest.raises(InvalidArgumentError) as error:
        Exponential(sensitivity=1, epsilon=1).choose([], score=len)
    assert error.value.argument == "candidates"


@pytest.mark.parametrize(
    ("argument", "arguments"),
    [("candidates", (0, 1, 3)), ("optimal", (3, 0, 3)), ("optimal", (3, 4, 3)), ("t", (3, 1, nan))],
)
def test_bad_utility(argument: str, arguments: tuple[int, int, float]) -> None:
    with pytest.raises(InvalidArgumentError) as error:
        Exponential(sensitivity=1, epsilon=1).utility(*arguments)
    assert error.value.argument == argument


@pytest.mark.parametrize(("sensitivity", "step"), [(1, 1), (1, "0.01"), ("0.05", "0.01"), (3, 2)])
def test_its_neighbours_are_neighbours(sensitivity: object, step: object) -> None:
    mechanism = Exponential(sensitivity=sensitivity, epsilon=1, step=step)
    one, other = (mechanism._indices(scores) for scores in mechanism.neighbours())
    assert np.abs(one - other).max() == mechanism._grid.distance(mechanism.sensitivity)
