"""Attacks on whatever answers questions: differencing, averaging, refusals that disclose, reconstruction."""
