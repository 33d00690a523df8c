"""Real clients at the PostgreSQL door: what each of them sends, and what each makes of the answers."""

import asyncio
import datetime as dt
import re
import shutil
import subprocess

import pandas as pd
import polars as pl
import pytest
import sqlalchemy

from tests.support.doors import postgres

psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")
asyncpg = pytest.importorskip("asyncpg", reason="asyncpg is not installed")
pg8000 = pytest.importorskip("pg8000.dbapi", reason="pg8000 is not installed")

BY_REGION = "SELECT region, COUNT(*) AS n FROM visits GROUP BY region"
PSQL = pytest.mark.skipif(shutil.which("psql") is None, reason="psql is not installed")
DESCRIBING = [
    r"\d",
    r"\d+",
    r"\dt+",
    r"\dn+",
    r"\du",
    r"\df",
    r"\dT",
    r"\di",
    r"\dv_*.*",
    r"\ds",
    r"\dp",
    r"\db",
    r"\dx",
    r"\dC",
    r"\dD",
    r"\dF",
    r"\dg",
    r"\dL",
    r"\dm",
    r"\dE",
    r"\do",
    r"\dO",
    r"\dP",
    r"\drds",
    r"\dRp",
    r"\dX",
    r"\dy",
    r"\da",
    r"\dA",
    r"\dc",
    r"\dd",
    r"\ddp",
    r"\des",
    r"\det",
    r"\deu",
    r"\dew",
    r"\l+",
    r"\d+_visits",
    r"\d_deniable.*",
    r"\dt_dummy.*",
    r"\dAo",
    r"\dFp",
    r"\dFt",
    r"\dconfig",
    r"\df+",
]


@pytest.fixture(scope="module")
def door(tmp_path_factory):
    with postgres(tmp_path_factory.mktemp("clinic")) as opened:
        yield opened


@pytest.fixture(scope="module")
def client(door):
    with psycopg.connect(door.dsn(options="-c deniable.epsilon=0.25"), autocommit=True) as connection:
        yield connection


def psql(door, *commands, name="alice", **more):
    arguments = [part for command in commands for part in ("-c", command)]
    found = subprocess.run(
        [shutil.which("psql") or "psql", "-X", door.dsn(name, **more), *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return found.stdout, found.stderr


@PSQL
def test_every_describing_command_of_psql_is_understood(door):
    commands = [command.replace("_", " ", 1) if "_" in command else command for command in DESCRIBING]
    out, error = psql(door, *commands)
    assert "ERROR" not in error, error
    assert "one of: north, south" in out
    assert "private; protects each patient, who counts as at most 2 rows" in out
    assert "names the protected unit" in out
    assert re.search(r"public \| hospitals \| table", out)
    assert re.search(r"deniable \| budget", out)


@PSQL
def test_psql_shows_an_answer_its_price_and_the_caret_under_a_typo(door):
    out, error = psql(door, "SET deniable.epsilon = 0.25", BY_REGION, "SELECT COUNT(*) FROM visits WHERE agee > 3")
    assert re.search(r"north +\|", out)
    assert "spent ε 0.25" in error or "free: it was asked before" in error
    assert "no column" in error
    assert "LINE 1: SELECT COUNT(*) FROM visits WHERE agee > 3\n" + " " * 42 + "^" in error
    assert "refused (unknown-column); nothing was read or spent" in error


@PSQL
def test_the_caret_is_right_in_a_message_of_several_statements(door):
    _, error = psql(door, "SET deniable.epsilon = 1;\nSELECT COUNT(*) FROM public.visitz")
    line, caret = re.search(r"(LINE 2: .*)\n( *\^)", error).groups()
    assert line[len(caret) - 1 :].startswith("visitz")


@PSQL
def test_psql_copies_and_explains(door):
    out, _ = psql(
        door,
        "SET deniable.epsilon = 0.25",
        rf"\copy ({BY_REGION}) TO STDOUT WITH (FORMAT csv, HEADER)",
        f"EXPLAIN {BY_REGION}",
    )
    assert "region,n\n" in out
    assert re.search(r"^north,-?\d+$", out, re.MULTILINE)
    assert "QUERY PLAN" in out
    assert "price ε 0.25" in out


@pytest.mark.parametrize("binary", [False, True])
def test_psycopg_gets_values_of_the_right_types(client, binary):
    question = (
        "SELECT day, urgent, region, AVG(cost) AS cost, COUNT(*) AS n FROM visits "
        "WHERE day < '2025-01-03' GROUP BY day, urgent, region ORDER BY day, region LIMIT 3"
    )
    with client.cursor(binary=binary) as cursor:
        cursor.execute(question)
        assert [column.type_code for column in cursor.description] == [1082, 16, 25, 701, 20]
        row = cursor.fetchone()
    assert isinstance(row[0], dt.date)
    assert isinstance(row[1], bool)
    assert row[2] in {"north", "south", None}
    assert isinstance(row[4], int)


def test_parameters_are_literals_whatever_is_in_them(client, door):
    hostile = "north' OR 1=1 --"
    for value in ("north", hostile, "\\'; DROP TABLE visits; --", "日本"):
        rows = client.execute("SELECT COUNT(*) AS n FROM visits WHERE region = %s AND age < %s", (value, 50)).fetchall()
        assert len(rows) == 1
    said = [line.question for line in door.do(_custodian(door))]
    assert any("region = 'north'' OR 1=1 --'" in question for question in said)


def _custodian(door):
    async def history():
        session = await door.service.entrance.by_token(door.tokens["carol"], "test")
        return await session.history()

    return history


def test_the_spend_is_the_hints_before_that_which_was_set_before_that_of_the_start(client):
    def price(question):
        return " ".join(row[0] for row in client.execute(f"EXPLAIN {question}").fetchall())

    assert "price ε 0.25" in price(BY_REGION)
    client.execute("SET deniable.rho = 0.1")
    assert "price ρ 0.1" in price(BY_REGION)
    assert "price ε 0.7" in price("SELECT /*+ epsilon=0.7 */ COUNT(*) FROM visits")
    client.execute("RESET ALL")
    assert "price ε 0.25" in price(BY_REGION)
    assert client.execute("SHOW deniable.epsilon").fetchone() == ("0.25",)
    with pytest.raises(psycopg.errors.InvalidParameterValue):
        client.execute("SET deniable.epsilon = -1")
    with pytest.raises(psycopg.errors.UndefinedObject, match=r"deniable\.epsilonn"):
        client.execute("SET deniable.epsilonn = 1")


def test_the_price_of_an_average_has_its_error_for_groups_of_several_sizes(client):
    """Of rows about which nobody has asked anything: else how many to expect can be known from that."""
    question = "SELECT AVG(age) AS a FROM visits WHERE cost < 98.76"
    lines = [row[0] for row in client.execute(f"EXPLAIN {question}").fetchall()]
    assert any("error ±" in line for line in lines), lines
    assert any(line.startswith("error of a in groups of 100, 1,000, 10,000, 100,000 rows: ±") for line in lines), lines


def test_intervals_stand_beside_the_numbers(client):
    client.execute("SET deniable.intervals = on")
    cursor = client.execute(BY_REGION)
    assert [column.name for column in cursor.description] == ["region", "n", "n_low", "n_high"]
    assert all(low < n < high for _, n, low, high in cursor.fetchall())
    client.execute("SET deniable.intervals = off")


def test_a_cursor_is_paid_once_and_fetched_in_pieces(door):
    before = door.spent()
    with psycopg.connect(door.dsn(options="-c deniable.epsilon=0.125")) as connection:
        with connection.cursor("ages") as cursor:
            cursor.itersize = 20
            cursor.execute("SELECT age, COUNT(*) AS n FROM visits GROUP BY age")
            assert len(cursor.fetchmany(7)) == 7
            rest = cursor.fetchall()
        assert len(rest) == 111 + 1 - 7
    assert door.spent() == before + 0.125


@pytest.mark.parametrize("form", ["", "(FORMAT binary)", "(FORMAT csv)"])
def test_psycopg_copies_out(client, form):
    with client.cursor() as cursor, cursor.copy(f"COPY ({BY_REGION}) TO STDOUT {form}") as copy:
        if "binary" in form:
            copy.set_types(["text", "int8"])
            rows = list(copy.rows())
            assert [row[0] for row in rows] == ["north", "south", None]
        else:
            text = b"".join(copy).decode()
            assert text.startswith("north," if "csv" in form else "north\t")


@pytest.mark.parametrize(
    ("statement", "error"),
    [
        ("SELEC 1", "SyntaxError"),
        ("SELECT COUNT(* FROM visits", "SyntaxError"),
        ("SELECT COUNT(*) FROM nowhere", "UndefinedTable"),
        ("SELECT COUNT(*) FROM visits WHERE x = 1", "UndefinedColumn"),
        ("SELECT FOO(age) FROM visits", "UndefinedFunction"),
        ("SELECT age FROM visits", "GroupingError"),
        ("SELECT * FROM visits", "InsufficientPrivilege"),
        ("SELECT SUM(region) FROM visits", "DatatypeMismatch"),
        ("DELETE FROM visits", "ReadOnlySqlTransaction"),
        ("COPY visits TO STDOUT", "InsufficientPrivilege"),
        ("SELECT /*+ epsilon=100000 */ COUNT(*) FROM visits", "ConfigurationLimitExceeded"),
        ("SELECT /*+ epsilon=nan */ COUNT(*) FROM visits", "InvalidParameterValue"),
        ("SELECT pg_sleep(1)", "UndefinedFunction"),
        ("SELECT * FROM read_csv('/etc/passwd')", "UndefinedFunction|FeatureNotSupported|UndefinedTable"),
        ("SELECT * FROM pg_catalog.pg_authid", "UndefinedTable"),
        ("LISTEN x; SELECT 1 FROM pg_stat_nothing", "UndefinedTable"),
    ],
)
def test_refusals_have_the_state_of_their_kind(client, statement, error):
    with pytest.raises(psycopg.Error) as caught:
        client.execute(statement)
    assert re.fullmatch(error, type(caught.value).__name__), repr(caught.value)


def test_asking_again_and_looking_around_cost_nothing(client, door):
    client.execute(BY_REGION).fetchall()
    before = door.spent()
    first = client.execute(BY_REGION).fetchall()
    assert client.execute("select region, count( * ) as n from public.visits group by region").fetchall() == first
    client.execute("SELECT * FROM hospitals").fetchall()
    client.execute("SELECT region, count(*) FROM dummy.visits GROUP BY region").fetchall()
    client.execute("SELECT * FROM deniable.columns").fetchall()
    client.execute("SELECT * FROM information_schema.columns").fetchall()
    client.execute("SELECT * FROM deniable.budget").fetchall()
    assert door.spent() == before


def test_public_tables_and_made_up_ones_are_answered(client):
    assert client.execute("SELECT city FROM hospitals WHERE hospital = 2").fetchall() == [("Basel",)]
    assert client.execute("SELECT count(*) FROM dummy.visits").fetchone() == (100,)
    assert {row[0] for row in client.execute("SELECT DISTINCT region FROM dummy.visits")} == {"north", "south"}


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT DISTINCT region FROM visits",
        'SELECT DISTINCT "region" FROM public.visits ORDER BY region LIMIT 1001',
        "SELECT region FROM visits GROUP BY region",
        "SELECT DISTINCT v.region AS place FROM visits AS v ORDER BY place",
    ],
)
def test_values_that_the_policy_lists_are_free(client, door, statement):
    before = door.spent()
    assert sorted(client.execute(statement).fetchall()) == [("north",), ("south",)]
    assert door.spent() == before


@pytest.mark.parametrize(
    "statement", ["SELECT DISTINCT reason FROM visits", "SELECT DISTINCT region FROM visits WHERE age > 3"]
)
def test_values_that_only_the_data_knows_are_not(client, statement):
    with pytest.raises(psycopg.Error, match="nothing was read or spent"):
        client.execute(statement)


def test_nobody_sees_anothers_history(door, client):
    client.execute(BY_REGION).fetchall()
    mine = client.execute("SELECT DISTINCT analyst FROM deniable.history").fetchall()
    assert mine == [("alice",)]
    with psycopg.connect(door.dsn("bob")) as bob:
        assert bob.execute("SELECT count(*) FROM deniable.history").fetchone() == (0,)
        assert bob.execute("SELECT DISTINCT account FROM deniable.budget").fetchall() == [("analyst:bob",)]
    with psycopg.connect(door.dsn("carol")) as carol:
        accounts = {row[0] for row in carol.execute("SELECT account FROM deniable.budget")}
        assert accounts == {"population", "analyst:alice", "analyst:bob"}
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            carol.execute("SELECT /*+ epsilon=1 */ COUNT(*) FROM visits")


def test_transactions_are_states_and_nothing_more(door):
    with psycopg.connect(door.dsn(options="-c deniable.epsilon=0.25")) as connection:
        connection.execute("SAVEPOINT a")
        with pytest.raises(psycopg.errors.UndefinedTable):
            connection.execute("SELECT COUNT(*) FROM nowhere")
        with pytest.raises(psycopg.errors.InFailedSqlTransaction):
            connection.execute("SELECT 1")
        connection.execute("ROLLBACK TO a")
        assert connection.execute("SELECT 1").fetchone() == (1,)
        connection.rollback()


def test_asyncpg_prepares_binds_and_resets(door):
    async def play():
        connection = await asyncpg.connect(
            host="127.0.0.1", port=door.port, user="alice", password=door.tokens["alice"], database="clinic", ssl=False
        )
        await connection.execute("SET deniable.epsilon = 0.25")
        statement = await connection.prepare(
            "SELECT region, COUNT(*) AS n FROM visits WHERE age BETWEEN $1 AND $2 AND region = $3 AND urgent = $4 "
            "GROUP BY region LIMIT $5"
        )
        kinds = [one.name for one in statement.get_parameters()]
        columns = [(one.name, one.type.name) for one in statement.get_attributes()]
        rows = await statement.fetch(*(20, 60, "north", True, 2))
        day = await connection.fetchval("SELECT COUNT(*) FROM visits WHERE day >= $1", dt.date(2025, 3, 1))
        async with connection.transaction():
            pieces = [row async for row in connection.cursor("SELECT age, COUNT(*) AS n FROM visits GROUP BY age")]
        await connection.reset()
        await connection.close()
        return kinds, columns, rows, day, pieces

    kinds, columns, rows, day, pieces = asyncio.run(play())
    assert kinds == ["int8", "int8", "text", "bool", "int8"]
    assert columns == [("region", "text"), ("n", "int8")]
    assert rows[0][0] == "north"
    assert isinstance(day, int)
    assert len(pieces) == 112


def test_parse_and_describe_never_charge(door):
    async def play():
        connection = await asyncpg.connect(
            host="127.0.0.1", port=door.port, user="bob", password=door.tokens["bob"], database="clinic", ssl=False
        )
        await connection.prepare("SELECT urgent, COUNT(*) AS n FROM visits GROUP BY urgent")
        await connection.close()

    before = door.spent()
    asyncio.run(play())
    assert door.spent() == before


def test_pg8000_asks(door):
    connection = pg8000.connect(
        user="alice", password=door.tokens["alice"], host="127.0.0.1", port=door.port, database="clinic"
    )
    cursor = connection.cursor()
    cursor.execute("SET deniable.epsilon = 0.25")
    cursor.execute("SELECT COUNT(*) AS n FROM visits WHERE region = %s AND age > %s", ("north", 30))
    (row,) = cursor.fetchall()
    assert isinstance(row[0], int)
    connection.close()


def test_sqlalchemy_reflects_and_pandas_and_polars_read(door):
    url = f"postgresql+psycopg://alice:{door.tokens['alice']}@127.0.0.1:{door.port}/clinic"
    engine = sqlalchemy.create_engine(url, connect_args={"options": "-c deniable.epsilon=0.25", "sslmode": "disable"})
    inspector = sqlalchemy.inspect(engine)
    assert inspector.get_table_names() == ["hospitals", "visits"]
    assert set(inspector.get_schema_names()) >= {"public", "deniable", "dummy", "information_schema"}
    assert sorted(inspector.get_view_names("deniable")) == ["budget", "columns", "history"]
    found = {column["name"]: column for column in inspector.get_columns("visits")}
    assert list(found) == ["patient", "age", "cost", "region", "reason", "day", "urgent"]
    assert isinstance(found["day"]["type"], sqlalchemy.Date)
    assert found["region"]["comment"] == "one of: north, south"
    assert inspector.get_pk_constraint("visits")["constrained_columns"] == []
    assert inspector.get_foreign_keys("visits") == []
    assert inspector.get_indexes("visits") == []
    assert inspector.get_table_comment("visits")["text"].startswith("private")
    visits = sqlalchemy.Table("visits", sqlalchemy.MetaData(), autoload_with=engine)
    question = sqlalchemy.select(visits.c.region, sqlalchemy.func.count().label("n")).group_by(visits.c.region)
    with engine.connect() as connection:
        frame = pd.read_sql(question, connection)
        other = pl.read_database(BY_REGION, connection)
    assert list(frame.columns) == ["region", "n"]
    assert frame["n"].to_list() == other["n"].to_list()
    engine.dispose()


@pytest.mark.parametrize("binary", [False, True])
def test_statements_around_questions_have_the_types_that_were_described(client, binary):
    wrapped = f"SELECT q.region, q.n, q.n / 3.0 AS third, q.n > 5 AS many FROM ({BY_REGION}) AS q ORDER BY 1 LIMIT %s"
    with client.cursor(binary=binary) as cursor:
        cursor.execute(wrapped, [1001], prepare=True)
        kinds = [column.type_code for column in cursor.description]
        rows = cursor.fetchall()
    assert kinds == [25, 20, 701, 16]
    assert [(type(n), type(third), type(many)) for _, n, third, many in rows] == [(int, float, bool)] * len(rows)
    assert [region for region, *_ in rows] == ["north", "south", None]


def test_tools_that_wrap_a_question_and_unite_others(client):
    wrapped = f"SELECT * FROM ({BY_REGION}) AS virtual_table LIMIT 1001"
    united = "SELECT 'urgent' AS k, COUNT(*) AS n FROM visits WHERE urgent UNION ALL SELECT 'all', COUNT(*) FROM visits"
    assert len(client.execute(wrapped).fetchall()) == 3
    assert [row[0] for row in client.execute(united).fetchall()] == ["urgent", "all"]
