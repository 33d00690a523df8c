"""Keys become places and series; nothing is drawn that is not known."""

from fractions import Fraction
from itertools import pairwise, product

import pyarrow as pa
import pytest

from deniable.core.errors import InvalidArgumentError
from deniable.display.picture import plotted

SURE = Fraction(95, 100)


def drawn(keys: dict[str, list[object]], values: list[float | None], column: str | None = None):
    ends = {
        f"n_{side}": [None if one is None else one + off for one in values] for side, off in (("low", -1), ("high", 1))
    }
    return plotted(pa.table({**keys, "n": pa.array(values, pa.float64())}), pa.table(ends), column, SURE)


def test_one_key_is_an_axis():
    axes = drawn({"town": ["Bonn", None]}, [3.0, None])
    assert [label.get_text() for label in axes.get_xticklabels()] == ["Bonn", "NULL"]
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_title()) == ("town", "n", "n, with 95% intervals")
    assert [bar.get_height() for bar in axes.patches] == [3.0]
    assert axes.get_legend() is None


def test_further_keys_are_series_side_by_side():
    rows = list(product(["Bonn", "Jena", "Ulm"], [True, False]))
    axes = drawn({"town": [town for town, _ in rows], "urgent": [urgent for _, urgent in rows]}, [1.0] * 6)
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["true", "false"]
    assert axes.get_legend().get_title().get_text() == "urgent"
    assert len(axes.get_xticklabels()) == 3
    middles = sorted(bar.get_x() + bar.get_width() / 2 for bar in axes.patches)
    assert all(later - earlier > 0.3 for earlier, later in pairwise(middles))


@pytest.mark.parametrize("turned", [True, False])
def test_the_key_with_few_values_is_the_series(turned):
    rows = [(str(many), few) for many in range(20) for few in "ab"]
    columns = {"many": [many for many, _ in rows], "few": [few for _, few in rows]}
    axes = drawn(dict(reversed(columns.items())) if turned else columns, [1.0] * 40)
    assert axes.get_xlabel() == "many"
    assert axes.get_legend().get_title().get_text() == "few"


def test_where_both_are_many_all_stand_along_the_axis():
    rows = list(product(range(10), range(10)))
    axes = drawn({"a": [a for a, _ in rows], "b": [b for _, b in rows]}, [1.0] * 100)
    assert axes.get_xlabel() == "a / b"
    assert axes.get_legend() is None
    assert len(axes.get_xticklabels()) <= 30


def test_without_keys_there_is_one_bar():
    axes = drawn({}, [5.0])
    assert [label.get_text() for label in axes.get_xticklabels()] == ["n"]
    low, high = axes.get_xlim()
    assert high - low > 2


def test_ends_that_are_nowhere_are_not_drawn():
    table = pa.table({"k": ["a", "b"], "n": [1.0, 2.0]})
    ends = pa.table({"n_low": [-float("inf"), 1.0], "n_high": [float("inf"), 3.0]})
    assert all(abs(end) < 10 for end in plotted(table, ends, None, SURE).get_ylim())


def test_a_column_that_cannot_be_drawn_is_named():
    with pytest.raises(InvalidArgumentError, match="must be one of n, not 'm'"):
        drawn({}, [5.0], "m")
    with pytest.raises(InvalidArgumentError, match="noisy numbers"):
        plotted(pa.table({"reason": ["heart"]}), pa.table({}), None, SURE)
