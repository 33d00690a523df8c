"""What a value of each kind is in Arrow: in answers, in made-up tables, in files that we write."""

from __future__ import annotations

import pyarrow as pa

from deniable.core.algebra.expression import Kind

TYPES = {
    Kind.INTEGER: pa.int64(),
    Kind.NUMBER: pa.float64(),
    Kind.TEXT: pa.string(),
    Kind.BOOLEAN: pa.bool_(),
    Kind.DATE: pa.date32(),
    Kind.TIMESTAMP: pa.timestamp("us"),
    Kind.TIME: pa.time64("us"),
}
