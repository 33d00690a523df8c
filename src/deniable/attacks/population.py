"""Made-up people, for attacks on tables. Nobody's secret depends on anything public about them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from deniable.core.number import whole

ZIPS = ("13012", "13053", "13068", "14850", "14853")
DISEASES = (
    *("allergy", "anaemia", "arthritis", "asthma", "cancer", "diabetes"),
    *("flu", "gout", "heart disease", "hepatitis", "migraine", "ulcer"),
)
PRIOR = f"1/{len(DISEASES)}"
"""How often a guess at a disease is right if nothing is known."""
SENSITIVE = "disease"
YOUNGEST, OLDEST = 20, 89


def population(n: int, chance: np.random.Generator) -> pa.Table:
    """`n` people with a name, a zip code, a date of birth, an age, a sex and a disease, all equally likely.

    A disease is drawn independently of everything else, so whatever an attack learns about it beyond one in twelve it
    learned from that person's row.
    """
    whole("n", n)
    age = chance.integers(YOUNGEST, OLDEST + 1, n)
    first_day = np.datetime64("2025-01-01") - (age + 1) * 365
    birth = first_day + chance.integers(1, 365, n)
    return pa.table(
        {
            "name": [f"person {number}" for number in range(n)],
            "zip": np.array(ZIPS)[chance.integers(0, len(ZIPS), n)],
            "birth": np.datetime_as_string(birth, unit="D"),
            "age": age.astype(str),
            "sex": np.array(("F", "M"))[chance.integers(0, 2, n)],
            SENSITIVE: np.array(DISEASES)[chance.integers(0, len(DISEASES), n)],
        }
    )
