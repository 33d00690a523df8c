"""What the filter admits, and that it never admits more. (That this is private: test_worst_analyst.py.)"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import exp

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

from deniable.accounting import Filter
from deniable.core.cap import Cap
from deniable.core.errors import InvalidArgumentError
from deniable.core.loss import Loss
from deniable.mechanisms import Exponential, Gaussian, Laplace, PartitionSelection

CAP = Cap(1, "1e-6")
FORMS = ("epsilon", "rho", "mu_squared")


def gaussian(sigma: int) -> Loss:
    return Gaussian(sensitivity=1, rho=Fraction(1, 2 * sigma**2)).loss


# ---------------------------------------------------------------------------------------------- how many it admits


def test_ten_laplace_questions_of_a_tenth_fit_and_no_more() -> None:
    assert Filter(CAP).how_many(Laplace(sensitivity=1, epsilon="0.1").loss) == 10


def test_at_least_455_laplace_questions_of_a_hundredth_fit() -> None:
    assert Filter(CAP).how_many(Laplace(sensitivity=1, epsilon="0.01").loss) >= 455


def test_at_least_130_gaussian_questions_of_sigma_50_fit() -> None:
    assert Filter(CAP).how_many(gaussian(50)) >= 130


def test_the_exponential_mechanism_fits_more_often_for_its_smaller_rho() -> None:
    account = Filter(CAP)
    chosen = account.how_many(Exponential(sensitivity=1, epsilon="0.01").loss)
    assert chosen >= 3.9 * account.how_many(Loss.pure("0.01"))


def test_admitting_one_after_the_other_gives_the_same_numbers() -> None:
    account = Filter(CAP)
    for question in (Loss.pure("0.1"), Loss.pure("0.01"), gaussian(50)):
        spent, admitted = Loss.zero(), 0
        while account.admits(spent + question):
            spent, admitted = spent + question, admitted + 1
        assert admitted == account.how_many(question)


def test_the_whole_delta_for_one_branch_admits_what_that_branch_alone_admits() -> None:
    only_gaussian = Filter(Cap(1, "1e-6", gaussian="1e-6", concentrated=0))
    only_concentrated = Filter(Cap(1, "1e-6", gaussian=0, concentrated="1e-6"))
    assert only_gaussian.how_many(gaussian(50)) > Filter(CAP).how_many(gaussian(50))
    assert only_concentrated.how_many(Loss.pure("0.01")) > Filter(CAP).how_many(Loss.pure("0.01"))
    assert only_gaussian.limit.rho is None
    assert only_concentrated.limit.mu_squared is None


# ------------------------------------------------------------------------------------------------------ no drift


def test_ten_tenths_fit_one_and_a_hair_more_does_not() -> None:
    account, spent = Filter(Cap(1)), Loss.zero()
    for _ in range(10):
        spent += Loss.pure(0.1)
    assert spent.epsilon == 1
    assert account.admits(spent)
    assert not account.admits(spent + Loss.pure("1e-30"))
    assert not Filter(CAP).admits(spent + Loss.pure("1e-30"))


def test_a_million_tiny_losses_add_up_exactly() -> None:
    tiny = Loss.pure("1e-300")
    million = tiny.times(10**6)
    assert million.epsilon == Fraction(1, 10**294)
    assert million.rho == Fraction(10**6, 2 * 10**600)
    account = Filter(Cap("1e-294"))
    assert account.how_many(tiny) == 10**6
    assert account.admits(million)
    assert not account.admits(million + tiny)
    by_hand = tiny
    for _ in range(999):
        by_hand += tiny
    assert by_hand == tiny.times(1000)


@settings(deadline=None)
@given(
    st.lists(st.fractions(min_value=Fraction(1, 997), max_value=Fraction(1, 2), max_denominator=997), min_size=1),
    st.fractions(min_value=Fraction(1, 10**40), max_value=Fraction(1, 10**30)),
)
def test_the_pure_branch_is_exact_at_its_very_edge(epsilons: list[Fraction], hair: Fraction) -> None:
    cap = sum(epsilons, Fraction(0))
    spent = Loss.zero()
    for epsilon in epsilons:
        spent += Loss.pure(epsilon)
    assert Filter(Cap(cap)).admits(spent)
    assert not Filter(Cap(cap - hair)).admits(spent)


# --------------------------------------------------------------------------------- it never admits more than the cap


def losses() -> st.SearchStrategy[Loss]:
    epsilons = st.fractions(min_value=Fraction(1, 500), max_value=2, max_denominator=1000)
    deltas = st.fractions(min_value=Fraction(1, 10**9), max_value=Fraction(1, 10**6), max_denominator=10**9)
    rhos = st.fractions(min_value=Fraction(1, 10**5), max_value=Fraction(1, 10), max_denominator=10**5)
    return st.one_of(
        epsilons.map(Loss.pure),
        epsilons.map(lambda epsilon: Loss.pure(epsilon, rho=epsilon**2 / 8)),
        st.builds(Loss.approximate, epsilons, deltas),
        rhos.map(lambda rho: Loss.concentrated(rho, 2 * rho)),
        rhos.map(lambda rho: Loss.concentrated(rho, None)),
        st.just(Loss.zero()),
    )


def accounts() -> st.SearchStrategy[Filter]:
    def divided(delta: Fraction, parts: tuple[int, int, int]) -> Filter:
        share = [delta * part / max(1, sum(parts)) for part in parts]
        return Filter(Cap(1, delta, concentrated=share[0], gaussian=share[1], approximate=share[2]))

    deltas = st.sampled_from([Fraction(0), Fraction(1, 10**6), Fraction(1, 10**5), Fraction(1, 100)])
    return st.builds(divided, deltas, st.tuples(*[st.integers(0, 4)] * 3))


def total(asked: Sequence[Loss], form: str) -> Fraction | None:
    """The sum of one form, done here once more; a form that one question lacks, the sum lacks."""
    parts = [getattr(loss, form) for loss in asked]
    return None if None in parts else sum(parts, Fraction(0))


def is_open(account: Filter, asked: Sequence[Loss], form: str) -> bool:
    spent, cap = total(asked, form), getattr(account.limit, form)
    return spent is not None and cap is not None and spent <= cap


@settings(deadline=None)
@given(accounts(), st.lists(losses(), max_size=25))
def test_no_sequence_passes_the_cap_and_a_closed_branch_stays_closed(account: Filter, wishes: list[Loss]) -> None:
    admitted: list[Loss] = []
    spent = Loss.zero()
    was_open = [{form: is_open(account, admitted, form) for form in FORMS}]
    for wish in wishes:
        fits = any(is_open(account, [*admitted, wish], form) for form in FORMS)
        reserve = total([*admitted, wish], "delta")
        assert reserve is not None
        assert account.admits(spent + wish) == (fits and reserve <= account.cap.approximate)
        if account.admits(spent + wish):
            spent += wish
            admitted.append(wish)
            was_open.append({form: is_open(account, admitted, form) for form in FORMS})
    assert any(was_open[-1].values())
    assert spent.delta <= account.cap.approximate
    for before, after in pairwise(was_open):
        assert all(before[form] for form in FORMS if after[form])


@settings(deadline=None)
@given(accounts(), st.lists(losses(), max_size=6), losses().filter(lambda loss: loss != Loss.zero()))
def test_how_many_fit_and_one_more_does_not(account: Filter, earlier: list[Loss], question: Loss) -> None:
    spent = Loss.zero()
    for loss in earlier:
        if account.admits(spent + loss):
            spent += loss
    count = account.how_many(question, spent)
    assert count >= 0
    assert count == 0 or account.admits(spent + question.times(count))
    assert not account.admits(spent + question.times(count + 1))


@settings(deadline=None)
@given(accounts(), st.lists(losses(), max_size=6))
def test_what_remains_is_the_cap_less_what_is_spent(account: Filter, earlier: list[Loss]) -> None:
    spent = Loss.zero()
    for loss in earlier:
        spent += loss
    left = account.remaining(spent)
    assert left.delta == account.cap.approximate - spent.delta
    for form in FORMS:
        room, used, cap = getattr(left, form), getattr(spent, form), getattr(account.limit, form)
        assert (room is not None) == is_open(account, earlier, form)
        assert room is None or room == cap - used


def test_an_overdrawn_reserve_has_room_for_nothing() -> None:
    account = Filter(CAP)
    overdrawn = Loss.approximate("0.1", "1e-7")
    assert account.how_many(Loss.pure("0.1"), overdrawn) == 0
    assert account.how_many(overdrawn, overdrawn) == 0


# --------------------------------------------------------------------------------------------- how delta is divided


def test_delta_is_halved_between_the_branches_that_need_one() -> None:
    account = Filter(CAP)
    assert account.cap.concentrated == account.cap.gaussian == Fraction(1, 2 * 10**6)
    assert account.cap.approximate == account.limit.delta == 0
    kept = Filter(Cap(1, "1e-6", approximate="4e-7"))
    assert kept.cap.concentrated == kept.cap.gaussian == Fraction(3, 10**7)
    assert kept.cap.approximate == kept.limit.delta == Fraction(4, 10**7)


@pytest.mark.parametrize("name", ["concentrated", "gaussian", "approximate"])
@pytest.mark.parametrize("share", [-1, "2e-6", float("nan"), "much"])
def test_a_share_that_is_no_part_of_delta_is_refused_by_name(name: str, share: float | str) -> None:
    with pytest.raises(InvalidArgumentError, match=f"^{name} "):
        Filter(Cap(1, "1e-6", **{name: share}))


def test_shares_may_not_add_up_to_more_than_delta() -> None:
    Filter(Cap(1, "1e-6", concentrated="5e-7", gaussian="3e-7", approximate="2e-7"))
    with pytest.raises(InvalidArgumentError, match="add up to at most"):
        Filter(Cap(1, "1e-6", concentrated="5e-7", gaussian="3e-7", approximate="2.0000001e-7"))


@pytest.mark.parametrize("epsilon", ["0.01", 1, 5])
@pytest.mark.parametrize("share", ["1e-12", "5e-7", "0.01"])
def test_each_cap_is_as_private_as_its_share_says_and_hardly_more(epsilon: int | str, share: str) -> None:
    account = Filter(Cap(epsilon, 2 * Fraction(share), concentrated=share, gaussian=share))
    assert account.limit.rho is not None
    assert account.limit.mu_squared is not None
    wanted = float(Fraction(share))
    assert 0.999 * wanted <= gaussian_delta(account.limit.mu_squared, Fraction(epsilon)) <= wanted
    rho = float(account.limit.rho)
    assert 0.999 * wanted <= concentrated_delta(rho, float(epsilon)) <= wanted * (1 + 1e-6)


def gaussian_delta(mu_squared: Fraction, epsilon: Fraction) -> float:
    """Balle, Wang 2018, theorem 8, with fifty digits."""
    with mp.workdps(50):
        mu = mp.sqrt(mpf(mu_squared.numerator) / mu_squared.denominator)
        loss = mpf(epsilon.numerator) / epsilon.denominator
        return float(mp.ncdf(mu / 2 - loss / mu) - mp.exp(loss) * mp.ncdf(-mu / 2 - loss / mu))


def concentrated_delta(rho: float, epsilon: float) -> float:
    """Canonne, Kamath, Steinke 2020, corollary 13, by a fine search over the orders."""
    excess = np.exp(np.linspace(-8, 16, 400_001))
    order = 1 + excess
    exponents = excess * (order * rho - epsilon) - np.log(excess) + order * np.log(excess / order)
    return exp(exponents.min())


def test_without_delta_only_pure_losses_are_admitted() -> None:
    account = Filter(Cap(1))
    assert account.limit.rho is None
    assert account.limit.mu_squared is None
    assert account.how_many(Loss.pure("0.01")) == 100
    assert account.how_many(gaussian(10**6)) == 0
    assert not account.admits(gaussian(10**6))
    assert account.remaining(Loss.zero()).epsilon == 1
    assert account.remaining(gaussian(50)).epsilon is None


def test_a_question_with_a_delta_of_its_own_needs_a_reserve() -> None:
    question = PartitionSelection(epsilon="0.05", delta="1e-8").loss
    assert not Filter(CAP).admits(question)
    assert Filter(CAP).how_many(question) == 0
    account = Filter(Cap(1, "1e-6", approximate="1e-7"))
    assert account.how_many(question) == 10
    assert account.admits(question.times(10))
    assert not account.admits(question.times(11))
    assert account.admits(question.times(10) + Loss.pure("0.5"))


def test_a_question_without_a_form_closes_that_branch_for_good() -> None:
    account = Filter(CAP)
    after = account.remaining(gaussian(50))
    assert after.epsilon is None
    assert after.rho is not None
    assert after.mu_squared is not None
    assert account.remaining(Loss.concentrated(Fraction(1, 1000), None)).mu_squared is None
    assert not account.admits(gaussian(50) + Loss.pure("0.5"))  # alone, the pure branch would have room for it
