from __future__ import annotations

from fractions import Fraction

import pytest

from deniable.core.errors import InvalidArgumentError, Refused
from deniable.core.event import Event
from deniable.core.loss import Loss
from deniable.ledger import Charge
from tests.unit.ledger.asking import charge


@pytest.mark.parametrize("form", ["epsilon", "rho", "mu_squared", "delta"])
def test_a_loss_below_zero_would_give_budget_back(form: str) -> None:
    forms = {"epsilon": None, "rho": None, "mu_squared": None, "delta": Fraction(0)} | {form: Fraction(-1, 10**9)}
    with pytest.raises(InvalidArgumentError, match="negative"):
        Charge("q", "alice", "", (), Loss(**forms))  # type: ignore[arg-type]


def test_a_question_has_a_name() -> None:
    with pytest.raises(InvalidArgumentError, match="question"):
        charge("")


@pytest.mark.parametrize("number", [Fraction(1, 10**5000), Fraction(10**5000)])
def test_numbers_have_an_end(number: Fraction) -> None:
    for events, loss in (
        ((Event("Laplace", {"epsilon": number}),), Loss.zero()),
        ((), Loss(number, None, None)),
    ):
        with pytest.raises(Refused) as refused:
            Charge("q", "alice", "", events, loss)
        assert refused.value.code == "too-many-digits"


def test_the_smallest_spend_that_people_try_has_few_digits() -> None:
    assert charge("q", "1e-300").loss.epsilon == Fraction(1, 10**300)


@pytest.mark.parametrize("form", ["rho", "mu_squared"])
def test_what_is_charged_is_never_less_than_what_is_lost(form: str) -> None:
    for number in (Fraction(1, 3), Fraction(2, 7), Fraction(1, 2**90 + 1)):
        loss = Loss(None, number if form == "rho" else None, number if form == "mu_squared" else None)
        assert getattr(Charge("q", "alice", "", (), loss).loss, form) >= number
