"""A curator for sensitive tables: private answers with error bars, paid from a budget that nobody can overspend.

    import deniable
    curator = deniable.protect(frame, epsilon=1, bounds={"age": (0, 110)})    # around a table in memory
    curator = deniable.open("visits.toml")                                    # or as a policy file says
    curator = deniable.connect("https://clinic.example", token="...")         # or one that others serve
    curator.explain("SELECT AVG(age) AS age FROM data", epsilon=0.1)          # the price; costs nothing
    curator.ask("SELECT AVG(age) AS age FROM data", epsilon=0.1)              # the answer
    curator.budget()                                                          # what is left

`help(deniable.Curator)` says what else can be asked.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from deniable.core.errors import Failed, Refused
    from deniable.curator import (
        Answer,
        Budget,
        Curator,
        correlation,
        count,
        create,
        deviation,
        distinct,
        maximum,
        mean,
        median,
        minimum,
        mode,
        most_common,
        protect,
        quantile,
        total,
        units,
        variance,
    )
    from deniable.curator import open_policy as open  # noqa: A004 - `deniable.open(...)` is how it reads
    from deniable.doors.http.connect import connect
    from deniable.planner import Quote

__version__ = "0.2.0"

__all__ = [
    "Answer",
    "Budget",
    "Curator",
    "Failed",
    "Quote",
    "Refused",
    "connect",
    "correlation",
    "count",
    "create",
    "deviation",
    "distinct",
    "maximum",
    "mean",
    "median",
    "minimum",
    "mode",
    "most_common",
    "open",
    "protect",
    "quantile",
    "total",
    "units",
    "variance",
]

_ELSEWHERE = {
    "Failed": "deniable.core.errors",
    "Quote": "deniable.planner",
    "Refused": "deniable.core.errors",
    "connect": "deniable.doors.http.connect",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module's attribute
    """The curator, and models, are loaded when they are first asked for, so that mechanisms alone stay light."""
    if name == "learn":
        return import_module("deniable.learn")
    if name not in __all__:
        raise AttributeError(f"module 'deniable' has no attribute {name!r}")
    room = import_module(_ELSEWHERE.get(name, "deniable.curator"))
    return getattr(room, "open_policy" if name == "open" else name)


def __dir__() -> list[str]:
    """What a notebook completes, and what `help` describes, before any of it is loaded."""
    return sorted({*__all__, "learn", *(name for name in globals() if name.startswith("__"))})
