"""One transaction: it reads, and its rows become columns of the right types, whatever is in them."""

from __future__ import annotations

import datetime as dt
from contextlib import closing

import pyarrow as pa
import pytest

from deniable.engines.engine import Broken
from deniable.engines.postgres.snapshot import Snapshot

ODD = """
SELECT * FROM (VALUES
  (1::bigint, 0.5::float8, ''::text, true, DATE '0001-01-01', TIMESTAMP '9999-12-31 23:59:59.999999', TIME '00:00:01'),
  (NULL, 'Infinity', NULL, NULL, NULL, NULL, NULL),
  (-9223372036854775808, '-Infinity', E'a "quoted", \\n line\\r\\\\.', false, DATE '2024-02-29',
  TIMESTAMP '0001-01-01', TIME '12:00')
) AS v (i, x, t, b, d, m, c)"""


@pytest.fixture
def session(database: str):
    with closing(Snapshot.opened(database, None, 20)) as opened:
        yield opened


def test_rows_become_columns(session: Snapshot) -> None:
    table = session.fetch(ODD)
    assert table.schema == pa.schema(
        {
            "i": pa.int64(),
            "x": pa.float64(),
            "t": pa.string(),
            "b": pa.bool_(),
            "d": pa.date32(),
            "m": pa.timestamp("us"),
            "c": pa.time64("us"),
        }
    )
    first, second, third = table.to_pylist()
    assert first["t"] == ""
    assert second == dict.fromkeys("itbdmc") | {"x": float("inf")}
    assert third["t"] == 'a "quoted", \n line\r\\.'
    assert (third["i"], third["b"], third["c"]) == (-(2**63), False, dt.time(12))
    assert (first["d"], first["m"]) == (dt.date(1, 1, 1), dt.datetime(9999, 12, 31, 23, 59, 59, 999999))


def test_one_column_of_nothing_and_no_rows(session: Snapshot) -> None:
    assert session.fetch("SELECT NULL::bigint AS n UNION ALL SELECT 1").to_pylist() == [{"n": None}, {"n": 1}]
    assert session.fetch("SELECT NULL::text AS n UNION ALL SELECT ''").to_pylist() == [{"n": None}, {"n": ""}]
    assert session.fetch("SELECT 1::bigint AS n WHERE false").to_pylist() == []


def test_a_snapshot_only_reads(session: Snapshot) -> None:
    with pytest.raises(Broken, match="ReadOnlySqlTransaction"):
        session.rows("CREATE TABLE public.x (a int)")


def test_only_postgresqls_own_functions_are_found(session: Snapshot) -> None:
    assert session.rows("SHOW search_path") == [("pg_catalog",)]


def test_a_password_is_in_no_message(database: str) -> None:
    with pytest.raises(Broken) as broken:
        Snapshot.opened(database.replace("postgres@", "nobody@"), "hunter2", 5)
    assert "hunter2" not in str(broken.value)
    assert broken.value.__cause__ is None
