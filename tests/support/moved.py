"""Files as tables of a PostgreSQL database: the same policy, the same rows, another engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from itertools import count

import duckdb
import psycopg
import pyarrow as pa
import pytest
from pyarrow import csv

from deniable.engines.duckdb import engine as duckdb_engine
from deniable.engines.duckdb.engine import DuckDB
from deniable.engines.postgres.engine import PostgreSQL
from deniable.engines.postgres.schema import Place
from deniable.files.fingerprint import Contents
from deniable.files.scan import HERE, reading
from deniable.files.source import DataFile
from deniable.policy import Policy

_number = count()
_TYPES = {
    pa.int8(): "smallint",
    pa.int16(): "smallint",
    pa.int32(): "integer",
    pa.int64(): "bigint",
    pa.float32(): "real",
    pa.float64(): "double precision",
    pa.bool_(): "boolean",
    pa.date32(): "date",
    pa.timestamp("us"): "timestamp",
    pa.time64("us"): "time",
}


def filled(url: str, name: str, table: pa.Table, schema: str = "public") -> Place:
    """The rows as a new table of the database. A text with a zero byte has none there."""
    place = Place(schema, name)
    columns = ", ".join(f'"{field.name}" {_TYPES.get(field.type, _decimal(field.type))}' for field in table.schema)
    data = BytesIO()
    csv.write_csv(_written(table), data, csv.WriteOptions(include_header=False))
    with psycopg.connect(url, autocommit=True) as connection, connection.cursor() as cursor:
        cursor.execute(f"DROP TABLE IF EXISTS {place.spelled}")
        cursor.execute(f"CREATE TABLE {place.spelled} ({columns})")
        if table.num_rows:
            with cursor.copy(f"COPY {place.spelled} FROM STDIN (FORMAT csv)") as rows:
                rows.write(data.getvalue().replace(b"\x00", b""))
    return place


def _written(table: pa.Table) -> pa.Table:
    """As texts, by DuckDB: days without end, years before ours and 24:00 are more than Arrow writes.

    PostgreSQL knows fewer years before ours, and puts them behind the time of day.
    """
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.register("given", table)
        far = r"regexp_replace(CAST(COLUMNS(*) AS VARCHAR), '^[0-9]{5,}-.* \(BC\).*$', '-infinity')"
        texts = rf"regexp_replace({far}, '^([0-9]+-[0-9]+-[0-9]+) \(BC\)(.*)$', '\1\2 BC')"
        written = connection.sql(f"SELECT {texts} FROM given").to_arrow_table()
    for place, field in enumerate(table.schema):  # of some doubles, DuckDB writes a digit that is none
        if pa.types.is_floating(field.type):
            written = written.set_column(place, field.name, table[field.name].cast(pa.string()))
    return written


def _decimal(kind: pa.DataType) -> str:
    if pa.types.is_timestamp(kind):
        return "timestamptz"
    return "numeric" if pa.types.is_decimal(kind) else "text"


def moved(files: Mapping[str, DataFile], url: str, seconds: float = 60, contents: Contents | None = None) -> PostgreSQL:
    """An engine over copies of these files, which are made now."""
    places = {}
    for name, file in files.items():
        with reading(file) as connection:
            table = connection.sql(f"FROM {HERE}").to_arrow_table()
        places[name] = filled(url, f"t{next(_number)}", table)
    return PostgreSQL(url, places, seconds, contents)


def opened(url: str):
    """What stands in for DuckDB's `opened`: the same tables, in PostgreSQL."""

    def open_there(policy: Policy, contents: Contents | None = None) -> PostgreSQL | DuckDB:
        files = {name: file for name, table in policy.tables.items() if (file := table.file) is not None}
        return moved(files, url, policy.engine.seconds, contents)

    return open_there


@contextmanager
def on_postgres(url: str) -> Iterator[None]:
    """Whatever is opened within is opened on PostgreSQL."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(duckdb_engine, "opened", opened(url))
        yield
