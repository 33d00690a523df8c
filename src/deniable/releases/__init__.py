"""Whole tables out: k-anonymous, l-diverse, t-close; and many statistics published at once."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from deniable.releases.linear import Workload
    from deniable.releases.syntactic import hierarchy
    from deniable.releases.syntactic.anonymize import anonymize
    from deniable.releases.syntactic.check import check
    from deniable.releases.syntactic.closeness import Equal, Hierarchical, Ordered
    from deniable.releases.syntactic.models import Distinct, Entropy, Recursive
    from deniable.releases.syntactic.nearest import Infeasible

_HOMES = {
    "anonymize": "syntactic.anonymize",
    "check": "syntactic.check",
    "Distinct": "syntactic.models",
    "Entropy": "syntactic.models",
    "Recursive": "syntactic.models",
    "Equal": "syntactic.closeness",
    "Hierarchical": "syntactic.closeness",
    "Ordered": "syntactic.closeness",
    "Infeasible": "syntactic.nearest",
    "Workload": "linear",
}

__all__ = [
    "Distinct",
    "Entropy",
    "Equal",
    "Hierarchical",
    "Infeasible",
    "Ordered",
    "Recursive",
    "Workload",
    "anonymize",
    "check",
    "hierarchy",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module's attribute
    """Each release is loaded when it is first asked for."""
    if name == "hierarchy":
        return import_module("deniable.releases.syntactic.hierarchy")
    if name not in _HOMES:
        raise AttributeError(f"module 'deniable.releases' has no attribute {name!r}")
    return getattr(import_module(f"deniable.releases.{_HOMES[name]}"), name)
