"""The databases that hold private rows: exact whole-number aggregates, and nothing more.

Each engine is one folder, which is called as a policy names it; its `engine.py` says how it is opened.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from deniable.engines.duckdb.calculator import Calculator
from deniable.engines.duckdb.engine import DuckDB
from deniable.engines.engine import Engine
from deniable.files.fingerprint import Contents
from deniable.policy import InvalidPolicyError, Policy, Problem

__all__ = ["Calculator", "DuckDB", "Engine", "engine_of", "role_of"]


def engine_of(policy: Policy, contents: Contents | None = None) -> Engine:
    """The engine that the policy names, over the tables that it declares; their versions are keyed by `contents`.

    Raises:
        InvalidPolicyError: the library is not installed by which an engine of this kind is asked.
    """
    engine, kind = _named(policy, contents), policy.engine.kind
    if engine.library is not None and find_spec(engine.library) is None:
        reason, hint = f"needs {engine.library}, which is not installed", f"pip install 'deniable[{kind}]'"
        raise InvalidPolicyError(policy.origin, [Problem("engine.kind", reason, hint)])
    return engine


def role_of(policy: Policy) -> str:
    """Statements that make the user as whom the engine asks; nothing if it needs none. Asks nobody."""
    return _named(policy, None).role()


def _named(policy: Policy, contents: Contents | None) -> Engine:
    opened: Engine = import_module(f"deniable.engines.{policy.engine.kind}.engine").opened(policy, contents)
    return opened
