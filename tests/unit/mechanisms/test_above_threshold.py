"""Sparse vector: the law of where it stops, its error, and that it is spent after 'yes'."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import os
import pickle
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from math import inf, log, nan

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable.core.errors import InvalidArgumentError
from deniable.mechanisms import AboveThreshold
from deniable.mechanisms.above_threshold import Watch
from tests.support.coverage import covers
from tests.support.laws import Event, unlikely


def stops(values: list[int], scale: Fraction) -> list[mpmath.mpf]:
    """The chance of stopping at each value, and nowhere: summed over the threshold's noise, cut off at exp(-60)."""
    with mpmath.workdps(30):
        step = mpmath.mpf(scale.denominator) / scale.numerator
        q, r = mpmath.exp(-step), mpmath.exp(-step / 2)

        def above(least: int) -> mpmath.mpf:
            """Of noise at twice the scale."""
            return r**least / (1 + r) if least > 0 else 1 - r ** (1 - least) / (1 + r)

        chances = [mpmath.mpf(0)] * (len(values) + 1)
        reach = int(60 * scale) + 1
        for threshold in range(-reach, reach + 1):
            going = (1 - q) / (1 + q) * q ** abs(threshold)
            for place, value in enumerate(values):
                yes = above(threshold - value)
                chances[place] += going * yes
                going *= 1 - yes
            chances[-1] += going
        return chances


TABLES = [[0], [-3, 2], [1, 1, 1, 0], [-4, -4, -4, 3, 9]]


@pytest.mark.parametrize("values", TABLES, ids=str)
def test_law_of_samples(values: list[int]) -> None:
    # false alarms: 1e-6 each
    mechanism = AboveThreshold(sensitivity=1, epsilon=1)
    counts = np.bincount(mechanism.sample(values, 50_000), minlength=len(values) + 1)
    law = stops(values, Fraction(2))
    assert float(sum(law)) == pytest.approx(1, abs=1e-12)
    assert not unlikely(
        Event(str(place), int(count), 50_000, float(chance))
        for place, (count, chance) in enumerate(zip(counts, law, strict=True))
    )


def test_law_of_watches() -> None:
    # the draws that people use, one at a time; false alarms: 1e-6
    mechanism = AboveThreshold(sensitivity=1, epsilon=2)
    values = [-1, 0, 1]
    found = [mechanism.first([value + 100 for value in values], threshold=100) for _ in range(4000)]
    law = stops(values, Fraction(1))
    assert not unlikely(
        Event(str(place), found.count(place), 4000, float(chance))
        for place, chance in zip([0, 1, 2, None], law, strict=True)
    )


@settings(max_examples=15, deadline=None)
@given(st.data())
def test_no_neighbour_moves_any_chance_by_more_than_epsilon(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 5))
    values = data.draw(st.lists(st.integers(-6, 6), min_size=size, max_size=size))
    moves = data.draw(st.lists(st.integers(-1, 1), min_size=size, max_size=size))
    one, other = stops(values, Fraction(1)), stops([v + m for v, m in zip(values, moves, strict=True)], Fraction(1))
    for a, b in zip(one, other, strict=True):
        assert a <= mpmath.exp(2) * b + mpmath.mpf(10) ** -14  # scale 1 is epsilon 2


# Error


@given(
    sensitivity=st.integers(1, 50),
    epsilon=st.floats(1e-3, 50),
    questions=st.integers(1, 10**6),
    beta=st.floats(1e-9, 0.9),
)
def test_error_is_at_most_the_textbooks(sensitivity: int, epsilon: float, questions: int, beta: float) -> None:
    # 8 (ln k + ln(2 / beta)) sensitivity / epsilon
    error = AboveThreshold(sensitivity=sensitivity, epsilon=epsilon).error(1 - beta, questions=questions)
    assert error <= 8 * (log(questions) + log(2 / beta)) * sensitivity / epsilon * (1 + 1e-9)


@pytest.mark.parametrize("confidence", [0.5, 0.95])
@pytest.mark.parametrize("questions", [1, 30])
def test_error_covers(questions: int, confidence: float) -> None:
    # all that lie further below get 'no', the first that lies further above gets 'yes'; false alarms: 1e-6
    mechanism = AboveThreshold(sensitivity=1, epsilon="0.5")
    error = int(mechanism.error(confidence, questions=questions))
    values = [-error - 1] * (questions - 1) + [error + 1]
    right = int((mechanism.sample(values, 20_000) == questions - 1).sum())
    assert covers(right, 20_000, confidence)
    quiet = int((mechanism.sample([-error - 1] * questions, 20_000) == questions).sum())
    assert covers(quiet, 20_000, confidence)


def test_error_is_not_absurdly_loose() -> None:
    # a third of the bound fails more often than stated
    mechanism = AboveThreshold(sensitivity=1, epsilon="0.5")
    third = int(mechanism.error(0.95, questions=30) / 3)
    right = (mechanism.sample([-third] * 30, 20_000) == 30).mean()
    assert right < 0.9


def test_error_is_in_the_values_unit() -> None:
    coarse, fine = AboveThreshold(sensitivity=1, epsilon=1), AboveThreshold(sensitivity="0.01", epsilon=1, step="0.01")
    assert fine.error(questions=5) == pytest.approx(coarse.error(questions=5) / 100)


# Use


def test_a_watch_is_spent_after_yes() -> None:
    watch = AboveThreshold(sensitivity=1, epsilon=1).watch(threshold=1000)
    assert [watch.ask(value) for value in (0, 1, 2)] == [False, False, False]
    assert watch.ask(2000) is True
    for _ in range(2):
        with pytest.raises(InvalidArgumentError, match="spent"):
            watch.ask(0)


def test_a_watch_shows_no_noise() -> None:
    watch = AboveThreshold(sensitivity=1, epsilon=1).watch(threshold=123_456)
    assert "123" not in repr(watch)


def slowly(monkeypatch: pytest.MonkeyPatch, slow: threading.Event, waited: threading.Event) -> None:
    """The first draw from now on takes until `slow` is set; `waited` says that it has begun."""
    draw, first = os.urandom, threading.Lock()

    def read(count: int) -> bytes:
        if first.acquire(blocking=False):
            waited.set()
            slow.wait(1)
        return draw(count)

    monkeypatch.setattr("os.urandom", read)


@pytest.mark.parametrize("asked", range(5))
def test_threads_get_one_yes_between_them(asked: int, monkeypatch: pytest.MonkeyPatch) -> None:
    watch = AboveThreshold(sensitivity=1, epsilon=1).watch(threshold=0)
    everyone, draw = threading.Barrier(8, timeout=10), os.urandom

    def read(count: int) -> bytes:
        time.sleep(0.01)  # between looking whether it is spent and spending it
        return draw(count)

    monkeypatch.setattr("os.urandom", read)

    def ask(_: int) -> bool:
        everyone.wait()
        try:
            return watch.ask(10**6 + asked)
        except InvalidArgumentError:
            return False

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(ask, range(8))) == 1


def test_a_late_no_does_not_revive_it(monkeypatch: pytest.MonkeyPatch) -> None:
    watch = AboveThreshold(sensitivity=1, epsilon=1).watch(threshold=0)
    slow, waited = threading.Event(), threading.Event()
    slowly(monkeypatch, slow, waited)
    with ThreadPoolExecutor(2) as pool:
        no = pool.submit(watch.ask, -(10**6))
        assert waited.wait(10)
        yes = pool.submit(watch.ask, 10**6)
        with contextlib.suppress(TimeoutError):
            yes.result(0.1)
        slow.set()
        assert (no.result(10), yes.result(10)) == (False, True)
    with pytest.raises(InvalidArgumentError, match="spent"):
        watch.ask(10**6)


@pytest.mark.parametrize("spent", [False, True])
@pytest.mark.parametrize("twin", [copy.copy, copy.deepcopy, pickle.dumps, lambda watch: pickle.dumps(watch, 0)])
def test_a_watch_has_no_twin(twin: Callable[[object], object], *, spent: bool) -> None:
    watch = AboveThreshold(sensitivity=1, epsilon=1).watch(threshold=0)
    if spent:
        watch.ask(10**6)
    for whole in (watch, *([] if twin is copy.copy else [[watch], {"watch": watch}])):
        with pytest.raises(TypeError, match="cannot be copied or pickled"):
            twin(whole)
    assert not dataclasses.is_dataclass(watch)  # which could be replaced, field by field
    assert not hasattr(watch, "__dict__")


def test_no_guess_equals_a_watch() -> None:
    """Comparing field by field would tell a noisy threshold from a guess."""
    mechanism = AboveThreshold(sensitivity=1, epsilon=1)
    watch = mechanism.watch(threshold=0)
    twin = Watch(mechanism, watch._noisy_thresholds, watch._bits)
    assert watch not in (twin, mechanism.watch(threshold=0))


def test_a_forked_watch_is_of_no_use(monkeypatch: pytest.MonkeyPatch) -> None:
    watch = AboveThreshold(sensitivity=1, epsilon=1).watch(threshold=0)
    monkeypatch.setattr("deniable.mechanisms.above_threshold.getpid", lambda: os.getpid() + 1)
    with pytest.raises(InvalidArgumentError, match="another process"):
        watch.ask(10**6)


def test_a_value_that_is_refused_leaves_the_watch_as_it_was() -> None:
    watch = AboveThreshold(sensitivity=1, epsilon=1).watch(threshold=0)
    with pytest.raises(InvalidArgumentError):
        watch.ask(nan)
    assert not watch.spent
    assert watch.ask(10**6)


def test_first_reads_no_value_past_the_one_it_found() -> None:
    read = []

    def values() -> Iterator[int]:
        for value in (0, 5000, 7, 8):
            read.append(value)
            yield value

    assert AboveThreshold(sensitivity=1, epsilon=1).first(values(), threshold=2500) == 1
    assert read == [0, 5000]
    assert AboveThreshold(sensitivity=1, epsilon=1).first([0, 0], threshold=2500) is None
    assert AboveThreshold(sensitivity=1, epsilon=1).first([], threshold=2500) is None


def test_values_on_a_grid() -> None:
    mechanism = AboveThreshold(sensitivity="0.5", epsilon=1, step="0.1")
    assert mechanism.first([1.5, 9999.9], threshold="5000.05") == 1


@pytest.mark.parametrize("value", [nan, inf, "abc", None, 2**62, [[1]], [], [1, 2]])
def test_bad_values(value: object, monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism = AboveThreshold(sensitivity=1, epsilon=1)
    watch = mechanism.watch(threshold=0)

    def refuse(count: int) -> bytes:
        raise AssertionError(f"drew {count} bytes")

    monkeypatch.setattr("os.urandom", refuse)
    for argument, use in (("threshold", mechanism.watch), ("value", watch.ask)):
        with pytest.raises(InvalidArgumentError) as error:
            use(value)
        assert error.value.argument == argument


@pytest.mark.parametrize(
    ("argument", "arguments"),
    [("questions", {"questions": 0}), ("confidence", {"confidence": 1, "questions": 1})],
)
def test_bad_error_arguments(argument: str, arguments: dict[str, float]) -> None:
    with pytest.raises(InvalidArgumentError) as error:
        AboveThreshold(sensitivity=1, epsilon=1).error(**arguments)
    assert error.value.argument == argument


@pytest.mark.parametrize(("sensitivity", "step"), [(1, 1), (1, "0.01"), ("0.05", "0.01"), (3, 2)])
def test_its_neighbours_are_neighbours(sensitivity: object, step: object) -> None:
    mechanism = AboveThreshold(sensitivity=sensitivity, epsilon=1, step=step)
    one, other = (mechanism._grid.indices("x", values) for values in mechanism.neighbours())
    assert np.abs(one - other).max() == mechanism._grid.distance(mechanism.sensitivity)
