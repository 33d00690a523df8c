"""Rows from an engine as batches of vectors: a column for each field, and the weight last."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from deniable.core.vectors.batch import ROWS, VectorBatch, batch_of
from deniable.core.vectors.design import VectorDesign


def batches(design: VectorDesign, records: Iterable[pa.RecordBatch]) -> Iterator[VectorBatch]:
    """Never more rows at once than a kernel can add up exactly."""
    for record in records:
        for start in range(0, record.num_rows, ROWS):
            part = record.slice(start, ROWS)
            *columns, weights = (_numbers(column) for column in part.columns)
            yield batch_of(design, columns, weights)


def _numbers(column: pa.Array) -> NDArray[np.float64]:
    """Whole numbers below 2^53 as doubles, NaN where one is missing."""
    return np.asarray(column.cast(pa.float64()).to_numpy(zero_copy_only=False))
