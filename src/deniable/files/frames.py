"""Frames that people hold in memory, as Arrow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from deniable.core.errors import InvalidArgumentError

if TYPE_CHECKING:
    import pyarrow as pa


def arrow(frame: Any) -> pa.Table:  # noqa: ANN401 - whatever holds a table
    """A pandas, Polars or Arrow table, or whatever else speaks Arrow; every column has a name of its own.

    The index of a pandas frame is a column if it has a name; otherwise it only counts rows, and is left out. Objects of
    several types, and whole numbers that Arrow has no type for, become texts; what has no text either (complex numbers)
    becomes a structure without content, which no policy can declare.

    Example:
        >>> import pandas as pd
        >>> ages = pd.DataFrame({"age": [31, 47, 52]})
        >>> arrow(ages[ages.age > 40]).column_names, arrow(ages.rename_axis("person")).column_names
        (['age'], ['age', 'person'])
    """
    import pyarrow as pa  # noqa: PLC0415 - takes long to import

    library = type(frame).__module__.split(".")[0]
    if library == "pandas" and hasattr(frame, "columns"):
        return _from_pandas(frame)
    if library == "polars":
        frame = _from_polars(frame)
    try:
        table = frame if isinstance(frame, pa.Table) else pa.table(frame)
    except (TypeError, ValueError, pa.ArrowInvalid):
        raise InvalidArgumentError(
            "frame", f"must be a pandas, Polars or Arrow table or a DuckDB relation, not {type(frame).__name__}"
        ) from None
    once(table.column_names)
    return table


def once(names: Iterable[str]) -> None:
    """Refuse a name that is there twice."""
    for name, count in Counter(names).items():
        if count > 1:
            raise InvalidArgumentError("frame", f"has two columns {name!r}; rename one of them")


def _from_pandas(frame: Any) -> pa.Table:  # noqa: ANN401 - pandas has no types
    import pyarrow as pa  # noqa: PLC0415 - takes long to import

    named = all(name is not None for name in frame.index.names)
    try:
        once(map(str, frame.columns))
        return pa.Table.from_pandas(frame, preserve_index=named)
    except (pa.ArrowException, TypeError, OverflowError):
        flat = frame.reset_index() if named else frame
    return pa.table({str(name): _column(values) for name, values in flat.items()})


def _column(values: Any) -> pa.Array:  # noqa: ANN401 - same
    """A column by itself, as what it is, as text, or as nothing that can be declared."""
    import pyarrow as pa  # noqa: PLC0415 - takes long to import

    dense = values.sparse.to_dense() if hasattr(values, "sparse") else values
    try:
        return pa.array(dense, from_pandas=True)
    except (pa.ArrowException, TypeError, OverflowError):
        if dense.dtype != object:
            return pa.nulls(len(dense), pa.struct([]))
    return pa.array([None if missing else str(one) for one, missing in zip(dense, dense.isna(), strict=True)])


def _from_polars(frame: Any) -> Any:  # noqa: ANN401 - Polars has no types here
    """Whole numbers of 128 bits, which Arrow does not have, as texts; without columns of Python's own objects."""
    import polars as pl  # noqa: PLC0415 - it is there, as the frame is

    if not isinstance(frame, pl.DataFrame):
        return frame
    wide = [name for name, kind in frame.schema.items() if kind in {pl.Int128, pl.UInt128}]
    objects = [name for name, kind in frame.schema.items() if kind == pl.Object]
    plain = frame.drop(objects).with_columns(pl.col(wide).cast(pl.String))
    return plain.to_arrow(compat_level=pl.CompatLevel.oldest())
