"""One respondent, one memory, one report of each value: whoever asks, however often, from wherever."""

from __future__ import annotations

import copy
import os
import pickle
from concurrent.futures import ThreadPoolExecutor
from math import exp
from threading import Barrier
from time import sleep
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from deniable.core.errors import InvalidArgumentError
from deniable.local import KaryResponse, MeanVector, Memory, Rappor, Reports

THREADS = 8


def test_a_memory_repeats_itself_and_counts_what_it_lost() -> None:
    device = Memory(KaryResponse(100, 1))
    assert device.loss.epsilon == 0
    first = [device.report(7).data[0] for _ in range(50)]
    assert len(set(first)) == 1
    device.report(8)
    assert (device.loss.epsilon, device.fresh_loss.epsilon) == (2, 51)


@pytest.mark.parametrize("value", [[1, 2], (1, 2), (1, 1, 1, 1), (), {}])
def test_several_values_of_one_respondent_are_refused(value: Any) -> None:
    """They would be several reports at the price of one."""
    device = Memory(KaryResponse(3, 1))
    with pytest.raises(InvalidArgumentError, match=r"^values? "):
        device.report(value)
    assert (device.loss.epsilon, device.collections) == (0, 0)


def test_what_one_respondent_answers_may_have_several_parts() -> None:
    device = Memory(MeanVector(2, 1))
    assert len({device.report((0.5, -0.5)).data.tobytes() for _ in range(40)}) == 1
    assert device.loss.epsilon == 1


class Slow(KaryResponse):
    """Draws, and then lets all others begin before it says what."""

    def perturb(self, values: Any) -> Reports:
        drawn = super().perturb(values)
        sleep(0.01)
        return drawn


def test_threads_that_ask_at_once_get_the_same_report() -> None:
    """Without turns each of them draws its own: eight of a hundred thousand places agree with chance 1e-35."""
    device, start = Memory(Slow(100_000, "1e-3")), Barrier(THREADS)

    def asks(_: int) -> int:
        start.wait()
        return int(device.report(7).data[0])

    with ThreadPoolExecutor(THREADS) as pool:
        said = set(pool.map(asks, range(THREADS)))
    assert len(said) == 1
    assert (len(device._kept), device.collections) == (1, THREADS)


@pytest.mark.parametrize("twin", [copy.copy, copy.deepcopy, pickle.dumps, lambda device: pickle.dumps(device, 0)])
def test_a_memory_has_no_twin(twin: Any) -> None:
    device = Memory(KaryResponse(4, 1))
    for _ in range(2):
        with pytest.raises(TypeError, match="cannot be copied or pickled"):
            twin(device)
        device.report(2)


def test_a_forked_memory_is_of_no_use(monkeypatch: pytest.MonkeyPatch) -> None:
    device = Memory(KaryResponse(4, 1))
    monkeypatch.setattr("deniable.local.memory.getpid", lambda: os.getpid() + 1)
    with pytest.raises(InvalidArgumentError, match="another process"):
        device.report(2)


def test_a_report_that_was_given_out_cannot_be_changed() -> None:
    device = Memory(KaryResponse(4, 1))
    with pytest.raises(ValueError, match="read-only"):
        device.report(2).data[0] = 3


def test_a_memory_is_shown_without_its_values() -> None:
    device = Memory(KaryResponse(1000, 1))
    device.report(717)
    assert "717" not in repr(device)


@pytest.mark.parametrize("lifetime", ["0.5", "2", "6"])
def test_permanent_answers_tell_the_truth_as_often_as_their_lifetime_allows(lifetime: str) -> None:
    """Two values differ in two bits, so each has half of it. False alarms: 1e-6."""
    survey, people = Rappor(2, "0.1", lifetime), 40_000
    bits = np.unpackbits(survey.memorize(np.zeros(people, dtype=int)).data, axis=1)[:, :2]
    honest = 1 / (1 + exp(-float(lifetime) / 2))
    for true in (bits[:, 0] == 1, bits[:, 1] == 0):
        assert binom.ppf(2.5e-7, people, honest) <= true.sum() <= binom.isf(2.5e-7, people, honest)
