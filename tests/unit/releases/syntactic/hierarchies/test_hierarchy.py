"""Hierarchies name every value, nest, and refuse what they have no place for."""

from __future__ import annotations

import tomllib
from datetime import UTC, date, datetime
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deniable.core.errors import InvalidArgumentError
from deniable.releases import anonymize, hierarchy
from deniable.releases.syntactic.hierarchies.column import column
from deniable.releases.syntactic.hierarchies.drafting import draft_policy


def test_masks_hide_from_the_right_and_numbers_get_their_zeros():
    assert hierarchy.mask(5).levels(["13053", 2138]) == [
        ["1305*", "0213*"],
        ["130**", "021**"],
        ["13***", "02***"],
        ["1****", "0****"],
    ]
    with pytest.raises(InvalidArgumentError, match="4 characters"):
        hierarchy.mask(5).levels(["1305"])


def test_intervals_of_whole_and_other_numbers():
    assert hierarchy.interval(5, 10).levels([0, 4, 5, 39]) == [
        ["0-4", "0-4", "5-9", "35-39"],
        ["0-9", "0-9", "0-9", "30-39"],
    ]
    assert hierarchy.interval(5).levels([-3]) == [["[-5, 0)"]]
    assert hierarchy.interval("0.5", 1).levels([0.25, 1.0]) == [["[0, 0.5)", "[1, 1.5)"], ["[0, 1)", "[1, 2)"]]
    assert hierarchy.interval(10, origin=5).levels(["7"]) == [["5-14"]]
    assert hierarchy.interval(1, 2).levels([3]) == [["3"], ["2-3"]]


def test_cuts_and_dates():
    assert hierarchy.cuts([20, 30, 40], [30]).levels([19, 20, 40]) == [["<20", "20-29", ">=40"], ["<30", "<30", ">=30"]]
    days = [date(2024, 2, 29), datetime(1999, 12, 31, 5, tzinfo=UTC), "2000-01-01"]
    assert hierarchy.date("month", "quarter", "year", "decade", "century").levels(days) == [
        ["2024-02", "1999-12", "2000-01"],
        ["2024-Q1", "1999-Q4", "2000-Q1"],
        ["2024", "1999", "2000"],
        ["2020s", "1990s", "2000s"],
        ["2000-2099", "1900-1999", "2000-2099"],
    ]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: hierarchy.mask(0), "at least 1"),
        (lambda: hierarchy.interval(), "at least one width"),
        (lambda: hierarchy.interval(5, 12), "multiples"),
        (lambda: hierarchy.interval(10, 5), "multiples"),
        (lambda: hierarchy.interval(0), "positive"),
        (lambda: hierarchy.cuts(), "at least one list"),
        (lambda: hierarchy.cuts([]), "at least one number"),
        (lambda: hierarchy.cuts([30], [20]), "add none"),
        (lambda: hierarchy.date("year", "month"), "in this order"),
        (lambda: hierarchy.date("week"), "some of"),
        (lambda: hierarchy.tree({}), "is empty"),
        (lambda: hierarchy.tree({"a": "b", "b": "a"}), "cyclic"),
        (lambda: hierarchy.tree({"a": ["x"], "b": ["x"]}), "twice"),
        (lambda: hierarchy.tree("no-such-file.csv"), "cannot be read"),
        (lambda: hierarchy.interval(5).levels(["old"]), "no place for 'old'"),
        (lambda: hierarchy.date("year").levels(["soon"]), "no place for 'soon'"),
        (lambda: hierarchy.draft([None]), "no value"),
    ],
)
def test_what_cannot_be_a_hierarchy_is_refused(make, message):
    with pytest.raises(InvalidArgumentError, match=message):
        make()


def test_a_dictionary_that_contains_itself_is_cyclic():
    inside: dict = {"a": ["x"]}
    inside["b"] = inside
    with pytest.raises(InvalidArgumentError, match="cyclic"):
        hierarchy.tree(inside)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x;a;b;*\ny;b;a;*\n", "cyclic"),
        ("x;a;b\ny;a;c\n", "lies below 'b' and below 'c'"),
        ("x;a;b\ny;a\n", "columns"),
        ("x;a\nx;b\n", "twice"),
        ("", "empty"),
    ],
)
def test_files_that_are_no_tree_are_refused(tmp_path, text, message):
    file = tmp_path / "tree.csv"
    file.write_text(text)
    with pytest.raises(InvalidArgumentError, match=message):
        hierarchy.tree(file)


def test_trees_from_files_and_dictionaries(tmp_path):
    file = tmp_path / "tree.csv"
    file.write_text("Norway,North,Europe,*\nItaly,South,Europe,*\n,unknown,unknown,*\n")
    tree = hierarchy.tree(file)
    assert tree.levels(["Italy", "Norway"]) == [["South", "North"], ["Europe", "Europe"]]
    assert tree.null == ["unknown", "unknown"]
    assert hierarchy.tree({"Norway": "North", "Italy": "South", "North": "Europe", "South": "Europe"}).levels(
        ["Italy"]
    ) == [["South"], ["Europe"]]
    uneven = hierarchy.tree({"Europe": {"North": ["Norway"]}, "Asia": ["Japan"]})
    assert uneven.levels(["Norway", "Japan"]) == [["North", "Japan"], ["Europe", "Asia"]]
    with pytest.raises(InvalidArgumentError, match="no place for 'Chile', 'Peru', 'Spain' and 1 more"):
        tree.levels(["Spain", "Peru", "Chile", "USA"])


def test_null_is_a_value_of_its_own_unless_the_tree_has_a_place_for_it(tmp_path):
    table = pa.table({"zip": ["13053", "13054", None, None], "s": [1, 2, 3, 4]})
    result = anonymize(table, quasi_identifiers={"zip": hierarchy.mask(5)}, sensitive="s", k=2)
    assert result.table["zip"].to_pylist() == ["1305*", "1305*", None, None]
    file = tmp_path / "tree.csv"
    file.write_text("13053;known\n13054;unsure\n;unsure\n")
    rows = pa.table({"zip": ["13053", "13053", "13054", None], "s": [1, 2, 3, 4]})
    result = anonymize(rows, quasi_identifiers={"zip": hierarchy.tree(file)}, sensitive="s", k=2)
    assert result.table["zip"].to_pylist() == ["known", "known", "unsure", "unsure"]


def test_numbers_are_in_order_and_null_is_last():
    made, position = column("age", [30, 9, None, 100], hierarchy.interval(10, 50))
    assert made.values == (9, 30, 100, None)
    assert position.tolist() == [1, 0, 3, 2]
    assert made.labels[1] == ("0-49", "100-149", None)
    assert [group.tolist() for group in made.groups] == [[0, 1, 2, 3], [0, 0, 1, 2], [0, 0, 0, 0]]
    assert made.span(made.groups[-1], 1) == [1.0]


def test_levels_that_part_nothing_anew_are_left_out():
    made, _ = column("zip", ["13053", "13068"], hierarchy.mask(5))
    assert made.labels == (("13053", "13068"), ("130**",))
    assert made.numbers == (0, 2)


@given(st.lists(st.integers(-50, 50), min_size=1, unique=True))
def test_spans_grow_with_the_levels_and_end_at_one(values):
    made, _ = column("x", values, hierarchy.interval(3, 6, 24))
    spans = [made.span(group, size)[group] for group, size in zip(made.groups, made.sizes, strict=True)]
    assert np.all(spans[0] == 0)
    for fine, coarse in pairwise(spans):
        assert np.all(fine <= coarse + 1e-12)
    assert np.all(spans[-1] == (len(values) > 1))


def test_a_drafted_file_has_the_names_as_people_write_them(tmp_path):
    (tmp_path / "t.csv").write_text('Größe,"a ""b"""\ngroß,1\nklein,2\n', encoding="utf-8")
    text = draft_policy(str(tmp_path / "t.csv"))
    assert '\n"Größe" = {}\n' in text
    assert set(tomllib.loads(text)["quasi_identifiers"]) == {"Größe", 'a "b"'}


def test_drafts_say_what_they_found():
    assert repr(hierarchy.draft([1.5, 2.25])) == "hierarchy.interval(0.05, 0.1, 0.2, 0.4)"
    assert repr(hierarchy.draft(pa.array([date(2020, 1, 1)]))) == "hierarchy.date('month', 'year', 'decade')"
    assert repr(hierarchy.draft(["23", "41"])) == "hierarchy.interval(5, 10, 20, 40)"
    assert repr(hierarchy.draft(["red", "green", None])) == "hierarchy.flat()"
    assert repr(hierarchy.draft([True, False])) == "hierarchy.flat()"
