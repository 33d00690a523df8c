"""The role that asks: what it may do, as SQL for the custodian, and whether that is all that it may do."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from deniable.engines.postgres.schema import Place, Rows

_SCRIPT = Path(__file__).with_name("role.sql")

_ROLE = """
SELECT rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls FROM pg_roles WHERE rolname = current_user"""
_POWERS = (
    "is a superuser",
    "may create databases",
    "may create roles",
    "may replicate",
    "passes over row security",
)
_CHECKS = {
    "may create temporary tables: REVOKE TEMPORARY ON DATABASE": (
        "SELECT current_database() WHERE has_database_privilege(current_database(), 'TEMPORARY')"
    ),
    "may create schemas: REVOKE CREATE ON DATABASE": (
        "SELECT current_database() WHERE has_database_privilege(current_database(), 'CREATE')"
    ),
    "may create tables in a schema: REVOKE CREATE ON SCHEMA": (
        "SELECT nspname FROM pg_namespace WHERE has_schema_privilege(oid, 'CREATE')"
    ),
    "is a member of another role": (
        "SELECT rolname FROM pg_roles WHERE rolname <> current_user AND pg_has_role(current_user, oid, 'MEMBER')"
    ),
}
_TABLES = """
SELECT n.nspname, c.relname, pg_get_userbyid(c.relowner) = current_user,
  has_table_privilege(c.oid, 'SELECT') OR has_any_column_privilege(c.oid, 'SELECT'),
  has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
  OR has_any_column_privilege(c.oid, 'INSERT, UPDATE, REFERENCES')
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'v', 'm', 'f', 'p') AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
AND n.nspname NOT LIKE 'pg_temp%%' AND n.nspname NOT LIKE 'pg_toast_temp%%' ORDER BY 1, 2"""
_NEEDS = {
    "the database is not in UTF-8": "SELECT 1 WHERE current_setting('server_encoding') <> 'UTF8'",
    "the collation C.utf8 is missing, so LOWER and UPPER cannot be computed": (
        "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM pg_collation WHERE collname = 'C.utf8')"
    ),
    "the server is older than PostgreSQL 14": "SELECT 1 WHERE current_setting('server_version_num')::int < 140000",
}


def script(user: str, database: str, places: Sequence[Place]) -> str:
    """The statements that make the role, for a superuser to read and to run."""
    names = {f"@{key}@": value for key, value in (("role", _quoted(user)), ("database", _quoted(database)))}
    schemas = sorted({_quoted(place.schema) for place in places})
    text = _SCRIPT.read_text()
    for name, value in names.items():
        text = text.replace(name, value)
    grants = [f"GRANT USAGE ON SCHEMA {schema} TO {_quoted(user)};" for schema in schemas]
    grants += [f"GRANT SELECT ON {place.spelled} TO {_quoted(user)};" for place in places]
    return text.replace("@grants@", "\n".join(grants))


def problems(rows: Rows, places: Sequence[Place]) -> list[str]:
    """Everything that the role may do beyond reading these tables, in words; nothing if that is all."""
    powers = rows(_ROLE)[0]
    found = [f"the database's user {words}" for words, has in zip(_POWERS, powers, strict=True) if has]
    for words, question in _CHECKS.items():
        names = [str(name) for (name,) in rows(question)]
        if names and not powers[0]:
            found.append(f"the database's user {words} ({', '.join(names[:5])})")
    listed = {(place.schema, place.name) for place in places}
    for schema, name, owns, reads, writes in [] if powers[0] else rows(_TABLES):
        there = f"{schema}.{name}"
        if owns:
            found.append(f"the database's user owns {there}, and can change it")
        elif writes:
            found.append(f"the database's user may change {there}: REVOKE ALL, then GRANT SELECT")
        if reads and (schema, name) not in listed:
            found.append(f"the database's user may read {there}, which the policy does not name")
        if not reads and (schema, name) in listed:
            found.append(f"the database's user may not read {there}: GRANT SELECT")
    return found + [words for words, question in _NEEDS.items() if rows(question)]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
