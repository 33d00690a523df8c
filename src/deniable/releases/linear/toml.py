"""Workloads as they are written in a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from deniable.core.errors import InvalidArgumentError
from deniable.releases.linear.workload import Workload

_KINDS = ("histogram", "prefixes", "ranges", "marginals", "product", "conditions")


def read_workload(written: Mapping[str, Any]) -> Workload:
    """The workload of a mapping: `parts`, each with one kind of queries, and if need be `table` and `where`.

    Example:
        >>> read_workload({"parts": [{"ranges": ["age"]}, {"marginals": ["region", "age"], "order": 2, "weight": 2}]})
        Workload: ranges of age; 2 x values of region x age
    """
    _only("workload", written, ("parts", "table", "where"))
    parts = written.get("parts", [])
    if not isinstance(parts, list) or not all(isinstance(part, Mapping) for part in parts):
        raise InvalidArgumentError("parts", 'must be a list of parts: write [[parts]] and ranges = ["age"]')
    work = Workload()
    for part in parts:
        work |= _part(part)
    work.check()
    table, where = written.get("table"), written.get("where")
    if where is not None and table is None:
        raise InvalidArgumentError("where", 'needs a table: write table = "..." as well')
    return work if table is None else work.on(_text("table", table), None if where is None else _text("where", where))


def _part(part: Mapping[str, Any]) -> Workload:
    """One kind of queries, and its weight."""
    _only("part", part, (*_KINDS, "order", "weight"))
    kinds = [kind for kind in _KINDS if kind in part]
    if len(kinds) != 1:
        raise InvalidArgumentError("part", f"must have just one of {', '.join(_KINDS)}")
    (kind,) = kinds
    value = part[kind]
    if ("order" in part) != (kind == "marginals"):
        raise InvalidArgumentError("order", "belongs to marginals, and marginals need one")
    if kind == "product":
        if not isinstance(value, Mapping):
            raise InvalidArgumentError("product", 'must be a table, such as { age = "ranges", region = "values" }')
        work = Workload.product(value)
    else:
        if not isinstance(value, list):
            raise InvalidArgumentError(kind, "must be a list of texts")
        match kind:
            case "marginals":
                work = Workload.marginals(value, part["order"])
            case "conditions":
                work = Workload.conditions(value)
            case "histogram":
                work = Workload.histogram(*value)
            case "prefixes":
                work = Workload.prefixes(*value)
            case _:
                work = Workload.ranges(*value)
    weighed: Workload = work * part.get("weight", 1)
    return weighed


def _only(name: str, written: Mapping[str, Any], known: tuple[str, ...]) -> None:
    """What is not known is a mistake, and not passed over."""
    strange = sorted(set(written) - set(known))
    if strange:
        raise InvalidArgumentError(name, f"has no {strange[0]!r}; there are: {', '.join(known)}")


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise InvalidArgumentError(name, f"must be a text, not {value!r}")
    return value
