"""With the noise taken out and nobody over the contribution, every accepted question equals plain DuckDB."""

import pytest

from tests.support.curators import silence
from tests.support.plain import assert_equal, beside_plain
from tests.support.tables import visits

ROWS = 4_000

QUESTIONS = [
    "SELECT COUNT(*) AS a FROM visits",
    "SELECT COUNT(score) AS a, COUNT(*) AS b FROM visits",
    "SELECT SUM(cost) AS a FROM visits",
    "SELECT AVG(cost) AS a, SUM(cost) AS b, COUNT(*) AS c FROM visits",
    "SELECT AVG(score) AS a, COUNT(score) AS b FROM visits",
    "SELECT SUM(age) AS a, AVG(age) AS b FROM visits WHERE urgent",
    "SELECT VAR_POP(age) AS a, VAR_SAMP(age) AS b, VARIANCE(cost) AS c FROM visits",
    "SELECT STDDEV(cost) AS a, STDDEV_POP(score) AS b, STDDEV_SAMP(age) AS c FROM visits",
    "SELECT COUNT(*) FILTER (WHERE urgent) AS a, AVG(cost) FILTER (WHERE age >= 65) AS b FROM visits",
    "SELECT region AS k, COUNT(*) AS a FROM visits GROUP BY region",
    "SELECT region AS k, AVG(cost) AS a, SUM(score) AS b FROM visits WHERE age BETWEEN 18 AND 64 GROUP BY 1",
    "SELECT FLOOR(age / 10) * 10 AS k, COUNT(*) AS a, AVG(cost) AS b FROM visits GROUP BY k",
    "SELECT age // 7 AS k, COUNT(*) AS a FROM visits GROUP BY k",
    "SELECT age % 5 AS k, SUM(cost) AS a FROM visits GROUP BY k",
    "SELECT DATE_TRUNC('month', day) AS k, COUNT(*) AS a FROM visits GROUP BY k",
    "SELECT DATE_TRUNC('week', day) AS k, AVG(age) AS a FROM visits GROUP BY k",
    "SELECT EXTRACT(month FROM day) AS k, AVG(cost) AS a FROM visits GROUP BY k",
    "SELECT quarter(day) AS k, urgent AS l, COUNT(*) AS a FROM visits GROUP BY k, l",
    "SELECT CASE WHEN age < 18 THEN 'child' ELSE 'adult' END AS k, AVG(score) a FROM visits GROUP BY 1",
    "SELECT urgent AS k, region AS l, COUNT(*) AS a, SUM(cost) AS b FROM visits GROUP BY 1, 2",
    "SELECT reason AS k, COUNT(*) AS a FROM visits WHERE reason IN ('injury', 'heart') GROUP BY reason",
    "SELECT region AS k, COUNT(*) AS a FROM visits WHERE region = 'north' GROUP BY region",
    "SELECT age AS k, COUNT(*) AS a FROM visits WHERE age >= 30 AND age < 40 GROUP BY age",
    "SELECT SUM(CASE WHEN urgent THEN cost ELSE 0 END) AS a FROM visits",
    "SELECT SUM(CASE WHEN urgent THEN 1 END) AS a FROM visits",
    "SELECT AVG(cost * 2 + age) AS a FROM visits",
    "SELECT SUM(LEAST(GREATEST(score, -10), 10)) AS a FROM visits",
    "SELECT AVG(ABS(score)) AS a, SUM(ROUND(cost, 1)) AS b FROM visits",
    "SELECT SUM(FLOOR(cost)) AS a, SUM(CEIL(cost)) AS b FROM visits",
    "SELECT AVG(SQRT(cost)) AS a, AVG(EXP(age / 110)) AS b FROM visits",
    "SELECT AVG(LN(cost + 1)) AS a FROM visits",
    "SELECT AVG(COALESCE(score, 0)) AS a, COUNT(NULLIF(age, 40)) AS b FROM visits",
    "SELECT SUM(age) / COUNT(*) AS a, ROUND(AVG(cost), 1) AS b, 2 * COUNT(*) - 1 AS c FROM visits",
    "SELECT AVG(cost) - AVG(score) AS a, SQRT(VAR_POP(age)) AS b FROM visits",
    "SELECT COVAR_POP(cost, age) AS a, COVAR_SAMP(score, cost) AS b FROM visits",
    "SELECT region AS k, CORR(cost, age) AS a, CORR(score, age) AS b FROM visits GROUP BY region",
    "SELECT REGR_SLOPE(cost, age) AS a, REGR_INTERCEPT(cost, age) AS b FROM visits",
    "SELECT REGR_SLOPE(score, cost) AS a, COUNT(*) AS b FROM visits WHERE urgent",
    "SELECT COVAR_POP(cost, age) FILTER (WHERE urgent) AS a FROM visits",
    "SELECT COUNT(*) AS a FROM visits WHERE region IS NULL OR NOT urgent",
    "SELECT COUNT(*) AS a FROM visits WHERE day >= '2025-06-01' AND reason LIKE 'h%'",
    "SELECT COUNT(*) AS a FROM visits WHERE region NOT LIKE '%th' AND reason NOT IN ('heart') AND NOT reason LIKE 'c%'",
    "SELECT COUNT(*) AS a FROM visits WHERE NOT region NOT LIKE 'n%'",
    "SELECT COUNT(*) AS a FROM visits WHERE LENGTH(reason) > 5 AND UPPER(reason) <> 'INJURY'",
    "SELECT AVG(day - DATE '2025-01-01') AS a FROM visits",
    "SELECT AVG(CAST(age AS DOUBLE) / 3) AS a, SUM(CAST(urgent AS INTEGER)) AS b FROM visits",
    "SELECT region AS k, COUNT(*) AS a FROM visits GROUP BY region HAVING COUNT(*) > 900 ORDER BY a DESC, k",
    "SELECT region AS k, AVG(cost) AS a FROM visits GROUP BY region ORDER BY a LIMIT 2",
    "SELECT region AS k, AVG(cost) AS a FROM visits GROUP BY region ORDER BY AVG(age) DESC LIMIT 2 OFFSET 1",
    "SELECT reason AS k, COUNT(*) AS a, AVG(cost) AS b FROM visits GROUP BY reason",
    "SELECT CASE WHEN reason IN ('heart') THEN reason ELSE 'other' END AS k, COUNT(*) AS a FROM visits GROUP BY 1",
    "SELECT region AS k, COUNT(*) AS a FROM visits GROUP BY region HAVING region <> 'north' ORDER BY k",
    "SELECT region AS k, COUNT(*) AS a FROM visits GROUP BY 1 HAVING NOT (region = 'north' OR region = 'x') ORDER BY k",
    "SELECT region AS k, COUNT(*) AS a FROM visits GROUP BY region HAVING region NOT IN ('north', 'east') ORDER BY k",
    "SELECT region AS k, CASE region WHEN 'east' THEN NULL ELSE region END AS l, COUNT(*) AS a FROM visits GROUP BY 1",
    "SELECT region AS k, CASE WHEN region > 'n' THEN COUNT(*) ELSE 0 END AS a FROM visits GROUP BY 1 ORDER BY k",
    "SELECT region AS k, COUNT(*) AS a FROM visits GROUP BY 1 HAVING NOT (region = 'x' AND COUNT(*) > 9) ORDER BY k",
    "SELECT region AS k, CASE WHEN region <> 'x' THEN 1 ELSE 2 END * COUNT(*) AS a FROM visits GROUP BY 1 ORDER BY k",
    "SELECT reason AS k, COUNT(*) AS a, COUNT(reason) - COUNT(*) AS b FROM visits GROUP BY reason",
    "SELECT CONCAT(reason, '-', region) AS k, COUNT(*) AS a FROM visits GROUP BY k",
]


@pytest.fixture(scope="module", params=[None, 100_000], ids=["rows", "patients"])
def asked(request, tmp_path_factory):
    """A quiet curator, and plain DuckDB over the rows that it may see."""
    with beside_plain(tmp_path_factory.mktemp("plain"), visits(ROWS, seed=1), request.param) as both:
        yield both


@pytest.mark.parametrize("spend", [{"epsilon": 1}, {"rho": 1}], ids=["epsilon", "rho"])
@pytest.mark.parametrize("question", QUESTIONS)
def test_equals_plain_duckdb(asked, question, spend, monkeypatch):
    quiet, plain = asked
    silence(monkeypatch)
    answer = quiet.ask(question, delta=1e-9, **spend)
    assert_equal(answer, plain, question)
