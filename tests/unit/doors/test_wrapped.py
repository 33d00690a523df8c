"""Questions as BI tools wrap them: through both doors they cost once, and say their types before anything is paid."""

import asyncio

import asyncpg
import httpx
import pandas as pd
import psycopg
import pytest
import sqlalchemy

from tests.support.doors import http, postgres

BY_REGION = "SELECT region, COUNT(*) AS n FROM visits GROUP BY region"
WRAPPED = [
    f"SELECT * FROM ({BY_REGION}) AS virtual_table LIMIT 1001",
    f"SELECT count(*) AS rows FROM ({BY_REGION}) AS t",
    f"SELECT region, n FROM ({BY_REGION}) AS t WHERE n > 3 ORDER BY n DESC LIMIT 10",
    f'SELECT "region" AS "region", sum("n") AS "SUM(n)" FROM ({BY_REGION}) AS "virtual_table" GROUP BY "region"',
    f"WITH q AS ({BY_REGION}) SELECT max(n) AS most FROM q",
]


@pytest.fixture(scope="module")
def wire(tmp_path_factory):
    with postgres(tmp_path_factory.mktemp("wire"), pace=None) as opened:
        yield opened


@pytest.fixture(scope="module")
def web(tmp_path_factory):
    with http(tmp_path_factory.mktemp("web"), pace=None) as opened:
        yield opened


def test_wrapped_questions_cost_once_over_the_wire(wire):
    with psycopg.connect(wire.dsn(options="-c deniable.epsilon=0.5"), autocommit=True) as client:
        plain = dict(client.execute(BY_REGION).fetchall())
        before = wire.spent()
        found = [client.execute(sql).fetchall() for sql in WRAPPED]
    assert wire.spent() == before
    assert dict(found[0]) == plain
    assert found[1] == [(len(plain),)]
    assert all(n > 3 for _, n in found[2])
    assert dict(found[3]) == plain
    assert found[4] == [(max(plain.values()),)]


def test_wrapped_questions_cost_once_over_http(web):
    headers = {"Authorization": f"Bearer {web.tokens['alice']}"}

    def asked(sql):
        found = httpx.post(f"{web.url}/v1/questions", json={"sql": sql, "epsilon": "0.5"}, headers=headers, timeout=60)
        assert found.status_code == 200, found.text
        return found.json()

    plain = {row["region"]: row["n"] for row in asked(BY_REGION)["rows"]}
    before = web.spent()
    found = [asked(sql) for sql in WRAPPED]
    assert web.spent() == before
    assert all(one["free"] for one in found)
    assert {row["region"]: row["n"] for row in found[0]["rows"]} == plain
    assert [row["rows"] for row in found[1]["rows"]] == [len(plain)]


def test_whoever_asks_the_wrapped_one_first_pays_for_all(wire):
    inner = "SELECT urgent, COUNT(*) AS n FROM visits GROUP BY urgent"
    with psycopg.connect(wire.dsn("bob", options="-c deniable.epsilon=0.5"), autocommit=True) as client:
        before = wire.spent()
        client.execute(f"SELECT count(*) FROM ({inner}) AS t")
        client.execute(f"SELECT * FROM ({inner}) AS virtual_table LIMIT 1001")
        client.execute(inner)
        assert wire.spent() == before + 0.5


def test_types_are_known_before_anything_is_paid(wire):
    async def play():
        connection = await asyncpg.connect(
            host="127.0.0.1", port=wire.port, user="bob", password=wire.tokens["bob"], database="clinic", ssl=False
        )
        sql = (
            "SELECT t.day, t.n, t.n * 2 AS twice, t.c / 10 AS tenth, t.n > 5 AS many FROM "
            "(SELECT day, COUNT(*) AS n, AVG(cost) AS c FROM visits WHERE day < '2025-01-04' GROUP BY day) AS t"
        )
        statement = await connection.prepare(sql)
        said = [(one.name, one.type.name) for one in statement.get_attributes()]
        await connection.close()
        return said

    before = wire.spent()
    said = asyncio.run(play())
    assert said == [("day", "date"), ("n", "int8"), ("twice", "int8"), ("tenth", "float8"), ("many", "bool")]
    assert wire.spent() == before


def test_rows_are_no_nearer_for_being_wrapped(wire):
    with psycopg.connect(wire.dsn(options="-c deniable.epsilon=0.5"), autocommit=True) as client:
        before = wire.spent()
        for sql in (
            "SELECT * FROM (SELECT * FROM visits) AS t LIMIT 1001",
            "SELECT age FROM (SELECT age, region FROM visits) AS t",
            "SELECT * FROM visits LIMIT 100",
        ):
            with pytest.raises(psycopg.Error) as caught:
                client.execute(sql).fetchall()
            assert "nothing was read or spent" in (caught.value.diag.message_detail or "")
        assert wire.spent() == before


def test_a_dashboard_of_sqlalchemy_pays_once(wire):
    url = f"postgresql+psycopg://alice:{wire.tokens['alice']}@127.0.0.1:{wire.port}/clinic"
    engine = sqlalchemy.create_engine(url, connect_args={"options": "-c deniable.epsilon=0.5", "sslmode": "disable"})
    inner = sqlalchemy.text(BY_REGION).columns(sqlalchemy.column("region"), sqlalchemy.column("n")).subquery("virtual")
    with engine.connect() as connection:
        pd.read_sql(sqlalchemy.text(BY_REGION), connection)
        before = wire.spent()
        sums = sqlalchemy.select(inner.c.region, sqlalchemy.func.sum(inner.c.n)).group_by(inner.c.region)
        chart = pd.read_sql(sums, connection)
        size = pd.read_sql(sqlalchemy.select(sqlalchemy.func.count()).select_from(inner), connection)
    engine.dispose()
    assert len(chart) == size.iloc[0, 0]
    assert wire.spent() == before
