from __future__ import annotations

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from deniable.core.loss import Loss
from deniable.ledger.canon import loss_from_json, loss_to_json
from deniable.ledger.sums import plus

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
