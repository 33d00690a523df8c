"""Taking turns: whoever asks a question that is being answered waits, and then finds the answer.

Two who ask the same at the same moment would otherwise both find nothing, and both be charged. Waiting is by question,
so that different questions never wait for each other (but for a rare collision, which costs time and nothing else).
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from threading import Lock

try:
    import fcntl
except ImportError:  # where files have no such locks, threads still take turns
    fcntl = None  # type: ignore[assignment]

_DIGITS = 15
"""Hexadecimal digits of a question's digest that name its byte: a file's offsets have 63 bits."""


class Turns(ABC):
    """What makes two who ask the same at the same moment take turns."""

    @abstractmethod
    def of(self, question: str) -> AbstractContextManager[None]:
        """Alone with this question, as long as the block lasts."""

    @abstractmethod
    def close(self) -> None:
        """Let go of what was taken for it."""


class FileTurns(Turns):
    """Locks by question: among threads in memory, among processes as locks on single bytes of a file.

    The operating system lets go of a lock when its process ends, however it ends; so a crash keeps nobody waiting. A
    lock belongs to a process: it is not carried across a fork, and the file stays open, because closing any handle of
    it would let go of all locks of the process.
    """

    def __init__(self, place: Path | None) -> None:
        self._place = None if place is None else str(place.with_name(f"{place.name}.turns"))
        self._own = Waiting()

    @contextmanager
    def of(self, question: str) -> Iterator[None]:
        """Alone with this question, as long as the block lasts."""
        held = self._own.fresh() if self._place is None else _held_at(self._place)
        offset = int(sha256(question.encode()).hexdigest()[:_DIGITS], 16)
        with held.thread(offset):
            if held.file is None or fcntl is None:
                yield
                return
            fcntl.lockf(held.file, fcntl.LOCK_EX, 1, offset)
            try:
                yield
            finally:
                fcntl.lockf(held.file, fcntl.LOCK_UN, 1, offset)

    def close(self) -> None:
        """The file stays open for the other ledgers of this process."""


@dataclass(slots=True)
class Waiting:
    """What one process knows of the turns at one place."""

    file: int | None = None
    process: int = field(default_factory=os.getpid)
    _guard: Lock = field(default_factory=Lock)
    _waiting: dict[int, tuple[Lock, int]] = field(default_factory=dict)

    @contextmanager
    def thread(self, offset: int) -> Iterator[None]:
        """One thread at a time; a lock that nobody waits for is forgotten."""
        with self._guard:
            lock, users = self._waiting.get(offset, (Lock(), 0))
            self._waiting[offset] = lock, users + 1
        try:
            with lock:
                yield
        finally:
            with self._guard:
                lock, users = self._waiting.pop(offset)
                if users > 1:
                    self._waiting[offset] = lock, users - 1

    def fresh(self) -> Waiting:
        """Itself; after a fork, as if nobody waited: the threads that did are in the other process."""
        if self.process != os.getpid():
            self.process, self._guard, self._waiting = os.getpid(), Lock(), {}
        return self


_places: dict[str, Waiting] = {}
_opening = Lock()


def _held_at(place: str) -> Waiting:
    """The one that all ledgers of this process at this place share."""
    with _opening:
        if place not in _places:
            _places[place] = Waiting(os.open(place, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))
        return _places[place].fresh()


def _after_fork() -> None:
    """Another thread may have been inside at that moment."""
    global _opening  # noqa: PLW0603 - a lock cannot be let go by a process that did not take it
    _opening = Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
