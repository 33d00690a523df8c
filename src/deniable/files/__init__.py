"""Files: what a source of rows is, how it is read, what its types are called, and how a file is written.

`source` says which files can hold a table, `scan` how DuckDB reads one, `kinds` what its types are called in a policy,
`tables` reads and writes whole tables, `frames` takes those that people hold in memory, and `atomic` is the only place
where a file takes another one's place.
"""
