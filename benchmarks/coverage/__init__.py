"""How much of other people's SQL is answered as it is written: TPC-H and ClickBench. `python -m benchmarks.coverage`"""
