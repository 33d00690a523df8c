from __future__ import annotations

import os
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from multiprocessing import get_context
from multiprocessing.synchronize import Barrier
from pathlib import Path
from threading import Barrier as ThreadBarrier
from threading import Thread

from deniable.core.errors import Refused
from deniable.ledger import Ledger
from tests.support.ledgers import Place
from tests.unit.ledger.asking import account, ask, charge

_spawn = get_context("spawn")


def _wins(ledger: Ledger, question: str, epsilon: str = "0.1") -> bool:
    try:
        ledger.charge(charge(question, epsilon), [account(1), account("0.75", "alice")])
    except Refused as refused:
        assert refused.code == "over-budget"  # noqa: PT017 - the other codes would be failures of the ledger
        return False
    return True


def _all_at_once(count: int, step: Callable[[int], bool]) -> list[bool]:
    start = ThreadBarrier(count)

    def run(number: int) -> bool:
        start.wait()
        return step(number)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))


def test_of_fifty_threads_as_many_win_as_fit_in_memory() -> None:
    _as_many_win_as_fit(Ledger.memory("clinic"))


def test_of_fifty_threads_as_many_win_as_fit(place: Place) -> None:
    _as_many_win_as_fit(Ledger.create(place.url, "clinic"))


def _as_many_win_as_fit(ledger: Ledger) -> None:
    won = _all_at_once(50, lambda number: _wins(ledger, f"{number}"))
    assert sum(won) == 7
    assert ledger.spent("alice").epsilon == Fraction(7, 10)
    assert ledger.verify() == 8


def test_of_fifty_threads_one_wins_the_last_of_the_budget(place: Place) -> None:
    ledger = Ledger.create(place.url, "clinic")
    won = _all_at_once(50, lambda number: _wins(ledger, f"{number}", "0.75"))
    assert sum(won) == 1


def test_ledgers_of_one_place_share_its_budget(place: Place) -> None:
    Ledger.create(place.url, "clinic").close()
    ledgers = [Ledger.open(place.url, "clinic") for _ in range(6)]
    won = _all_at_once(12, lambda number: _wins(ledgers[number % 6], f"{number}"))
    assert sum(won) == 7
    assert {ledger.spent("clinic").epsilon for ledger in ledgers} == {Fraction(7, 10)}


def _rush(place: Place, name: str, start: Barrier) -> None:
    """Exits with the number of questions that won."""
    ledger = Ledger.open(place.url, "clinic")
    start.wait()
    os._exit(sum(_wins(ledger, f"{name}{number}", "0.05") for number in range(20)))


def test_of_two_processes_as_many_questions_win_as_fit(place: Place) -> None:
    Ledger.create(place.url, "clinic").close()
    start = _spawn.Barrier(2)
    racers = [_spawn.Process(target=_rush, args=(place, name, start)) for name in "ab"]
    for racer in racers:
        racer.start()
    for racer in racers:
        racer.join()
    ledger = Ledger.open(place.url, "clinic")
    for racer, name in zip(racers, "ab", strict=True):
        assert racer.exitcode == sum(entry.question.startswith(name) for entry in ledger.history())
    assert ledger.verify() == 1 + 15
    assert ledger.spent("alice").epsilon == Fraction(3, 4)


def test_an_answer_is_found_whole_or_not_at_all(place: Place) -> None:
    ledger = Ledger.create(place.url, "clinic")

    def step(number: int) -> bool:
        if number % 2:
            ask(ledger, f"{number}", answer=bytes([number]) * 10_000)
            return True
        found = [ledger.find(f"{number + 1}") for _ in range(20)]
        first = next((place for place, answer in enumerate(found) if answer is not None), len(found))
        return found[first:] == [bytes([number + 1]) * 10_000] * (len(found) - first)

    assert all(_all_at_once(16, step))


def _divide(place: Place) -> None:
    """Forks while a thread charges; exits with the number of children that did not get along."""
    ledger, fleeting = Ledger.open(place.url, "clinic"), Ledger.memory("clinic")
    busy = Thread(target=lambda: [ask(ledger, f"parent {number}") for number in range(40)])
    busy.start()
    children = []
    for number in range(6):
        child = os.fork()
        if child == 0:
            signal.alarm(60)
            os._exit(_in_child(place, ledger, fleeting, number))
        children.append(child)
    busy.join()
    os._exit(sum(os.waitpid(child, 0)[1] != 0 for child in children))


def _in_child(place: Place, ledger: Ledger, fleeting: Ledger, number: int) -> int:
    path = getattr(place, "path", None)
    database = {str(path), f"{path}-wal", f"{path}-shm"}
    if any(str(file.resolve()) in database for file in Path("/proc/self/fd").iterdir()):
        return 1
    for turn in range(3):
        ask(ledger, f"child {number}, turn {turn}")
    try:
        fleeting.spent("clinic")
    except Refused as refused:
        return int(refused.code != "ledger-closed")
    return 1


def test_a_process_that_divides_keeps_one_ledger(place: Place) -> None:
    Ledger.create(place.url, "clinic").close()
    parent = _spawn.Process(target=_divide, args=(place,))
    parent.start()
    parent.join()
    assert parent.exitcode == 0
    ledger = Ledger.open(place.url, "clinic")
    assert ledger.verify() == 1 + 2 * (40 + 6 * 3)
    assert ledger.spent("clinic").epsilon == Fraction(58, 10)
