"""A made-up table that attacks on sums read from: blood sugar, on a public grid."""

from __future__ import annotations

import numpy as np

from deniable.attacks.defences.defence import BoolArray, FloatArray, SecretTable
from deniable.core.number import whole

LOW, HIGH, STEP = 4.0, 7.9, 0.1
VALUES = 40
"""Points of the grid, all equally likely: guessing is right once in forty."""
PRIOR = f"1/{VALUES}"


def blood_sugar(n: int, chance: np.random.Generator) -> SecretTable:
    """`n` people, each with a value that is independent of everybody else's."""
    drawn = chance.integers(0, VALUES, (whole("n", n, least=2), 1))
    return SecretTable(np.round(LOW + STEP * drawn, 1), LOW, HIGH, STEP)


def traits(n: int, chance: np.random.Generator) -> SecretTable:
    """`n` people, each with a trait or without, by a fair coin."""
    return SecretTable(chance.integers(0, 2, (whole("n", n, least=2), 1)).astype(np.float64), 0, 1, 1)


def on_grid(readings: FloatArray) -> FloatArray:
    """The nearest possible value; what was refused is guessed to be in the middle."""
    return np.asarray(
        np.round(np.clip(np.nan_to_num(readings, nan=LOW + STEP * (VALUES // 2)), LOW, HIGH), 1), dtype=np.float64
    )


def exact_readings(readings: FloatArray, truth: FloatArray) -> BoolArray:
    """Which readings are right to the last digit."""
    return np.asarray(np.abs(on_grid(readings) - truth) < STEP / 10)
