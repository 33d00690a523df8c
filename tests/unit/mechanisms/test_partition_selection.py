"""Partition selection: private for every size, and as generous as privacy allows."""

from __future__ import annotations

from fractions import Fraction
from math import factorial, inf, nan

import mpmath
import numpy as np
import pytest

from deniable.core.errors import InvalidArgumentError
from deniable.mechanisms import PartitionSelection
from tests.support.laws import Event, unlikely

SETTINGS = [
    ("1", "1e-6", 1),
    ("0.1", "1e-3", 1),
    ("0.01", "1e-9", 1),
    ("3", "1e-12", 1),
    ("2", "0.4", 1),
    ("1", "1e-5", 7),
    ("ln 2", "0.01", 1),
    ("0.01", "1.1e-19", 1),  # about the least delta there is
]


def rules() -> list[PartitionSelection]:
    return [
        PartitionSelection(epsilon="0.6931471805599453" if epsilon == "ln 2" else epsilon, delta=delta, partitions=keys)
        for epsilon, delta, keys in SETTINGS
    ]


every_rule = pytest.mark.parametrize("rule", rules(), ids=repr)


def share(rule: PartitionSelection) -> tuple[Fraction, Fraction]:
    """Epsilon and delta of one key."""
    return rule.epsilon / rule.partitions, rule.delta / rule.partitions


def exponential_below(exponent: Fraction) -> Fraction:
    """A fraction below e^exponent, by less than 1e-60: all terms of the series are positive."""
    return sum((exponent**power / factorial(power) for power in range(80)), Fraction(0))


@every_rule
def test_private_for_every_size(rule: PartitionSelection) -> None:
    # exactly, in fractions, for showing and for hiding; with one unit more and with one less
    epsilon, delta = share(rule)
    factor = exponential_below(epsilon)
    chances = [Fraction(chance, 2**64) for chance in rule._table]
    assert chances[0] == 0
    assert chances[-1] == 1
    for less, more in zip(chances, [*chances[1:], Fraction(1)], strict=True):
        assert more <= factor * less + delta
        assert less <= factor * more + delta
        assert 1 - less <= factor * (1 - more) + delta
        assert 1 - more <= factor * (1 - less) + delta


@every_rule
def test_optimal(rule: PartitionSelection) -> None:
    # Desfontaines, Voss, Gipson, Mandayam 2022: the largest solution of the same inequalities, here at 60 digits
    epsilon, delta = share(rule)
    with mpmath.workdps(60):
        factor = mpmath.exp(mpmath.mpf(epsilon.numerator) / epsilon.denominator)
        part = mpmath.mpf(delta.numerator) / delta.denominator
        # each place is rounded down by less than two units of 2^-64, which is as if delta were that much smaller
        allowed = mpmath.mpf(10) ** -15 + mpmath.mpf(2) ** -62 / part
        best = mpmath.mpf(0)
        for units in range(len(rule._table) + 3):
            shown = mpmath.mpf(rule._table[min(units, len(rule._table) - 1)]) / 2**64
            assert best - allowed <= shown <= best
            best = min(factor * best + part, 1 - (1 - best - part) / factor, mpmath.mpf(1))


def test_a_key_that_nobody_has_is_never_shown() -> None:
    rule = PartitionSelection(epsilon=5, delta=0.5)
    assert not rule.keep(np.zeros(100_000, dtype=int)).any()
    assert rule.probability(0) == 0


@every_rule
def test_a_single_unit_is_shown_with_delta(rule: PartitionSelection) -> None:
    assert Fraction(rule._table[1], 2**64) <= rule.delta / rule.partitions
    assert rule.probability(1) == pytest.approx(float(rule.delta / rule.partitions), rel=1e-6)


@pytest.mark.parametrize("units", [1, 2, 3, 5, 8, 40])
def test_keys_are_kept_as_often_as_stated(units: int) -> None:
    # false alarms: 1e-6 each
    rule = PartitionSelection(epsilon="0.7", delta="0.02")
    kept = int(rule.keep(np.full(100_000, units)).sum())
    assert not unlikely([Event("kept", kept, 100_000, rule.probability(units))])


def test_large_keys_are_always_shown() -> None:
    rule = PartitionSelection(epsilon=1, delta=1e-6)
    assert rule.keep([10**6, 2**62, len(rule._table) - 1]).all()
    assert rule.probability(2**62) == 1


def test_even_odds() -> None:
    rule = PartitionSelection(epsilon=1, delta=1e-6)
    assert rule.probability(rule.even_odds) >= 0.5 > rule.probability(rule.even_odds - 1)
    more_keys = PartitionSelection(epsilon=1, delta=1e-6, partitions=10)
    assert more_keys.even_odds > rule.even_odds


def test_several_keys_share_the_loss() -> None:
    shared = PartitionSelection(epsilon=2, delta="0.02", partitions=2)
    alone = PartitionSelection(epsilon=1, delta="0.01")
    assert shared._table == alone._table
    assert (shared.loss.epsilon, shared.loss.delta) == (2, Fraction(1, 50))


def test_shapes() -> None:
    rule = PartitionSelection(epsilon=1, delta=1e-6)
    assert rule.keep(500) is True
    assert rule.keep(0) is False
    assert rule.keep([0, 500, 500]).tolist() == [False, True, True]
    assert rule.keep([0, 500]).dtype == bool


@pytest.mark.usefixtures("no_randomness")
@pytest.mark.parametrize("units", [-1, 1.5, 2.0, nan, inf, "abc", None, [1, -1], [[1]], [1.0, nan]])
def test_bad_units(units: object) -> None:
    with pytest.raises(InvalidArgumentError) as error:
        PartitionSelection(epsilon=1, delta=1e-6).keep(units)
    assert error.value.argument == "units"


@pytest.mark.usefixtures("no_randomness")
@pytest.mark.parametrize(
    ("argument", "call"),
    [
        ("delta", lambda: PartitionSelection(epsilon=1, delta=0)),
        ("delta", lambda: PartitionSelection(epsilon=1, delta=1)),
        ("delta", lambda: PartitionSelection(epsilon=1, delta="1e-20")),
        ("delta", lambda: PartitionSelection(epsilon=100, delta="1e-15", partitions=10**5)),
        ("epsilon", lambda: PartitionSelection(epsilon="1e-6", delta=1e-6)),
        ("epsilon", lambda: PartitionSelection(epsilon="0.01", delta=1e-6, partitions=10_000)),
        ("partitions", lambda: PartitionSelection(epsilon=1, delta=1e-6, partitions=0)),
        ("units", lambda: PartitionSelection(epsilon=1, delta=1e-6).probability(-1)),
    ],
)
def test_bad_arguments(argument: str, call: object) -> None:
    with pytest.raises(InvalidArgumentError) as error:
        call()
    assert error.value.argument == argument
