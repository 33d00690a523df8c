"""How long a charge and a record take on this disk, how long a ledger takes to open as it grows, and how many a second.

Run: python -m benchmarks.ledger [folder]

The second table needs PostgreSQL: the server that DENIABLE_TEST_POSTGRES names, or one that is started in the folder.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from fractions import Fraction
from hashlib import sha256
from multiprocessing import get_context
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory, gettempdir

from deniable.core.cap import Cap
from deniable.core.event import Event
from deniable.core.loss import Loss
from deniable.ledger import Charge, Ledger, Ticket
from deniable.ledger.entries.balances import Standing
from deniable.ledger.entries.checkpoint import EVERY
from deniable.ledger.entries.entry import Link
from deniable.ledger.storage import table
from deniable.ledger.storage.anchor import Anchor
from deniable.ledger.storage.sqlite import SQLite
from deniable.policy import Account

_SIZES = (1, 1_000, 100_000)
_ROUNDS = 200
_PROCESSES = (1, 4, 8)
_SECONDS = 5.0
_ANSWER = bytes(4_000)
_ACCOUNTS = [Account(name, Cap(2_000, "1e-6")) for name in ("clinic", "alice")]


def main(folder: str | None = None) -> None:
    """One table: milliseconds by number of questions; `find` is the first repeat of the oldest after opening."""
    print(
        f"{'questions':>9} {'charge':>16} {'record':>16} {'both':>16} {'open':>8} {'find':>8} {'verify':>8}"
        "   ms: median (p95)"
    )
    with TemporaryDirectory(dir=folder) as place:
        for size in _SIZES:
            path = Path(place) / f"{size}.ledger"
            ledger = _grown(path, size)
            charges, records = zip(*(_question(ledger, size + number) for number in range(_ROUNDS)), strict=True)
            both = [charge + record for charge, record in zip(charges, records, strict=True)]
            ledger.close()
            opened, found, verified = _opened(path)
            columns = " ".join(f"{_spread(times):>16}" for times in (charges, records, both))
            print(f"{size:>9} {columns} {opened:>8.1f} {found:>8.1f} {verified:>8.0f}")
    _rates(folder)


def _rates(folder: str | None) -> None:
    """One table: charges a second, by processes that all charge the same account as fast as they can."""
    print(f"\n{'processes':>9} {'file':>12} {'server':>12}   charges a second, each on disk when it returns")
    with TemporaryDirectory(dir=folder) as place, _server(folder) as server:
        for processes in _PROCESSES:
            file = _rate(f"sqlite:///{place}/{processes}.ledger", "clinic", processes)
            there = "none" if server is None else f"{_rate(server, f'clinic {processes}', processes):.0f}"
            print(f"{processes:>9} {file:>12.0f} {there:>12}")


@contextmanager
def _server(folder: str | None) -> Iterator[str | None]:
    from tests.support.postgres import URL, binaries, started

    if named := os.environ.get(URL):
        yield named
    elif binaries() is None:
        yield None
    else:
        with started(folder or gettempdir()) as server:
            yield server.url


def _rate(url: str, population: str, processes: int) -> float:
    """Charges of all processes together, in a second."""
    Ledger.create(url, population).close()
    spawn = get_context("spawn")
    start, counts = spawn.Barrier(processes), spawn.Queue()
    racers = [
        spawn.Process(target=_charging, args=(url, population, number, start, counts)) for number in range(processes)
    ]
    for racer in racers:
        racer.start()
    charged: int = sum(counts.get() for _ in racers)
    for racer in racers:
        racer.join()
    return charged / _SECONDS


def _charging(url: str, population: str, racer: int, start: Barrier, counts: Queue[int]) -> None:
    with closing(Ledger.open(url, population)) as ledger:
        ledger.charge(_charge(-1 - racer), _ACCOUNTS)
        start.wait()
        count, end = 0, time.perf_counter() + _SECONDS
        while time.perf_counter() < end:
            ledger.charge(_charge(racer * 1_000_000 + count), _ACCOUNTS)
            count += 1
        counts.put(count)


def _opened(path: Path) -> tuple[float, float, float]:
    """The milliseconds of opening, of the first repeat of the oldest question, and of checking everything."""
    ledgers: list[Ledger] = []
    opened = _time(lambda: ledgers.append(Ledger.open(f"sqlite:///{path}", "clinic")))
    with closing(ledgers[0]) as ledger:
        return opened, _time(lambda: ledger.find(_name(0))), _time(ledger.verify)


def _question(ledger: Ledger, number: int) -> tuple[float, float]:
    """The milliseconds of one charge and of one record."""
    tickets: list[Ticket] = []
    charge = _time(lambda: tickets.append(ledger.charge(_charge(number), _ACCOUNTS)))
    return charge, _time(lambda: ledger.record(tickets[0], _ANSWER))


def _charge(number: int) -> Charge:
    loss = Loss.pure("0.01")
    event = Event("Laplace", {"sensitivity": Fraction(1), "epsilon": Fraction(1, 100)})
    return Charge(_name(number), "alice", "SELECT region, COUNT(*) FROM visits GROUP BY region", (event,), loss)


def _name(number: int) -> str:
    return sha256(f"{number}".encode()).hexdigest()


def _grown(path: Path, questions: int) -> Ledger:
    """A ledger with so many questions, written in one go as the ledger itself would have written them."""
    url = f"sqlite:///{path}"
    with closing(Ledger.create(url, "clinic")):
        store, standing = SQLite(path), Standing("clinic")
    with store.writing() as connection:
        standing.follow(table.links(connection))

        def append(link: Link) -> None:
            table.append(connection, link)
            standing.step(link)

        for number in range(questions):
            charge, before = _charge(number), standing.spent("clinic")
            totals = {account.name: before + charge.loss for account in _ACCOUNTS}
            append(Link.after(standing.head, "charged", charge.body(totals, "then")))
            body = {"charge": standing.head.sequence, "question": charge.question, "written": "then"}
            append(Link.after(standing.head, "answered", body, _ANSWER))
            if standing.head.sequence - standing.mark.sequence >= EVERY:
                append(standing.checkpoint())
    store.close()
    Anchor.of(path).write(standing.head)
    return Ledger.open(url, "clinic")


def _time(step: Callable[[], object]) -> float:
    start = time.perf_counter()
    step()
    return (time.perf_counter() - start) * 1e3


def _spread(times: tuple[float, ...] | list[float]) -> str:
    return f"{median(times):.1f} ({quantiles(times, n=20)[-1]:.1f})"


if __name__ == "__main__":
    main(*sys.argv[1:2])
