"""Generalised cells: what they stand for, and which of them can mean the same value."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deniable.attacks.cells import covers, overlap, plain

CELLS = (
    "130**",
    "3*",
    "*",
    "**",
    "<30",
    "<=29",
    ">=40",
    ">39",
    "≤29",
    "≥40",
    "[20,30)",
    "(20, 30]",
    "20-29",
    "20 to 29",
)


@pytest.mark.parametrize(
    ("cell", "inside", "outside"),
    [
        ("130**", ["13053", "13000"], ["14053", "1305", "130530"]),
        ("3*", ["30", "39"], ["3", "40", "300"]),
        ("*", ["anything", ""], []),
        ("", ["anything"], []),
        ("<30", ["29", "29.9", "-4"], ["30", "x"]),
        ("<= 30", ["30"], ["31"]),
        (">=40", ["40", "99"], ["39"]),
        ("> 40", ["41"], ["40"]),
        ("[20,30)", ["20", "29"], ["30", "19"]),
        ("(20; 30]", ["21", "30"], ["20", "31"]),
        ("20-29", ["20", "25", "29"], ["30", "19"]),
        ("20 – 29", ["24"], ["30"]),  # noqa: RUF001 - as people write it
        ("-5..5", ["-5", "0"], ["6"]),
        ("{flu, cancer}", ["flu", "cancer"], ["ulcer"]),
        ("flu|cancer", ["flu"], ["ulcer"]),
        ("28", ["28", "28.0", " 28 "], ["29", "028"]),
        ("02138", ["02138"], ["2138"]),
        ("1990-05", ["1990-05"], ["1995"]),
        ("1990-05-17", ["1990-05-17"], ["1990-05-18"]),
        ("[1960-01-01,1969-12-31]", ["1960-01-01", "1965-07-01"], ["1970-01-01"]),
        ("a*c", ["abc"], ["abd", "ac"]),
    ],
)
def test_a_cell_covers_what_it_stands_for(cell: str, inside: list[str], outside: list[str]) -> None:
    assert all(covers(cell, value) for value in inside)
    assert not any(covers(cell, value) for value in outside)


@pytest.mark.parametrize(
    ("one", "other", "meet"),
    [
        ("<30", "28-35", True),
        ("<30", ">=30", False),
        ("[20,30)", "[30,40)", False),
        ("[20,30]", "[30,40]", True),
        ("130**", "1305*", True),
        ("130**", "14***", False),
        ("3*", "<30", False),
        ("3*", "28-31", True),
        ("*", "{a}", True),
        ("{a, b}", "b|c", True),
        ("{a}", "b", False),
        ("ab*", "20-30", False),
    ],
)
def test_two_cells_overlap_if_some_value_fits_both(one: str, other: str, meet) -> None:
    assert overlap(one, other) is meet
    assert overlap(other, one) is meet


@given(st.sampled_from(CELLS), st.sampled_from(CELLS), st.integers(0, 99_999))
def test_cells_that_share_a_value_overlap(one: str, other: str, value: int) -> None:
    if covers(one, str(value)) and covers(other, str(value)):
        assert overlap(one, other)


def test_only_cells_that_were_left_as_they_are_are_plain() -> None:
    assert plain("13053")
    assert not any(plain(cell) for cell in CELLS)
