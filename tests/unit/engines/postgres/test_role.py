"""The role that asks may read what the policy names; whatever else it may do is said."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pyarrow as pa
import pytest

from deniable.engines.postgres.engine import PostgreSQL
from deniable.engines.postgres.schema import Place
from tests.support.moved import filled
from tests.support.postgres import Server
from tests.unit.engines.people import PEOPLE, count

USER = 'the "curator"'


@pytest.fixture
def asked(postgres: Server, database: str) -> Iterator[tuple[PostgreSQL, str]]:
    """An engine whose role is made by its own script, beside a table that is none of its business."""
    place = filled(database, "people", pa.table(PEOPLE))
    filled(database, "secrets", pa.table(PEOPLE))
    name = database.rpartition("/")[2]
    engine = PostgreSQL(postgres.of(name, "the%20%22curator%22"), {"people": place})
    run(database, engine.role())
    yield engine, database
    run(database, f"DROP OWNED BY {quoted()}")
    postgres.run(f"DROP ROLE {quoted()}")


def quoted() -> str:
    return '"' + USER.replace('"', '""') + '"'


def run(url: str, script: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(script.encode())


def test_the_script_makes_a_role_that_can_ask_and_has_no_other_rights(asked: tuple[PostgreSQL, str]) -> None:
    engine, _ = asked
    assert engine.weaknesses() == []
    assert engine.run(count()).to_pylist() == [{"n": 5}]


@pytest.mark.parametrize(
    "forbidden",
    [
        "SELECT count(*) AS n FROM public.secrets",
        "SELECT count(*) AS n FROM pg_catalog.pg_authid",
        "SELECT pg_read_file('/etc/passwd') AS n",
        "SELECT lo_import('/etc/passwd') AS n",
    ],
)
def test_its_rights_are_the_wall(asked: tuple[PostgreSQL, str], forbidden: str) -> None:
    engine, _ = asked
    with pytest.raises(Exception, match="InsufficientPrivilege"):
        engine.fetch(forbidden)


@pytest.mark.parametrize(
    ("grant", "words"),
    [
        ("ALTER ROLE {} SUPERUSER", "is a superuser"),
        ("ALTER ROLE {} CREATEDB", "may create databases"),
        ("ALTER ROLE {} CREATEROLE", "may create roles"),
        ("ALTER ROLE {} BYPASSRLS", "passes over row security"),
        ("GRANT TEMPORARY ON DATABASE {database} TO {}", "temporary tables"),
        ("GRANT CREATE ON DATABASE {database} TO {}", "may create schemas"),
        ("GRANT CREATE ON SCHEMA public TO {}", "may create tables"),
        ("GRANT pg_read_all_data TO {}", "member of another role"),
        ("GRANT SELECT ON secrets TO {}", "may read public.secrets"),
        ("GRANT SELECT (age) ON secrets TO {}", "may read public.secrets"),
        ("GRANT UPDATE (age) ON people TO {}", "may change public.people"),
        ("GRANT DELETE ON people TO {}", "may change public.people"),
        ("ALTER TABLE people OWNER TO {}", "owns public.people"),
        ("REVOKE SELECT ON people FROM {}", "may not read public.people"),
    ],
)
def test_every_right_too_many_is_found(asked: tuple[PostgreSQL, str], grant: str, words: str) -> None:
    engine, database = asked
    run(database, grant.format(quoted(), database=database.rpartition("/")[2]))
    found = engine.weaknesses()
    if "OWNER" in grant:
        run(database, "ALTER TABLE people OWNER TO postgres")
    assert any(words in problem for problem in found), found


def test_a_superuser_is_told(database: str) -> None:
    filled(database, "people", pa.table(PEOPLE))
    assert any("superuser" in one for one in PostgreSQL(database, {"people": Place("public", "people")}).weaknesses())
