"""Clients from elsewhere: JDBC, ODBC and pgcli. Each is skipped, and says why, where it is not installed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from tests.support.doors import postgres

BY_REGION = "SELECT region, COUNT(*) AS n FROM visits GROUP BY region"
SOURCE = Path(__file__).parents[3] / "support" / "clients" / "Jdbc.java"
DRIVER = Path("/usr/share/java/postgresql.jar")
ODBC = "PostgreSQL Unicode"


@pytest.fixture(scope="module")
def door(tmp_path_factory):
    with postgres(tmp_path_factory.mktemp("clinic")) as opened:
        yield opened


@pytest.fixture(scope="module")
def java(door):
    """What a program in Java has seen."""
    if (found := shutil.which("java")) is None or shutil.which("javac") is None:
        pytest.skip("java is not installed (apt: default-jdk-headless)")
    if not DRIVER.exists():
        pytest.skip("the JDBC driver is not installed (apt: libpostgresql-jdbc-java)")
    address = f"jdbc:postgresql://127.0.0.1:{door.port}/clinic"
    command = [found, "-cp", str(DRIVER), str(SOURCE), address, "alice", door.tokens["alice"]]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=180)
    assert ran.returncode == 0, ran.stderr
    seen = {}
    for line in ran.stdout.splitlines():
        name, _, value = line.partition(": ")
        seen.setdefault(name, []).append(value)
    return seen


def test_jdbc_finds_what_the_policy_says(java):
    assert java["product"] == ["PostgreSQL"]
    assert java["table"] == ["hospitals", "visits"]
    assert java["column"] == [
        *("patient int8", "age int8", "cost float8", "region text", "reason text", "day date", "urgent bool"),
    ]
    assert (java["keys"], java["indexes"], java["types"], java["functions"]) == (["none"], ["none"], ["some"], ["none"])
    assert {"public", "deniable", "dummy"} <= set(java["schema"])


def test_jdbc_prepares_in_text_and_binary_and_pays_once(java):
    assert java["kind"] == ["int8"]
    assert java["answer"] == ["north true"] * 4
    assert java["notice"][0].startswith("spent ε 0.25")
    assert all(said.startswith("free: it was asked before") for said in java["notice"][1:])


def test_jdbc_fetches_in_pieces_is_refused_and_cancels(java):
    assert java["rows"] == ["112"]
    assert java["refused"] == ["42501"]
    assert java["cancelled"] == ["57014"]
    assert java["after"] == ["1"]


@pytest.fixture
def odbc(door):
    pyodbc = pytest.importorskip("pyodbc", reason="unixODBC is not installed (apt: unixodbc)", exc_type=ImportError)
    if ODBC not in pyodbc.drivers():
        pytest.skip("the ODBC driver is not installed (apt: odbc-postgresql)")
    said = f"DRIVER={{{ODBC}}};SERVER=127.0.0.1;PORT={door.port};DATABASE=clinic;UID=alice;SSLmode=disable"
    connection = pyodbc.connect(f"{said};PWD={door.tokens['alice']}", timeout=30)
    yield connection
    connection.close()


def test_odbc_looks_around_and_asks(odbc):
    cursor = odbc.cursor()
    assert [row.table_name for row in cursor.tables(schema="public")] == ["hospitals", "visits"]
    columns = [(row.column_name, row.type_name) for row in cursor.columns(table="visits", schema="public")]
    assert columns[:3] == [("patient", "int8"), ("age", "int8"), ("cost", "float8")]
    cursor.execute("SET deniable.epsilon = 0.25")
    rows = cursor.execute(BY_REGION).fetchall()
    assert [row.region for row in rows] == ["north", "south", None]
    assert all(isinstance(row.n, int) for row in rows)
    again = cursor.execute("SELECT COUNT(*) AS n FROM visits WHERE region = ? AND age > ?", "north", 30).fetchone()
    assert isinstance(again.n, int)


def test_odbc_is_refused_and_goes_on(odbc):
    import pyodbc  # noqa: PLC0415 - it may not be there

    cursor = odbc.cursor()
    with pytest.raises(pyodbc.Error) as caught:
        cursor.execute("SELECT * FROM visits")
    assert caught.value.args[0] == "42501"
    odbc.rollback()
    assert cursor.execute("SELECT 1").fetchone()[0] == 1


def test_pgcli_completes_describes_and_asks(door, tmp_path):
    pytest.importorskip("pgcli", reason="pgcli is not installed")
    script = f"SET deniable.epsilon = 0.25;\n{BY_REGION};\n\\d visits\n\\dt\n\\l\n\\dn\nSELECT * FROM visits;\n\\q\n"
    settings = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), "TERM": "dumb", "PAGER": "cat"}
    ran = subprocess.run(
        [sys.executable, "-m", "pgcli.main", "--less-chatty", door.dsn().replace("'", "")],
        input=script,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, **settings},
    )
    said = ran.stdout + ran.stderr
    assert "north" in said, said
    assert "patient" in said
    assert "hospitals" in said
    assert "refused (rows); nothing was read or spent" in said


def test_pgcli_reads_the_names_that_it_completes(door):
    pgexecute = pytest.importorskip("pgcli.pgexecute", reason="pgcli is not installed")
    client = pgexecute.PGExecute(
        database="clinic", user="alice", password=door.tokens["alice"], host="127.0.0.1", port=door.port
    )
    assert set(client.schemata()) >= {"public", "dummy", "deniable"}
    assert ("public", "visits") in list(client.tables())
    assert ("public", "visits", "region") in [column[:3] for column in client.table_columns()]
    assert list(client.foreignkeys()) == []
    assert list(client.datatypes()) == []
    assert list(client.databases()) == ["clinic"]
    assert list(client.functions()) == []
    client.conn.close()


ROLES = """
SELECT r.rolname, 'pg_signal_backend' = ANY(ARRAY(WITH RECURSIVE up AS (
    SELECT x.oid, x.rolname FROM pg_catalog.pg_roles x WHERE x.oid = r.oid UNION ALL
    SELECT m.roleid, y.rolname FROM up JOIN pg_catalog.pg_auth_members m ON m.member = up.oid
    JOIN pg_catalog.pg_roles y ON y.oid = m.roleid) SELECT rolname FROM up)) AS signals
FROM pg_catalog.pg_roles r WHERE r.rolname = current_user
"""
SETTINGS = "SELECT set_config('bytea_output', 'hex', false) FROM pg_show_all_settings() WHERE name = 'client_encoding'"
PGADMIN = [
    f"SET DateStyle=ISO; {SETTINGS}; SET client_encoding='UTF8'",
    "SELECT encrypted FROM pg_catalog.pg_stat_gssapi WHERE pid = pg_backend_pid()",
    "SELECT CASE WHEN (SELECT COUNT(*) FROM pg_catalog.pg_replication_slots) > 0 THEN 'log' ELSE NULL END AS type",
    ROLES,
]
"""Of the kind that pgAdmin 9 says when it connects; without any of them it gives up."""
OPTION = "substring(pg_catalog.array_to_string(rel.reloptions, ',') FROM 'fillfactor=([0-9]*)') AS fill"
LABELS = "(SELECT array_agg(provider) FROM pg_catalog.pg_seclabels s WHERE s.objoid = rel.oid) AS labels"
PROPERTIES = f"SELECT {OPTION}, {LABELS} FROM pg_catalog.pg_class rel WHERE relname = 'visits' AND relkind = 'r'"
"""Of the kind that it says of a table."""


def test_pgadmin_finds_what_it_asks_for_when_it_connects(door) -> None:
    with psycopg.connect(door.dsn(), autocommit=True) as connection:
        for statement in PGADMIN:
            found = connection.execute(statement)
        assert found.fetchall() == [("alice", False)]
        assert connection.execute(PROPERTIES).fetchall() == [(None, None)] * 2
        part = "SELECT substring('fillfactor=70' FROM 'r=([0-9]*)'), substring('abc' FROM 'b.')"
        assert connection.execute(part).fetchall() == [("70", "bc")]
        shown = connection.execute("SELECT datname FROM pg_catalog.pg_database WHERE oid > 16383::OID")
        assert shown.fetchall() == [("clinic",)]
        assert connection.execute("SELECT 1 WHERE 2 = ANY(ARRAY(SELECT 2))").fetchall() == [(1,)]
