"""Small questions to try a ledger with."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from deniable.core.cap import Cap
from deniable.core.event import Event
from deniable.core.loss import Loss
from deniable.core.number import Number
from deniable.ledger import Charge, Ledger
from deniable.policy import Account


def account(epsilon: Number, name: str = "clinic") -> Account:
    return Account(name, Cap(epsilon))


def charge(question: str, epsilon: Number = "0.1") -> Charge:
    loss = Loss.pure(epsilon)
    event = Event("Laplace", {"sensitivity": Fraction(1), "epsilon": loss.epsilon or Fraction(0)})
    return Charge(question, "alice", f"SELECT {question}", (event,), loss)


def ask(ledger: Ledger, question: str, epsilon: Number = "0.1", answer: bytes = b"42") -> None:
    ledger.record(ledger.charge(charge(question, epsilon), [account(100)]), answer)


def url(path: Path) -> str:
    return f"sqlite:///{path}"
