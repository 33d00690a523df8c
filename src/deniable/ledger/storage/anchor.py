"""A small file that remembers how long a ledger was: beside it, or, of one on a server, on each machine."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from deniable.files.atomic import whole
from deniable.ledger import refusals
from deniable.ledger.entries.canon import MALFORMED, canonical
from deniable.ledger.entries.entry import NOTHING, Head

_SLOT = 4096
"""The two slots lie in different blocks of the disk, so that a write which is torn spoils one of them."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """The head of the ledger at some earlier moment: a ledger that does not reach it has lost entries.

    It is written after each commit, never before: a ledger ahead of its anchor is what a crash leaves, and one behind
    is what no crash leaves. Two slots take turns, and each is overwritten in place: that needs no new space, so
    it works on a full disk, and it takes half the time of a new file under the old name.
    """

    path: Path

    @classmethod
    def of(cls, ledger: Path) -> Anchor:
        """Beside the ledger, under its name and `.head`."""
        return cls(ledger.with_name(f"{ledger.name}.head"))

    def create(self, head: Head) -> None:
        """A new anchor; raises `FileExistsError` if there is one."""
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with whole(self.path, new=True, private=True) as file:
            file.write(_line(NOTHING) + _line(head))

    def read(self) -> Head:
        """The later of the two slots."""
        return max(self._slots(), key=lambda head: head.sequence)

    def write(self, head: Head) -> None:
        """Into the earlier slot. Whoever calls this holds the ledger's lock."""
        one, other = self._slots()
        start = 0 if one.sequence <= other.sequence else _SLOT
        with self.path.open("r+b", buffering=0) as file:
            file.seek(start)
            file.write(_line(head))

    def flush(self) -> None:
        """Onto the disk."""
        with self.path.open("r+b", buffering=0) as file:
            os.fsync(file.fileno())

    def _slots(self) -> tuple[Head, Head]:
        """What is spoiled counts as nothing, as long as the other slot is whole."""
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            raise refusals.anchor_missing(self.path.name) from None
        one, other = _head(content[:_SLOT]), _head(content[_SLOT:])
        if one == other == NOTHING:
            raise refusals.anchor_edited(self.path.name)
        return one, other


def _line(head: Head) -> bytes:
    """A slot: one line of JSON, filled up with spaces."""
    line = canonical({"check": _check(head), "digest": head.digest, "sequence": head.sequence})
    return f"{line:<{_SLOT - 1}}\n".encode()


def _head(slot: bytes) -> Head:
    """What a slot says; nothing, if it is torn."""
    try:
        said = json.loads(slot)
        head = Head(int(said["sequence"]), str(said["digest"]))
        return head if said["check"] == _check(head) else NOTHING
    except MALFORMED:
        return NOTHING


def _check(head: Head) -> str:
    """Tells a slot that was torn while it was written; it keeps nobody from writing another one."""
    return sha256(f"{head.sequence}\n{head.digest}".encode()).hexdigest()[:16]
