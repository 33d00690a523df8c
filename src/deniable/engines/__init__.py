"""The databases that hold private rows: exact whole-number aggregates, and nothing more."""

from deniable.engines.duckdb import DuckDB
from deniable.engines.engine import Engine

__all__ = ["DuckDB", "Engine"]
