"""DuckDB as an engine: our algebra in its SQL, run by a locked worker process that can be stopped.

The order: statements (one SELECT per query: relations, columns, spelling, functions, grid,
weighted_sums, literals), engine (the contract), public (what public tables say of themselves), look and compare (what a
custodian is shown of a file), killable with worker, lockdown and messages (the process).
"""
