"""The databases that hold private rows: exact whole-number aggregates, and nothing more."""

from deniable.engines.duckdb.engine import DuckDB
from deniable.engines.engine import TYPES, Engine

__all__ = ["TYPES", "DuckDB", "Engine"]
