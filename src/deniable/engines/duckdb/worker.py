"""The process that reads private rows: `python -m deniable.engines.duckdb.worker`, started by the engine alone.

It is told once how to set itself up and shut its doors, and then answers one SELECT after the other. It says nothing
about what went wrong except the error's class: messages quote rows. When whoever started it is gone, so is it, even in
the middle of a query, and what it had to put on disk goes with it.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from threading import Thread
from typing import BinaryIO

import duckdb
import pyarrow as pa

from deniable.engines.duckdb.messages import DONE, FAILED, receive, send
from deniable.files.scan import Step, take
from deniable.files.tables import unreadable

_ROWS_A_BATCH = 1 << 14
_BYTES_A_CELL = 64


class TooLargeError(Exception):
    """More cells, or more bytes, than an answer may have."""


def main() -> None:
    """Set up, then answer until the pipe closes."""
    serve(lambda connection, request: answer(connection, request.decode()))


def serve(work: Callable[[duckdb.DuckDBPyConnection, bytes], pa.Buffer | bytes]) -> None:
    """Set up, then do this work for one request after the other."""
    requests, replies = sys.stdin.buffer, _private_output()
    setup = json.loads(receive(requests))
    queue: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_listen, args=(requests, queue, setup["spill"]), daemon=True).start()
    connection = duckdb.connect()
    _reply(replies, partial(prepare, connection, setup["tables"], setup["locks"]))
    while True:
        _reply(replies, partial(work, connection, queue.get()))


def prepare(connection: duckdb.DuckDBPyConnection, tables: list[Step], locks: list[str]) -> bytes:
    """Before the first question: the tables, of which one may be broken, and the locks, of which none may be."""
    for step in tables:
        with suppress(*unreadable()):
            take(connection, step)
    for statement in locks:
        connection.execute(statement)
    return b""


def answer(connection: duckdb.DuckDBPyConnection, request: str) -> pa.Buffer:
    """The rows of one SELECT, few of them if that is wanted, or what a kernel adds up over them, as an Arrow stream.

    Nothing else is run: other statements could write or remember.
    """
    said = json.loads(request) if request.startswith("{") else {}
    if "kernel" in said:
        from deniable.engines.duckdb.vectors import VECTORS  # noqa: PLC0415 - questions do without

        if not VECTORS.has_run(said["sql"]):
            _ensure_select(connection, said["sql"])
        table = pa.table({"total": VECTORS.total(connection, said)})
    elif "cells" in said:
        _ensure_select(connection, said["sql"])
        with connection.cursor() as cursor:
            table = few(cursor, said["sql"], said["cells"])
    else:
        _ensure_select(connection, request)
        with connection.cursor() as cursor:
            table = cursor.sql(request).to_arrow_table()
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return sink.getvalue()


def few(cursor: duckdb.DuckDBPyConnection, sql: str, cells: int) -> pa.Table:
    """The rows of one SELECT, fetched a part at a time, so that too many never fill the memory.

    Raises:
        TooLargeError: they have more cells, or are longer.
    """
    reader = cursor.sql(sql).to_arrow_reader(_ROWS_A_BATCH)
    batches, room = [], cells * _BYTES_A_CELL
    for batch in reader:
        cells -= max(1, batch.num_columns) * batch.num_rows
        room -= batch.nbytes
        if cells < 0 or room < 0:
            raise TooLargeError
        batches.append(batch)
    return pa.Table.from_batches(batches, reader.schema)


def _ensure_select(connection: duckdb.DuckDBPyConnection, sql: str) -> None:
    kinds = [statement.type for statement in connection.extract_statements(sql)]
    if kinds != [duckdb.StatementType.SELECT]:
        raise PermissionError


def _reply(replies: BinaryIO, work: Callable[[], pa.Buffer | bytes]) -> None:
    try:
        reply = DONE, memoryview(work())
    except Exception as error:  # noqa: BLE001 - whatever it is, only its name leaves
        reply = FAILED, memoryview(type(error).__name__.encode())
    send(replies, *reply)


def _listen(requests: BinaryIO, queue: SimpleQueue[bytes], spill: str) -> None:
    """In a thread of its own, so that the end of the pipe is noticed while a query runs."""
    try:
        while True:
            queue.put(receive(requests))
    finally:
        shutil.rmtree(spill, ignore_errors=True)
        os._exit(0)


def _private_output() -> BinaryIO:
    """The pipe to the engine, under a number that no library prints to."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return replies


if __name__ == "__main__":
    main()
