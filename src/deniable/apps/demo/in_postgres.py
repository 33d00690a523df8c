"""The made-up clinic in a PostgreSQL database: the same rows, and a policy that names its tables."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from deniable.apps.demo.clinic import point
from deniable.core.errors import InvalidArgumentError

if TYPE_CHECKING:
    import psycopg

_SCHEMA = "deniable_demo"
_TYPES = {pa.int64(): "bigint", pa.float64(): "double precision", pa.bool_(): "boolean", pa.date32(): "date"}


def move(folder: Path, url: str) -> None:
    """Put the tables of the folder into a schema of their own, which is replaced, and point the policy at them."""
    import psycopg  # noqa: PLC0415 - an extra

    tables = {name: pq.read_table(folder / f"{name}.parquet") for name in ("visits", "patients")}
    tables["hospitals"] = pyarrow.csv.read_csv(folder / "hospitals.csv")
    try:
        with psycopg.connect(url, connect_timeout=10) as connection:
            connection.execute(f"DROP SCHEMA IF EXISTS {_SCHEMA} CASCADE")
            connection.execute(f"CREATE SCHEMA {_SCHEMA}")
            for name, table in tables.items():
                _fill(connection, f"{_SCHEMA}.{name}", table)
            connection.execute(f"CREATE INDEX ON {_SCHEMA}.visits (patient_id)")
    except psycopg.Error as error:
        raise InvalidArgumentError("url", f"cannot be used: {type(error).__name__}") from None
    engine = f'kind = "postgres"\nurl = "{_bare(url)}"{_secret(url)}'
    point(folder, engine, {name: f"{_SCHEMA}.{name}" for name in tables})


def _fill(connection: psycopg.Connection, name: str, table: pa.Table) -> None:
    columns = ", ".join(f'"{field.name}" {_TYPES.get(field.type, "text")}' for field in table.schema)
    data = BytesIO()
    pyarrow.csv.write_csv(table, data, pyarrow.csv.WriteOptions(include_header=False))
    connection.execute(f"CREATE TABLE {name} ({columns})".encode())
    with connection.cursor() as cursor, cursor.copy(f"COPY {name} FROM STDIN (FORMAT csv)".encode()) as rows:
        rows.write(data.getvalue())


def _bare(url: str) -> str:
    """The address without its password, which stands in no policy."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return parts._replace(netloc=f"{parts.username}@{host}" if parts.username else host).geturl()


def _secret(url: str) -> str:
    """Where to put it instead, if there was one."""
    return '\npassword_env = "CLINIC_PASSWORD"' if urlsplit(url).password else ""
