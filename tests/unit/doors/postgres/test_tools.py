"""What BI tools, editors and drivers ask of the catalogue when they look around, in their own words."""

import datetime as dt
from dataclasses import replace

import psycopg
import pytest

from deniable.policy import Policy
from tests.support.doors import postgres
from tests.support.served import declared


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with postgres(tmp_path_factory.mktemp("clinic"), pace=None) as door, psycopg.connect(door.dsn()) as connection:
        connection.autocommit = True
        yield connection


@pytest.mark.parametrize(
    ("statement", "row"),
    [
        pytest.param(
            'SELECT "c"."column_name", COL_DESCRIPTION(CAST(CAST(FORMAT(\'%I.%I\', CAST("c"."table_schema" AS TEXT), '
            'CAST("c"."table_name" AS TEXT)) AS REGCLASS) AS OID), "c"."ordinal_position") FROM '
            "information_schema.columns AS c WHERE c.table_name = 'visits' AND c.table_schema = 'public' AND "
            "c.table_schema !~ '^information_schema|catalog_history|pg_' AND c.column_name = 'region'",
            ("region", "one of: north, south"),
            id="Metabase reads columns and comments",
        ),
        pytest.param(
            "SELECT NULL AS role, t.schemaname AS schema, t.tablename AS table, "
            "has_any_column_privilege(current_user, '\"' || t.schemaname || '\".x', 'select') AS select, "
            "has_any_column_privilege(current_user, '\"' || t.schemaname || '\".x', 'update') AS update "
            "FROM pg_tables t WHERE t.tablename = 'hospitals'",
            (None, "public", "hospitals", True, False),
            id="Metabase asks what may be read",
        ),
        pytest.param(
            "SELECT T.relname, T.xmin = 1, A.xmin = 1 FROM pg_class T JOIN pg_attribute A ON A.attrelid = T.oid "
            "WHERE T.relnamespace = 2200::oid AND A.attname = 'region'",
            ("visits", True, True),
            id="DataGrip asks for states of rows",
        ),
        pytest.param(
            "SELECT count(*) > 5 FROM information_schema.tables WHERE quote_ident(table_schema) IN (SELECT CASE WHEN "
            "trim(s[i]) = '\"$user\"' THEN user ELSE trim(s[i]) END FROM generate_series(array_lower(string_to_array("
            "'public,dummy,deniable',','),1), array_upper(string_to_array('public,dummy,deniable',','),1)) AS i, "
            "string_to_array('public,dummy,deniable',',') s)",
            (True,),
            id="Grafana takes the path apart",
        ),
        pytest.param("SELECT (parse_ident('\"A b\".c'))[1]", ("A b",), id="Grafana takes a name apart"),
        pytest.param(
            "SELECT oid::int, typreceive FROM pg_type WHERE (typreceive != 0 OR typsend != 0) AND typtype != 'r' AND "
            "typreceive::TEXT != 'array_recv' AND typname = 'int8'",
            (20, "int8recv"),
            id="ADBC reads types",
        ),
        pytest.param(
            "SELECT nspname FROM pg_namespace WHERE nspname = ANY ('{public}'::text[])", ("public",), id="Prisma"
        ),
        pytest.param(
            "SELECT word FROM pg_get_keywords() WHERE word <> ALL ('{all,select}'::text[]) ORDER BY 1 LIMIT 1",
            ("analyse",),
            id="JDBC asks for words",
        ),
        pytest.param("SELECT $1::int+$2::int,$3||'$1,$2'", (3, "a$1,$2"), id="parameters without spaces between"),
        pytest.param("SELECT '{1,2}'::oid[], '{a,b}'::text[]", ([1, 2], ["a", "b"]), id="arrays as texts"),
        pytest.param(
            "SELECT 1 AS n UNION ALL SELECT NULL ORDER BY 1 LIMIT 1", (1,), id="NULL is what stands beside it"
        ),
    ],
)
def test_a_tool_that_looks_around_finds_what_it_asks_for(client, statement, row):
    values = ("1", "2", "a") if "$3" in statement else None
    assert psycopg.RawCursor(client).execute(statement, values).fetchall() == [row]


def test_the_clock_can_be_read(client):
    before = dt.datetime.now(dt.UTC).replace(tzinfo=None)
    ((now, again, today),) = client.execute("SELECT now(), current_timestamp, current_date").fetchall()
    assert before <= now == again <= dt.datetime.now(dt.UTC).replace(tzinfo=None)
    assert today == now.date()


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT interval '1 month'",
        "SELECT to_timestamp(0)",
        "SELECT age(DATE '2020-01-01')",
        "SELECT format('%1$s', 'a')",
        "SELECT set_config('deniable.epsilon', '0.5', false)",
        "SELECT set_config('search_path', 'dummy', false)",
    ],
)
def test_what_would_be_answered_wrongly_is_refused(client, statement):
    with pytest.raises(psycopg.errors.FeatureNotSupported):
        client.execute(statement)


@pytest.mark.parametrize("name", ["TimeZone", "deniable.epsilon"])
def test_settings_are_listed_by_their_names(client, name):
    ((found, context),) = client.execute("SELECT name, context FROM pg_settings WHERE name = %s", [name]).fetchall()
    assert (found, context) == (name, "user")


def test_what_a_custodian_changes_is_seen_on_connections_that_are_open(tmp_path):
    says = "SELECT says FROM deniable.columns WHERE column_name = 'age'"
    with postgres(tmp_path, pace=None) as door, psycopg.connect(door.dsn()) as connection:
        assert connection.execute(says).fetchone() == ("from 0 to 110",)
        changed = declared()
        changed["tables"]["visits"]["columns"]["age"]["bounds"] = [0, 17]
        policy = Policy.from_mapping(changed, origin="clinic.toml", folder=tmp_path)
        population = door.service.populations["clinic"]
        population.curator = replace(population.curator, policy=policy)
        assert connection.execute(says).fetchone() == ("from 0 to 17",)
        assert connection.execute("SELECT max(age) <= 17 FROM dummy.visits").fetchone() == (True,)
        assert connection.execute("SELECT col_description('visits'::regclass, 2)").fetchone() == ("from 0 to 17",)
