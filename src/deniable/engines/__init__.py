"""The databases that hold private rows: exact whole-number aggregates, and nothing more.

Each engine is one folder, which is called as a policy names it; its `engine.py` says how it is opened.
"""

from __future__ import annotations

from importlib import import_module

from deniable.engines.duckdb.calculator import Calculator
from deniable.engines.duckdb.engine import DuckDB
from deniable.engines.engine import TYPES, Engine
from deniable.files.fingerprint import Contents
from deniable.policy import Policy

__all__ = ["TYPES", "Calculator", "DuckDB", "Engine", "engine_of"]


def engine_of(policy: Policy, contents: Contents | None = None) -> Engine:
    """The engine that the policy names, over the tables that it declares; their versions are keyed by `contents`."""
    opened: Engine = import_module(f"deniable.engines.{policy.engine.kind}.engine").opened(policy, contents)
    return opened
