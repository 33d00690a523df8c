"""Random statements around random questions equal plain DuckDB's, with the noise taken out."""

from random import Random

import duckdb
import pytest

from tests.support import world
from tests.support.curators import silence
from tests.support.outer import assert_same

KEYS = {
    "region": "region IS NOT NULL",
    "urgent": "TRUE",
    "EXTRACT(quarter FROM day)": "TRUE",
    "CASE WHEN age < 40 THEN 'young' ELSE 'old' END": "TRUE",
    "CAST(DATE_TRUNC('month', day) AS DATE)": "TRUE",
}
AGGREGATES = ["COUNT(*)", "SUM(age)", "AVG(cost)", "COUNT(*) FILTER (WHERE urgent)", "SUM(cost) / COUNT(*)", "MAX(1)"][
    :5
]
WHERE = ["TRUE", "age > 30", "urgent", "cost < 200 OR NOT urgent"]
NUMBERS = ["n", "a", "n + a", "n * 2 - 1", "ROUND(a / 3, 2)", "n / NULLIF(a, 0)", "ABS(n - a)", "GREATEST(n, a)", "-n"]
WINDOWS = [
    "SUM(n) OVER (ORDER BY k)",
    "n - LAG(n) OVER (ORDER BY k)",
    "RANK() OVER (ORDER BY n DESC)",
    "n * 1.0 / SUM(n) OVER ()",
]
FILTERS = [
    "TRUE",
    "n > 10",
    "a > 1 AND n > 1",
    "n > (SELECT AVG(n) FROM ({}) f)",
    "k IN (SELECT k FROM ({}) f WHERE n > 50)",
]
COUNT = 60


def inner(chance: Random) -> str:
    """A question with one key."""
    key, known = chance.choice(list(KEYS.items()))
    one, other = chance.sample(AGGREGATES, 2)
    sets = f"{key}" if chance.random() < 0.8 else f"ROLLUP ({key})"
    where = f"{known} AND ({chance.choice(WHERE)})"
    return f"SELECT {key} AS k, {one} AS n, {other} AS a FROM visits WHERE {where} GROUP BY {sets}"


def statement(chance: Random) -> str:
    """Something around one or two of them."""
    one, other = inner(chance), inner(chance)
    number, window = chance.choice(NUMBERS), chance.choice(WINDOWS)
    where = chance.choice(FILTERS).format(one)
    shapes = [
        f"SELECT k, {number} AS x FROM ({one}) q WHERE {where}",
        f"SELECT k, {number} AS x, {window} AS w FROM ({one}) q WHERE {where}",
        f"WITH q AS ({one}) SELECT COUNT(*) AS c, SUM({number}) AS s, MAX(n) AS m FROM q WHERE {where}",
        f"WITH q AS ({one}) SELECT l.k, l.n - r.n AS d FROM q l JOIN q r ON l.k = r.k WHERE l.n > 3",
        f"SELECT CAST(k AS VARCHAR) AS t, n FROM ({one}) q UNION ALL SELECT CAST(k AS VARCHAR), a FROM ({other}) r",
        f"SELECT x, COUNT(*) AS c FROM (SELECT FLOOR(({number}) / 100) AS x FROM ({one}) q) p GROUP BY x HAVING x > 0",
        f"SELECT (SELECT SUM(n) FROM ({one}) q) - (SELECT SUM(n) FROM ({other}) r) AS d",
        f"SELECT k, x FROM (SELECT k, {number} AS x FROM ({one}) q) p QUALIFY ROW_NUMBER() OVER (ORDER BY k) < 4",
    ]
    return chance.choice(shapes)


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    folder = tmp_path_factory.mktemp("generated")
    tables = world.tables(2_000, seed=5)
    quiet = world.curator(folder, tables, world.policy(folder, contribution=100_000))
    plain = duckdb.connect()
    plain.register("everything", tables["visits"])
    plain.execute("CREATE TABLE visits AS SELECT * FROM everything WHERE patient_id IS NOT NULL")
    yield quiet, plain
    quiet.close()


@pytest.mark.parametrize("seed", [pytest.param(seed, marks=[pytest.mark.deep] if seed else []) for seed in range(12)])
def test_random_statements_equal_plain_duckdb(asked, seed, monkeypatch):
    quiet, plain = asked
    silence(monkeypatch)
    chance = Random(seed)  # noqa: S311 - statements, not noise
    for _ in range(COUNT):
        sql = statement(chance)
        answer = quiet.ask(sql, epsilon=1)
        assert_same(answer.table, plain.sql(sql).to_arrow_table(), sql)
