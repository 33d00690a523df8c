"""The commands of whoever owns the data: policies, their engine, their ledger, the private profile."""
