"""The table of bugs and of what noticed them, in docs/trust.md."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tests.planted.bug import ROOT, Bug
from tests.planted.trial import ENOUGH, Caught

PAGE = ROOT / "docs/trust.md"
_BEGIN, _END = "<!-- planted: begin -->\n", "<!-- planted: end -->\n"
_HEAD = "| bug | in | noticed by | seconds |\n| --- | --- | --- | --- |\n"
_LINE = re.compile(r"^\| (?P<name>.+?) \| `[\w/.]+` \| (?P<by>.+?) \| (?P<seconds>\d+) \|$", re.MULTILINE)


def said(caught: Caught) -> str:
    """One line on the terminal."""
    return f"{caught.bug.name}: {', '.join(caught.by) or 'NOTHING'} ({caught.seconds:.0f} s)"


def summary(lines: Sequence[str]) -> str:
    """In one sentence."""
    read = [match for line in lines if (match := _LINE.match(line))]
    tests = [match["by"].count("`") // 2 for match in read]
    noticed, surely = sum(bool(many) for many in tests), sum(many >= ENOUGH for many in tests)
    minutes = sum(int(match["seconds"]) for match in read) / 60
    return f"{len(read)} bugs: {noticed} noticed, {surely} of them by at least two test files; {minutes:.0f} minutes."


def line(caught: Caught) -> str:
    """A line of the table."""
    by = ", ".join(f"`{test.removeprefix('tests/')}`" for test in caught.by) or "**nothing**"
    return f"| {caught.bug.name} | `{caught.bug.file}` | {by} | {caught.seconds:.0f} |"


def written(found: Sequence[Caught], bugs: Sequence[Bug]) -> None:
    """Put these lines between the marks of the page, and leave those of other bugs as they are."""
    before, inside, after = _parts()
    lines = {match["name"]: match[0] for match in _LINE.finditer(inside)} | {one.bug.name: line(one) for one in found}
    table = [lines[bug.name] for bug in bugs if bug.name in lines]
    rows = "\n".join(table)
    PAGE.write_text(f"{before}{_BEGIN}{summary(table)}\n\n{_HEAD}{rows}\n{_END}{after}")


def listed() -> list[str]:
    """The bugs that the page has a line for."""
    return [match["name"] for match in _LINE.finditer(_parts()[1])]


def _parts() -> tuple[str, str, str]:
    """The page before the table, the table, and what comes after."""
    before, rest = PAGE.read_text().split(_BEGIN)
    inside, after = rest.split(_END)
    return before, inside, after
