"""DuckDB as an engine: files of every format, read by a locked worker process that can be stopped.

The order: engine (the contract), dialect with primitives (DuckDB's words for what engines/sql puts together), look
(what a custodian is shown of a file), killable with worker, lockdown and messages (the process), calculator with
calculating (a process of the same kind that has no files, and computes with noisy tables).
"""
