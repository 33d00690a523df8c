"""The entries, and all that follows from them: how one is written and tied to the last, the sums, the chain on disk."""
