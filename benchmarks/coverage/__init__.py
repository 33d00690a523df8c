"""How much of other people's SQL is answered as it is written: `python -m benchmarks.coverage`."""
