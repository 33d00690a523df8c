"""The check agrees with the definitions, on tables that nobody anonymized."""

from __future__ import annotations

from fractions import Fraction

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable.core.errors import InvalidArgumentError
from deniable.releases import Distinct, Entropy, Equal, Ordered, Recursive, check
from tests.unit.releases.syntactic import reference
from tests.unit.releases.syntactic.search.test_optimum import demand

MODELS = {"distinct": Distinct, "entropy": Entropy, "recursive": Recursive, "equal": Equal, "ordered": Ordered}

rows = st.lists(
    st.tuples(st.sampled_from(["x", "*", None]), st.sampled_from(["*", "y"]), st.integers(1, 4)),
    min_size=1,
    max_size=20,
)


@given(
    rows=rows, k=st.integers(1, 5), wanted=st.lists(demand, max_size=2), share=st.sampled_from([0, Fraction(1, 4), 1])
)
@settings(max_examples=50, deadline=None)
def test_the_check_agrees_with_the_definitions(rows, k, wanted, share):
    table = pa.table({"a": [row[0] for row in rows], "b": [row[1] for row in rows], "s": [row[2] for row in rows]})
    found = check(
        table,
        quasi_identifiers=["a", "b"],
        sensitive={"s": [MODELS[kind](*given) for kind, *given in wanted]},
        k=k,
        suppression=share,
    )
    secrets = [row[2] for row in rows]
    classes: dict[tuple, list[int]] = {}
    for row in rows:
        classes.setdefault(row[:2], []).append(row[2])
    stars = classes.get(("*", "*"), [])
    exempt = bool(stars) and len(stars) <= int(share * len(rows))
    judged = [values for key, values in classes.items() if key != ("*", "*") or not exempt]
    expected = [sum(len(values) < k for values in judged)]
    order = sorted(wanted, key=lambda one: (one[0] != "distinct", one[0] in ("equal", "ordered")))
    expected += [sum(not reference.meets(values, secrets, one) for values in judged) for one in order]
    assert [finding.failing for finding in found.findings] == expected
    assert found.suppressed == (len(stars) if exempt else 0)
    assert found.classes == len(judged)


def test_null_and_star_and_the_text_of_them_are_four_different_things():
    table = pa.table({"q": ["NULL", None, "*", "x"], "s": [1, 2, 3, 4]})
    found = check(table, quasi_identifiers=["q"], k=1)
    assert (found.classes, found.suppressed) == (4, 0)
    found = check(table, quasi_identifiers=["q"], k=1, suppression="1/4")
    assert (found.classes, found.suppressed) == (3, 1)


def test_a_dictionary_that_lists_a_text_twice_is_read_by_its_texts():
    twice = pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int32()), pa.array(["x", "x"]))
    assert check(pa.table({"q": twice}), quasi_identifiers=["q"], k=2)


def test_every_kind_of_table_is_checked_alike(tmp_path):
    table = pa.table({"q": ["x", "x", "y"], "s": ["a", "b", "a"]})
    file = tmp_path / "table.parquet"
    pq.write_table(table, file)
    text = tmp_path / "table.csv"
    text.write_text("q,s\nx,a\nx,b\ny,a\n")
    kinds = [table, table.to_pandas(), table.to_pandas().astype("category"), pl.from_arrow(table), file, str(text)]
    found = {str(check(kind, quasi_identifiers=["q"], sensitive="s", k=2, l=2, t=0.3)) for kind in kinds}
    assert len(found) == 1
    assert "FAILS" in found.pop()


def test_bad_questions_are_refused():
    table = pd.DataFrame({"q": [1], "s": [1]})
    with pytest.raises(InvalidArgumentError, match="are missing"):
        check(table, quasi_identifiers=[], k=2)
    with pytest.raises(InvalidArgumentError, match="no column 'z'"):
        check(table, quasi_identifiers=["z"], k=2)
    with pytest.raises(InvalidArgumentError, match="no rows"):
        check(table.iloc[:0], quasi_identifiers=["q"], k=2)
    with pytest.raises(InvalidArgumentError, match="ask for k, l or t"):
        check(table, quasi_identifiers=["q"])
