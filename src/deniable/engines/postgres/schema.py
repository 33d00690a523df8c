"""What PostgreSQL says of a table: its columns, whether an index finds a unit's rows, what changes with its data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Rows = Callable[..., list[tuple[object, ...]]]
"""Asks a question about the catalogue, with values for each %s."""


@dataclass(frozen=True, slots=True)
class Place:
    """A table or a view, and how its custodian tells its states apart, if PostgreSQL should not be asked."""

    schema: str
    name: str
    version_query: str | None = None

    @property
    def spelled(self) -> str:
        """For a statement."""
        return ".".join('"' + part.replace('"', '""') + '"' for part in (self.schema, self.name))


_COLUMNS = """
WITH RECURSIVE bare AS (
  SELECT a.attnum, a.attname, t.oid, t.typtype, t.typbasetype FROM pg_attribute a
  JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_type t ON t.oid = a.atttypid
  WHERE n.nspname = %s AND c.relname = %s AND a.attnum > 0 AND NOT a.attisdropped
  UNION ALL
  SELECT b.attnum, b.attname, t.oid, t.typtype, t.typbasetype FROM bare b
  JOIN pg_type t ON t.oid = b.typbasetype WHERE b.typtype = 'd')
SELECT attname, CASE WHEN typtype = 'e' THEN 'enum' ELSE format_type(oid, NULL) END
FROM bare WHERE typtype <> 'd' ORDER BY attnum"""
"""Each with the type that it is made of, where it has one of the custodian's own."""

_INDEXED = """
SELECT count(*) > 0 FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
WHERE n.nspname = %s AND c.relname = %s AND a.attname = %s AND i.indisvalid AND i.indpred IS NULL"""

_KIND = """
SELECT c.relkind::text, c.oid::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = %s AND c.relname = %s"""

_UNSTEADY = """
WITH RECURSIVE made_of AS (
  SELECT c.oid, c.relkind FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = %s AND c.relname = %s
  UNION
  SELECT c.oid, c.relkind FROM made_of m JOIN pg_rewrite r ON r.ev_class = m.oid
  JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid AND d.refclassid = 'pg_class'::regclass
  JOIN pg_class c ON c.oid = d.refobjid WHERE m.relkind = 'v'),
parts AS (
  SELECT oid, relkind FROM made_of
  UNION
  SELECT c.oid, c.relkind FROM parts p JOIN pg_inherits i ON i.inhparent = p.oid JOIN pg_class c ON c.oid = i.inhrelid),
words AS (
  SELECT lower(coalesce(found[1], found[2])) AS word
  FROM (SELECT oid FROM made_of WHERE relkind = 'v') AS v,
  regexp_matches(pg_get_viewdef(oid), '([A-Za-z0-9_]+)"? *[(]|(tablesample)', 'gi') AS found)
SELECT word FROM words WHERE word = 'tablesample'
OR EXISTS (SELECT 1 FROM pg_proc p WHERE lower(p.proname) = word AND p.provolatile = 'v')
UNION ALL
SELECT w.fdwname::text FROM parts JOIN pg_foreign_table f ON f.ftrelid = parts.oid
JOIN pg_foreign_server s ON s.oid = f.ftserver JOIN pg_foreign_data_wrapper w ON w.oid = s.srvfdw
LEFT JOIN pg_proc p ON p.oid = w.fdwhandler WHERE p.proname IS DISTINCT FROM 'postgres_fdw_handler'
ORDER BY word LIMIT 1"""
"""What is called in a view, or in views that it is made of, and gives something else at every call; and whose foreign
tables are read, there or as partitions, if not another PostgreSQL's, which shows one snapshot to a transaction."""

_MOMENT = "SELECT pg_current_snapshot()::text || ' ' || pg_postmaster_start_time()::text || ' ' || current_database()"

_WRITTEN = "SELECT count(*)::text || ' ' || COALESCE(sum(hashint8extended(xmin::text::bigint, 0)), 0)::text FROM {}"
_WHOLE = "SELECT count(*)::text || ' ' || COALESCE(sum(hashtextextended(r::text, 0)), 0)::text FROM {} AS r"

_NAMES = {"timestamp without time zone": "timestamp", "time without time zone": "time"}


def columns(rows: Rows, place: Place) -> dict[str, str]:
    """The columns, in order, and the names of their types, without lengths."""
    return {str(name): _NAMES.get(str(kind), str(kind)) for name, kind in rows(_COLUMNS, place.schema, place.name)}


def indexed(rows: Rows, place: Place, column: str) -> bool:
    """Whether an index begins with the column."""
    return bool(rows(_INDEXED, place.schema, place.name, column)[0][0])


def unsteady(rows: Rows, place: Place) -> str:
    """What makes rows others at every look; nothing of a table, and of most views.

    A statement reads rows twice: it counts those of each unit, and then adds them up. Rows that differ in between would
    weigh what others should.
    """
    found = rows(_UNSTEADY, place.schema, place.name)
    return str(found[0][0]) if found else ""


def moment(rows: Rows) -> str:
    """Which transactions are seen: while it is the same, so is everything. Numbers of 64 bits, which never repeat."""
    return str(rows(_MOMENT)[0][0])


def state(rows: Rows, place: Place) -> str:
    """What changes when the data do, in the snapshot that the questions read.

    By the custodian's own query; else of a table, by which transactions wrote the rows that there are: all of them, and
    not the last alone, because one that began earlier may end later. Numbers of transactions come again after four
    billion: a table whose rows were all replaced in between, by exactly such ones, would be taken for the same, and
    answered from the record, which is stale and tells nobody more. A view has no such numbers: its rows are hashed.
    """
    if place.version_query is not None:
        return repr(rows(place.version_query))
    kind, number = rows(_KIND, place.schema, place.name)[0]
    question = _WRITTEN if kind in ("r", "m", "p") else _WHOLE
    return f"{number} {rows(question.format(place.spelled))[0][0]}"
