"""The same question by many: one charge for all of them, and each analyst's share pays for what that analyst sees."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from threading import Barrier

import pytest

import deniable
from deniable.core.errors import Refused
from deniable.curator import Curator
from tests.support.ages import COUNT, ages
from tests.support.ledgers import everywhere

SHARES = "[analysts.alice]\nepsilon = 0.9\n[analysts.bob]\nepsilon = 0.15\n"


@pytest.fixture
def town(tmp_path: Path, ledger_section: str) -> Path:
    return ages(tmp_path, "town", ledger_section, people=1000)


@pytest.fixture
def shared(town: Path) -> Path:
    town.write_text(town.read_text() + SHARES)
    return town


@everywhere
def test_six_threads_that_ask_the_same_pay_once(town: Path) -> None:
    start = Barrier(6)
    with deniable.create(town) as curator, ThreadPoolExecutor(6) as pool:

        def ask(_: int) -> tuple[int, bool]:
            start.wait()
            answer = curator.ask(COUNT, epsilon="0.1")
            return answer.table["n"][0].as_py(), answer.free

        answers = list(pool.map(ask, range(6)))
        assert float(curator.budget().spent.epsilon) == 0.1
    assert len({value for value, _ in answers}) == 1
    assert sorted(free for _, free in answers) == [False] + [True] * 5


def _ask(path: Path, told: object) -> None:
    with deniable.open(path) as curator:
        answer = curator.ask(COUNT, epsilon="0.1")
        told.put((answer.table["n"][0].as_py(), answer.free))  # type: ignore[attr-defined]


@everywhere
def test_processes_that_ask_the_same_pay_once(town: Path) -> None:
    deniable.create(town).close()
    context = get_context("spawn")
    told = context.Queue()
    askers = [context.Process(target=_ask, args=(town, told)) for _ in range(3)]
    for asker in askers:
        asker.start()
    answers = [told.get(timeout=120) for _ in askers]
    for asker in askers:
        asker.join()
    with deniable.open(town) as curator:
        assert float(curator.budget().spent.epsilon) == 0.1
    assert len({value for value, _ in answers}) == 1
    assert sorted(free for _, free in answers) == [False, True, True]


@everywhere
def test_an_asker_who_is_killed_keeps_nobody_waiting(town: Path) -> None:
    deniable.create(town).close()
    context = get_context("spawn")
    holding = context.Event()
    holder = context.Process(target=_hold, args=(town, holding))
    holder.start()
    assert holding.wait(timeout=120)
    holder.kill()
    holder.join()
    with deniable.open(town) as curator, curator.ledger.turn("q"):
        assert float(curator.budget().spent.epsilon) == 0


def _hold(path: Path, holding: object) -> None:
    with deniable.open(path) as curator, curator.ledger.turn("q"):
        holding.set()  # type: ignore[attr-defined]
        get_context("spawn").Event().wait(timeout=300)


def _left(curator: Curator, analyst: str) -> float:
    return round(float(curator.budget(analyst).spent.epsilon), 10)


@everywhere
def test_a_share_pays_for_what_its_analyst_is_shown_and_the_population_does_not_pay_again(shared: Path) -> None:
    with deniable.create(shared) as curator:
        first = curator.ask(COUNT, analyst="alice", epsilon="0.1")
        again = curator.ask(COUNT, analyst="bob", epsilon="0.1")
        assert again.table == first.table
        assert (again.share, again.free, first.share) == (True, False, False)
        assert "share alone" in str(again)
        assert (_left(curator, "alice"), _left(curator, "bob")) == (0.1, 0.1)
        assert float(curator.budget().spent.epsilon) == 0.1
        assert curator.history()[-1].kind == "shown"
        for who in ("alice", "bob", "bob"):
            assert curator.ask(COUNT, analyst=who, epsilon="0.1").free
        assert (_left(curator, "alice"), _left(curator, "bob")) == (0.1, 0.1)
        assert [entry.kind for entry in curator.history()].count("shown") == 1
    with deniable.open(shared) as reopened:
        assert reopened.ask(COUNT, analyst="bob", epsilon="0.1").free
        assert _left(reopened, "bob") == 0.1
        assert reopened.ledger.verify() == 4


def test_answers_that_a_share_cannot_pay_are_not_shown(shared: Path) -> None:
    questions = [f"SELECT COUNT(*) AS n FROM people WHERE age > {limit}" for limit in range(9)]
    with deniable.create(shared) as curator:
        for sql in questions:
            curator.ask(sql, analyst="alice", epsilon="0.1")
        curator.ask(questions[0], analyst="bob", epsilon="0.1")
        for sql in questions[1:]:
            with pytest.raises(Refused) as refused:
                curator.ask(sql, analyst="bob", epsilon="0.1")
            assert refused.value.code == "over-budget"
        assert _left(curator, "bob") == 0.1
        with pytest.raises(Refused):
            curator.ask_all(questions, analyst="bob", epsilon="0.9")
