"""A ledger on disk: the table of entries in SQLite, what they are found by, and the anchor beside it."""
