"""What a batch costs: each method against its closed form, and the best of them against the truth."""

from __future__ import annotations

import sys
from fractions import Fraction
from math import comb, inf, log, sqrt

import dp_accounting
import numpy as np
import pytest
from dp_accounting.rdp import rdp_privacy_accountant

from deniable.accounting import METHODS, compose
from deniable.core.errors import InvalidArgumentError
from deniable.core.loss import Loss
from deniable.mechanisms import Exponential, Gaussian, Laplace, PartitionSelection, TopK

SMALL = [Loss.pure("0.01")] * 400
GAUSSIANS = [Gaussian(sensitivity=1, rho="1/5000")] * 100


def test_basic_composition_adds_epsilons_and_deltas_exactly() -> None:
    batch = [Loss.pure("0.1"), Loss.pure("0.2"), Loss.approximate("0.3", "1e-7")]
    guarantee = compose(batch, delta="1e-7", method="basic").guarantee
    assert (guarantee.epsilon, guarantee.delta) == (Fraction(6, 10), Fraction(1, 10**7))


def test_k_runs_of_the_same_loss_cost_k_times_as_much() -> None:
    question = PartitionSelection(epsilon="0.5", delta="1e-8")
    guarantee = compose([question] * 12, delta="12e-8", method="basic").guarantee
    assert (guarantee.epsilon, guarantee.delta) == (6, Fraction(12, 10**8))
    with pytest.raises(InvalidArgumentError, match=r"^delta "):
        compose([question] * 12, delta="11e-8", method="basic")


@pytest.mark.parametrize("delta", [1e-9, 1e-6, 0.01])
def test_zcdp_adds_rhos_and_converts_by_the_best_order(delta: float) -> None:
    rho = 400 * 0.01**2 / 2
    excess = np.exp(np.linspace(-5, 12, 200_001))
    order = 1 + excess
    best = (order * rho + np.log(excess / order) - (log(delta) + np.log(order)) / excess).min()
    found = float(compose(SMALL, delta=delta, method="zcdp").guarantee.epsilon)
    assert found == pytest.approx(best, rel=1e-6)
    assert found <= rho + 2 * sqrt(rho * log(1 / delta))  # Bun, Steinke 2016, proposition 1.3
    orders = np.arange(1.05, 200, 0.05)
    theirs, _ = rdp_privacy_accountant.compute_epsilon(orders, orders * rho, delta)
    assert found <= theirs + 1e-9


@pytest.mark.parametrize("delta", [1e-9, 1e-6, 0.01])
def test_gdp_adds_squares_of_mu_and_converts_tightly(delta: float) -> None:
    (mechanism,) = set(GAUSSIANS)
    assert mechanism.loss.mu is not None
    found = float(compose(GAUSSIANS, delta=delta, method="gdp").guarantee.epsilon)
    assert found == pytest.approx(dp_accounting.get_epsilon_gaussian(1 / (10 * mechanism.loss.mu), delta), rel=1e-6)


@pytest.mark.parametrize(
    "batch",
    [
        SMALL,
        GAUSSIANS,
        [*SMALL[:50], *GAUSSIANS[:50]],
        [Loss.pure(1)] * 3,
        [Loss.approximate("0.01", "1e-10")] * 100,
        [Exponential(sensitivity=1, epsilon="0.02"), TopK(k=3, sensitivity=1, epsilon="0.1")] * 40,
    ],
    ids=["laplace", "gaussian", "both", "few", "approximate", "choices"],
)
def test_the_best_method_is_the_one_with_the_smallest_epsilon(batch: list[Loss]) -> None:
    best = compose(batch, delta=1e-6)
    shown = {}
    for method in METHODS:
        try:
            shown[method] = compose(batch, delta=1e-6, method=method).guarantee.epsilon
        except InvalidArgumentError:
            continue
    assert best.guarantee.epsilon == min(shown.values()) == shown[best.method]
    assert best.guarantee.delta == Fraction(1, 10**6)


def test_which_method_is_best_depends_on_the_batch() -> None:
    assert compose([Loss.pure(1)] * 3, delta=0).method == "basic"
    assert compose(SMALL, delta=1e-6).method == "pld"
    too_little_noise_for_gdp = Gaussian(sensitivity=1, rho=Fraction(1, 7))
    assert compose([too_little_noise_for_gdp], delta=1e-6).method == "zcdp"
    assert compose([Exponential(sensitivity=1, epsilon="0.01")] * 400, delta=1e-6).method == "zcdp"


@pytest.mark.parametrize("method", ["best", *METHODS])
@pytest.mark.parametrize(("epsilon", "times"), [("0.05", 40), ("0.5", 12), ("2", 3), ("0.3333", 7)])
@pytest.mark.parametrize("delta", ["1e-9", "1e-6", "0.01"])
def test_no_method_shows_less_than_k_randomized_responses_really_lose(
    epsilon: str, times: int, delta: str, method: str
) -> None:
    found = compose([Loss.pure(epsilon)] * times, delta=delta, method=method).guarantee
    assert responses_delta(float(epsilon), times, float(found.epsilon)) <= float(found.delta) * (1 + 1e-9)


@pytest.mark.parametrize(("epsilon", "times"), [("0.05", 40), ("0.5", 12), ("2", 3)])
def test_the_best_method_is_within_a_few_thousandths_of_the_truth(epsilon: str, times: int) -> None:
    found = float(compose([Loss.pure(epsilon)] * times, delta=1e-6).guarantee.epsilon)
    assert responses_delta(float(epsilon), times, found - 0.005) > 1e-6


def responses_delta(epsilon: float, times: int, total: float) -> float:
    """Of k randomized responses: the sum over j truths of C(k,j) (p^j q^(k-j) - e^total q^j p^(k-j))+."""
    keep, lie = 1 / (1 + np.exp(-epsilon)), 1 / (1 + np.exp(epsilon))
    truths = np.arange(times + 1)
    ways = np.array([comb(times, number) for number in truths], dtype=float)
    height = epsilon * (2 * truths - times)
    excess = ways * keep**truths * lie ** (times - truths) * -np.expm1(total - height)
    return float(excess[height > total].sum())


def test_mechanisms_and_losses_may_stand_in_one_batch_of_any_kind() -> None:
    laplace = Laplace(sensitivity=1, epsilon="0.1")
    mixed = compose((item for item in (laplace, laplace.loss)), method="basic")
    assert mixed.guarantee.epsilon == Fraction(2, 10)


def test_an_empty_batch_is_refused_by_name() -> None:
    with pytest.raises(InvalidArgumentError, match=r"^batch must not be empty"):
        compose([])


def test_an_unknown_method_is_refused_by_name_and_the_known_ones_are_listed() -> None:
    with pytest.raises(InvalidArgumentError, match=r"^method must be 'best' or one of basic, advanced, zcdp, gdp, pld"):
        compose(SMALL, method="magic")


@pytest.mark.parametrize("delta", [-0.1, 1, 1.5, inf, float("nan"), "small"])
def test_a_delta_that_is_no_probability_is_refused_by_name(delta: float | str) -> None:
    with pytest.raises(InvalidArgumentError, match=r"^delta must be "):
        compose(SMALL, delta=delta)


@pytest.mark.parametrize(
    ("batch", "delta", "method"),
    [
        (SMALL, 0, "zcdp"),
        (SMALL, 0, "advanced"),
        (GAUSSIANS, 0, "best"),
        (GAUSSIANS, 1e-6, "basic"),
        ([Loss.approximate(1, "1e-6")] * 2, "1.9e-6", "basic"),
        ([Loss.approximate(1, "1e-6")] * 2, "2e-6", "gdp"),
    ],
)
def test_a_delta_at_which_nothing_is_shown_is_refused_by_name(batch: list[Loss], delta: float, method: str) -> None:
    with pytest.raises(InvalidArgumentError, match=r"^delta must be larger, or the method another"):
        compose(batch, delta=delta, method=method)


def test_a_delta_so_large_that_epsilon_vanishes_is_no_error() -> None:
    assert 0 < compose([Loss.pure("0.01")], delta=0.5).guarantee.epsilon <= Fraction(1, 10**12)
    assert 0 < compose([Loss.pure("0.01")], delta=0.5, method="pld").guarantee.epsilon <= Fraction(1, 10**12)
    assert 0 < compose([Loss.zero()], delta=1e-6).guarantee.epsilon <= Fraction(1, 10**12)


def test_losses_beyond_all_sense_are_still_added_up() -> None:
    assert compose([Loss.pure(1000)] * 3, delta=1e-6).guarantee.epsilon <= 3000
    assert compose([Loss.concentrated(Fraction(500), Fraction(1000))] * 3, delta=1e-6).guarantee.epsilon < 2000


def test_distributions_need_no_other_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dp_accounting", None)
    assert compose(SMALL, delta=1e-6).method == "pld"


def test_where_distributions_have_nothing_to_say_the_best_of_the_others_is_taken() -> None:
    mixed = [*SMALL, Loss.concentrated(Fraction(1, 10**6), None)]
    assert compose(mixed, delta=1e-6).method == "zcdp"
    with pytest.raises(InvalidArgumentError, match=r"^delta must be larger, or the method another"):
        compose(mixed, delta=1e-6, method="pld")


@pytest.mark.parametrize("same", [True, False])
def test_deltas_add_up_whether_losses_are_one_or_many(same: bool) -> None:  # noqa: FBT001 - drawn
    """Five at 1e-7 each need 5e-7, be they one loss five times or five that are equal."""
    batch = [Loss.approximate("0.1", "1e-7")] * 5 if same else [Loss.approximate("0.1", "1e-7") for _ in range(5)]
    assert float(compose(batch, "5e-7", method="basic").guarantee.epsilon) == pytest.approx(0.5)
    with pytest.raises(InvalidArgumentError, match=r"^delta "):
        compose(batch, "4e-7", method="basic")
