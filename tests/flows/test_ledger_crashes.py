"""A process that holds the ledger is killed, again and again; afterwards the ledger must be whole and owe nobody.

This is the attack that tests/adversary leaves out: kill -9 at each step, in the hope of a free answer.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import deniable.ledger
from deniable.accounting import Filter
from deniable.core.errors import Refused
from deniable.core.loss import Loss
from deniable.ledger import Ledger
from tests.support.ledgers import Place
from tests.unit.ledger.asking import account, charge

_ROOM = str(Path(deniable.ledger.__file__).parent)
_PAYER = account(3)

Work = Callable[[Ledger, Callable[[str], None]], None]


def _answer(question: str) -> bytes:
    return question.encode() * 50


def _question(ledger: Ledger, question: str, say: Callable[[str], None]) -> None:
    ticket = ledger.charge(charge(question, "0.01"), [_PAYER])
    say(f"charged {question}")
    ledger.record(ticket, _answer(question))
    say(f"answered {question}")


def _in_child(place: Place, work: Work, patience: float | None = None) -> tuple[list[str], bool]:
    """What the child said through a pipe that outlives it, and whether it was killed."""
    there, here = os.pipe()
    child = os.fork()
    if child == 0:
        work(Ledger.open(place.url, "clinic"), lambda line: os.write(here, f"{line}\n".encode()) and None)
        os._exit(0)
    os.close(here)
    if patience is not None:
        time.sleep(patience)
        os.kill(child, signal.SIGKILL)
    with os.fdopen(there) as pipe:
        said = pipe.read().splitlines()
    return said, os.WIFSIGNALED(os.waitpid(child, 0)[1])


def _examine(place: Place, said: list[str]) -> None:
    """Whatever was said is on disk, charged before it was answered, and within the budget."""
    ledger = Ledger.open(place.url, "clinic")
    history = ledger.history()
    for done, question in (line.split() for line in said):
        kinds = [entry.kind for entry in history if entry.question == question]
        assert kinds == ["charged", "answered"][: len(kinds)]
        assert done in kinds
        assert done == "charged" or ledger.find(question) == _answer(question)
    charged = [entry.loss for entry in history if entry.kind == "charged"]
    assert ledger.spent("clinic") == sum(charged, Loss.zero())
    assert Filter(_PAYER.cap).admits(ledger.spent("clinic"))
    ledger.close()


def _at_random(place: Place, rounds: int, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - moments to die at, not noise
    for turn in range(rounds):

        def work(ledger: Ledger, say: Callable[[str], None], turn: int = turn) -> None:
            try:
                for number in range(1_000):
                    _question(ledger, f"{turn}-{number}", say)
            except Refused as refused:
                os._exit(refused.code != "over-budget")

        said, _ = _in_child(place, work, chance.uniform(0, 0.08))
        _examine(place, said)


def _at_line(place: Place, stride: int) -> None:
    """Die at the n-th line of the ledger's own code that a question runs through, for n = 1, 1 + stride, ..."""
    line, killed = 1, True
    while killed:

        def work(ledger: Ledger, say: Callable[[str], None], line: int = line) -> None:
            left = line

            def trace(frame: FrameType, event: str, _: object) -> Callable[..., Any] | None:
                nonlocal left
                if not frame.f_code.co_filename.startswith(_ROOM):
                    return None
                left -= event == "line"
                if left == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
                return trace

            sys.settrace(trace)
            _question(ledger, f"line-{line}", say)
            sys.settrace(None)

        said, killed = _in_child(place, work)
        _examine(place, said)
        line += stride
    if line < 200:
        raise AssertionError("hardly any line was traced")


def _passes(target: Callable[..., None], *arguments: object) -> bool:
    """In a process of its own, which has no threads and may fork."""
    process = get_context("spawn").Process(target=target, args=arguments)
    process.start()
    process.join()
    return process.exitcode == 0


@pytest.fixture
def created(place: Place) -> Place:
    Ledger.create(place.url, "clinic").close()
    return place


def test_killed_at_random_it_never_gives_an_answer_away(created: Place) -> None:
    assert _passes(_at_random, created, 40, 7)


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(10))
def test_killed_at_random_hundreds_of_times(created: Place, seed: int) -> None:
    assert _passes(_at_random, created, 40, seed)


def test_killed_at_every_few_lines_it_never_gives_an_answer_away(created: Place) -> None:
    assert _passes(_at_line, created, 17)


@pytest.mark.deep
def test_killed_at_every_line(created: Place) -> None:
    assert _passes(_at_line, created, 1)
