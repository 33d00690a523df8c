"""What may be used once is used once: whoever comes meanwhile, from another thread or process, waits or is refused."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Event
from typing import Any

import pyarrow as pa
import pytest

import deniable
from deniable.core.errors import InvalidArgumentError
from deniable.engines import DuckDB
from deniable.ledger.turns import FileTurns
from deniable.local import KaryResponse, Memory
from deniable.mechanisms import AboveThreshold
from tests.support.ages import COUNT, ages

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")

SHORT = 0.3
"""Seconds in which whoever need not wait is through."""
PATIENCE = 60


def elsewhere(step: Callable[[], object]) -> tuple[int, int]:
    """Begin it in a forked process; its number, and where its exit is heard."""
    there, here = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(PATIENCE)
        try:
            step()
            os.write(here, b"done")
        except InvalidArgumentError:
            os.write(here, b"refused")
        finally:
            os._exit(0)
    os.close(here)
    return child, there


def heard(child: int, there: int) -> str:
    """How it ended."""
    with os.fdopen(there, "rb") as pipe:
        said = pipe.read().decode()
    os.waitpid(child, 0)
    return said


def used_slowly(use: Callable[[], Any], monkeypatch: pytest.MonkeyPatch) -> tuple[Future[Any], Future[Any]]:
    """Two threads use a thing; the first to draw a number takes until the second had time enough."""
    draw, begun, go_on = os.urandom, Event(), Event()

    def read(count: int) -> bytes:
        if not begun.is_set():
            begun.set()
            go_on.wait(PATIENCE)
        return draw(count)

    monkeypatch.setattr("os.urandom", read)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(use)
        assert begun.wait(PATIENCE)
        second = pool.submit(use)
        with suppress(TimeoutError):
            second.exception(SHORT)
        go_on.set()
    return first, second


def test_two_threads_get_one_yes_of_a_threshold(monkeypatch: pytest.MonkeyPatch) -> None:
    watch = AboveThreshold(sensitivity=1, epsilon=1).watch(threshold=0)
    ended = used_slowly(lambda: watch.ask(10**6), monkeypatch)
    assert sorted(one.exception() is None for one in ended) == [False, True]


def test_two_threads_get_one_report_of_a_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    device = Memory(KaryResponse(2**20, "1e-6"))
    first, second = used_slowly(lambda: device.report(7).data[0], monkeypatch)
    assert first.result() == second.result()


@pytest.mark.parametrize(
    "use",
    [AboveThreshold(sensitivity=1, epsilon=1).watch(threshold=0).ask, Memory(KaryResponse(4, 1)).report],
    ids=["threshold", "memory"],
)
def test_a_forked_process_has_no_use_of_either(use: Callable[[int], object]) -> None:
    assert heard(*elsewhere(lambda: use(1))) == "refused"


def test_threads_take_turns(tmp_path: Path) -> None:
    for turns in (FileTurns(tmp_path / "ledger"), FileTurns(None)):
        inside = Event()

        def comes(turns: FileTurns = turns, inside: Event = inside) -> None:
            with turns.of("question"):
                inside.set()

        with ThreadPoolExecutor(1) as pool:
            with turns.of("question"):
                waiting = pool.submit(comes)
                assert not inside.wait(SHORT)
            waiting.result(PATIENCE)
        assert inside.is_set()


def test_processes_take_turns(tmp_path: Path) -> None:
    mine, theirs = FileTurns(tmp_path / "ledger"), FileTurns(tmp_path / "ledger")
    order = tmp_path / "order"

    def comes() -> None:
        with theirs.of("question"):
            order.write_text("inside")

    with mine.of("question"):
        child, there = elsewhere(comes)
        signal.sigtimedwait([], SHORT)
        assert not order.exists()
    assert heard(child, there) == "done"
    assert order.exists()


def test_other_questions_do_not_wait(tmp_path: Path) -> None:
    turns = FileTurns(tmp_path / "ledger")
    with turns.of("one"), turns.of("other"):
        pass


def test_who_asks_the_same_meanwhile_waits_for_the_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = ages(tmp_path, "town")
    fetch, begun, go_on = DuckDB.fetch, Event(), Event()

    def slow(engine: DuckDB, sql: str) -> pa.Table:
        if not begun.is_set():
            begun.set()
            go_on.wait(PATIENCE)
        return fetch(engine, sql)

    with deniable.create(path) as curator, ThreadPoolExecutor(2) as pool:
        monkeypatch.setattr(DuckDB, "fetch", slow)
        asks = lambda: curator.ask(COUNT, epsilon="0.1")  # noqa: E731 - twice the same
        first = pool.submit(asks)
        assert begun.wait(PATIENCE)
        second = pool.submit(asks)
        with suppress(TimeoutError):
            second.result(SHORT)
        go_on.set()
        assert first.result(PATIENCE).table == second.result(PATIENCE).table
        assert [entry.kind for entry in curator.history()].count("charged") == 1
