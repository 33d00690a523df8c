"""The list of planted bugs is alive: each can still be planted, in one place, and has tests that exist."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.planted.bug import ROOT, Bug
from tests.planted.every import BUGS
from tests.planted.report import listed

LEAST = 60


@cache
def text(path: Path) -> str:
    return path.read_text()


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_every_bug_can_be_planted_in_one_place(bug: Bug) -> None:
    """If the line was rewritten, write the bug anew: a list that applies to nothing catches nothing."""
    planted = bug.planted(text(ROOT / bug.place))
    assert planted != text(ROOT / bug.place)
    ast.parse(planted)


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_every_bug_has_tests_in_two_files_that_exist(bug: Bug) -> None:
    files = set()
    for target in bug.tests:
        file, _, function = target.partition("::")
        assert (ROOT / "tests" / file).is_file(), target
        assert f"def {function.partition('[')[0]}" in text(ROOT / "tests" / file), target
        files.add(file)
    assert len(files) > 1


def test_every_case_of_a_test_that_is_named_exists() -> None:
    named = {f"tests/{target}" for bug in BUGS for target in bug.tests if "[" in target}
    files = sorted({target.partition("::")[0] for target in named})
    collected = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *files],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert named <= set(collected.stdout.splitlines())


def test_there_are_many_and_each_has_a_name_of_its_own() -> None:
    assert len({bug.name for bug in BUGS}) == len(BUGS) >= LEAST


def test_the_page_has_lines_of_these_bugs_alone_and_in_their_order() -> None:
    """`make planted` writes them; one that was never tried has none yet."""
    names = [bug.name for bug in BUGS]
    assert listed() == [name for name in names if name in set(listed())]
    assert len(listed()) >= LEAST
