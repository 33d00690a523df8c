"""What is not answered is refused by public facts, with a documented code, a place and a hint."""

import re
from pathlib import Path

import pytest

from deniable.core.errors import Refused
from deniable.planner import Spend, bind, parse, plan_statement, price
from deniable.policy import Policy
from tests.support.tables import policy

REFUSED = {
    "": "empty",
    "SELEC COUNT(*) FROM visits": "syntax",
    "SELECT COUNT(*) FROM visits WHERE (age > 3": "syntax",
    "SELECT COUNT(*) FROM visits; SELECT COUNT(*) FROM visits": "many-statements",
    "DROP TABLE visits": "not-a-select",
    "INSERT INTO visits VALUES (1)": "not-a-select",
    "COPY visits TO 'x.csv'": "not-a-select",
    "ATTACH 'x.db'": "not-a-select",
    "PRAGMA database_list": "not-a-select",
    "SET memory_limit = '1GB'": "not-a-select",
    "WITH RECURSIVE v AS (SELECT * FROM visits) SELECT COUNT(*) FROM v": "unsupported-clause",
    "SELECT COUNT(*) FROM visits JOIN visits USING (patient_id)": "unsupported-form",
    "SELECT COUNT(*) FROM visits, visits AS w": "unit-join",
    "SELECT COUNT(*) FROM visits CROSS JOIN visits AS w": "unit-join",
    "SELECT COUNT(*) FROM visits v JOIN visits w ON v.age = w.age": "unit-join",
    "SELECT COUNT(*) FROM visits v JOIN visits w ON v.patient_id = w.age": "unit-join",
    "SELECT COUNT(*) FROM visits v JOIN visits w ON v.patient_id = w.patient_id OR v.urgent": "unit-join",
    "SELECT COUNT(*) FROM visits v RIGHT JOIN visits w ON v.age = w.age": "unit-join",
    "SELECT COUNT(*) FROM visits v FULL JOIN visits w ON v.age = w.age": "unit-join",
    "SELECT COUNT(*) FROM visits NATURAL JOIN (SELECT age FROM visits) AS w": "unit-join",
    "SELECT AVG(age) FROM visits v JOIN visits w ON v.patient_id = w.patient_id": "ambiguous-column",
    "SELECT COUNT(*) FROM (SELECT DISTINCT region FROM visits) t": "distinct",
    "SELECT COUNT(*) FROM (SELECT patient_id, MEDIAN(age) FROM visits GROUP BY 1) t": "unknown-aggregate",
    "SELECT AVG(n) FROM (SELECT patient_id, SUM(age) / COUNT(*) AS n FROM visits GROUP BY 1) t": "needs-bounds",
    "SELECT TOP (5 age, COUNT(*) FROM visits GROUP BY age": "syntax",
    "SELECT COUNT(*) FROM (SELECT age FROM visits ORDER BY age) t": "unsupported-clause",
    "SELECT COUNT(*) FROM (SELECT age FROM visits LIMIT 5) t": "unsupported-clause",
    "SELECT COUNT(*) FROM (SELECT age, age FROM visits) t": "unsupported-form",
    "SELECT COUNT(*) FROM (SELECT age FROM visits UNION SELECT age FROM visits) t": "subquery",
    "SELECT COUNT(*) FROM (SELECT age FROM visits UNION ALL SELECT age, cost FROM visits) t": "unsupported-form",
    "SELECT COUNT(*) FROM (SELECT age FROM visits UNION ALL SELECT region FROM visits) t": "type-mismatch",
    "SELECT COUNT(*) FROM visits WHERE age IN (SELECT age FROM visits)": "unit-join",
    "SELECT COUNT(*) FROM visits WHERE patient_id IN (SELECT age FROM visits)": "unit-join",
    "SELECT COUNT(*) FROM visits WHERE patient_id IN (SELECT patient_id, age FROM visits)": "subquery",
    "SELECT COUNT(*) FROM visits WHERE EXISTS (SELECT 1 FROM visits w WHERE w.age > 3)": "subquery",
    "SELECT SUM(LEAST(age, (SELECT MAX(age) FROM visits))) FROM visits": "noisy-beside-rows",
    "SELECT COUNT(*) FROM visits WHERE cost > (SELECT AVG(cost) FROM visits)": "noisy-beside-rows",
    "SELECT COUNT(*) FROM visits JOIN (SELECT COUNT(*) AS n FROM visits) q ON age = n": "noisy-beside-rows",
    "SELECT region, COUNT(*) FROM visits GROUP BY 1 UNION ALL SELECT region, age FROM visits": "noisy-beside-rows",
    "SELECT region, LPAD(region, COUNT(*), 'x') FROM visits GROUP BY region": "bad-constant",
    "SELECT region, random() * COUNT(*) FROM visits GROUP BY region": "unknown-function",
    "SELECT * FROM (SELECT COUNT(*) AS n FROM visits) q, generate_series(1, 9)": "unknown-function",
    "SELECT COUNT(*) FROM visits TABLESAMPLE 10%": "unsupported-clause",
    "SELECT COUNT(*) FROM visits USING SAMPLE 10%": "unsupported-clause",
    "SELECT COUNT(*)": "unknown-table",
    "SELECT COUNT(*) FROM nothing": "unknown-table",
    "SELECT COUNT(*) FROM read_csv('/etc/passwd')": "unknown-table",
    "SELECT COUNT(*) FROM '/etc/passwd'": "unknown-table",
    "SELECT COUNT(*) FROM other.visits": "unknown-table",
    "SELECT COUNT(*) FROM a.main.visits": "unknown-table",
    "SELECT COUNT(*) FROM main.visits v WHERE main.v.age > 3": "unknown-table",
    "SELECT COUNT(*) FROM visits WHERE other.visits.age > 3": "unknown-table",
    "SELECT COUNT(*) FROM information_schema.tables": "unknown-table",
    "SELECT * FROM visits": "rows",
    "SELECT age FROM visits": "not-grouped",
    "SELECT region FROM visits WHERE age > 3 GROUP BY region": "no-aggregate",
    "SELECT 1 FROM visits": "no-aggregate",
    "SELECT AVG(agee) FROM visits": "unknown-column",
    "SELECT AVG(other.age) FROM visits": "unknown-table",
    "SELECT COUNT(*) FROM visits WHERE random() < 0.5": "unknown-function",
    "SELECT COUNT(*) FROM visits WHERE current_setting('now') > reason": "unknown-function",
    "SELECT COUNT(*) FROM visits WHERE pg_sleep(1)": "unknown-function",
    "SELECT COUNT(*) FROM visits WHERE error('x')": "unknown-function",
    "SELECT SUM(nextval('s')) FROM visits": "unknown-function",
    "SELECT COUNT(*) FROM visits WHERE regexp_matches(reason, region)": "type-mismatch",
    "SELECT COUNT(*) FROM visits WHERE regexp_matches(reason, 'a*+b')": "type-mismatch",
    "SELECT COUNT(*) FROM visits WHERE reason LIKE region": "type-mismatch",
    "SELECT COUNT(*) FROM visits WHERE reason LIKE 'a%' ESCAPE 'b'": "unknown-function",
    "SELECT COUNT(*) FROM visits WHERE age": "type-mismatch",
    "SELECT COUNT(*) FROM visits WHERE age = 'x'": "type-mismatch",
    "SELECT COUNT(*) FROM visits WHERE age IN (SELECT 1)": "unknown-table",
    "SELECT COUNT(*) FROM visits WHERE EXISTS (SELECT 1)": "subquery",
    "SELECT COUNT(*) FROM visits WHERE age > (SELECT 1)": "subquery",
    "SELECT ARG_MAX(age, cost) FROM visits": "unknown-aggregate",
    "SELECT KURTOSIS(age) FROM visits": "unknown-aggregate",
    "SELECT SUM(AVG(age)) FROM visits": "unknown-aggregate",
    "SELECT MEDIAN(AVG(age)) FROM visits": "unknown-aggregate",
    "SELECT MEDIAN(reason) FROM visits": "type-mismatch",
    "SELECT MEDIAN(patient_id) FROM visits": "needs-bounds",
    "SELECT MEDIAN(LN(cost)) FROM visits": "needs-bounds",
    "SELECT MEDIAN(DISTINCT age) FROM visits": "unsupported-form",
    "SELECT MAX(*) FROM visits": "unsupported-form",
    "SELECT MIN(age, 3) FROM visits": "unsupported-form",
    "SELECT QUANTILE_CONT(age, 1.5) FROM visits": "unsupported-form",
    "SELECT QUANTILE_CONT(age, -0.5) FROM visits": "unsupported-form",
    "SELECT QUANTILE_CONT(age, 0.12345) FROM visits": "unsupported-form",
    "SELECT QUANTILE_CONT(age, age) FROM visits": "unsupported-form",
    "SELECT QUANTILE_CONT(age) FROM visits": "unsupported-form",
    "SELECT QUANTILE_CONT(age, [0.5, 2]) FROM visits": "unsupported-form",
    "SELECT QUANTILE_CONT(age, []) FROM visits": "unsupported-form",
    "SELECT 1 + QUANTILE_CONT(age, [0.5, 0.6]) FROM visits": "unsupported-form",
    "SELECT PERCENTILE_CONT(0.5) FROM visits": "unsupported-form",
    "SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY age, cost) FROM visits": "unsupported-form",
    "SELECT SUM(age) WITHIN GROUP (ORDER BY age) FROM visits": "unsupported-form",
    "SELECT MODE(region) WITHIN GROUP (ORDER BY age) FROM visits": "unsupported-form",
    "SELECT COUNT(age, cost) FROM visits": "unsupported-form",
    "SELECT APPROX_COUNT_DISTINCT(age, 0.1) FROM visits": "unsupported-form",
    "SELECT SUM(*) FROM visits": "unsupported-form",
    "SELECT MEDAIN(age) FROM visits": "unknown-function",
    "SELECT MODE(cost) FROM visits": "type-mismatch",
    "SELECT MODE(reason) FROM visits": "needs-values",
    "SELECT APPROX_TOP_K(region, 0) FROM visits": "unsupported-form",
    "SELECT APPROX_TOP_K(region, 5) FROM visits": "unsupported-form",
    "SELECT APPROX_TOP_K(region, age) FROM visits": "unsupported-form",
    "SELECT APPROX_TOP_K(age, 101) FROM visits": "too-many-statistics",
    "SELECT day, age, MEDIAN(cost) FROM visits GROUP BY day, age, age % 25": "too-many-groups",
    "SELECT day, age, MODE(day) FROM visits GROUP BY day, age, urgent": "too-many-groups",
    "SELECT SUM(DISTINCT score) FROM visits": "distinct",
    "SELECT VAR_POP(DISTINCT age) FROM visits": "distinct",
    "SELECT COUNT(DISTINCT age, cost) FROM visits": "distinct",
    "SELECT COUNT(*) OVER () FROM visits": "window",
    "SELECT SUM(LN(cost)) FROM visits": "needs-bounds",
    "SELECT AVG(1 / (age - 5)) FROM visits": "needs-bounds",
    "SELECT AVG(patient_id) FROM visits": "needs-bounds",
    "SELECT SUM(reason) FROM visits": "type-mismatch",
    "SELECT cost, COUNT(*) FROM visits GROUP BY cost": "real-key",
    "SELECT COUNT(*) FROM visits GROUP BY 3": "bad-ordinal",
    "SELECT COUNT(*) FROM visits LIMIT age": "bad-limit",
    "SELECT reason, COUNT(*) FROM visits GROUP BY reason": "private-keys",
    "SELECT COUNT(*) FROM visits GROUP BY age + reason": "type-mismatch",
    "SELECT COUNT(*) FROM visits GROUP BY day, age, age + 1, region": "too-many-groups",
    "SELECT CAST(age AS BLOB), COUNT(*) FROM visits GROUP BY 1": "type-mismatch",
}


def _price(sql: str, **spend: object):
    rules = policy(Path("nowhere"), contribution=3)
    return plan_statement(sql, rules, Spend.of(**spend or {"epsilon": 1}))


@pytest.mark.parametrize(("sql", "code"), REFUSED.items(), ids=range(len(REFUSED)))
def test_refusals_have_their_code(sql, code):
    with pytest.raises(Refused) as caught:
        _price(sql)
    assert caught.value.code == code, caught.value.show(sql)
    assert caught.value.hint, caught.value.show(sql)
    if caught.value.position is not None:
        start, end = caught.value.position
        assert 0 <= start < end <= len(sql)


def test_every_code_is_documented_and_every_documented_code_exists():
    root = Path(__file__).parents[3]
    planner = "".join(path.read_text() for path in (root / "src/deniable/planner").rglob("*.py"))
    codes = set(re.findall(r'Refused\(\s*"([a-z-]+)"', planner))
    table = (root / "docs/sql.md").read_text().split("## Refusals")[1]
    documented = {
        code for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE) for code in re.findall(r"`([a-z-]+)`", row)
    }
    trained = set(re.findall(r"`([a-z-]+)`", (root / "docs/learn.md").read_text()))
    assert codes <= documented | trained
    elsewhere = {
        "unknown-analyst",
        "over-budget",
        "questions-per-day",
        "data-unavailable",
        "unit-types",
        "engine-gap",
        "synthetic-columns",
        "no-rows",
    }
    assert documented - codes <= elsewhere


def test_a_refusal_underlines_the_place():
    sql = "SELECT COUNT(*),\n       AVG(agee) FROM visits"
    with pytest.raises(Refused) as caught:
        _price(sql)
    assert caught.value.show(sql).splitlines()[1:3] == ["         AVG(agee) FROM visits", "             ^^^^"]
    assert str(caught.value).splitlines()[1:3] == ["         AVG(agee) FROM visits", "             ^^^^"]


def test_a_refusal_of_what_cannot_be_read_underlines_the_place_too():
    with pytest.raises(Refused) as caught:
        _price("SELECT COUNT(*) FROM visits WHERE (age")
    assert caught.value.code == "syntax"
    assert "^" in str(caught.value)


@pytest.mark.parametrize(
    "spend",
    [
        {},
        {"epsilon": 0},
        {"epsilon": -1},
        {"epsilon": float("nan")},
        {"epsilon": float("inf")},
        {"epsilon": "1e308"},
        {"epsilon": 1, "rho": 1},
        {"rho": "x"},
        {"accuracy": -3},
        {"epsilon": 1, "delta": 2},
        {"epsilon": 1, "confidence": 1},
        {"epsilon": 1, "weights": {"n": 0}},
        {"epsilon": 1, "seed": 7},
        {"epsilom": 1},
    ],
)
def test_bad_spends_are_refused(spend):
    with pytest.raises(Refused) as caught:
        Spend.of(**spend)
    assert caught.value.code == "bad-spend"


def test_an_unknown_column_cannot_be_weighed():
    with pytest.raises(Refused) as caught:
        _price("SELECT COUNT(*) AS n FROM visits", epsilon=1, weights={"m": 2})
    assert caught.value.code == "bad-spend"


def test_a_spend_too_small_for_64_bits_is_refused():
    with pytest.raises(Refused) as caught:
        _price("SELECT SUM(cost) AS n FROM visits", epsilon="1e-80")
    assert caught.value.code == "bad-spend"


def test_private_keys_need_the_add_remove_relation():
    rules = policy(Path("nowhere"), contribution=3, neighbours="replace")
    with pytest.raises(Refused) as caught:
        price(
            bind(parse("SELECT reason, COUNT(*) FROM visits GROUP BY reason"), rules),
            Spend.of(epsilon=1, delta=1e-9),
        )
    assert caught.value.code == "private-keys"


@pytest.mark.parametrize("aggregate", ["AVG(cost)", "MEDIAN(age)", "COUNT(*) + MIN(age)", "MODE(region)"])
def test_what_depends_on_the_data_has_no_accuracy(aggregate):
    with pytest.raises(Refused) as caught:
        _price(f"SELECT {aggregate} FROM visits", accuracy=1)
    assert caught.value.code == "accuracy"


@pytest.mark.parametrize(
    ("aggregate", "code"),
    [("MEDIAN(age)", "private-keys"), ("MODE(region)", "private-keys"), ("COUNT(DISTINCT age)", "distinct")],
)
def test_choices_and_distinct_counts_need_known_keys(aggregate, code):
    with pytest.raises(Refused) as caught:
        _price(f"SELECT reason, {aggregate} FROM visits GROUP BY reason", epsilon=1, delta=1e-9)
    assert caught.value.code == code


def test_a_name_that_needs_quotes_is_proposed_with_them() -> None:
    declared = {
        "population": {"name": "town"},
        "budget": {"epsilon": 1},
        "tables": {"people": {"columns": {"marital-status": {"type": "text", "values": ["single", "married"]}}}},
    }
    rules = Policy.from_mapping(declared, origin="notebook", folder=Path())
    with pytest.raises(Refused) as caught:
        plan_statement("SELECT COUNT(*) FROM people GROUP BY marital-status", rules, Spend.of(epsilon="0.1"))
    assert caught.value.hint == 'Did you mean "marital-status", in double quotes?'
    plan_statement('SELECT COUNT(*) FROM people GROUP BY "marital-status"', rules, Spend.of(epsilon="0.1"))
