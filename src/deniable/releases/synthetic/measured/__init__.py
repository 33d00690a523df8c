"""What is measured of a table, and what the noisy numbers say together.

    portion (the noise) -> one_way -> bins -> pairs -> estimates

Only `portion` meets exact numbers.
"""
