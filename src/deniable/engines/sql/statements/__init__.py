"""Exact queries in an engine's SQL, each as one SELECT: whatever a proof rests on is done by that statement itself.

The order: query (which form a query takes), marginals, groups and weights (the parts of these forms), coded (keys as
small numbers), rows (what is read, with its keys and its unit), sums (how one total adds up).
"""

from deniable.engines.sql.statements.query import is_divisible, statement, statement_of_part

__all__ = ["is_divisible", "statement", "statement_of_part"]
