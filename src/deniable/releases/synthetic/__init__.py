"""Made-up rows that look like the private ones: noisy counts in, a table out, and a certificate of how good it is.

    measured (the noise, what it says) -> drawn (rows) -> certificate -> report

`recipe` says what is done to one table, step by step. Only `measured.portion` meets exact numbers. Everything behind it
is computed from noisy ones, and costs nothing.
"""
