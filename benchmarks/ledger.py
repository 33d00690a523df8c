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
from deniable.ledger.balances import Standing
from deniable.ledger.checkpoint import EVERY
from deniable.ledger.entry import Link
from deniable.ledger.storage.anchor import Anchor
from deniable.ledger.storage.store import Store
from deniable.policy import Account

_SIZES = (1, 1_000, 100_000)
_ROUNDS = 200
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
        store, standing = Store(path), Standing("clinic")
    with store.writing() as connection:
        standing.follow(store.links(connection))

        def append(link: Link) -> None:
            store.append(connection, link)
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
