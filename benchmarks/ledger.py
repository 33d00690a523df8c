"""How long a charge and a record take on this disk, and how long a ledger takes to open, as it grows.

Run: python -m benchmarks.ledger [folder]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import closing
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory

from deniable.core.cap import Cap
from deniable.core.event import Event
from deniable.core.loss import Loss
from deniable.ledger import Charge, Ledger, Ticket
from deniable.ledger.entry import Link
from deniable.ledger.store import Store
from deniable.policy import Account

_SIZES = (0, 1_000, 10_000)
_ROUNDS = 200
_ANSWER = bytes(4_000)
_ACCOUNTS = [Account(name, Cap(1_000, "1e-6")) for name in ("clinic", "alice")]


def main(folder: str | None = None) -> None:
    """One table: milliseconds by number of entries."""
    print(f"{'entries':>8} {'charge':>16} {'record':>16} {'both':>16} {'find':>8} {'open':>8}   ms: median (p95)")
    with TemporaryDirectory(dir=folder) as place:
        for size in _SIZES:
            path = Path(place) / f"{size}.ledger"
            ledger = _grown(path, size)
            charges, records = zip(*(_question(ledger, size + number) for number in range(_ROUNDS)), strict=True)
            both = [charge + record for charge, record in zip(charges, records, strict=True)]
            found = _time(lambda ledger=ledger, size=size: ledger.find(_name(size)))  # type: ignore[misc]
            ledger.close()
            opened = _time(lambda path=path: Ledger.open(f"sqlite:///{path}", "clinic").close())  # type: ignore[misc]
            columns = " ".join(f"{_spread(times):>16}" for times in (charges, records, both))
            print(f"{size:>8} {columns} {found:>8.2f} {opened:>8.1f}")


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


def _grown(path: Path, entries: int) -> Ledger:
    """A ledger with so many entries, written in one go as the ledger itself would have written them."""
    url = f"sqlite:///{path}"
    with closing(Ledger.create(url, "clinic")) as ledger:
        head = ledger.head
    total = Loss.zero()
    store = Store(path)
    with store.writing() as connection:
        for number in range(entries // 2):
            charge = _charge(number)
            total += charge.loss
            totals = {account.name: total for account in _ACCOUNTS}
            paid = Link.after(head, "charged", charge.body(totals, "then"))
            body = {"charge": paid.sequence, "question": charge.question, "written": "then"}
            answer = Link.after(paid.head, "answered", body, _ANSWER)
            store.append(connection, paid)
            store.append(connection, answer)
            head = answer.head
    store.close()
    return Ledger.open(url, "clinic")


def _time(step: Callable[[], object]) -> float:
    start = time.perf_counter()
    step()
    return (time.perf_counter() - start) * 1e3


def _spread(times: tuple[float, ...] | list[float]) -> str:
    return f"{median(times):.1f} ({quantiles(times, n=20)[-1]:.1f})"


if __name__ == "__main__":
    main(*sys.argv[1:2])
