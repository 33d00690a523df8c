"""The worker: its limits hold, it dies when it should, and nobody reads another one's answer."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from deniable.core.deadline import within
from deniable.core.errors import Failed
from deniable.engines import DuckDB
from deniable.engines.engine import Broken
from tests.unit.engines.people import FOR_EVER, count


def worker_of(engine: DuckDB) -> int:
    return engine._started[0][1]._process.pid


def test_a_query_that_takes_too_long_is_stopped_and_the_next_one_runs(people: Path) -> None:
    engine = DuckDB({"people": people}, seconds=2)
    engine.run(count())
    started = time.monotonic()
    with pytest.raises(Broken, match="too long"):
        engine.fetch(FOR_EVER)
    assert time.monotonic() - started < 6
    assert engine.run(count()).to_pylist() == [{"n": 5}]
    engine.close()


def test_a_query_has_no_more_time_than_is_left_of_its_question(people: Path) -> None:
    engine = DuckDB({"people": people}, seconds=60)
    engine.run(count())
    started = time.monotonic()
    with within(1), pytest.raises(Broken, match="too long"):
        engine.fetch(FOR_EVER)
    with within(0), pytest.raises(Failed):
        engine.run(count())
    assert time.monotonic() - started < 6
    assert engine.run(count()).to_pylist() == [{"n": 5}]
    engine.close()


def test_a_killed_worker_fails_its_query_and_is_replaced(engine: DuckDB, monkeypatch: pytest.MonkeyPatch) -> None:
    engine.run(count())
    killed = worker_of(engine)
    Thread(target=lambda: (time.sleep(0.5), os.kill(killed, signal.SIGKILL))).start()
    with monkeypatch.context() as patched:
        patched.setattr(engine, "emit", lambda _: FOR_EVER)
        with pytest.raises(Failed):
            engine.run(count())
    assert engine.run(count()).to_pylist() == [{"n": 5}]
    assert worker_of(engine) != killed


def test_a_worker_that_died_between_queries_is_replaced(engine: DuckDB) -> None:
    engine.run(count())
    os.kill(worker_of(engine), signal.SIGKILL)
    engine._started[0][1]._process.wait()
    assert engine.run(count()).to_pylist() == [{"n": 5}]


LONELY = """
import sys, threading, time
from deniable.engines import DuckDB
engine = DuckDB({"people": sys.argv[1]}, seconds=600)
engine.fetch("SELECT 1")
worker = engine._started[0][1]
threading.Thread(target=engine.fetch, args=(sys.argv[2],), daemon=True).start()
time.sleep(0.5)
print(worker._process.pid, worker._spill, flush=True)
time.sleep(600)
"""


def test_a_worker_dies_with_its_parent_even_in_the_middle_of_a_query(people: Path) -> None:
    command = [sys.executable, "-c", LONELY, people, FOR_EVER]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        worker, spill = parent.stdout.readline().split()
        assert Path(spill).is_dir()
        assert stat.S_IMODE(Path(spill).stat().st_mode) == 0o700
        parent.kill()
    deadline = time.monotonic() + 10
    while Path(f"/proc/{worker}").exists() and not _zombie(worker) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not Path(f"/proc/{worker}").exists() or _zombie(worker)
    assert not Path(spill).exists()


def _zombie(worker: str) -> bool:
    try:
        return Path(f"/proc/{worker}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def test_a_worker_that_cannot_be_locked_is_not_used(people: Path) -> None:
    engine = DuckDB({"people": people}, memory="plenty")
    with pytest.raises(Failed):
        engine.run(count())
    assert engine.process is None


def test_closing_leaves_nothing_behind(engine: DuckDB) -> None:
    engine.run(count())
    worker = engine._started[0][1]
    assert Path(worker._spill).is_dir()
    engine.close()
    engine.close()
    assert worker._process.returncode is not None
    assert not Path(worker._spill).exists()
    assert engine.run(count()).to_pylist() == [{"n": 5}]


def test_a_forgotten_engine_takes_its_worker_along(people: Path) -> None:
    engine = DuckDB({"people": people})
    engine.run(count())
    process = engine._started[0][1]._process
    del engine
    assert process.returncode is not None


def test_a_forked_process_has_a_worker_of_its_own(engine: DuckDB) -> None:
    engine.run(count())
    child = os.fork()
    if child == 0:
        right = False
        try:
            right = engine.run(count()).to_pylist() == [{"n": 5}]
            engine.close()
        finally:
            os._exit(0 if right else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert engine._started[0][1].alive
    assert engine.run(count()).to_pylist() == [{"n": 5}]


def test_an_interrupted_question_does_not_answer_the_next(engine: DuckDB) -> None:
    """Its reply may still be on the way."""
    engine.run(count())
    asker, before = threading.get_ident(), signal.signal(signal.SIGINT, signal.default_int_handler)
    seconds = Thread(target=lambda: (time.sleep(0.3), signal.pthread_kill(asker, signal.SIGINT)))
    seconds.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            engine.fetch("SELECT COUNT(*) AS n FROM range(3000000000) WHERE hash(range) % 7 = 0")
        seconds.join()
    finally:
        signal.signal(signal.SIGINT, before)
    assert engine.fetch("SELECT 1 AS one").to_pylist() == [{"one": 1}]


def test_threads_may_ask_at_once(engine: DuckDB) -> None:
    answers: list[tuple[int, Any]] = []

    def ask(value: int) -> None:
        answers.append((value, engine.fetch(f"SELECT {value} AS v")["v"][0].as_py()))

    threads = [Thread(target=ask, args=(value,)) for value in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 20
    assert all(asked == answered for asked, answered in answers)


def test_what_memory_cannot_hold_is_put_on_disk(people: Path) -> None:
    engine = DuckDB({"people": people}, memory="60MB", threads=2, seconds=60)
    counted = "SELECT COUNT(*) AS n FROM (SELECT range AS i, md5(range::VARCHAR) AS h FROM range(1000000) GROUP BY ALL)"
    assert engine.fetch(counted).to_pylist() == [{"n": 1_000_000}]
    engine.close()
