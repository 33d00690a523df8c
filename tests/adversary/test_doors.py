"""The adversary's list of budget and service, tried through both doors."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import httpx
import psycopg
import pyarrow.parquet as pq
import pytest

from tests.support.doors import Opened, http, postgres

COUNT = "SELECT COUNT(*) AS n FROM visits"


def over_http(door: Opened, name: str, sql: str, epsilon: str) -> object:
    """The number, or the refusal's code."""
    headers = {"Authorization": f"Bearer {door.tokens[name]}"}
    found = httpx.post(f"{door.url}/v1/questions", json={"sql": sql, "epsilon": epsilon}, headers=headers, timeout=60)
    said = found.json()
    return said["code"] if found.status_code != 200 else said["rows"][0]["n"]


def over_postgres(door: Opened, name: str, sql: str, epsilon: str) -> object:
    """The same."""
    hint = f"/*+ epsilon={epsilon} */"
    with psycopg.connect(door.dsn(name), autocommit=True) as connection:
        try:
            return connection.execute(sql.replace("SELECT", f"SELECT {hint}", 1)).fetchone()[0]
        except psycopg.Error as error:
            return (error.diag.message_detail or error.sqlstate).removeprefix("refused (").partition(")")[0]


Asking = Callable[[Opened, str, str, str], object]
DOORS = {"http": (http, over_http), "postgres": (postgres, over_postgres)}


@pytest.fixture(scope="module", params=list(DOORS))
def door(request, tmp_path_factory):
    opening, asking = DOORS[request.param]
    with opening(tmp_path_factory.mktemp(request.param)) as opened:
        yield opened, asking


@pytest.mark.parametrize("epsilon", ["0", "-1", "nan", "inf", "1e308", "1e-300", "x", "0x10", "1/0"])
def test_spends_that_cannot_be_are_refused_and_cost_nothing(door, epsilon):
    opened, asking = door
    before = opened.spent()
    assert asking(opened, "alice", COUNT, epsilon) in {"bad-spend", "over-budget", "most-spend", "least-spend"}
    assert opened.spent() == before


def test_a_replay_is_the_same_and_free_however_it_is_spaced(door):
    opened, asking = door
    first = asking(opened, "alice", COUNT, "0.5")
    before = opened.spent()
    assert {
        asking(opened, "alice", sql, "0.5") for sql in (COUNT, "SELECT  count( * )\nAS n -- again\nFROM visits")
    } == {first}
    assert opened.spent() == before


def test_what_another_has_paid_for_is_charged_to_whoever_sees_it(door):
    """A share bounds what its analyst has seen, whoever asked first."""
    opened, asking = door
    curator = opened.service.populations["clinic"].curator
    question = f"{COUNT} WHERE age > 88"
    first = asking(opened, "alice", question, "0.5")
    before, whole = curator.budget("bob").spent.epsilon, opened.spent()
    assert asking(opened, "alice", question, "0.5") == first
    assert asking(opened, "bob", question, "0.5") == first
    assert asking(opened, "bob", question, "0.5") == first
    assert curator.budget("bob").spent.epsilon == before + Fraction(1, 2)
    assert opened.spent() == whole


def test_many_at_once_for_the_last_of_the_budget_spend_no_more_than_there_is(door):
    opened, asking = door
    left = 500 - float(opened.service.populations["clinic"].curator.budget("bob").spent.epsilon)
    each = f"{left * 0.6:.3f}"
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(lambda age: asking(opened, "bob", f"{COUNT} WHERE age < {age}", each), range(1, 7)))
    assert sum(isinstance(one, int) for one in found) == 1
    assert {one for one in found if not isinstance(one, int)} == {"over-budget"}
    assert float(opened.service.populations["clinic"].curator.budget("bob").spent.epsilon) <= 500


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT 1/(age-5) FROM visits",
        "SELECT COUNT(*) FROM visits; DROP TABLE visits",
        "SELECT COUNT(*) FROM visits WHERE random() < 0.5",
        "SELECT COUNT(*) FROM read_csv('hospitals.csv')",
        "SELECT COUNT(*) FROM visits WHERE age > (SELECT AVG(age) FROM visits)",
        "SELECT age, ROW_NUMBER() OVER () FROM visits",
        "SELECT MAX(patient) FROM visits",
        "SELECT * FROM duckdb_settings()",
        "SELECT * FROM sqlite_master",
        "PRAGMA database_list",
        "ATTACH 'x.db'",
        "SET memory_limit = '1TB'",
        "COPY visits TO 'x.csv'",
        "EXPLAIN ANALYZE SELECT COUNT(*) FROM visits",
    ],
)
def test_what_would_look_around_or_break_out_is_refused_for_nothing(door, statement):
    opened, asking = door
    before = opened.spent()
    assert isinstance(asking(opened, "alice", statement, "0.5"), str)
    assert opened.spent() == before


def test_the_log_has_no_constant_no_token_and_no_row(door, caplog):
    opened, asking = door
    with caplog.at_level(logging.DEBUG, logger="deniable"):
        asking(opened, "alice", f"{COUNT} WHERE reason = 'unmistakable' AND age < 37", "0.5")
        asking(opened, "alice", f"{COUNT} WHERE raeson = 'unmistakable'", "0.5")
        asking(opened, "alice", "SELECT COUNT(*) FROM pg_catalog.pg_clas WHERE relname = 'unmistakable'", "0.5")
    text = "\n".join(record.getMessage() for record in caplog.records)
    assert "ask-done" in text
    assert "unmistakable" not in text
    assert all(token not in text for token in opened.tokens.values())


def test_an_engine_that_dies_is_a_bare_failure_that_stays_charged(tmp_path, request):
    del request

    def broken() -> float:
        raise ValueError("a row says 42")

    for name, (opening, _) in DOORS.items():
        folder = tmp_path / name
        folder.mkdir()
        with opening(folder, pace=broken) as opened:
            if name == "http":
                headers = {"Authorization": f"Bearer {opened.tokens['alice']}"}
                found = httpx.post(f"{opened.url}/v1/questions", json={"sql": COUNT, "epsilon": 1}, headers=headers)
                assert found.status_code == 500
                said = found.text
            else:
                with (
                    psycopg.connect(opened.dsn(), autocommit=True) as connection,
                    pytest.raises(psycopg.errors.IoError) as caught,
                ):
                    connection.execute("SELECT /*+ epsilon=1 */ COUNT(*) FROM visits")
                said = str(caught.value)
            assert "a row" not in said
            assert opened.spent() == 1


@pytest.fixture(params=list(DOORS))
def fresh(request, tmp_path):
    """A door at which nobody has asked anything."""
    opening, asking = DOORS[request.param]
    with opening(tmp_path) as opened:
        yield opened, asking


def test_the_last_of_a_share_is_spent_exactly_and_then_nothing_more(fresh):
    opened, asking = fresh
    for age, epsilon in enumerate(("499.7", "0.1", "0.1", "0.1")):
        assert isinstance(asking(opened, "alice", f"{COUNT} WHERE age > {age}", epsilon), int)
    assert asking(opened, "alice", f"{COUNT} WHERE age > 50", "0.01") == "over-budget"
    assert opened.spent() == 500


def test_data_that_have_changed_are_charged_again(fresh, tmp_path):
    opened, asking = fresh
    for _ in range(2):
        asking(opened, "alice", COUNT, "0.5")
    assert opened.spent() == 0.5
    rows = pq.read_table(tmp_path / "visits.parquet")
    pq.write_table(rows.slice(1), tmp_path / "visits.parquet")
    asking(opened, "alice", COUNT, "0.5")
    assert opened.spent() == 1


def test_nothing_can_be_seeded(door):
    opened, asking = door
    before = opened.spent()
    if asking is over_http:
        headers = {"Authorization": f"Bearer {opened.tokens['alice']}"}
        sent = {"sql": f"{COUNT} WHERE age > 81", "epsilon": "0.5", "seed": 1}
        assert httpx.post(f"{opened.url}/v1/questions", json=sent, headers=headers).status_code == 422
    else:
        with psycopg.connect(opened.dsn(), autocommit=True) as connection:
            for statement in ("SET deniable.seed = 1", "SET seed = 0.5", "SELECT setseed(0.5)"):
                with pytest.raises(psycopg.Error):
                    connection.execute(statement)
            with pytest.raises(psycopg.Error):
                connection.execute(f"SELECT /*+ epsilon=0.5 seed=1 */ {COUNT.removeprefix('SELECT ')} WHERE age > 81")
    assert opened.spent() == before
