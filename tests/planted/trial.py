"""One bug at a time in a copy of the tree, and the tests that notice."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from tests.planted.bug import ROOT, Bug

PATIENCE = 240
"""Seconds for one run of tests: a bug that makes one wait forever is noticed, too."""
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
        os.utime(file, (moment, moment))

    def failing(self, target: str) -> str | None:
        """The first test of a file that fails; None if all pass."""
        paths = os.pathsep.join([str(self.root / "src"), str(self.root)])
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-rfE", "--no-header", "--tb=no", f"tests/{target}"]
        try:
            ran = subprocess.run(  # noqa: S603 - our own tests
                [*command, "-p", "no:cacheprovider"],
                cwd=self.root,
                env={**os.environ, "PYTHONPATH": paths, "HYPOTHESIS_STORAGE_DIRECTORY": str(self.root / "examples")},
                capture_output=True,
                text=True,
                timeout=PATIENCE,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"tests/{target} (never ends)"
        if ran.returncode == 0:
            return None
        found = re.search(r"^(?:FAILED|ERROR) (\S+?)(?:\[.*)?(?: - .*)?$", ran.stdout, re.MULTILINE)
        if ran.returncode != 1 and found is None:
            raise RuntimeError(f"{target} cannot be run:\n{ran.stdout}\n{ran.stderr}")
        return found[1] if found else f"tests/{target}"


def healthy(copy: Copy, targets: Sequence[str]) -> list[str]:
    """The tests that fail without any bug, and so can notice none."""
    return [target for target in targets if copy.failing(target) is not None]


def tried(copy: Copy, bug: Bug) -> Caught:
    """Plant, test until enough files noticed, mend."""
    began, by = time.monotonic(), []
    copy.plant(bug)
    try:
        for target in bug.tests:
            if (test := copy.failing(target)) is not None:
                by.append(test)
            if len(by) >= ENOUGH:
                break
    finally:
        copy.mend(bug)
    return Caught(bug, tuple(by), time.monotonic() - began)
