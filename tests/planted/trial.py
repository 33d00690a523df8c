"""One bug at a time in a copy of the tree, and the tests that notice."""

from __future__ import annotations

import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from os import utime
from pathlib import Path

from tests.planted.bug import ROOT, Bug
from tests.planted.run import first_failing

ENOUGH = 2
"""Test files that must notice each bug."""
_LEFT_OUT = shutil.ignore_patterns(".*", "*.egg-info", "__pycache__", "build", "dist")


@dataclass(frozen=True)
class Caught:
    """What became of a bug."""

    bug: Bug
    by: tuple[str, ...]
    """The first test that failed, of each file that noticed."""
    seconds: float

    @property
    def surely(self) -> bool:
        """Whether more than one lucky test noticed."""
        return len(self.by) >= ENOUGH


class Copy:
    """The tree in another folder. The one that people work in is never touched."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "tree"
        self._moments = count(1_000_000_000)
        shutil.copytree(ROOT, self.root, ignore=_LEFT_OUT)

    def plant(self, bug: Bug) -> None:
        """Put the bug into its file."""
        self._write(bug, bug.planted((ROOT / bug.place).read_text()))

    def mend(self, bug: Bug) -> None:
        """Take it out again."""
        self._write(bug, (ROOT / bug.place).read_text())

    def _write(self, bug: Bug, text: str) -> None:
        """At a moment of its own: Python goes by it when it decides whether to compile a file anew."""
        file, moment = self.root / bug.place, next(self._moments)
        file.write_text(text)
        utime(file, (moment, moment))


def ill(copy: Copy, targets: Sequence[str]) -> list[str]:
    """The tests that fail without any bug, and so can notice none."""
    return [target for target in targets if first_failing(copy.root, target) is not None]


def tried(copy: Copy, bug: Bug) -> Caught:
    """Plant, test until enough files noticed, mend."""
    began, by = time.monotonic(), dict[str, str]()
    copy.plant(bug)
    try:
        for target in bug.tests:
            file = target.partition("::")[0]
            if file not in by and (test := first_failing(copy.root, target)) is not None:
                by[file] = test
            if len(by) >= ENOUGH:
                break
    finally:
        copy.mend(bug)
    return Caught(bug, tuple(by.values()), time.monotonic() - began)
