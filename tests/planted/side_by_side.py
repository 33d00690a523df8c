"""What each of several processes does, in a copy of the tree that it has to itself."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.planted.bug import Bug
from tests.planted.trial import Caught, Copy, ill, tried

_copies: list[Copy] = []
"""That of this process."""


def prepare(folder: str) -> None:
    """Once for each process."""
    _copies.append(Copy(Path(tempfile.mkdtemp(dir=folder))))


def ill_here(test: str) -> list[str]:
    """The test, if it fails without any bug."""
    return ill(_copies[0], [test])


def tried_here(bug: Bug) -> Caught:
    """What becomes of one bug."""
    return tried(_copies[0], bug)
