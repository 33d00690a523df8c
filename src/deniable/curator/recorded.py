"""What the ledger keeps of an answer: its noisy tables, in Arrow's stream format, one after the other."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa


def to_bytes(tables: Sequence[pa.Table]) -> bytes:
    """The same bytes for the same tables.

    Example:
        >>> [table.to_pydict() for table in from_bytes(to_bytes([pa.table({"n": [41]}), pa.table({"n": [7]})]))]
        [{'n': [41]}, {'n': [7]}]
    """
    sink = pa.BufferOutputStream()
    for table in tables:
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
    return bytes(sink.getvalue().to_pybytes())


def from_bytes(streams: bytes) -> list[pa.Table]:
    """The tables again."""
    source, found = pa.BufferReader(streams), []
    while source.tell() < len(streams):
        found.append(pa.ipc.open_stream(source).read_all())
    return found
