from __future__ import annotations

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from deniable.core.loss import Loss
from deniable.ledger.entries.canon import loss_from_json, loss_to_json
from deniable.ledger.sums import plus, short

_NUMBERS = st.fractions(0, 10**6)
_LOSSES = st.builds(
    Loss, epsilon=st.none() | _NUMBERS, rho=st.none() | _NUMBERS, mu_squared=st.none() | _NUMBERS, delta=_NUMBERS
)


@settings(max_examples=30)
@given(st.lists(_LOSSES, max_size=10))
def test_sums_are_exact_in_any_order(losses: list[Loss]) -> None:
    forwards = backwards = Loss.zero()
    for one, other in zip(losses, reversed(losses), strict=True):
        forwards, backwards = plus(forwards, one), plus(backwards, other)
    assert forwards == backwards == sum(losses, Loss.zero())


@given(_LOSSES)
def test_a_loss_is_read_as_it_was_written(loss: Loss) -> None:
    assert loss_from_json(loss_to_json(loss)) == loss


def test_a_million_tiny_losses_are_a_million_times_one() -> None:
    tiny, total = Loss.pure("1e-300"), Loss.zero()
    for _ in range(20):
        total = plus(plus(total, total), tiny)
    assert total == tiny.times(2**20 - 1)


def test_endless_denominators_are_rounded_up_by_next_to_nothing() -> None:
    exact, total, count = Fraction(0), Loss.zero(), 400
    for number in range(count):
        part = Fraction(1, 2**200 + 2 * number + 1)
        exact += part
        total = plus(total, Loss(part, part, part, part))
        assert all(len(form or "") < 6_000 for form in loss_to_json(total).values())
    assert total.epsilon is not None
    assert exact <= total.epsilon < exact + Fraction(count, 2**8192)
    assert exact.denominator.bit_length() > 8192 >= total.delta.denominator.bit_length() - 1
    assert total == Loss(total.epsilon, total.epsilon, total.epsilon, total.epsilon)


@given(_LOSSES)
def test_a_short_loss_is_never_less_and_hardly_more(loss: Loss) -> None:
    shorter = short(loss)
    assert (shorter.epsilon, shorter.delta) == (loss.epsilon, loss.delta)
    for before, after in ((loss.rho, shorter.rho), (loss.mu_squared, shorter.mu_squared)):
        assert (before is None) == (after is None)
        assert before is None or after is None or before <= after < before + Fraction(1, 2**80)
    assert short(shorter) == shorter


def test_decimals_stay_as_they_are() -> None:
    for loss in (Loss.pure("0.1"), Loss.pure("1e-300"), Loss.concentrated(Fraction("0.0123"), Fraction("0.0246"))):
        assert short(loss).rho == loss.rho
