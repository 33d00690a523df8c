"""Statements around noisy answers (line 92): nothing of them reaches inside, and they reach nothing outside."""

import time

import pytest

from deniable.core.errors import Failed, Refused
from deniable.curator import Curator
from deniable.engines import Engine
from deniable.planner import Spend, plan_question, plan_statement
from tests.support.neighbours import SOMEONE, pair, row

TOWNS = "SELECT town, COUNT(*) AS n, AVG(cost) AS c FROM visits GROUP BY town"

AROUND = [
    "SELECT * FROM ({}) q",
    "SELECT * FROM ({}) q WHERE town = 'north'",
    "SELECT * FROM ({}) q WHERE n > 10 ORDER BY n DESC LIMIT 1",
    "SELECT MAX(n) FROM ({}) q WHERE c BETWEEN 1 AND 2",
    "SELECT town, RANK() OVER (ORDER BY n) AS r FROM ({}) q QUALIFY r = 1",
    "WITH q AS ({}) SELECT a.n - b.n FROM q a JOIN q b ON a.town < b.town WHERE a.c > 3",
    "SELECT n FROM ({}) q WHERE n = (SELECT MAX(n) FROM ({}) r) OFFSET 1",
    "SELECT DISTINCT n > 3 FROM ({}) q GROUP BY 1 HAVING COUNT(*) > 1",
    "SELECT n FROM ({}) q UNION SELECT n + 1 FROM ({}) r",
    "SELECT CASE WHEN town = 'north' THEN n END FROM ({}) q LIMIT 0",
]
"""Different things made of one question."""


@pytest.fixture(scope="module")
def neighbours(tmp_path_factory):
    """One table has a person whose values are odd, and who is alone with a word."""
    odd = [
        row(SOMEONE, word="secret", town="Zürich", cost=float("nan"), age=None),
        row(SOMEONE, word="7e308", town=None, cost=float("inf"), serial=2**62),
    ]
    found = pair(tmp_path_factory.mktemp("outer"), *odd, contribution=2)
    yield found
    found.close()


@pytest.mark.parametrize("around", AROUND)
def test_nothing_outside_changes_what_is_asked_inside(neighbours, around):
    policy, spend = neighbours.without.policy, Spend.of(epsilon=1)
    wrapped = plan_statement(around.format(TOWNS, TOWNS), policy, spend)
    (inner,) = wrapped.batch.plans
    assert inner == plan_question(TOWNS, policy, spend)
    assert wrapped.batch.loss == inner.quote.loss


@pytest.mark.parametrize("around", AROUND)
def test_what_runs_is_the_question_inside_and_nothing_else(neighbours, around, monkeypatch):
    asked, run = [], Engine.run
    monkeypatch.setattr(Engine, "run", lambda self, query: asked.append(query) or run(self, query))
    price = 0.001 + AROUND.index(around) * 1e-7
    neighbours.having.ask(around.format(TOWNS, TOWNS), epsilon=price)
    assert asked == list(plan_question(TOWNS, neighbours.having.policy, Spend.of(epsilon=price)).queries)


STATEMENTS = [
    *(around.format(TOWNS, TOWNS) for around in AROUND if "LIMIT 1" not in around),
    "SELECT town, 1 / (COUNT(*) - 1) AS x, COUNT(*) // (COUNT(*) - COUNT(*)) AS y FROM visits GROUP BY town",
    "SELECT CAST(town AS INTEGER) AS x, LN(AVG(cost) - 1000) AS y, SQRT(-SUM(cost)) AS z FROM visits GROUP BY town",
    "SELECT CAST(w AS DOUBLE) FROM (SELECT word AS w, COUNT(*) FROM visits WHERE word IN ('a', '7') GROUP BY 1) q",
    "SELECT town, urgent, COUNT(*) AS n FROM visits GROUP BY ROLLUP (town, urgent)",
    "SELECT (SELECT COUNT(*) FROM visits WHERE urgent) * 1.0 / (SELECT COUNT(*) FROM visits) AS p",
]


def _seen(curator: Curator, sql: str):
    before = curator.budget().spent.epsilon
    answer = curator.ask(sql, epsilon="0.002", delta="1e-9")
    return answer.table.schema, answer.notes, answer.free, curator.budget().spent.epsilon - before


@pytest.mark.parametrize("sql", STATEMENTS)
def test_status_types_notes_and_charge_are_the_same_on_neighbours(neighbours, sql):
    assert _seen(neighbours.without, sql) == _seen(neighbours.having, sql)


def test_how_many_rows_there_are_follows_from_known_keys_alone(neighbours):
    sql = f"SELECT town, n FROM ({TOWNS}) q"
    rows = {curator.ask(sql, epsilon="0.003").table.num_rows for curator in (neighbours.without, neighbours.having)}
    assert rows == {4}


REACHING = [
    "random()",
    "uuid()",
    "now() - TIMESTAMP '2025-01-01'",
    "current_setting('memory_limit')",
    "getenv('HOME')",
    "getvariable('x')",
    "nextval('s')",
    "version()",
    "current_user",
    "current_schema()",
    "txid_current()",
    "pg_sleep(10)",
    "sleep_ms(1000)",
    "read_text('/etc/passwd')",
    "error('x')",
    "repeat('x', n)",
    "repeat('x', 1000000000)",
    "lpad('x', n, 'y')",
    "format('{:1000000000}', n)",
    "format('{:{}}', n, 1000000000)",
    "printf('%1000000000d', n)",
    "printf('%*d', 1000000000, n)",
    "list_transform([n], x -> x)",
    "[n for x in [1, 2]]",
    "{'a': n}",
    "n.x",
    "COLUMNS(*)",
    "unnest([1, 2])",
    "generate_series(1, 9)",
    "json_extract('{}', 'a')",
    "write_log('x')",
    "query('SELECT 1')",
]


@pytest.mark.parametrize("expression", [one for one in REACHING if "now()" not in one])
def test_functions_that_do_more_than_compute_are_refused_before_anything_is_charged(
    neighbours, expression, monkeypatch
):
    monkeypatch.setattr(Engine, "run", lambda *_: pytest.fail("data was read"))
    before = len(neighbours.having.history())
    for sql in (
        f"SELECT {expression} AS x FROM ({TOWNS}) q",
        f"SELECT town FROM ({TOWNS}) q WHERE {expression} IS NULL",
    ):
        with pytest.raises(Refused):
            neighbours.having.ask(sql, epsilon=1)
    assert len(neighbours.having.history()) == before


def test_an_age_is_counted_from_the_day_that_the_question_was_bound(neighbours):
    """Not from the clock of whatever computes it: the same answer would differ tomorrow."""
    quote = neighbours.having.explain(
        f"SELECT EXTRACT(year FROM age(DATE '2020-01-01')) AS x FROM ({TOWNS}) q", epsilon=1
    )
    assert any("CURRENT_DATE is" in note for note in quote.notes)


@pytest.mark.parametrize(
    "source",
    [
        "read_csv('/etc/passwd')",
        "'/etc/passwd'",
        "glob('*')",
        "duckdb_settings()",
        "information_schema.tables",
        "pg_class",
        "sqlite_master",
        "range(10)",
        "generate_series(1, 1000000000)",
        "repeat_row(1, num_rows = 1000000)",
        "unnest([1, 2, 3])",
        "query('SELECT 1')",
        "query_table('noisy 1')",
        '"noisy 1"',
        '"noisy 2"',
        '"public hospitals"',
    ],
)
def test_no_table_is_there_but_those_of_the_statement(neighbours, source, monkeypatch):
    monkeypatch.setattr(Engine, "run", lambda *_: pytest.fail("data was read"))
    for sql in (
        f"SELECT * FROM ({TOWNS}) q, {source} AS x",
        f"SELECT n FROM ({TOWNS}) q WHERE n IN (SELECT 1 FROM {source})",
    ):
        with pytest.raises(Refused):
            neighbours.having.ask(sql, epsilon=1)


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        (f"SELECT m FROM ({TOWNS}) q", "unknown-column"),
        (TOWNS.replace("SELECT town", "SELECT twon"), "unknown-column"),
        (f"SELECT p.n FROM ({TOWNS}) q", "unknown-table"),
        (f"SELECT n + town FROM ({TOWNS}) q", "type-mismatch"),
        (f"SELECT n FROM ({TOWNS}) q WHERE town > 3 AND n = 'x'", "type-mismatch"),
        (f"SELECT n FROM ({TOWNS}) q JOIN ({TOWNS}) r ON q.town = r.town", "ambiguous-column"),
        (f"SELECT town, SUM(n) FROM ({TOWNS}) q", "not-grouped"),
        (f"SELECT n FROM ({TOWNS}) q UNION SELECT n, c FROM ({TOWNS}) r", "unsupported-form"),
        (f"SELECT n FROM ({TOWNS}) q WHERE RANK() OVER (ORDER BY n) = 1", "unsupported-form"),
        (f"SELECT INTERVAL '1 day' * n AS x FROM ({TOWNS}) q", "unsupported-output"),
        (f"WITH RECURSIVE q AS ({TOWNS} UNION ALL SELECT * FROM q) SELECT * FROM q", "unsupported-clause"),
    ],
)
def test_what_does_not_fit_is_refused_before_the_charge_in_words_of_ours(neighbours, sql, code, monkeypatch):
    monkeypatch.setattr(Engine, "run", lambda *_: pytest.fail("data was read"))
    before = len(neighbours.having.history())
    with pytest.raises(Refused) as caught:
        neighbours.having.ask(sql, epsilon=1)
    assert caught.value.code == code, caught.value
    assert caught.value.hint
    words = f"{caught.value.reason} {caught.value.hint}"
    assert not any(theirs in words for theirs in ("Binder", "Catalog", "LINE 1", "VARCHAR(", "noisy 1", "Candidate"))
    assert len(neighbours.having.history()) == before


@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT n * 9223372036854775807 AS x FROM ({TOWNS}) q WHERE n > -1000000",
        f"WITH q AS ({TOWNS}) SELECT a.n FROM " + ", ".join(f"q {name}" for name in "abcdefghijkl"),
    ],
    ids=["overflow", "cross join"],
)
def test_what_cannot_be_computed_fails_without_a_word_and_the_answers_inside_stay(neighbours, sql):
    start = time.monotonic()
    with pytest.raises(Failed) as caught:
        neighbours.having.ask(sql, epsilon="0.0041")
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)
    assert time.monotonic() - start < 60
    assert neighbours.having.ask(TOWNS, epsilon="0.0041").free


def test_a_failed_outer_query_leaves_the_process_ready_for_the_next(neighbours):
    for _ in range(2):
        with pytest.raises(Failed):
            neighbours.having.ask(f"SELECT n * 9223372036854775807 AS x FROM ({TOWNS}) q", epsilon="0.0042")
        assert neighbours.having.ask(f"SELECT n FROM ({TOWNS}) q", epsilon="0.0042").table.num_rows == 4


def test_a_name_that_looks_like_ours_is_only_a_name(neighbours):
    sql = f'WITH "noisy 1" AS ({TOWNS}) SELECT "low 1 of n", n FROM (SELECT n AS "low 1 of n", n FROM "noisy 1") q'
    answer = neighbours.having.ask(sql, epsilon="0.0043")
    assert answer.table["low 1 of n"].to_pylist() == answer.table["n"].to_pylist()
