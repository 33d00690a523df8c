"""Advanced composition against its closed form, and against what is really lost."""

from __future__ import annotations

from fractions import Fraction
from math import comb, exp, expm1, log, sqrt, tanh

import pytest

from deniable.accounting.advanced import advanced
from deniable.core.loss import Loss

MILLIONTH = Fraction(1, 10**6)


def found(losses: list[Loss], delta: Fraction = MILLIONTH) -> float:
    epsilon = advanced(losses, delta)
    assert epsilon is not None
    return float(epsilon)


@pytest.mark.parametrize(("epsilon", "times"), [(0.01, 1000), (0.1, 100), (1.0, 10)])
def test_it_is_the_formula_of_kairouz_oh_and_viswanath(epsilon: float, times: int) -> None:
    by_hand = times * epsilon * tanh(epsilon / 2) + epsilon * sqrt(2 * times * log(1e6))
    assert found([Loss.pure(epsilon)] * times) == pytest.approx(by_hand, rel=1e-9)
    assert found([Loss.pure(epsilon)] * times) >= by_hand * (1 - 1e-15)


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 1.0])
def test_it_is_never_above_the_textbook_formula(epsilon: float) -> None:
    """Dwork, Rothblum, Vadhan 2010: epsilon sqrt(2 k ln(1/delta)) + k epsilon (e^epsilon - 1)."""
    textbook = epsilon * sqrt(2 * 100 * log(1e6)) + 100 * epsilon * expm1(epsilon)
    assert found([Loss.pure(epsilon)] * 100) < textbook


def test_it_grows_like_a_square_root() -> None:
    few, many = found([Loss.pure("0.001")] * 100), found([Loss.pure("0.001")] * 10_000)
    assert 10 <= many / few <= 10.1


def test_unequal_losses_add_up_by_their_squares() -> None:
    losses = [Loss.pure("0.1"), Loss.pure("0.2"), Loss.pure("0.05")]
    squares, drift = 0.1**2 + 0.2**2 + 0.05**2, sum(e * tanh(e / 2) for e in (0.1, 0.2, 0.05))
    assert found(losses) == pytest.approx(drift + sqrt(2 * log(1e6) * squares), rel=1e-9)


def test_deltas_of_the_questions_leave_less_for_the_slack() -> None:
    losses = [Loss.approximate("0.1", "1e-8")] * 50
    slack = 1e-6 - 50e-8
    assert found(losses) == pytest.approx(50 * 0.1 * tanh(0.05) + 0.1 * sqrt(2 * 50 * log(1 / slack)), rel=1e-9)
    assert advanced(losses, Fraction(50, 10**8)) is None
    assert advanced(losses, Fraction(49, 10**8)) is None


def test_it_says_nothing_of_losses_that_are_not_pure() -> None:
    gaussian = Loss.concentrated(Fraction(1, 5000), Fraction(1, 2496))
    assert advanced([Loss.pure("0.1"), gaussian], MILLIONTH) is None


def test_a_delta_near_the_smallest_float_is_no_error() -> None:
    assert found([Loss.pure(1)], Fraction(1, 10**310)) > 30
    assert advanced([Loss.pure(1)], Fraction(1, 10**400)) is None


@pytest.mark.parametrize(("epsilon", "times"), [(0.05, 60), (0.3, 20), (1.0, 6)])
@pytest.mark.parametrize("delta", [Fraction(1, 10**9), MILLIONTH, Fraction(1, 100)])
def test_k_randomized_responses_really_lose_less(epsilon: float, times: int, delta: Fraction) -> None:
    total = found([Loss.pure(epsilon)] * times, delta)
    keep, lie = 1 / (1 + exp(-epsilon)), 1 / (1 + exp(epsilon))
    lost = sum(
        comb(times, truths)
        * max(0.0, keep**truths * lie ** (times - truths) - exp(total) * lie**truths * keep ** (times - truths))
        for truths in range(times + 1)
    )
    assert lost <= delta
