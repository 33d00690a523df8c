"""`make planted`: plant every bug, one at a time, and see which tests notice. With words: only bugs named so."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.planted.every import BUGS
from tests.planted.report import line, said, summary, written
from tests.planted.trial import Copy, ill, tried

LEAST = 0.95
"""The part of all bugs that must be noticed."""


def main(words: list[str]) -> int:
    """1 if too few were noticed, or one by a single test file. The page gets the lines of those that were tried."""
    chosen = [bug for bug in BUGS if not words or any(word in f"{bug.file} {bug.name}" for word in words)]
    with tempfile.TemporaryDirectory(prefix="planted-") as folder:
        copy, found = Copy(Path(folder)), []
        if fail := ill(copy, sorted({test for bug in chosen for test in bug.tests})):
            say("these fail without any bug: " + ", ".join(fail))
            return 1
        for number, bug in enumerate(chosen, 1):
            found.append(tried(copy, bug))
            say(f"{number}/{len(chosen)} {said(found[-1])}")
    say(summary([line(caught) for caught in found]))
    written(found, BUGS)
    missed = [caught for caught in found if not caught.by]
    once = [caught for caught in found if caught.by and not caught.surely]
    return int(len(missed) > (1 - LEAST) * len(found) or bool(once))


def say(line: str) -> None:
    """At once: the whole takes half an hour."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
