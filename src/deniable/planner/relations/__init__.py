"""The rows that a SELECT ranges over: FROM, joins, membership, subqueries with one row per unit.

The order: names, usual, alone, rows (what one unit may own), stacked, determined, scopes (what names mean), clauses,
joins (and what rows can become in them), subqueries, from_clause.
"""
