"""Privacy-loss distributions: against dp-accounting's own accountant, against exact sums, and where they end."""

from __future__ import annotations

from fractions import Fraction
from math import comb, exp

import dp_accounting
import pytest
from dp_accounting.pld import PLDAccountant

from deniable.accounting import Filter, compose
from deniable.accounting.pld import pld
from deniable.core.cap import Cap
from deniable.core.loss import Loss
from deniable.mechanisms import Gaussian, Laplace, PartitionSelection

MILLIONTH = Fraction(1, 10**6)


def found(losses: list[Loss], delta: Fraction = MILLIONTH) -> float:
    epsilon = pld(losses, delta)
    assert epsilon is not None
    return float(epsilon)


def response(epsilon: float) -> dp_accounting.DpEvent:
    """A fair coin with probability 2 / (1 + e^epsilon), else the truth."""
    return dp_accounting.RandomizedResponseDpEvent(2 / (1 + exp(epsilon)), 2)


def theirs(*events: dp_accounting.DpEvent, relation: str = "ADD_OR_REMOVE_ONE", interval: float = 1e-4) -> float:
    """One by one, as of randomized responses their accountant does not look at the count."""
    accountant = PLDAccountant(dp_accounting.NeighboringRelation[relation], value_discretization_interval=interval)
    for event in events:
        accountant.compose(event)
    return float(accountant.get_epsilon(1e-6))


@pytest.mark.parametrize(("epsilon", "times"), [(0.02, 100), (0.1, 30), (1.0, 5)])
def test_laplace_counts_agree_with_the_accountant_of_randomized_response(epsilon: float, times: int) -> None:
    """Discrete Laplace noise on a count has just two likelihood ratios, as a randomized response has."""
    losses = [Laplace(sensitivity=1, epsilon=epsilon).loss] * times
    exact = theirs(*[response(epsilon)] * times, relation="REPLACE_ONE", interval=1e-5)
    assert found(losses) == pytest.approx(exact, abs=1e-3)


@pytest.mark.parametrize(("epsilon", "times"), [(0.02, 100), (0.1, 30), (1.0, 5)])
def test_the_discrete_law_costs_hardly_more_than_the_continuous_one(epsilon: float, times: int) -> None:
    continuous = theirs(*[dp_accounting.LaplaceDpEvent(1 / epsilon)] * times)
    assert continuous - 1e-3 <= found([Loss.pure(epsilon)] * times) <= 1.05 * continuous


@pytest.mark.parametrize(("sigma", "times"), [(50, 30), (20, 10), (5, 3)])
def test_gaussian_counts_agree_with_the_accountant(sigma: int, times: int) -> None:
    mechanism = Gaussian(sensitivity=1, rho=Fraction(1, 2 * sigma**2))
    assert mechanism.loss.mu is not None
    event = dp_accounting.GaussianDpEvent(1 / mechanism.loss.mu)  # a little less than sigma: the law is discrete
    assert found([mechanism.loss] * times) == pytest.approx(theirs(*[event] * times), abs=1e-3)


def test_a_mixed_batch_agrees_with_the_accountant() -> None:
    losses = [Loss.pure("0.1")] * 10 + [Loss.concentrated(Fraction(1, 200), Fraction(1, 100))] * 5
    events = [response(0.1)] * 10 + [dp_accounting.GaussianDpEvent(20)] * 5  # replacing one moves a sum by two
    assert found(losses) == pytest.approx(theirs(*events, relation="REPLACE_ONE", interval=2e-5), abs=1e-3)


@pytest.mark.parametrize(("epsilon", "times"), [("0.05", 40), ("0.1234567", 15), ("0.5", 12), ("2", 3), ("15", 3)])
@pytest.mark.parametrize("delta", [Fraction(1, 10**9), MILLIONTH, Fraction(1, 100)])
def test_k_randomized_responses_never_lose_more_than_it_says(epsilon: str, times: int, delta: Fraction) -> None:
    """The largest set of k-fold randomized response has an excess that is a sum of binomials."""
    total = found([Loss.pure(epsilon)] * times, delta)
    step = float(epsilon)
    keep, lie = 1 / (1 + exp(-step)), 1 / (1 + exp(step))

    def excess(epsilon: float) -> float:
        return sum(
            comb(times, truths)
            * max(0.0, keep**truths * lie ** (times - truths) - exp(epsilon) * lie**truths * keep ** (times - truths))
            for truths in range(times + 1)
        )

    assert excess(total) <= float(delta) * (1 + 1e-9)
    assert excess(total * 0.99 - 1e-4 * times) > delta


def test_losses_with_a_delta_of_their_own_have_it_in_the_tail() -> None:
    question = PartitionSelection(epsilon="0.1", delta="1e-8").loss
    assert pld([question] * 50, Fraction(49, 10**8)) is None
    assert found([question] * 50, Fraction(51, 10**8)) > found([question] * 50)
    assert found([question] * 50) > found([Loss.pure("0.1")] * 50)


def test_a_loss_that_only_knows_its_sum_counts_as_one_large_response() -> None:
    assert found([Loss.pure("0.1").times(5)]) == pytest.approx(0.5, abs=1e-3)


def test_a_loss_without_a_dominating_pair_has_no_distribution() -> None:
    assert pld([Loss.pure("0.1"), Loss.concentrated(Fraction(1, 100), None)], MILLIONTH) is None


def test_losses_past_the_range_of_floats_have_no_distribution() -> None:
    assert pld([Loss.pure(1000)], MILLIONTH) is None
    assert pld([Loss.pure(1)], Fraction(1, 10**250)) is None
    assert pld([Loss.pure(1)], Fraction(0)) is None


def test_more_kinds_than_can_be_afforded_have_no_distribution() -> None:
    kinds = [Loss.pure(Fraction(place, 10**6)) for place in range(1, 2_002)]
    assert pld(kinds, MILLIONTH) is None
    assert pld(kinds[1:], MILLIONTH) is not None


def test_nothing_said_loses_nothing() -> None:
    assert pld([Loss.zero()], MILLIONTH) == 0


@pytest.mark.parametrize("part", [Fraction(1, 10**12), Fraction(1, 10), Fraction(9, 10)], ids=str)
def test_truths_told_outright_take_their_part_of_delta(part: Fraction) -> None:
    question, outright = Loss.approximate("0.1", part), 1 - (1 - part) ** 2
    assert pld([question] * 2, outright) is None
    assert found([question] * 2, outright + (1 - outright) / 10**9) == pytest.approx(0.2, abs=1e-6)


def test_a_truth_that_is_all_but_sure_leaves_nothing() -> None:
    assert pld([Loss.approximate("0.1", 1 - Fraction(1, 10**25))], 1 - Fraction(1, 10**30)) is None


def test_large_losses_are_rounded_up_on_a_coarser_grid() -> None:
    mu_squared = Fraction(200)
    total = found([Loss.concentrated(mu_squared / 2, mu_squared)] * 3)
    tight = dp_accounting.get_epsilon_gaussian(1 / float(3 * mu_squared) ** 0.5, 1e-6)
    assert tight <= total <= tight * 1.01


def test_adding_up_distributions_after_the_fact_is_not_private() -> None:
    """A batch chosen after an answer can lose more than each batch that could have been chosen; exact fractions.

    At epsilon ln 3: first a randomized response that is true with probability 3/4. If it said yes, a second one that is
    true with probability 3/5; if it said no, a question that with probability `leak` tells all. Both fixed batches
    lose delta = 3/20, so an account that adds up their distributions would allow either for a cap of (ln 3, 3/20).
    """
    factor, keep, second, leak = 3, Fraction(3, 4), Fraction(3, 5), Fraction(3, 20)

    def excess(transcripts: list[tuple[Fraction, Fraction]]) -> Fraction:
        return sum((max(p - factor * q, Fraction(0)) for p, q in transcripts), Fraction(0))

    def with_response(p: Fraction, q: Fraction) -> list[tuple[Fraction, Fraction]]:
        return [(p * second, q * (1 - second)), (p * (1 - second), q * second)]

    def with_leak(p: Fraction, q: Fraction) -> list[tuple[Fraction, Fraction]]:
        return [(p * (1 - leak), q * (1 - leak)), (p * leak, Fraction(0)), (Fraction(0), q * leak)]

    yes, no = (keep, 1 - keep), (1 - keep, keep)
    assert excess(with_response(*yes) + with_response(*no)) == Fraction(3, 20)
    assert excess(with_leak(*yes) + with_leak(*no)) == Fraction(3, 20)
    assert excess(with_response(*yes) + with_leak(*no)) == Fraction(3, 16)


def test_an_adaptive_account_admits_fewer_than_a_batch_fixed_in_advance() -> None:
    question = Loss.pure("0.01")
    assert Filter(Cap(1, MILLIONTH)).how_many(question) < 550
    assert compose([question] * 550, delta=MILLIONTH, method="pld").guarantee.epsilon <= 1
