"""The auditor: refuses what it cannot judge, never accuses the innocent, and says what it saw."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import FrozenInstanceError
from fractions import Fraction
from io import StringIO
from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray
from rich.console import Console
from scipy.stats import binom

from deniable.audit import Audit, audit
from deniable.core.errors import InvalidArgumentError
from deniable.mechanisms import Gaussian, Laplace, PartitionSelection, RandomizedResponse

RNG = np.random.default_rng()


def fair(data: ArrayLike, count: int) -> NDArray[Any]:
    """Says nothing about its input."""
    del data
    return RNG.integers(0, 2, count)


@pytest.mark.parametrize(
    ("argument", "changes"),
    [
        *(("epsilon", {"epsilon": value}) for value in (0, -1, float("nan"), float("inf"), "", "abc", True)),
        *(("delta", {"delta": value}) for value in (-0.1, 1, 2, float("nan"), "abc")),
        *(("alpha", {"alpha": value}) for value in (0, 1, -1, 2, float("nan"))),
        *(("samples", {"samples": value}) for value in (0, -5, 10, 1500.5, float("nan"))),
        *(("inputs", {"inputs": value}) for value in ((1,), (1, 2, 3), 7, None)),
        ("mechanism", {"mechanism": "laplace"}),
        ("epsilon", {"epsilon": None}),
    ],
)
def test_bad_arguments_are_named_and_nothing_is_drawn(argument: str, changes: dict[str, Any]) -> None:
    def untouchable(data: ArrayLike, count: int) -> NDArray[Any]:
        raise AssertionError(f"drew {count} outcomes of {data}")

    arguments = {"mechanism": untouchable, "inputs": (0, 1), "epsilon": 1} | changes
    with pytest.raises(InvalidArgumentError) as error:
        audit(**arguments)
    assert error.value.argument == argument


@pytest.mark.parametrize(
    ("box", "problem"),
    [
        (lambda _, count: np.zeros(count + 1), "outcomes"),
        (lambda _, count: np.zeros((count, 2)), "outcomes"),
        (lambda _, _count: 0.5, "outcomes"),
        (lambda _, count: np.full(count, np.nan), "NaN"),
        (lambda _, count: np.full(count, "yes"), "numbers"),
        (lambda _, count: np.full(count, None), "numbers"),
        (lambda _, count: np.zeros(count, dtype=complex), "numbers"),
    ],
)
def test_boxes_that_misbehave_are_refused(box: Callable[..., object], problem: str) -> None:
    with pytest.raises(InvalidArgumentError, match=problem) as error:
        audit(box, (0, 1), 1)
    assert error.value.argument == "mechanism"


def test_a_mechanism_brings_its_own_inputs_and_claim() -> None:
    verdict = audit(Laplace(sensitivity=1, epsilon="0.3"), samples=5_000)
    assert (verdict.epsilon, verdict.delta, verdict.alpha) == (Fraction(3, 10), 0, Fraction(1, 10**6))
    gaussian = Gaussian(sensitivity=1, epsilon=1, delta=1e-6)
    assert audit(gaussian, delta=1e-6, samples=5_000).epsilon == gaussian.loss.at(1e-6).epsilon
    with pytest.raises(InvalidArgumentError, match="delta"):
        audit(PartitionSelection(epsilon=1, delta=0.01), samples=5_000)


def test_any_object_with_a_sample_will_do() -> None:
    class Box:
        def sample(self, data: ArrayLike, count: int) -> NDArray[Any]:
            return fair(data, count) > 0

    assert audit(Box(), (0, 1), 1, samples=5_000).passed


@pytest.mark.parametrize("kind", [bool, np.int8, np.uint64, np.int64, np.float32, np.float64])
def test_outcomes_of_every_kind(kind: type) -> None:
    # the bound lies five standard errors below ln 9, at about 2.03; five more reach 1.88
    def telltale(data: ArrayLike, count: int) -> NDArray[Any]:
        return (RNG.random(count) < (0.9 if data else 0.1)).astype(kind)

    verdict = audit(telltale, (0, 1), 1, samples=20_000)
    assert 1.85 < verdict.lower_bound < np.log(9)


def test_infinite_outcomes_are_outcomes() -> None:
    verdict = audit(
        lambda data, count: np.where(RNG.random(count) < 0.5, data, RNG.normal(size=count)), (-np.inf, np.inf), 1
    )
    assert not verdict.passed


def test_direction_and_frequencies() -> None:
    def telltale(data: ArrayLike, count: int) -> NDArray[Any]:
        return RNG.random(count) < data

    first, second = audit(telltale, (0.5, 0.001), 1), audit(telltale, (0.001, 0.5), 1)
    assert (first.likelier, second.likelier) == ("first", "second")
    assert first.frequencies[0] > first.frequencies[1]
    assert first.trials == 50_000
    assert "outcome at least 1" in first.event


def test_progress_is_reported_to_the_end() -> None:
    seen = []
    audit(fair, (0, 1), 1, samples=150_000, progress=lambda done, total: seen.append((done, total)))
    assert len(seen) > 4
    assert seen == sorted(seen)
    assert seen[-1] == (300_000, 300_000)


def test_the_bound_is_on_samples_that_did_not_choose_the_event() -> None:
    # every outcome is seen once: any set fits the half that chose it as well as one likes, and shows nothing after
    assert audit(lambda _, count: RNG.random(count), (0, 1), epsilon=0.001).passed


@pytest.mark.parametrize(("epsilon", "alpha"), [("0.5", "0.2"), ("0.5", "0.01")])
def test_the_innocent_are_accused_with_probability_at_most_alpha(epsilon: str, alpha: str) -> None:
    # 300 audits at the true epsilon; a binomial tail of 1e-6 is this test's own false-alarm rate
    honest = RandomizedResponse(epsilon=epsilon)
    accused = sum(not audit(honest, samples=2_000, alpha=alpha).passed for _ in range(300))
    assert binom.sf(accused - 1, 300, float(alpha)) > 1e-6


def test_delta_is_subtracted() -> None:
    # shows its input with probability 0.01 and is silent otherwise: (0, 0.01)-private, and no epsilon without delta
    def rare(data: ArrayLike, count: int) -> NDArray[Any]:
        return np.where(RNG.random(count) < 0.01, data, 0)

    assert not audit(rare, (1, 2), 1, delta=0).passed
    assert audit(rare, (1, 2), 1, delta=0.01).passed


def test_a_verdict_is_frozen_and_readable() -> None:
    verdict = audit(Laplace(sensitivity=1, epsilon=1).sample, (0, 3), 1)
    assert isinstance(verdict, Audit)
    with pytest.raises(FrozenInstanceError):
        verdict.lower_bound = 0.0
    assert repr(verdict).startswith("Audit(FAILED: proven 2.")
    assert "> claimed 1 at delta 0" in repr(verdict)
    console = Console(width=100, record=True, file=StringIO())
    console.print(verdict)
    shown = console.export_text()
    assert "FAILED" in shown
    assert "proven epsilon" in shown
    assert "1e-06" in shown
