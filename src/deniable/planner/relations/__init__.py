"""The rows that a SELECT ranges over: FROM, joins, membership, subqueries with one row per unit.

The order: rows (what one unit may own), scopes (what names mean), clauses, explosions (what it can become), joins,
membership, per_unit, from_clause.
"""
