"""Trainings of other libraries pay the same account, before they start, by the custodian alone."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pyarrow as pa
import pytest

import deniable
from deniable.core.errors import InvalidArgumentError, Refused


@pytest.fixture
def curator():
    people = pa.table({"age": [31, 47, 52]})
    with deniable.protect(people, epsilon=3, delta=1e-6, bounds={"age": (0, 110)}) as found:
        yield found


def test_full_batches_are_gaussian_mechanisms(curator) -> None:
    receipt = curator.charge_training([(10, 1, 4)], text="my model")
    assert receipt.loss.rho == Fraction(4, 2 * 10**2) == curator.budget().spent.rho
    assert any("trusted" in one for one in receipt.caveats)
    assert [event.mechanism for event in curator.history()[-1].events or receipt.events] == ["SampledGaussianSteps"]


def test_replaced_people_move_a_gradient_twice_as_far() -> None:
    people = pa.table({"age": [31, 47, 52]})
    with deniable.protect(people, epsilon=3, delta=1e-6, bounds={"age": (0, 110)}, neighbours="replace") as curator:
        assert curator.charge_training([(10, 1, 4)], text="my model").loss.rho == 4 * Fraction(4, 200)
        with pytest.raises(Refused) as refusal:
            curator.charge_training([(10, 0.5, 4)], delta=1e-9, text="my model")
        assert refusal.value.code == "bad-spend"


def test_every_call_charges_again(curator) -> None:
    for _ in range(2):
        curator.charge_training([(10, 1, 4)], text="my model")
    assert curator.budget().spent.rho == 2 * Fraction(4, 200)


def test_sampled_steps_are_accounted_as_a_whole(curator) -> None:
    """Less than as full batches, more than nothing; by an accountant that others trust, too."""
    pytest.importorskip("dp_accounting")
    receipt = curator.charge_training([(1.2, 0.01, 1000)], delta=1e-7, text="my model")
    assert 0.5 < float(receipt.loss.epsilon) < 3
    assert receipt.loss.delta == Fraction(1, 10**7)
    assert curator.budget().spent.delta == Fraction(1, 10**7)


def test_what_is_too_dear_is_refused_and_nothing_is_charged(curator) -> None:
    with pytest.raises(Refused) as refusal:
        curator.charge_training([(0.1, 1, 1000)], text="my model")
    assert refusal.value.code == "over-budget"
    assert curator.budget().spent.rho == 0


def test_an_analyst_cannot(curator) -> None:
    with pytest.raises(Refused) as refusal:
        replace(curator, analyst="alice").charge_training([(10, 1, 4)], text="my model")
    assert refusal.value.code == "custodian-only"


@pytest.mark.parametrize(
    "steps", [[], [(0, 1, 4)], [(1, 0, 4)], [(1, 2, 4)], [(1, 1, 0)], [(1, 1, 1.5)], [("x", 1, 1)]]
)
def test_odd_steps_are_none(curator, steps) -> None:
    with pytest.raises(InvalidArgumentError):
        curator.charge_training(steps, text="my model")
    assert curator.budget().spent.rho == 0


def test_sampled_steps_need_a_delta(curator) -> None:
    with pytest.raises(Refused) as refusal:
        curator.charge_training([(1, 0.5, 4)], text="my model")
    assert refusal.value.code == "bad-spend"
