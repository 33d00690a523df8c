"""Public tables: what is in them, and exact answers about them alone, in a process that has no private source."""
