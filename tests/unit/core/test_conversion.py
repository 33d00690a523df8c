from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable.core.conversion import (
    budget_for_mu_squared,
    budget_for_rho,
    delta_from_mu,
    delta_from_rho,
    deltas_from_mu,
    epsilon_from_mu,
    epsilon_from_rho,
    group_delta,
    log_odds_above,
    mu_for,
    mu_squared_from_epsilon,
    rho_for,
    rho_from_epsilon,
    rho_from_mu_squared,
)

mpf = mpmath.mpf
EPSILONS = st.floats(min_value=0.01, max_value=50)
DELTAS = st.sampled_from([1e-15, 1e-9, 1e-6, 1e-3, 0.1, 0.5, 0.9])


@pytest.fixture(autouse=True)
def _digits() -> object:
    with mpmath.workdps(50):
        yield


def mp(value: Fraction) -> mpmath.mpf:
    return mpf(value.numerator) / value.denominator


def gaussian_delta(mu: float, epsilon: float) -> mpmath.mpf:
    """Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu), at 50 digits."""
    mu, epsilon = mpf(mu), mpf(epsilon)
    return mpmath.ncdf(mu / 2 - epsilon / mu) - mpmath.exp(epsilon) * mpmath.ncdf(-mu / 2 - epsilon / mu)


def concentrated_delta(rho: float, epsilon: float) -> mpmath.mpf:
    """The least bound over orders from 1 + e^-12 to 1 + e^40, first on a grid and then around its best point."""
    rho, epsilon = mpf(rho), mpf(epsilon)

    def bound(log_excess: mpmath.mpf) -> mpmath.mpf:
        excess = mpmath.exp(log_excess)
        order = 1 + excess
        return excess * (order * rho - epsilon) + order * mpmath.log(excess / order) - log_excess

    points = [mpf(point) for point in np.linspace(-12, 40, 160)]
    best = min(range(len(points)), key=lambda place: bound(points[place]))
    low, high = points[max(best - 1, 0)], points[min(best + 1, len(points) - 1)]
    for _ in range(60):
        third = (high - low) / 3
        low, high = (low, high - third) if bound(low + third) < bound(high - third) else (low + third, high)
    return min(mpf(1), mpmath.exp(bound((low + high) / 2)))


# --- Gaussian differential privacy -----------------------------------------------------------------------------------


@pytest.mark.parametrize("mu", [1e-6, 1e-3, 0.01, 0.1, 0.5, 1, 2, 5, 8, 20, 100])
@pytest.mark.parametrize("epsilon", [0, 1e-9, 1e-4, 0.01, 0.1, 0.5, 1, 3, 10, 40, 200, 1000])
def test_delta_of_a_gaussian_is_never_below_the_truth_and_close(mu: float, epsilon: float) -> None:
    found, truth = delta_from_mu(mu, epsilon), gaussian_delta(mu, epsilon)
    assert truth <= found
    assert found <= max(truth * (1 + mpf("1e-7")), mpf("1e-299"))


@settings(deadline=None)
@given(mu=st.floats(min_value=0.001, max_value=50), epsilon=st.floats(min_value=0, max_value=100))
def test_delta_of_a_gaussian_is_never_below_the_truth(mu: float, epsilon: float) -> None:
    assert gaussian_delta(mu, epsilon) <= delta_from_mu(mu, epsilon) <= 1


@pytest.mark.parametrize("ulps", range(-3, 4))
def test_delta_of_a_gaussian_is_safe_where_the_formula_changes(ulps: int) -> None:
    epsilon = 10.0 * (10.0 / 2 - 4)  # near = epsilon / 10 - 5 = -4
    for _ in range(abs(ulps)):
        epsilon = float(np.nextafter(epsilon, np.sign(ulps) * np.inf))
    assert gaussian_delta(10, epsilon) <= delta_from_mu(10.0, epsilon) <= gaussian_delta(10, epsilon) * (1 + 3e-10)


@settings(deadline=None)
@given(mu=st.floats(min_value=0.01, max_value=20), delta=DELTAS)
def test_epsilon_of_a_gaussian_is_enough_and_least(mu: float, delta: float) -> None:
    epsilon = epsilon_from_mu(mu, delta)
    assert delta_from_mu(mu, epsilon) <= delta
    assert gaussian_delta(mu, epsilon) <= delta
    assert epsilon == 0 or gaussian_delta(mu, epsilon * (1 - 1e-6)) > delta * (1 - 1e-6)


@settings(deadline=None)
@given(epsilon=EPSILONS, delta=DELTAS)
def test_mu_of_a_budget_is_within_it_and_most(epsilon: float, delta: float) -> None:
    mu = mu_for(epsilon, delta)
    assert delta_from_mu(mu, epsilon) <= delta
    assert gaussian_delta(mu, epsilon) <= delta
    assert gaussian_delta(mu * (1 + 1e-6), epsilon) > delta
    assert epsilon_from_mu(mu, delta) == pytest.approx(epsilon, rel=1e-8)


# --- concentrated differential privacy -------------------------------------------------------------------------------


@pytest.mark.parametrize("rho", [1e-4, 0.01, 0.1, 0.5, 1, 5, 50])
@pytest.mark.parametrize("epsilon", [0.01, 0.1, 0.5, 1, 3, 10, 40, 200])
def test_delta_of_zcdp_is_never_below_the_best_order_and_close(rho: float, epsilon: float) -> None:
    found, best = delta_from_rho(rho, epsilon), concentrated_delta(rho, epsilon)
    assert best <= found
    assert found <= max(best * (1 + mpf("1e-6")), mpf("1e-299"))


@pytest.mark.parametrize("epsilon", [1e-4, 1e-6, 1e-8, 1e-10])
def test_delta_of_zcdp_is_never_below_the_best_order_at_large_orders(epsilon: float) -> None:
    rho = epsilon**2 / 80  # the best order is about 40 / epsilon
    assert delta_from_rho(rho, epsilon) >= concentrated_delta(rho, epsilon)


@pytest.mark.parametrize("order", [1.001, 1.5, 2, 10, 1000])
def test_every_order_bounds_the_gaussian_of_the_same_rho(order: float) -> None:
    # N(0, 1) and N(mu, 1) satisfy zCDP with rho = mu^2 / 2, so their true delta lies below every order's bound
    for mu, epsilon in [(0.1, 0.1), (0.5, 1), (1, 1), (2, 8)]:
        rho, a = mpf(mu) ** 2 / 2, mpf(order)
        bound = mpmath.exp((a - 1) * (a * rho - epsilon)) / (a - 1) * (1 - 1 / a) ** a
        assert gaussian_delta(mu, epsilon) <= bound
        assert gaussian_delta(mu, epsilon) <= delta_from_rho(float(rho), epsilon)


@settings(deadline=None, max_examples=30)
@given(rho=st.floats(min_value=1e-4, max_value=20), delta=DELTAS)
def test_epsilon_of_zcdp_is_enough_and_least(rho: float, delta: float) -> None:
    epsilon = epsilon_from_rho(rho, delta)
    assert delta_from_rho(rho, epsilon) <= delta
    assert concentrated_delta(rho, epsilon) <= delta
    assert epsilon == 0 or concentrated_delta(rho, epsilon * (1 - 1e-6)) > delta * (1 - 1e-6)


@settings(deadline=None, max_examples=30)
@given(epsilon=EPSILONS, delta=DELTAS)
def test_rho_of_a_budget_is_within_it_and_most(epsilon: float, delta: float) -> None:
    rho = rho_for(epsilon, delta)
    assert delta_from_rho(rho, epsilon) <= delta
    assert concentrated_delta(rho, epsilon) <= delta
    assert concentrated_delta(rho * (1 + 1e-6), epsilon) > delta
    assert epsilon_from_rho(rho, delta) == pytest.approx(epsilon, rel=1e-8)


@settings(deadline=None, max_examples=30)
@given(mu=st.floats(min_value=0.01, max_value=5), delta=st.sampled_from([1e-9, 1e-6, 1e-3]))
def test_gdp_says_at_least_as_much_as_the_zcdp_it_implies(mu: float, delta: float) -> None:
    assert epsilon_from_mu(mu, delta) <= epsilon_from_rho(mu * mu / 2, delta)


@pytest.mark.parametrize("order", [1.1, 2, 7])
def test_rho_of_a_gaussian_is_its_divergence(order: float) -> None:
    mu = mpf("0.7")
    with mpmath.workdps(20):
        moment = mpmath.quad(
            lambda x: mpmath.npdf(x, mu) ** order * mpmath.npdf(x) ** (1 - order), [-mpmath.inf, 0, 7, mpmath.inf]
        )
        divergence = mpmath.log(moment) / (order - 1)
        assert float(divergence / order) == pytest.approx(float(rho_from_mu_squared(Fraction("0.49"))), rel=1e-9)


@pytest.mark.parametrize("epsilon", ["0.01", "0.5", "1", "3", "10"])
@pytest.mark.parametrize("order", [1.0001, 1.5, 2, 5, 100])
def test_rho_of_pure_epsilon_bounds_every_divergence_of_randomized_response(epsilon: str, order: float) -> None:
    # the hardest pair of pure epsilon: coins that show heads with p = e^epsilon / (1 + e^epsilon) and with 1 - p
    p = 1 / (1 + mpmath.exp(-mpf(epsilon)))
    a = mpf(order)
    divergence = mpmath.log(p**a * (1 - p) ** (1 - a) + (1 - p) ** a * p ** (1 - a)) / (a - 1)
    assert divergence <= a * mp(rho_from_epsilon(Fraction(epsilon)))


# --- from pure epsilon to GDP ----------------------------------------------------------------------------------------


def normal_quantile(level: mpmath.mpf) -> mpmath.mpf:
    """Phi^-1, on the lower half, by Newton's method on the logarithm."""
    x = -mpmath.sqrt(-2 * mpmath.log(level)) if level < 0.1 else mpf(0)
    for _ in range(200):
        step = (mpmath.log(mpmath.ncdf(x)) - mpmath.log(level)) * mpmath.ncdf(x) / mpmath.npdf(x)
        x -= step
        if abs(step) < mpf(10) ** -40:
            return x
    raise AssertionError("no quantile")


def upper_quantile(level: mpmath.mpf) -> mpmath.mpf:
    """Phi^-1(1 - level)."""
    return -normal_quantile(level) if level <= 0.5 else normal_quantile(1 - level)


@pytest.mark.parametrize("epsilon", ["1e-9", "1e-4", "0.1", "0.9999", "1", "1.0001", "3", "20", "100", "700"])
def test_mu_of_pure_epsilon_is_just_above_the_truth(epsilon: str) -> None:
    truth = (2 * normal_quantile(1 / (1 + mpmath.exp(mpf(epsilon))))) ** 2
    excess = mp(mu_squared_from_epsilon(Fraction(epsilon))) / truth - 1
    assert 0 <= excess < 1e-8


@pytest.mark.parametrize("epsilon", ["0.01", "0.5", "1", "2", "5"])
def test_the_gaussian_is_easier_to_tell_apart_than_pure_epsilon(epsilon: str) -> None:
    e = mpf(epsilon)
    mu = mpmath.sqrt(mp(mu_squared_from_epsilon(Fraction(epsilon))))
    meeting = 1 / (1 + mpmath.exp(e))
    levels = [mpf(k) / 40 for k in range(1, 40)] + [mpf(10) ** -k for k in (3, 6, 12)] + [meeting]

    def holds(mu: mpmath.mpf) -> bool:
        """At no level of false alarms does pure epsilon miss less often than the Gaussian of mu."""
        return all(
            max(0, 1 - mpmath.exp(e) * level, mpmath.exp(-e) * (1 - level)) >= mpmath.ncdf(upper_quantile(level) - mu)
            for level in levels
        )

    assert holds(mu)
    assert not holds(mu * (1 - mpf("1e-8")))


# --- groups, odds, budgets -------------------------------------------------------------------------------------------


@settings(deadline=None)
@given(
    epsilon=st.fractions(min_value=Fraction(1, 10**6), max_value=100),
    delta=st.fractions(min_value=Fraction(1, 10**12), max_value=Fraction(1, 2)),
    people=st.integers(min_value=1, max_value=50),
)
def test_delta_of_a_group_is_never_below_the_chain(epsilon: Fraction, delta: Fraction, people: int) -> None:
    truth = mp(delta) * sum(mpmath.exp(place * mp(epsilon)) for place in range(people))
    found = group_delta(epsilon, delta, people)
    assert min(mpf(1), truth) <= mp(found) <= 1
    assert mp(found) <= truth * (1 + mpf("1e-11"))


def test_a_group_without_delta_has_none() -> None:
    assert group_delta(Fraction(1), Fraction(0), 10) == 0
    assert group_delta(Fraction(10**4), Fraction(1, 10**9), 10) == 1


def test_delta_of_a_group_at_epsilon_zero_adds_up() -> None:
    assert Fraction(3, 100) <= group_delta(Fraction(0), Fraction(1, 100), 3) <= Fraction(31, 1000)


@pytest.mark.parametrize("excess", ["0.001", "0.01", "0.25", "0.4", "0.499999", "1e-5", "1e-7", "1e-12", "1e-20"])
def test_log_odds_are_never_below_the_truth_and_close(excess: str) -> None:
    chance = Fraction(1, 2) + Fraction(excess)
    truth = mpmath.log(mp(chance) / (1 - mp(chance)))
    assert 0 <= mp(log_odds_above(chance)) / truth - 1 < 1e-6


@pytest.mark.parametrize("epsilon", ["0.1", "1", "1/3", "10"])
@pytest.mark.parametrize("delta", ["1e-9", "1e-6", "1/3"])
def test_budgets_as_fractions_are_within_the_budget(epsilon: str, delta: str) -> None:
    mu_squared = budget_for_mu_squared(Fraction(epsilon), Fraction(delta))
    rho = budget_for_rho(Fraction(epsilon), Fraction(delta))
    assert gaussian_delta(mpmath.sqrt(mp(mu_squared)), mp(Fraction(epsilon))) <= mp(Fraction(delta))
    assert concentrated_delta(mp(rho), mp(Fraction(epsilon))) <= mp(Fraction(delta))


def test_a_delta_that_nothing_reaches_has_no_finite_epsilon() -> None:
    assert epsilon_from_mu(1.0, 1e-301) == float("inf")


def test_a_delta_that_no_order_reaches_has_no_finite_epsilon() -> None:
    assert epsilon_from_rho(1.0, 1e-301) == float("inf")


@pytest.mark.parametrize("mu", [1e-6, 1e-3, 0.1, 1, 5, 20, 1e5])
def test_delta_of_a_gaussian_is_never_below_the_truth_at_negative_places_too(mu: float) -> None:
    places = np.array([-30.0, -3.0, -0.5, -1e-3, -1e-6, -1e-9, 0.0, 1e-6, 0.5, 3.0, mu * mu / 2 + 3 * mu])
    for place, found in zip(places.tolist(), deltas_from_mu(mu, places).tolist(), strict=True):
        truth = gaussian_delta(mu, place)
        assert truth <= found <= max(truth * (1 + mpf("1e-5")), mpf("1e-299"))
        alone = delta_from_mu(mu, place)
        assert truth <= alone <= max(truth * (1 + mpf("1e-5")), mpf("1e-299"))
