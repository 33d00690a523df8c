from __future__ import annotations

from fractions import Fraction

import pytest

from deniable.core.cap import Cap
from deniable.core.errors import Refused
from deniable.core.loss import Loss
from deniable.ledger.payment import pay
from deniable.policy import Account
from tests.unit.ledger.asking import account


def _refusal(payer: Account, spent: Loss, loss: Loss) -> str:
    with pytest.raises(Refused) as refused:
        pay(payer, spent, loss)
    assert refused.value.code == "over-budget"
    return refused.value.reason


def test_it_pays_what_it_can() -> None:
    assert pay(account(1), Loss.pure("2/3"), Loss.pure("1/3")).epsilon == 1


def test_room_is_rounded_down_and_a_loss_up() -> None:
    said = _refusal(account(1), Loss.pure("1/3"), Loss.pure("2/3") + Loss.pure("1e-9"))
    assert "has epsilon 0.666666 left" in said
    assert "loses epsilon 0.666667" in said


def test_what_is_said_to_be_left_can_be_spent() -> None:
    spent = Loss.pure("1/7")
    left = _refusal(account(1), spent, Loss.pure(1)).split("epsilon ")[1].split()[0]
    assert pay(account(1), spent, Loss.pure(left)).epsilon == Fraction(1, 7) + Fraction(left)


def test_every_open_branch_is_named() -> None:
    said = _refusal(Account("clinic", Cap(1, "1e-6")), Loss.zero(), Loss.pure(5))
    assert "epsilon 1 or rho 0.0" in said
    assert " or mu squared 0.0" in said


def test_nothing_left_is_said_so() -> None:
    gaussian = Loss.concentrated(Fraction(1), None)
    assert "has nothing left" in _refusal(account(1), gaussian, Loss.pure(1))


def test_a_missing_delta_is_named() -> None:
    loss = Loss.approximate("0.1", "1e-8")
    assert "epsilon 1, and delta 0, left" in _refusal(account(1), Loss.zero(), loss)
    assert "delta 1e-8" in _refusal(account(1), Loss.zero(), loss)
