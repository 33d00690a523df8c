"""PostgreSQL as an engine: tables and views where they are, asked in one snapshot by a role that can do nothing else.

The order: engine (the contract), snapshot (one transaction), dialect (PostgreSQL's words) with primitives, doubles and
texts, schema (which columns there are, and what changes when the data do), role (what the engine's user may do, and if
it is so).
"""
