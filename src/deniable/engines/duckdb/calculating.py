"""The process that computes with noisy tables: `python -m deniable.engines.duckdb.calculating`, by a Calculator alone.

It has no tables of its own and no files, and is told with each statement which tables it is about. They are gone when
the statement ends. What a statement that is only checked is wrong in, it says in DuckDB's words: its tables are empty,
so the words are about the statement and the names of columns. Of one that is run, only the error's class leaves.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import duckdb
import pyarrow as pa

from deniable.engines.duckdb.worker import few, serve
from deniable.files.scan import quoted

_HEAD = 8
_MOST_BYTES = 4 << 30
"""Of addresses: what DuckDB's own limit does not count, such as one endless text."""


def main() -> None:
    """Set up, then answer until the pipe closes."""
    with suppress(ImportError):  # where there are no such limits, time alone ends it
        import resource  # noqa: PLC0415 - not everywhere

        resource.setrlimit(resource.RLIMIT_AS, (_MOST_BYTES, _MOST_BYTES))
    serve(calculate)


def request(sql: str, tables: dict[str, pa.Table], *, cells: int, check: bool) -> bytes:
    """One statement and its tables, as one message."""
    streams = [_stream(table) for table in tables.values()]
    sizes = [[name, len(stream)] for name, stream in zip(tables, streams, strict=True)]
    head = json.dumps({"sql": sql, "cells": cells, "check": check, "tables": sizes}).encode()
    return b"".join([len(head).to_bytes(_HEAD, "big"), head, *streams])


def calculate(connection: duckdb.DuckDBPyConnection, message: bytes) -> bytes:
    """The rows of the statement, or, if it is checked, what is wrong with it: a letter says which."""
    end = _HEAD + int.from_bytes(message[:_HEAD], "big")
    asked: dict[str, Any] = json.loads(message[_HEAD:end])
    try:
        return b"R" + _rows(connection, asked, message[end:])
    except duckdb.Error as error:
        if not asked["check"]:
            raise
        return b"W" + str(error).encode()


def _rows(connection: duckdb.DuckDBPyConnection, asked: dict[str, Any], streams: bytes) -> bytes:
    with connection.cursor() as cursor:  # temporary tables are its own, and end with it
        at = 0
        for name, size in asked["tables"]:
            cursor.register("loaded", pa.ipc.open_stream(streams[at : at + size]).read_all())
            cursor.execute(f"CREATE TEMP TABLE {quoted(name)} AS FROM loaded")
            cursor.unregister("loaded")
            at += size
        kinds = [statement.type for statement in cursor.extract_statements(asked["sql"])]
        if kinds != [duckdb.StatementType.SELECT]:
            raise PermissionError
        return bytes(_stream(few(cursor, asked["sql"], asked["cells"])))


def _stream(table: pa.Table) -> memoryview:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return memoryview(sink.getvalue())


if __name__ == "__main__":
    main()
