"""Intervals of linear regression cover: sampling and noise together, by the production kernels and their noise."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from deniable.core.algebra.query import WEIGHT
from deniable.core.vectors.batch import ROWS, batch_of
from deniable.core.vectors.design import GRID, Encoding, NumberFeature, VectorDesign
from deniable.learn.learner import Learner, NoisySum
from deniable.learn.models.linear_regression import LinearRegression
from deniable.learn.trained import Trained
from deniable.mechanisms import Gaussian

TRUE = np.array([0.5, -0.3, 0.2, 0.0, 0.1])
_ENCODING = Encoding()


def design_of(columns: int, target: NumberFeature) -> VectorDesign:
    features = tuple(
        NumberFeature(f"x{place}", Fraction(-1), Fraction(1), _ENCODING.centre) for place in range(columns)
    )
    constant = int(_ENCODING.constant * GRID)
    return VectorDesign(features, target, constant, _ENCODING.square(features) + constant**2)


def trained(learner: Learner, design: VectorDesign, rows: np.ndarray, target: np.ndarray, rho: Fraction) -> Learner:
    """The model's own steps, on production kernels and noise; only the engine is left out."""
    fields = [
        np.floor((column - float(part.origin)) / float(part.width / GRID) + 0.5)
        for column, part in zip([*rows.T, target], [*design.features, design.target], strict=True)
    ]
    batches = [
        batch_of(design, [field[start : start + ROWS] for field in fields], np.full(len(target[start:][:ROWS]), WEIGHT))
        for start in range(0, len(target), ROWS)
    ]
    training = learner.training(design)
    try:
        measure = next(training)
        while True:
            noise = Gaussian(sensitivity=measure.kernel.sensitivity, rho=rho * measure.share)
            worth = measure.kernel.worth
            noisy = noise.release(measure.kernel.total(batches))
            measure = training.send(NoisySum(noisy * worth, noise.sigma * worth))
    except StopIteration as end:
        return learner.learned(Trained("test", "each row", "", "y", design, {}, (), free=False), end.value)


def coverage(runs: int, people: int, rho: Fraction) -> tuple[float, float]:
    """Of coefficients, and of predictions for new rows."""
    design = design_of(5, NumberFeature("y", Fraction(-2), Fraction(2), Fraction(1, 2)))
    held, predicted = [], []
    for seed in range(runs):
        chance = np.random.default_rng(seed)
        rows = chance.uniform(-1, 1, (people, 5))
        target = rows @ TRUE + chance.normal(0, 0.2, people)
        model = trained(LinearRegression(), design, rows, target, rho)
        low, high = model.intervals()
        held.append((low <= TRUE) & (high >= TRUE))
        new = chance.uniform(-1, 1, (20, 5))
        bands = model.predict_interval(new)
        actual = new @ TRUE + chance.normal(0, 0.2, 20)
        predicted.append((bands.low <= actual) & (actual <= bands.high))
    return float(np.mean(held)), float(np.mean(predicted))


@pytest.mark.parametrize("rho", [Fraction(1, 60), Fraction(1)])
def test_intervals_of_coefficients_cover(rho: Fraction) -> None:
    """Of 95%, in 80 runs. If the five coefficients of a run were one, a share would deviate by 0.024; 5 of these below
    is 0.83: less than one in a million. New rows of a run share one model, so the same holds for these."""
    held, predicted = coverage(80, 2000, rho)
    assert held >= 0.83
    assert predicted >= 0.83


@pytest.mark.deep
def test_intervals_of_coefficients_cover_between_93_and_97_percent() -> None:
    """20,000 rows, 5 columns, epsilon 1 at delta 1e-9: 1,500 runs, so that a share deviates by 0.0056 at most, even if
    the five of a run were one; 5 of these beyond either end is less than one in a million."""
    held, _ = coverage(1500, 20_000, Fraction(1, 60))
    assert 0.922 <= held <= 0.978
