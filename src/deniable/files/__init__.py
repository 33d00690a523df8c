"""Files: what a source of rows is, how it is read, what its types are called, and how a file is written.

`formats` says which files can hold rows, `source` which of them are a table, `layout` how a CSV file is laid out (and
`sniff` how it seems to be), `scan` how DuckDB reads them all, with `load` for what it cannot; `kinds` says what types
are called in a policy, and `fingerprint` whether data are the same. `tables` reads and writes whole tables, `frames`
takes those that people hold in memory, `spreadsheet` keeps formulas out of CSV files, and `atomic` is the only place
where a file takes another one's place.
"""
