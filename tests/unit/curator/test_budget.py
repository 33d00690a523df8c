"""What the account says may still be asked can be asked, and not much more; what it warns of comes true."""

import re
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable.accounting import Filter
from deniable.core.cap import Cap
from deniable.core.loss import Loss
from deniable.core.number import exact
from deniable.core.shown import at_least
from deniable.curator.budget import Budget
from deniable.mechanisms import Gaussian
from deniable.planner import ChargeLimits
from tests.support.curators import curator
from tests.support.tables import policy, visits

NO_LIMITS = ChargeLimits({}, {}, 10**9)

losses = st.lists(
    st.one_of(
        st.fractions(Fraction(1, 1000), 2).map(Loss.pure),
        st.fractions(Fraction(1, 1000), 1).map(lambda rho: Gaussian(sensitivity=1, rho=rho).loss),
    ),
    max_size=3,
)


def budget(*spent: Loss, epsilon: int = 3, delta: str = "1e-6", name: str = "population") -> Budget:
    return Budget(name, Filter(Cap(epsilon, delta)), sum(spent, Loss.zero()), NO_LIMITS)


@settings(deadline=None)
@given(spent=losses)
def test_what_may_still_be_asked_fits_and_little_more_does(spent):
    account = budget(*spent)
    admits = account.filter.admits
    epsilon, rho = account.largest_epsilon, account.largest_rho
    assert not epsilon or admits(account.spent + Loss.pure(epsilon))
    assert not admits(account.spent + Loss.pure(max(epsilon * 1.01, 1e-9)))
    assert not rho or admits(account.spent + Gaussian(sensitivity=1, rho=rho).loss)
    assert not admits(account.spent + Loss.concentrated(Fraction(max(rho * 1.01, 1e-9)), None))


@settings(deadline=None)
@given(spent=losses)
def test_it_never_contradicts_itself(spent):
    account = budget(*spent)
    laplace, gaussian = account.notes[:2]
    for line, size in ((laplace, account.largest_epsilon), (gaussian, account.largest_rho)):
        assert ("nothing more" in line) == (size == 0)
        assert not size or float(line.rstrip(".").rpartition(" ")[2].replace(",", "")) == pytest.approx(size, rel=1e-9)
    assert len(account.notes) == 2
    assert sum("Laplace" in line for line in account.notes) == 1
    for size, left in (
        (account.largest_epsilon, account.remaining.epsilon),
        (account.largest_rho, account.remaining.rho),
    ):
        assert left is None or exact("size", size) >= Fraction(Decimal(at_least(left)))
    rooms = [account.remaining.epsilon, account.remaining.rho, account.remaining.mu_squared]
    assert any(rooms) or not (account.largest_epsilon or account.largest_rho)


def test_gaussian_noise_closes_the_sum_of_epsilon_and_that_is_said_before():
    account = budget(Loss.pure("0.2"))
    (warning,) = account.warns(Loss.concentrated(Fraction(1, 100), None))
    assert "the sum of epsilon and the sum of mu²" in warning
    assert warning.startswith("warning: this would close ")
    after = replace(account, spent=account.spent + Loss.concentrated(Fraction(1, 100), None))
    sizes = [note.removesuffix(".").rpartition("up to ")[2] for note in after.notes[:2]]
    assert all(size in warning for size in sizes)
    assert len(warning) < 2 * 120  # two lines
    assert after.remaining.epsilon is after.remaining.mu_squared is None
    assert account.warns(Loss.pure("0.05")) == ()
    assert after.warns(Loss.concentrated(Fraction(1, 100), None)) == ()


def test_a_question_that_does_not_fit_is_told_what_would():
    account = budget(Loss.pure("2.9"), delta="0")
    (warning,) = account.warns(Loss.pure("0.2"))
    assert "more than what is left" in warning
    assert "ε 0.1." in warning
    assert "Gaussian noise: nothing more may be asked." in warning


def test_a_share_is_no_larger_than_what_the_population_has_left():
    population = budget(Loss.pure("2.75"), delta="0")
    share = replace(budget(epsilon=1, delta="0", name="analyst:alice"), within=population)
    assert share.largest_epsilon == 0.25
    assert "more than what is left" in share.warns(Loss.pure("0.3"))[0]
    assert share.warns(Loss.pure("0.25")) == ()
    assert "Budget of alice" in repr(share)


def test_sums_that_a_budget_does_not_have_are_not_shown():
    text = repr(budget(Loss.pure("0.5"), delta="0"))
    assert "rho" not in text
    assert "A question is allowed while epsilon still has room for it." in text
    closed = repr(budget(Loss.concentrated(Fraction(1, 10), None)))
    assert "closed" in closed
    assert "epsilon, rho or mu²" in closed


def test_as_values():
    said = budget(Loss.pure("0.5")).to_dict()
    assert said["spent"]["epsilon"] == 0.5
    assert said["remaining"]["epsilon"] == 2.5
    assert said["largest_epsilon"] >= 2.5
    table = budget(Loss.concentrated(Fraction(1, 10), None)).table.to_pylist()
    assert table[0] == {"sum": "epsilon (pure)", "cap": 3.0, "spent": None, "left": None}


@pytest.mark.parametrize(("rows", "said"), [(1, "± 100 costs about ε 0.03"), (1_327, "± 100,000 costs about ε 0.04")])
def test_what_a_count_costs_is_said_for_an_error_that_one_can_afford(rows, said):
    account = replace(budget(epsilon=1), counted=("visits", rows))
    assert f"A count of visits within {said}." in account.notes
    assert not any("A count" in note for note in budget(Loss.pure(1), epsilon=1, delta="0").notes)


def test_what_a_count_costs_is_what_it_is_priced_at(tmp_path):
    with curator(tmp_path, visits(50, seed=1), policy(tmp_path, contribution=3)) as one:
        for spent, form in ((None, "epsilon"), ({"rho": "0.01"}, "rho")):
            if spent:
                one.ask("SELECT COUNT(*) FROM visits", **spent)
            (said,) = [note for note in one.budget().notes if note.startswith("A count of visits")]
            off, price = (
                float(part.replace(",", "")) for part in re.findall(r"± ([\d,]+) costs about . ([\d.]+)\.", said)[0]
            )
            quote = one.explain("SELECT COUNT(*) FROM visits", **{form: price})
            assert quote.lines[0].error == pytest.approx(off, rel=0.1)
