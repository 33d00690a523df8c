"""Taking turns among machines: whoever asks a question that is being answered anywhere waits for it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from threading import RLock
from weakref import finalize

from deniable.ledger.storage import forks, server
from deniable.ledger.storage.database import Connection, DatabaseError
from deniable.ledger.turns import Turns, Waiting
from deniable.policy import ServerAddress

_SHORTEST, _LONGEST = 0.002, 0.1
"""Seconds between two looks at a lock that somebody else holds."""


class ServerTurns(Turns):
    """Locks by question: among threads in memory, among processes and machines as locks of a session on the server.

    The server lets go of a session's locks when its connection ends, however it ends; so a crash keeps nobody waiting.
    All turns of a process share one connection, so that many questions at once do not use up the server's: whoever
    waits looks again from time to time. If that connection is lost, so are its turns; two may then be charged for the
    same question, and both are on record.
    """

    def __init__(self, address: ServerAddress, population: str) -> None:
        self._population = population
        self._database = server.connect(address)
        self._session: Connection | None = None
        self._process = os.getpid()
        self._guard = RLock()
        self._waiting = Waiting()
        forks.watch(self)
        finalize(self, self._database.dispose)

    @contextmanager
    def of(self, question: str) -> Iterator[None]:
        """Alone with this question, as long as the block lasts."""
        number = int.from_bytes(sha256(f"{self._population}\n{question}".encode()).digest()[:8], signed=True)
        with self._waiting.fresh().thread(number):
            pause = _SHORTEST
            while not self._ask("SELECT pg_try_advisory_lock(?)", number):
                time.sleep(pause)
                pause = min(2 * pause, _LONGEST)
            try:
                yield
            finally:
                with suppress(DatabaseError):  # who cannot say so has lost the session, and the lock with it
                    self._ask("SELECT pg_advisory_unlock(?)", number)

    def close(self) -> None:
        """Let go of the connection, and of all turns."""
        with self._guard:
            self._session = None
            self._database.dispose()

    def pause(self) -> None:
        """A process is about to divide: nobody is in the middle of a statement meanwhile."""
        self._guard.acquire()

    def resume(self) -> None:
        """It has. The turns stay the parent's; the child lets go of the connection without a word to the server."""
        if self._process != os.getpid():
            self._process = os.getpid()
            self._forget()
        self._guard.release()

    def _ask(self, statement: str, number: int) -> bool:
        with self._guard:
            try:
                return self._said(statement, number)
            except DatabaseError as error:
                self._session = None
                if not error.lost:
                    raise
            return self._said(statement, number)  # once more, on a new connection

    def _said(self, statement: str, number: int) -> bool:
        if self._session is None:
            self._session = self._database.connect()
        return bool(self._session.value(statement, number))

    def _forget(self) -> None:
        """The parent's session must not hear of it: what is sent on closing goes nowhere."""
        if self._session is None:
            return
        raw = self._session.raw
        if not raw.closed:
            nowhere = os.open(os.devnull, os.O_RDWR)
            os.dup2(nowhere, raw.fileno())
            os.close(nowhere)
        self._session = None
        self._database.dispose()
