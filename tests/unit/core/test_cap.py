"""The division of delta: whole, in order, and the same in every share."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deniable.core.cap import Cap
from deniable.core.errors import InvalidArgumentError
from deniable.core.guarantee import Guarantee

parts = st.fractions(min_value=0, max_value=Fraction(33, 100), max_denominator=10**6)


def test_a_cap_is_its_guarantee() -> None:
    assert Cap(3, "1e-6", gaussian=0).guarantee == Guarantee(3, "1e-6")
    for epsilon, delta in ((0, 0), (-1, 0), (1, 1), (1, -1)):
        with pytest.raises(InvalidArgumentError):
            Cap(epsilon, delta)


@pytest.mark.parametrize("given_part", ["concentrated", "gaussian"])
def test_what_is_not_said_gets_the_rest(given_part: str) -> None:
    other = {"concentrated": "gaussian", "gaussian": "concentrated"}[given_part]
    cap = Cap(1, "1e-6", approximate="3e-7", **{given_part: "2e-7"})
    assert getattr(cap, other) == Fraction(5, 10**7)


@given(parts, parts, parts, st.fractions(min_value=0, max_value=1, max_denominator=1000))
def test_a_share_is_divided_in_the_same_proportions(
    concentrated: Fraction, gaussian: Fraction, approximate: Fraction, ratio: Fraction
) -> None:
    delta = concentrated + gaussian + approximate
    cap = Cap(2, delta, concentrated=concentrated, gaussian=gaussian, approximate=approximate)
    share = cap.share(Guarantee(1, delta * ratio))
    assert share.guarantee == Guarantee(1, delta * ratio)
    parts_of = (share.concentrated, share.gaussian, share.approximate)
    assert parts_of == (concentrated * ratio, gaussian * ratio, approximate * ratio)


def test_without_delta_nothing_is_divided() -> None:
    assert Cap(1).share(Guarantee("0.5")) == Cap("0.5")


@pytest.mark.parametrize("approximate", ["0", "4e-7", "1e-6"])
@pytest.mark.parametrize("said", [{}, {"concentrated": 0}, {"gaussian": 0}, {"concentrated": 0, "gaussian": 0}])
def test_the_parts_add_up_to_no_more_than_delta(approximate: str, said: dict[str, int]) -> None:
    cap = Cap(1, "1e-6", approximate=approximate, **said)
    assert cap.concentrated + cap.gaussian + cap.approximate <= cap.delta
    share = cap.share(Guarantee("0.5", "1e-7"))
    assert share.concentrated + share.gaussian + share.approximate <= share.delta == Fraction(1, 10**7)
