"""Two curators share one account on a server, and are killed again and again: no double spend, no free answer.

They ask the same questions in the same order, so they often ask the same at the same moment. Whoever starts them forks
them from a process that has everything loaded, so that being born takes less time than being asked.
"""

from __future__ import annotations

import os
import random
import signal
import time
from collections import Counter
from multiprocessing import get_context
from pathlib import Path

import pytest

import deniable
from deniable.accounting import Filter
from deniable.core.errors import Failed, Refused
from deniable.core.loss import Loss
from tests.support.ages import ages, kept_at

SPEND = "0.01"


@pytest.fixture
def town(tmp_path: Path, server_url: str) -> Path:
    path = ages(tmp_path, "town", kept_at(server_url), epsilon=3)
    deniable.create(path).close()
    return path


def _curator(path: Path, say: int) -> None:
    """Ask one question after the other, and say each answer to a pipe that outlives this process."""
    with deniable.open(path) as curator:
        os.write(say, b"open\n")
        for number in range(1_000):
            try:
                answer = curator.ask(f"SELECT COUNT(*) AS n FROM people WHERE age > {number}", epsilon=SPEND)
            except Refused as refused:
                os._exit(0 if refused.code == "over-budget" else 3)
            except Failed:
                continue
            os.write(say, f"{number} {answer.table['n'][0].as_py()}\n".encode())
    os._exit(0)


class _Born:
    """A curator in a process of its own."""

    def __init__(self, path: Path) -> None:
        there, here = os.pipe()
        self.process = os.fork()
        if self.process == 0:
            try:
                _curator(path, here)
            finally:
                os._exit(4)
        os.close(here)
        self._pipe = os.fdopen(there)

    def killed(self, answers: int, after: float) -> list[str]:
        """What it has said, when it was killed so many answers and seconds after it had opened the ledger."""
        opened = self._pipe.readline()
        heard = [self._pipe.readline().strip() for _ in range(answers)]
        time.sleep(after)
        os.kill(self.process, signal.SIGKILL)
        with self._pipe:
            said = [line for line in heard if line] + self._pipe.read().splitlines()
        status = os.waitpid(self.process, 0)[1]
        assert opened == "open\n"
        assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, status
        return said


def _killed(path: Path, kills: int, seed: int) -> None:
    """Two at a time, one of which is killed, until so many were."""
    chance = random.Random(seed)  # noqa: S311 - moments to die at, not noise
    said, alive = [], [_Born(path), _Born(path)]
    for _ in range(kills - 2):
        place = chance.randrange(2)
        said += alive[place].killed(chance.randrange(3), chance.uniform(0, 0.2))
        alive[place] = _Born(path)
    for born in alive:
        said += born.killed(2, chance.uniform(0, 0.2))
    _examine(path, [line.split() for line in said], kills)


def _examine(path: Path, said: list[list[str]], kills: int) -> None:
    with deniable.open(path) as curator:
        history = curator.history()
        charges = [entry for entry in history if entry.kind == "charged"]
        answered = {entry.charge: entry.sequence for entry in history if entry.kind == "answered"}
        assert curator.ledger.verify() == len(history)
        assert curator.ledger.spent("population") == sum((entry.loss for entry in charges), Loss.zero())
        assert Filter(curator.policy.cap).admits(curator.ledger.spent("population"))
        # never a free answer: whatever anybody was told was charged before, and is what is on record
        told = {}
        for number, value in said:
            assert told.setdefault(number, value) == value
        for number, value in told.items():
            answer = curator.ask(f"SELECT COUNT(*) AS n FROM people WHERE age > {number}", epsilon=SPEND)
            assert answer.free
            assert str(answer.table["n"][0].as_py()) == value
    # never a double spend: a question is charged again only if whoever was charged died before the answer was kept
    assert all(charge < answer for charge, answer in answered.items())
    assert max(Counter(entry.question for entry in charges if entry.sequence in answered).values()) == 1
    unanswered = [entry for entry in charges if entry.sequence not in answered]
    assert len(unanswered) <= kills
    assert len(told) > 1


def _passes(path: Path, kills: int, seed: int) -> bool:
    """In a process of its own, which has no threads and may fork."""
    process = get_context("spawn").Process(target=_killed, args=(path, kills, seed))
    process.start()
    process.join()
    return process.exitcode == 0


def test_two_curators_that_are_killed_never_spend_twice_and_never_answer_for_nothing(town: Path) -> None:
    assert _passes(town, 5, 7)


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(4))
def test_two_curators_that_are_killed_fifty_times_each(town: Path, seed: int) -> None:
    assert _passes(town, 50, seed)
