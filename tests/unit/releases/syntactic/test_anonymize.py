"""Releases meet their models by every method; bad input is refused and nothing is written."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable.core.errors import InvalidArgumentError
from deniable.releases import Distinct, Entropy, Equal, Infeasible, Recursive, anonymize, check, hierarchy
from tests.unit.releases.syntactic import reference
from tests.unit.releases.syntactic.search.test_optimum import MODELS, demand
from tests.unit.releases.syntactic.tables import TREES, balanced, records, table_of

PEOPLE = pa.table(
    {
        "zip": ["13053", "13068", "13068", "13053", "14853", "14853", "14850", "14850"],
        "age": [28, 29, 21, 23, 50, 55, 47, 49],
        "name": list("abcdefgh"),
        "condition": ["flu", "cold", "flu", "cold", "flu", "cold", "flu", "flu"],
    }
)
KNOWN = {"zip": hierarchy.mask(5), "age": hierarchy.interval(10, 20)}


@pytest.mark.parametrize("method", ["optimal", "local"])
def test_a_class_that_is_a_little_too_far_from_everybody_is_not_published(method):
    """Thirteen of twenty are ill in one town and seven in the other, half of all: 0.15 apart, and 0.14 is allowed."""
    rows = [(town, state) for town, ill in (("a", 13), ("b", 7)) for state in ("ill",) * ill + ("well",) * (20 - ill)]
    table = pa.table({"town": [town for town, _ in rows], "state": [state for _, state in rows]})
    for t, towns in (("0.15", {"a", "b"}), ("0.14", {"*"})):
        demands = {"sensitive": {"state": [Equal(t)]}, "k": 2, "method": method}
        found = anonymize(table, quasi_identifiers={"town": hierarchy.flat()}, **demands)
        assert set(found.table["town"].to_pylist()) == towns


@given(
    rows=records | balanced,
    k=st.integers(1, 5),
    wanted=st.lists(demand, max_size=2),
    share=st.sampled_from([0, Fraction(1, 5), Fraction(1, 2)]),
    method=st.sampled_from(["optimal", "local", "mondrian"]),
    nulls=st.booleans(),
    capped=st.booleans(),
)
@settings(max_examples=70, deadline=None)
def test_every_release_passes_the_check_and_a_plain_count(rows, k, wanted, share, method, nulls, capped):
    cap = {"number": TREES["number"].at_most(2)} if capped and method != "mondrian" else {}
    most = len({row[-1] for row in rows})
    fair = [one for one in wanted if one[0] in ("equal", "ordered") or one[1] <= most]
    models = [MODELS[kind](*given) for kind, *given in fair]
    table = table_of([("a" if row[0] == "b" else None, *row[1:]) for row in rows] if nulls else rows)
    try:
        result = anonymize(
            table,
            quasi_identifiers=TREES | cap,
            sensitive={"secret": models},
            k=min(k, len(rows)),
            suppression=share,
            method=method,
        )
    except Infeasible:
        return
    assert result.checked.holds
    assert sorted(result.table["secret"].to_pylist()) == sorted(row[-1] for row in rows)
    classes: dict[tuple, list[int]] = {}
    for row in result.table.to_pylist():
        classes.setdefault((row["letter"], row["number"], row["sex"]), []).append(row["secret"])
    everything = [row[-1] for row in rows]
    stars = classes.pop(("*", "*", "*"), [])
    if len(stars) > share * len(rows):
        classes["*", "*", "*"] = stars
    for values in classes.values():
        assert len(values) >= min(k, len(rows))
        assert all(reference.meets(values, everything, one) for one in fair)


@given(rows=records, k=st.integers(1, 4), share=st.sampled_from([0, Fraction(1, 4)]))
@settings(max_examples=25, deadline=None)
def test_local_recoding_is_never_worse_than_the_optimum(rows, k, share):
    asked = {"quasi_identifiers": TREES, "sensitive": "secret", "k": min(k, len(rows)), "suppression": share}
    best = anonymize(table_of(rows), **asked)
    local = anonymize(table_of(rows), method="local", **asked)
    assert local.report.losses["ncp"] <= best.report.losses["ncp"] + 1e-9
    assert best.report.losses["ncp"] == pytest.approx(best.optimum.loss)


@pytest.mark.parametrize("loss", ["ncp", "entropy", "discernibility", "class size"])
@pytest.mark.parametrize("share", [0, 0.3])
def test_the_report_and_the_search_agree_about_the_loss(loss, share):
    result = anonymize(PEOPLE, quasi_identifiers=KNOWN, sensitive="condition", k=2, l=2, suppression=share, loss=loss)
    assert result.report.losses[loss] == pytest.approx(result.optimum.loss)


def test_every_label_covers_the_value_that_it_stands_for():
    result = anonymize(PEOPLE, quasi_identifiers=KNOWN, sensitive="condition", k=2, method="mondrian", keep=["name"])
    ages = dict(zip(PEOPLE["name"].to_pylist(), PEOPLE["age"].to_pylist(), strict=True))
    for row in result.table.to_pylist():
        low, high = map(int, row["age"].strip("[]").split(", ")) if "[" in row["age"] else (int(row["age"]),) * 2
        assert low <= ages[row["name"]] <= high


def test_kept_columns_follow_their_rows_and_others_are_left_out():
    result = anonymize(PEOPLE, quasi_identifiers={"zip": hierarchy.mask(5)}, sensitive="condition", k=2, keep=["age"])
    assert result.table.column_names == ["zip", "condition", "age"]
    assert result.dropped == ("name",)
    before = Counter(zip(PEOPLE["age"].to_pylist(), PEOPLE["condition"].to_pylist(), strict=True))
    assert Counter(zip(result.table["age"].to_pylist(), result.table["condition"].to_pylist(), strict=True)) == before
    zips = dict(zip(PEOPLE["age"].to_pylist(), PEOPLE["zip"].to_pylist(), strict=True))
    for row in result.table.to_pylist():
        assert zips[row["age"]].startswith(row["zip"].rstrip("*"))


def test_what_is_suppressed_stands_nowhere_in_the_table():
    table = pa.table({"q": ["x"] * 9 + ["rare"], "s": list(range(10))})
    for method in ("optimal", "local"):
        result = anonymize(table, quasi_identifiers={"q": None}, sensitive="s", k=5, suppression=0.1, method=method)
        assert sorted(result.table["q"].chunk(0).dictionary.to_pylist()) == ["*", "x"]
        assert list(result.to_pandas()["q"].cat.categories) == ["x", "*"]


def test_the_order_of_the_rows_says_nothing():
    backwards = PEOPLE.take(pa.array(range(7, -1, -1)))
    for method in ("optimal", "local", "mondrian"):
        both = [
            anonymize(table, quasi_identifiers=KNOWN, sensitive="condition", k=2, method=method).table
            for table in (PEOPLE, backwards)
        ]
        assert both[0].to_pylist() == both[1].to_pylist()


def test_kept_columns_come_in_another_order_each_time():
    """32 rows of one class in the same random order twice: probability 1/32! < 1e-35."""
    table = pa.table({"q": ["x"] * 32, "visits": list(range(32))})
    orders = [anonymize(table, quasi_identifiers={"q": None}, k=2, keep=["visits"]).table["visits"] for _ in range(2)]
    assert orders[0].to_pylist() != orders[1].to_pylist()
    assert sorted(orders[0].to_pylist()) == list(range(32))


def test_every_kind_of_frame_gives_the_same_table(tmp_path):
    file, text, database = tmp_path / "people.parquet", tmp_path / "people.csv", tmp_path / "people.duckdb"
    pq.write_table(PEOPLE, file)
    PEOPLE.to_pandas().to_csv(text, index=False)
    with duckdb.connect(str(database)) as connection:
        connection.register("people", PEOPLE)
        connection.execute("CREATE TABLE visits AS FROM people")
    connection = duckdb.connect()
    connection.register("people", PEOPLE)
    frames = [
        PEOPLE,
        PEOPLE.to_pandas(),
        PEOPLE.to_pandas().astype({"condition": "category"}).set_index("name", drop=False),
        pl.from_arrow(PEOPLE),
        file,
        str(text),
        f"{database}::visits",
        connection.sql("FROM people"),
    ]
    asked = {"quasi_identifiers": KNOWN, "sensitive": "condition", "k": 4, "l": 2}
    tables = [anonymize(frame, **asked).table.to_pylist() for frame in frames]
    assert all(table == tables[0] for table in tables)


def test_the_frame_is_not_changed():
    frame = PEOPLE.to_pandas()
    copy = frame.copy(deep=True)
    anonymize(frame, quasi_identifiers=KNOWN, sensitive="condition", k=4)
    pd.testing.assert_frame_equal(frame, copy)


def test_several_sensitive_columns_have_models_of_their_own():
    table = PEOPLE.append_column("salary", pa.array([1, 2, 3, 4, 5, 6, 7, 8]))
    result = anonymize(
        table,
        quasi_identifiers=KNOWN,
        sensitive={"condition": [], "salary": [Distinct(4), Entropy(3), Recursive(2, 2)]},
        k=2,
        l=2,
    )
    assert [finding.model for finding in result.checked.findings] == [
        "2-anonymity",
        "distinct 2-diversity of condition",
        "distinct 2-diversity of salary",
        "distinct 4-diversity of salary",
        "entropy 3-diversity of salary",
        "recursive (2, 2)-diversity of salary",
    ]


def test_not_a_number_is_null():
    table = pa.table({"x": [1.0, float("nan"), None, 1.0], "s": [1, 2, 1, 2]})
    result = anonymize(table, quasi_identifiers={"x": hierarchy.interval(5)}, sensitive="s", k=2)
    assert result.table["x"].to_pylist() == ["1", "1", None, None]


@pytest.mark.parametrize("method", ["optimal", "local"])
def test_nothing_is_coarser_than_its_coarsest_level(method):
    known = {"zip": hierarchy.mask(5).at_most(2), "age": hierarchy.interval(10).at_most(1)}
    result = anonymize(PEOPLE, quasi_identifiers=known, sensitive="condition", k=3, suppression=0.5, method=method)
    kept = [row for row in result.table.to_pylist() if row["zip"] != "*"]
    assert kept
    assert all(row["zip"].count("*") <= 2 and row["age"] != "*" for row in kept)
    assert repr(known["zip"]) == "hierarchy.mask(5).at_most(2)"


def test_odd_dictionaries_are_read_by_their_values():
    odd = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, None], pa.int32()), pa.array(["x", "x", None, "unused"]))
    result = anonymize(pa.table({"q": odd}), quasi_identifiers={"q": None}, k=2)
    assert result.table["q"].to_pylist() == ["x", "x", None, None]
    nothing = anonymize(pa.table({"q": pa.nulls(3)}), quasi_identifiers={"q": None}, k=3)
    assert nothing.table["q"].to_pylist() == [None] * 3


def test_more_combinations_than_64_bits_can_number():
    random = np.random.default_rng(3)
    table = pa.table({f"c{place}": random.integers(0, 200, 400) for place in range(12)})
    result = anonymize(table, quasi_identifiers=dict.fromkeys(table.column_names), k=2)
    assert result.checked.holds
    assert anonymize(table, quasi_identifiers=dict.fromkeys(table.column_names), k=2, method="mondrian").checked.holds


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"quasi_identifiers": {"zipp": None}}, "no column 'zipp'"),
        ({"sensitive": "illness"}, "no column 'illness'"),
        ({"keep": ["weight"]}, "no column 'weight'"),
        (
            {"quasi_identifiers": {"zip": hierarchy.tree({"x": ["13053"]})}},
            "zip does not fit.*no place for '13068', '14850'",
        ),
        ({"quasi_identifiers": {"zip": hierarchy.mask(4)}}, "zip does not fit.*5 characters"),
        ({"quasi_identifiers": {}}, "are missing"),
        ({"quasi_identifiers": {"zip": 5}}, "to a hierarchy"),
        ({"k": 0}, "at least 1"),
        ({"k": -3}, "at least 1"),
        ({"k": 2.5}, "whole number"),
        ({"k": 9}, "only 8 rows"),
        ({"k": None}, "ask for k, l or t"),
        ({"sensitive": (), "l": 2}, "needs a sensitive column"),
        ({"sensitive": (), "t": 0.2}, "needs a sensitive column"),
        ({"l": 0}, "at least 1"),
        ({"l": 3}, "only 2 values"),
        ({"t": -0.1}, "between 0 and 1"),
        ({"t": 1.5}, "between 0 and 1"),
        ({"t": float("nan")}, "finite"),
        ({"suppression": 1.5}, "between 0 and 1"),
        ({"suppression": -1}, "between 0 and 1"),
        ({"method": "magic"}, "must be one of optimal, mondrian, local"),
        ({"loss": "pain"}, "must be one of ncp"),
        ({"sensitive": ["condition", "zip"]}, "in two roles"),
        ({"sensitive": {"condition": 3}}, "must map"),
        ({"population": 3}, "fewer people"),
        ({"quasi_identifiers": {"zip": hierarchy.mask(5).at_most(2)}, "method": "mondrian"}, "knows no levels"),
    ],
)
def test_bad_arguments_are_refused(change, message):
    asked = {"quasi_identifiers": KNOWN, "sensitive": "condition", "k": 2} | change
    with pytest.raises(InvalidArgumentError, match=message):
        anonymize(PEOPLE, **asked)


def test_bad_frames_are_refused(tmp_path):
    asked = {"quasi_identifiers": {"zip": None}, "k": 1}
    twice = pd.DataFrame([["a", "b"]], columns=["zip", "zip"])
    csv = tmp_path / "twice.csv"
    csv.write_text("zip,zip\na,b\n")
    frames = {
        "no rows": PEOPLE.slice(0, 0),
        "two columns 'zip'": twice,
        "has two columns 'zip'": pa.table([pa.array([1]), pa.array([2])], names=["zip", "zip"]),
        "frame has two columns 'zip'": csv,
        "must be a pandas": 5,
        "there is no file": "nowhere.csv",
        "must be a .parquet": "people.txt",
        "lists or structures": pa.table({"zip": [[1], [2]]}),
        "means suppressed": pa.table({"zip": ["*", "x"]}),
    }
    for message, frame in frames.items():
        with pytest.raises(InvalidArgumentError, match=message):
            anonymize(frame, **asked)


def test_a_release_is_saved_whole_or_not_at_all(tmp_path):
    result = anonymize(PEOPLE, quasi_identifiers=KNOWN, sensitive="condition", k=4)
    for name in ("out.parquet", "out.csv"):
        saved = result.save(tmp_path / name)
        assert check(saved, quasi_identifiers=list(KNOWN), sensitive="condition", k=4)
    with pytest.raises(InvalidArgumentError, match=r"must end in \.parquet"):
        result.save(tmp_path / "out.xlsx")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["out.csv", "out.parquet"]


def test_other_frames_come_out(tmp_path):
    del tmp_path
    result = anonymize(PEOPLE, quasi_identifiers=KNOWN, sensitive="condition", k=4)
    assert result.to_pandas()["zip"].tolist() == result.to_polars()["zip"].to_list() == result.table["zip"].to_pylist()
