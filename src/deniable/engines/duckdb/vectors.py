"""Rows as vectors in the worker process: read once, kept while they fit, and added up there."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import duckdb
import pyarrow as pa
from threadpoolctl import ThreadpoolController

from deniable.core.vectors import every  # noqa: F401 - so that every kernel is known by its name
from deniable.core.vectors.batch import ROWS, VectorBatch
from deniable.core.vectors.kernel import Kernel
from deniable.engines.vectors import batches

MOST_KEPT = 1 << 28
"""Bytes of vectors that are kept for the next step of the same training; more are read again."""


@dataclass(slots=True)
class KeptVectors:
    """The rows of the last statement, if they are few enough."""

    kept: list[VectorBatch] = field(default_factory=list)
    of: tuple[str, str] = ("", "")
    """The statement and the design that they are of."""
    threads: ThreadpoolController = field(default_factory=ThreadpoolController)
    """Those that multiply matrices: one does. Several would wait for each other longer than such products take."""

    def has_run(self, sql: str) -> bool:
        """Whether the rows that are kept are those of this very SELECT."""
        return sql == self.of[0]

    def total(self, connection: duckdb.DuckDBPyConnection, said: Mapping[str, Any]) -> pa.Array:
        """What a kernel adds up over the rows of one SELECT."""
        kernel = Kernel.from_dict(said["kernel"])
        of = said["sql"], json.dumps(said["kernel"]["design"])
        with self.threads.limit(limits=1):
            if of == self.of:
                return pa.array(kernel.total(self.kept))
            with connection.cursor() as cursor:
                reader = cursor.sql(said["sql"]).to_arrow_reader(ROWS)
                return pa.array(kernel.total(self._read(of, batches(kernel.design, reader))))

    def _read(self, of: tuple[str, str], found: Iterable[VectorBatch]) -> Iterator[VectorBatch]:
        """Batch after batch; whoever reads all of them finds them kept, if they fit."""
        self.kept, self.of = [], ("", "")
        keeping: list[VectorBatch] = []
        size = 0
        for batch in found:
            size += batch.vectors.nbytes + batch.target.nbytes + batch.weights.nbytes
            keeping = [*keeping, batch] if size <= MOST_KEPT else []
            yield batch
        if size <= MOST_KEPT:
            self.kept, self.of = keeping, of


VECTORS = KeptVectors()
"""Of this process, which answers one request after the other."""
