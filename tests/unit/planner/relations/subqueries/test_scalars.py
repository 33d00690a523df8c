"""Subqueries for one value: where there are several, there is none."""

import pytest

from tests.support.curators import silence
from tests.support.world import curator, policy, tables


@pytest.mark.parametrize(
    ("subquery", "found"),
    [
        ("SELECT DISTINCT city FROM hospitals WHERE beds = 30", True),
        ("SELECT DISTINCT city FROM hospitals WHERE beds IN (30, 250)", True),  # Bonn, twice
        ("SELECT DISTINCT city FROM hospitals WHERE beds < 40", False),  # Bonn, and NULL
        ("SELECT DISTINCT city FROM hospitals WHERE beds < 50", False),  # Bonn, Jena, and NULL
        ("SELECT DISTINCT city FROM hospitals WHERE beds = 10", False),  # NULL alone
        ("SELECT city FROM hospitals WHERE beds IN (30, 250)", False),
    ],
)
def test_a_value_is_there_where_the_subquery_has_one_row(subquery, found, tmp_path, monkeypatch):
    silence(monkeypatch)
    quiet = curator(tmp_path, tables(100, seed=5), policy(tmp_path, contribution=300))
    answer = quiet.ask(f"SELECT COUNT(*) AS n FROM visits WHERE ({subquery}) = 'Bonn'", epsilon=1)
    quiet.close()
    assert (answer.table["n"][0].as_py() > 0) is found
