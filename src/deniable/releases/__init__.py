"""Whole tables out: k-anonymous, l-diverse, t-close, or made up; and many statistics published at once."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from deniable.releases.linear import Workload
    from deniable.releases.syntactic.anonymize import anonymize
    from deniable.releases.syntactic.hierarchies import hierarchy
    from deniable.releases.syntactic.models.check import check
    from deniable.releases.syntactic.models.closeness import Equal, Hierarchical, Ordered
    from deniable.releases.syntactic.models.diversity import Distinct, Entropy, Recursive
    from deniable.releases.syntactic.search.nearest import Infeasible
    from deniable.releases.synthetic.synthesis import Synthesis

_HOMES = {
    "anonymize": "syntactic.anonymize",
    "check": "syntactic.models.check",
    "Distinct": "syntactic.models.diversity",
    "Entropy": "syntactic.models.diversity",
    "Recursive": "syntactic.models.diversity",
    "Equal": "syntactic.models.closeness",
    "Hierarchical": "syntactic.models.closeness",
    "Ordered": "syntactic.models.closeness",
    "Infeasible": "syntactic.search.nearest",
    "Synthesis": "synthetic.synthesis",
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
    "Synthesis",
    "Workload",
    "anonymize",
    "check",
    "hierarchy",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module's attribute
    """Each release is loaded when it is first asked for."""
    if name == "hierarchy":
        return import_module("deniable.releases.syntactic.hierarchies.hierarchy")
    if name not in _HOMES:
        raise AttributeError(f"module 'deniable.releases' has no attribute {name!r}")
    return getattr(import_module(f"deniable.releases.{_HOMES[name]}"), name)
