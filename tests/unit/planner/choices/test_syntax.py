"""Lists become columns: one for each entry, in order, named after it, and never too many."""

import pytest

from deniable.core.errors import Refused
from deniable.planner.choices.syntax import MOST_ENTRIES, spread
from deniable.planner.parse import parse
from deniable.planner.relations.clauses import title


def _titles(columns: str) -> list[str]:
    return [title(column) for column in spread(parse(f"SELECT {columns} FROM visits")).expressions]


@pytest.mark.parametrize(
    ("columns", "titles"),
    [
        ("QUANTILE_CONT(age, [0.25, 0.5]) AS a", ["a_p25", "a_p50"]),
        ("PERCENTILE_CONT([0.999, 0.1]) WITHIN GROUP (ORDER BY age) AS a", ["a_p99_9", "a_p10"]),
        ("QUANTILE(age, [0.5]) FILTER (WHERE urgent) AS a, COUNT(*) AS n", ["a_p50", "n"]),
        ("APPROX_TOP_K(region, 1) AS top", ["top_1"]),
        ("APPROX_TOP_K(region, 3) AS top", ["top_1", "top_2", "top_3"]),
        ("MEDIAN(age) AS a, QUANTILE_CONT(age, 0.5) AS b", ["a", "b"]),
    ],
)
def test_each_entry_is_a_column(columns, titles):
    assert _titles(columns) == titles


def test_a_question_without_lists_is_left_as_it_is():
    select = parse("SELECT MEDIAN(age), COUNT(*) FROM visits")
    assert spread(select) is select


@pytest.mark.parametrize("number", [MOST_ENTRIES, MOST_ENTRIES + 1, 10**15])
def test_lists_end_somewhere(number):
    columns = f"APPROX_TOP_K(age, {number}) AS top"
    if number == MOST_ENTRIES:
        assert len(_titles(columns)) == number
        return
    with pytest.raises(Refused, match="entries"):
        _titles(columns)


def test_all_lists_together_end_too():
    columns = ", ".join(f"APPROX_TOP_K(age, {MOST_ENTRIES}) AS t{place}" for place in range(3))
    with pytest.raises(Refused, match="All lists together"):
        _titles(columns)
