"""Times at which a served curator answers say nothing of how long a question ran.

Two populations differ in one row that makes a question run longer. Whoever hears the times of many answers tries to
tell which of the two they come from: the AUC of the best threshold-free guess is one half if the times say nothing.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm, rankdata

from tests.support.served import COUNT, served, session

FAST, SLOW = 0.0, 0.012


def times(folder: Path, after: str, size: int) -> tuple[list[float], list[float]]:
    """Latencies of questions that run fast, and of those that run long, in turns so that the machine is the same."""

    async def play() -> tuple[list[float], list[float]]:
        paces = itertools.cycle([FAST, SLOW])
        with served(folder, after, lambda: next(paces), least_spend=1e-9) as (service, secrets):
            alice = await session(service, secrets["alice"])
            found: tuple[list[float], list[float]] = ([], [])
            for turn in range(2 * size):
                question = f"{COUNT} WHERE age <> {turn - 100_000}"
                start: list[float] = []
                await alice.ask(question, {"epsilon": "0.001"}, lambda _stage, at=start: at.append(time.monotonic()))
                found[turn % 2].append(time.monotonic() - start[0])
            await service.close()
            return found

    return asyncio.run(play())


def auc(one: list[float], other: list[float]) -> float:
    """The probability that a draw of the other is larger than one of the first."""
    ranks = rankdata(np.concatenate([one, other]))
    return float((ranks[len(one) :].sum() - len(other) * (len(other) + 1) / 2) / (len(one) * len(other)))


def half_width(size: int, alarm: float) -> float:
    """Of an interval around one half that holds the AUC of equal laws, but for a false alarm of this probability."""
    return float(norm.isf(alarm / 2) * np.sqrt((2 * size + 1) / (12 * size * size)))


def test_with_a_deadline_times_cannot_be_told_apart(tmp_path):
    """False-alarm rate 1e-6."""
    size = 40
    assert abs(auc(*times(tmp_path, "50ms", size)) - 0.5) < half_width(size, 1e-6)


def test_without_one_they_can(tmp_path):
    """So that the test above could fail: the same difference, seen through no deadline."""
    assert auc(*times(tmp_path, "0s", 25)) > 0.9


@pytest.mark.deep
def test_with_a_deadline_a_hundredth_cannot_be_told_apart(tmp_path):
    """False-alarm rate 1e-6 for the AUC; the interval at 95% is at most 0.02 wide."""
    size = 7000
    assert 2 * half_width(size, 0.05) < 0.02
    assert abs(auc(*times(tmp_path, "60ms", size)) - 0.5) < half_width(size, 1e-6)
