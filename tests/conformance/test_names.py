"""A name that is both a column of the tables and one of the answer means what it means in plain DuckDB.

ORDER BY: a bare name is the answer's, as in PostgreSQL; inside an expression it is the tables'. GROUP BY and HAVING: it
is the tables' first. PostgreSQL knows no aliases in HAVING; DuckDB does, for names that are not grouped by.
"""

import duckdb
import pytest

from deniable.core.errors import Refused
from tests.support.curators import curator, silence
from tests.support.tables import policy, visits

QUESTIONS = [
    "SELECT region AS r, -COUNT(*) AS region FROM visits GROUP BY region ORDER BY region",
    "SELECT region AS r, -COUNT(*) AS region FROM visits GROUP BY region ORDER BY REGION DESC",
    "SELECT region AS r, -COUNT(*) AS region FROM visits GROUP BY region ORDER BY (region)",
    "SELECT region AS r, -COUNT(*) AS region FROM visits GROUP BY region ORDER BY visits.region",
    "SELECT region AS r, COUNT(*) AS cost FROM visits GROUP BY region ORDER BY cost",
    "SELECT region AS r, COUNT(*) AS age FROM visits GROUP BY region ORDER BY AVG(age)",
    "SELECT region AS r, COUNT(*) AS n FROM visits GROUP BY region ORDER BY -n",
    "SELECT region AS r, COUNT(*) AS n FROM visits GROUP BY r ORDER BY n DESC, r",
    "SELECT age // 20 AS d, -COUNT(*) AS age FROM visits GROUP BY d ORDER BY age, d",
    "SELECT -age AS age, COUNT(*) AS n FROM visits WHERE age < 9 GROUP BY age ORDER BY age",
    "SELECT age AS a, -COUNT(*) AS age FROM visits WHERE age < 9 GROUP BY age ORDER BY -age",
    "SELECT age AS a, -COUNT(*) AS age FROM visits WHERE age < 9 GROUP BY age ORDER BY age + 0",
    "SELECT age AS a, -COUNT(*) AS age FROM visits WHERE age < 9 GROUP BY age HAVING age > 4 ORDER BY 1",
    "SELECT age AS a, COUNT(*) AS cost FROM visits WHERE age < 9 GROUP BY age HAVING cost > 36 ORDER BY 1",
    "SELECT age AS a, COUNT(*) AS cost FROM visits WHERE age < 9 GROUP BY age HAVING SUM(cost) > 3000 ORDER BY 1",
    "SELECT age AS a, COUNT(*) AS n FROM visits WHERE age < 9 GROUP BY age HAVING a > 4 AND n > 30 ORDER BY 1",
    "SELECT FLOOR(age / 2) AS age, COUNT(*) AS n FROM visits WHERE age < 9 GROUP BY age ORDER BY 1, 2",
    "SELECT urgent AS u, urgent AS u, COUNT(*) AS n FROM visits GROUP BY u ORDER BY u",
]

AMBIGUOUS = [
    "SELECT region, -COUNT(*) AS region FROM visits GROUP BY region ORDER BY region",
    "SELECT -COUNT(*) AS region, region FROM visits GROUP BY region ORDER BY region",
    "SELECT region, SUM(cost) AS n, COUNT(*) AS n FROM visits GROUP BY region ORDER BY n",
    "SELECT region, SUM(cost) AS n, COUNT(*) AS n FROM visits GROUP BY region HAVING n > 900",
    "SELECT age // 2 AS a, age % 2 AS a, COUNT(*) AS n FROM visits GROUP BY a",
]
"""PostgreSQL refuses them; DuckDB takes the last one in ORDER BY and HAVING."""


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    folder = tmp_path_factory.mktemp("names")
    table = visits(4_000, seed=5)
    quiet = curator(folder, table, policy(folder, contribution=None))
    plain = duckdb.connect()
    plain.register("visits", table)
    yield quiet, plain
    quiet.close()


@pytest.mark.parametrize("question", QUESTIONS)
def test_names_mean_what_they_mean_in_sql(asked, question, monkeypatch):
    quiet, plain = asked
    silence(monkeypatch)
    found = [tuple(row.values()) for row in quiet.ask(question, epsilon=1).table.to_pylist()]
    assert found == plain.sql(question).fetchall()


@pytest.mark.parametrize("question", AMBIGUOUS)
def test_a_name_of_two_columns_is_refused(asked, question):
    quiet, _ = asked
    with pytest.raises(Refused) as refused:
        quiet.explain(question, epsilon=1)
    assert refused.value.code == "ambiguous-column"


def test_columns_of_one_name_are_all_shown(asked, monkeypatch):
    quiet, _ = asked
    silence(monkeypatch)
    question = "SELECT COUNT(*) AS n, SUM(age) AS n, SUM(cost) AS n_1, AVG(age) AS N FROM visits"
    assert quiet.ask(question, epsilon=1).table.column_names == ["n", "n_2", "n_1", "N_3"]
