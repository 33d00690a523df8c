from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable.core.conversion import (
    epsilon_from_mu,
    epsilon_from_rho,
    mu_squared_from_epsilon,
    rho_from_epsilon,
)
from deniable.core.distributions.dominating_pair import GaussianPair, ResponsePair
from deniable.core.errors import InvalidArgumentError
from deniable.core.loss import Loss

AMOUNTS = st.fractions(min_value=Fraction(1, 10**6), max_value=100)
FORMS = st.one_of(st.none(), AMOUNTS)
LOSSES = st.builds(
    Loss, epsilon=FORMS, rho=FORMS, mu_squared=FORMS, delta=st.fractions(min_value=0, max_value=Fraction(1, 100))
)


def plus(one: Fraction | None, other: Fraction | None) -> Fraction | None:
    return None if one is None or other is None else one + other


@settings(deadline=None)
@given(one=LOSSES, other=LOSSES)
def test_losses_add_up_form_by_form(one: Loss, other: Loss) -> None:
    both = one + other
    assert both.epsilon == plus(one.epsilon, other.epsilon)
    assert both.rho == plus(one.rho, other.rho)
    assert both.mu_squared == plus(one.mu_squared, other.mu_squared)
    assert both.delta == one.delta + other.delta
    assert both.pair is None


@settings(deadline=None)
@given(one=LOSSES, other=LOSSES, third=LOSSES)
def test_the_order_of_losses_does_not_matter(one: Loss, other: Loss, third: Loss) -> None:
    assert one + other == other + one
    assert (one + other) + third == one + (other + third)


@settings(deadline=None)
@given(loss=LOSSES)
def test_nothing_said_costs_nothing(loss: Loss) -> None:
    assert loss + Loss.zero() == loss


@settings(deadline=None)
@given(loss=LOSSES, count=st.integers(min_value=1, max_value=20))
def test_times_is_repeated_addition(loss: Loss, count: int) -> None:
    total = loss
    for _ in range(count - 1):
        total = total + loss
    assert loss.times(count) == total


@settings(deadline=None)
@given(loss=LOSSES.map(lambda loss: replace(loss, delta=Fraction(0))), people=st.integers(min_value=1, max_value=20))
def test_a_group_pays_once_in_epsilon_and_in_squares_otherwise(loss: Loss, people: int) -> None:
    group = loss.for_group(people)
    assert group.epsilon == (None if loss.epsilon is None else people * loss.epsilon)
    assert group.rho == (None if loss.rho is None else people**2 * loss.rho)
    assert group.mu_squared == (None if loss.mu_squared is None else people**2 * loss.mu_squared)
    assert group.delta == 0


def test_a_group_with_delta_keeps_only_the_pure_form() -> None:
    group = Loss.approximate("1/2", "1e-6").for_group(3)
    assert (group.epsilon, group.rho, group.mu_squared) == (Fraction(3, 2), None, None)
    truth = 1e-6 * (1 + 2.718281828459045**0.5 + 2.718281828459045)
    assert truth <= group.delta <= truth * (1 + 1e-9)


def test_a_group_without_epsilon_has_a_loss() -> None:
    mixed = Loss.concentrated(Fraction(1, 100), None) + Loss.approximate("1/2", "1e-6")
    assert mixed.for_group(3).epsilon is None


def test_pure_loss_implies_the_other_forms() -> None:
    loss = Loss.pure("0.3")
    assert loss.epsilon == Fraction(3, 10)
    assert loss.rho == rho_from_epsilon(Fraction(3, 10))
    assert loss.mu_squared == mu_squared_from_epsilon(Fraction(3, 10))
    assert loss.delta == 0
    assert loss.pair == ResponsePair(Fraction(3, 10))
    assert Loss.pure("0.3", rho=Fraction(1, 100)).rho == Fraction(1, 100)


def test_concentrated_loss_keeps_the_smaller_rho_and_the_pair() -> None:
    assert Loss.concentrated(Fraction(1), None) == Loss(None, Fraction(1), None)
    both = Loss.concentrated(Fraction(1), Fraction(1, 2))
    assert (both.rho, both.mu_squared, both.pair) == (Fraction(1, 4), Fraction(1, 2), GaussianPair(Fraction(1, 2)))
    assert Loss.concentrated(Fraction(1, 8), Fraction(1, 2)).rho == Fraction(1, 8)


@pytest.mark.parametrize("make", [Loss.pure, lambda epsilon: Loss.approximate(epsilon, "1e-6")])
@pytest.mark.parametrize("epsilon", [0, -1, "nan"])
def test_a_loss_must_be_positive(make: object, epsilon: object) -> None:
    with pytest.raises(InvalidArgumentError, match=r"^epsilon must"):
        make(epsilon)


@pytest.mark.parametrize("delta", [0, 1, -1, 2])
def test_an_approximate_loss_has_a_delta_between_0_and_1(delta: int) -> None:
    with pytest.raises(InvalidArgumentError, match=r"^delta must"):
        Loss.approximate(1, delta)


@pytest.mark.parametrize("count", [0, -1, Fraction(1, 2)])
def test_counts_and_groups_are_whole(count: object) -> None:
    with pytest.raises(InvalidArgumentError, match=r"^count must"):
        Loss.pure(1).times(count)
    with pytest.raises(InvalidArgumentError, match=r"^people must"):
        Loss.pure(1).for_group(count)


@settings(deadline=None)
@given(epsilon=AMOUNTS)
def test_a_pure_loss_is_exact_at_delta_zero(epsilon: Fraction) -> None:
    assert Loss.pure(epsilon).at(0).epsilon == epsilon


@settings(deadline=None, max_examples=30)
@given(
    loss=LOSSES.filter(lambda loss: (loss.epsilon or loss.rho or loss.mu_squared) is not None),
    extra=st.sampled_from([Fraction(1, 10**9), Fraction(1, 1000)]),
)
def test_at_takes_the_best_form_and_spends_its_own_delta_first(loss: Loss, extra: Fraction) -> None:
    guarantee = loss.at(loss.delta + extra)
    spare = float(extra)
    proven = [
        inf if loss.epsilon is None else float(loss.epsilon),
        inf if loss.rho is None else epsilon_from_rho(float(loss.rho), spare),
        inf if loss.mu is None else epsilon_from_mu(loss.mu, spare),
    ]
    assert guarantee.delta == loss.delta + extra
    assert float(guarantee.epsilon) == pytest.approx(min(proven), rel=1e-9)
    assert guarantee.epsilon >= Fraction(min(proven)) * (1 - Fraction(1, 10**15))


@settings(deadline=None, max_examples=30)
@given(loss=LOSSES.filter(lambda loss: (loss.rho or loss.mu_squared) is not None))
def test_a_larger_delta_never_needs_a_larger_epsilon(loss: Loss) -> None:
    small, large = (loss.at(loss.delta + Fraction(1, 10**power)).epsilon for power in (9, 3))
    assert large <= small


def test_at_needs_a_delta_where_no_pure_form_is_proven() -> None:
    for loss, delta in [(Loss.concentrated(Fraction(1), None), 0), (Loss.approximate(1, "1e-6"), "1e-7")]:
        with pytest.raises(InvalidArgumentError, match=r"^delta must be above"):
            loss.at(delta)
    assert Loss.approximate(1, "1e-6").at("1e-6").epsilon == 1


def test_many_pure_losses_compose_better_than_their_sum() -> None:
    hundred = Loss.pure("0.1").times(100)
    assert hundred.epsilon == 10
    assert hundred.at("1e-6").epsilon < 6


def test_mu_is_the_root_rounded_up() -> None:
    loss = Loss.concentrated(Fraction(1), Fraction(2))
    assert Fraction(loss.mu) ** 2 >= 2 * (1 - Fraction(1, 10**15))
    assert Loss.concentrated(Fraction(1), None).mu is None


def test_two_losses_are_equal_by_their_forms_alone() -> None:
    assert replace(Loss.pure(1), pair=None) == Loss.pure(1)
    assert repr(Loss.concentrated(Fraction(1, 2), None)) == "Loss(rho=0.5)"
