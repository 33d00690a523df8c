"""Joining people with generalised classes: the same as comparing every pair."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deniable.attacks import classes as subject
from deniable.attacks.cells import covers, overlap
from deniable.attacks.classes import WEIGHT, PublishedClasses, matches
from deniable.core.errors import InvalidArgumentError

zips = st.sampled_from(["13053", "13068", "14850"])
zip_cells = st.sampled_from(["13053", "130**", "14850", "*", "13000-13060"])
ages = st.sampled_from(["28", "31", "47"])
age_cells = st.sampled_from(["28", "<30", "3*", ">=40", "*"])


@given(st.lists(st.tuples(zips, ages), min_size=1, max_size=8), st.lists(st.tuples(zip_cells, age_cells), min_size=1))
def test_the_join_is_that_of_every_pair(people: list[tuple[str, str]], cells: list[tuple[str, str]]) -> None:
    expected = [[all(map(covers, cell, person)) for cell in cells] for person in people]
    found = np.zeros(np.shape(expected))
    found[matches(people, cells)] = 1
    assert (found == np.array(expected)).all()


@given(st.lists(st.tuples(zips, ages), min_size=1, max_size=8), st.lists(st.tuples(zips, age_cells), min_size=1))
def test_columns_left_as_they_are_are_joined_by_equality(
    people: list[tuple[str, str]], cells: list[tuple[str, str]]
) -> None:
    expected = [[all(map(covers, cell, person)) for cell in cells] for person in people]
    found = np.zeros(np.shape(expected))
    found[matches(people, cells)] = 1
    assert (found == np.array(expected)).all()


@given(
    st.lists(st.tuples(zip_cells, age_cells), min_size=1, max_size=6),
    st.lists(st.tuples(zip_cells, age_cells), min_size=1),
)
def test_classes_meet_as_every_pair_of_their_cells(one: list[tuple[str, str]], other: list[tuple[str, str]]) -> None:
    expected = [[all(map(overlap, first, second)) for second in other] for first in one]
    found = np.zeros(np.shape(expected))
    found[matches(one, other, overlap)] = 1
    assert (found == np.array(expected)).all()


def test_weights_count_instead_of_rows_and_negative_ones_as_nothing() -> None:
    release = pa.table({"zip": ["1", "1", "2"], "disease": ["a", "b", "a"], WEIGHT: [5, -3, 2]})
    found = PublishedClasses.of(release, ["zip"], "disease")
    assert found.weights.tolist() == [[5, 0], [2, 0]]


def test_a_missing_cell_is_a_suppressed_one() -> None:
    release = pa.table({"zip": pa.array([None, "2"]), "disease": ["a", "b"]})
    found = PublishedClasses.of(release, ["zip"], "disease").beliefs(pa.table({"zip": ["2"]}))
    assert found.sum() == 2


@pytest.mark.parametrize(
    ("release", "on", "sensitive", "says"),
    [
        (pa.table({"zip": ["1"]}), ["zip"], "disease", "release has no column 'disease'"),
        (pa.table({"zip": ["1"], "disease": ["a"]}), ["age"], "disease", "release has no column 'age'"),
        (
            pa.table({"zip": pa.array([], pa.string()), "disease": pa.array([], pa.string())}),
            ["zip"],
            "disease",
            "empty",
        ),
        (pa.table({"zip": ["1"], "disease": ["a"]}), ["disease"], "disease", "cannot also be one to match on"),
    ],
)
def test_what_cannot_be_grouped_says_why(release: pa.Table, on: list[str], sensitive: str, says: str) -> None:
    with pytest.raises(InvalidArgumentError, match=says):
        PublishedClasses.of(release, on, sensitive)


def test_too_many_pairs_are_refused_before_memory_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject, "_MOST_PAIRS", 10)
    with pytest.raises(InvalidArgumentError, match="match on more columns"):
        matches([("1",)] * 6, [("*",)] * 2)
