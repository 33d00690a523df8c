"""`make planted`: plant every bug, one at a time, and see which tests notice. With words: only bugs named so, no page."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.planted.every import BUGS
from tests.planted.report import summary, table, written
from tests.planted.trial import Copy, healthy, tried

LEAST = 0.95
"""The part of all bugs that must be noticed."""


def main(words: list[str]) -> int:
    """1 if too few were noticed, or one by a single test file."""
    chosen = [bug for bug in BUGS if not words or any(word in f"{bug.file} {bug.name}" for word in words)]
    with tempfile.TemporaryDirectory(prefix="planted-") as folder:
        copy, found = Copy(Path(folder)), []
        if not words and (ill := healthy(copy, sorted({test for bug in chosen for test in bug.tests}))):
            print("these fail without any bug:", *ill, sep="\n  ")
            return 1
        for number, bug in enumerate(chosen, 1):
            caught = tried(copy, bug)
            found.append(caught)
            print(f"{number}/{len(chosen)} {bug.name}: {', '.join(caught.by) or 'NOTHING'} ({caught.seconds:.0f} s)", flush=True)
    print(table(found), summary(found), sep="\n\n")
    if not words:
        written(found)
    missed = [caught for caught in found if not caught.by]
    once = [caught for caught in found if caught.by and not caught.surely]
    return int(len(missed) > (1 - LEAST) * len(found) or bool(once))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
