"""What an entry can be found by, without reading all that came before it."""

from __future__ import annotations

import json
from hashlib import sha256

from deniable.ledger.entries.canon import canonical
from deniable.ledger.entries.entry import Link

CHECKPOINT = canonical(["", "checkpoint"])
"""Under which all checkpoints stand."""


def charged(question: str) -> str:
    """Under which the charges of a question stand. All keys begin with the question, and so lie beside each other."""
    return canonical([question, "charged"])


def answered(question: str) -> str:
    """Under which the answers to a question stand."""
    return canonical([question, "answered"])


def answer_to(question: str, charge: int) -> str:
    """Under which the answer stands that a charge has paid for."""
    return canonical([question, "answer to", charge])


def seen(question: str, account: str) -> str:
    """Under which stands what an account has paid for an answer to a question, or for being shown one."""
    return canonical([question, "seen", account])


def about(subject: str) -> str:
    """Under which all answers stand that are about something, whatever was asked of it."""
    return canonical(["", "about", subject])


def keys(link: Link) -> list[str]:
    """All keys of an entry. They follow from it alone, so that a place which leads to the wrong entry is noticed.

    Example:
        >>> from deniable.ledger.entries.entry import NOTHING
        >>> keys(Link.after(NOTHING, "answered", {"charge": 2, "question": "7f"}, b"41"))
        ['["7f","answered"]', '["7f","answer to",2]']
    """
    if link.kind == "checkpoint":
        return [CHECKPOINT]
    body = json.loads(link.body)
    if link.kind == "answered":
        found = [answered(body["question"]), answer_to(body["question"], body["charge"])]
        return found + [about(subject) for subject in body.get("about", ())]
    if link.kind in {"charged", "shown"}:
        first = [charged(body["question"])] if link.kind == "charged" else []
        return first + [seen(body["question"], account) for account in body["totals"]]
    return []


class Tally:
    """A number that stands for a collection of places, in whatever order they come.

    Two that differ by a slip or by damage have different tallies. It need not withstand more: what is found by a place
    is checked by itself.
    """

    def __init__(self) -> None:
        self._sum = 0

    def add(self, key: str, sequence: int) -> None:
        """One place more."""
        self._sum += int.from_bytes(sha256(f"{key}\n{sequence}".encode()).digest())

    def __eq__(self, other: object) -> bool:
        """The same places, as often."""
        return isinstance(other, Tally) and self._sum == other._sum

    __hash__ = None  # type: ignore[assignment]  # it grows
