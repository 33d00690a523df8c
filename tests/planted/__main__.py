"""`make planted`: plant every bug, one at a time, and see which tests notice. With words: only bugs named so.

Several at a time, each in a copy of the tree and a process of its own.
"""

from __future__ import annotations

import os
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context

from tests.planted.every import BUGS
from tests.planted.report import line, said, summary, written
from tests.planted.side_by_side import ill_here, prepare, tried_here

LEAST = 0.95
"""The part of all bugs that must be noticed."""


def main(words: list[str]) -> int:
    """1 if too few were noticed, one by a single test file, or a test fails without any bug.

    The page gets the lines of those that were tried.
    """
    chosen = [bug for bug in BUGS if not words or any(word in f"{bug.file} {bug.name}" for word in words)]
    tests, found = sorted({test for bug in chosen for test in bug.tests}), []
    with (
        tempfile.TemporaryDirectory(prefix="planted-") as folder,
        ProcessPoolExecutor(os.cpu_count(), get_context("spawn"), prepare, (folder,)) as processes,
    ):
        ill = set[str]()
        for number, failing in enumerate(processes.map(ill_here, tests), 1):
            ill.update(failing)
            say(
                f"{number}/{len(tests)} without any bug"
                + "".join(f": {test} fails, and is left out" for test in failing)
            )
        chosen = [replace(bug, tests=tuple(test for test in bug.tests if test not in ill)) for bug in chosen]
        for number, caught in enumerate(processes.map(tried_here, chosen), 1):
            found.append(caught)
            say(f"{number}/{len(chosen)} {said(caught)}")
    say(summary([line(caught) for caught in found]))
    written(found, BUGS)
    missed = [caught for caught in found if not caught.by]
    once = [caught for caught in found if caught.by and not caught.surely]
    return int(len(missed) > (1 - LEAST) * len(found) or bool(once) or bool(ill))


def say(line: str) -> None:
    """At once: the whole takes most of an hour."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
