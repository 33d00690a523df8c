"""No connection to a ledger is open while a process divides.

SQLite forbids to carry a connection across a fork: the child would believe that it holds its parent's locks, even on a
connection that it opens itself. So before a fork each ledger finishes what it does and lets go; after it, parent and
child connect anew.
"""

from __future__ import annotations

import os
from threading import Lock
from typing import Protocol
from weakref import WeakSet


class Dividing(Protocol):
    """What must hold still during a fork."""

    def pause(self) -> None:
        """Finish what is under way, let go, and start nothing."""

    def resume(self) -> None:
        """Go on, in either process."""


def watch(ledger: Dividing) -> None:
    """Let it hold still during forks, from now on and until it is gone."""
    with _forking:
        _watched.add(ledger)


_forking = Lock()
_watched: WeakSet[Dividing] = WeakSet()
_paused: list[Dividing] = []


def _before() -> None:
    """In one order everywhere, so that two threads which fork at once do not wait for each other."""
    _forking.acquire()
    for ledger in sorted(_watched, key=id):
        ledger.pause()
        _paused.append(ledger)


def _after() -> None:
    while _paused:
        _paused.pop().resume()
    _forking.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_after, after_in_child=_after)
