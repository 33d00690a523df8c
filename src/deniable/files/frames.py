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

    The index of a pandas frame is a column if it has a name; otherwise it only counts rows, and is left out.

    Example:
        >>> import pandas as pd
        >>> ages = pd.DataFrame({"age": [31, 47, 52]})
        >>> arrow(ages[ages.age > 40]).column_names, arrow(ages.rename_axis("person")).column_names
        (['age'], ['age', 'person'])
    """
    import pyarrow as pa  # noqa: PLC0415 - takes long to import

    if type(frame).__module__.split(".")[0] == "pandas" and hasattr(frame, "columns"):
        once(map(str, frame.columns))
        named = all(name is not None for name in frame.index.names)
        return pa.Table.from_pandas(frame, preserve_index=named)
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
