"""Made-up rows that look like the private ones: noisy counts in, a table out, and a certificate of how good it is.

    portion (the noise) -> one_way -> bins -> pairs -> estimates -> field | tree -> rows -> certificate -> release

Only `portion` meets exact numbers. Everything behind it is computed from noisy ones, and costs nothing.
"""
