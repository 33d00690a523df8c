"""Our algebra in SQL, for every engine that speaks some: what has to be computed stands here, once.

The order: server (what engines have in common that are asked over a connection), statements (a room: one SELECT per
query), relations (what stands behind FROM), spelling (row expressions), functions, grid, columns (reading what is
stored), literals; and dialect with primitives, which each engine fills in with its own words. Besides questions:
fan_out and public (what public tables say), compare (what a custodian is shown of a table).
"""
