"""The table of bugs and of what noticed them, in docs/trust.md."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tests.planted.bug import ROOT
from tests.planted.trial import Caught

PAGE = ROOT / "docs/trust.md"
_BEGIN, _END = "<!-- planted: begin -->\n", "<!-- planted: end -->\n"


def said(caught: Caught) -> str:
    """One line on the terminal."""
    return f"{caught.bug.name}: {', '.join(caught.by) or 'NOTHING'} ({caught.seconds:.0f} s)"


def summary(found: Sequence[Caught]) -> str:
    """In one sentence."""
    noticed, surely = sum(bool(caught.by) for caught in found), sum(caught.surely for caught in found)
    took = sum(caught.seconds for caught in found)
    return (
        f"{len(found)} bugs, {noticed} noticed, {surely} of them by two test files or more, in {took / 60:.0f} minutes."
    )


def table(found: Sequence[Caught]) -> str:
    """A line for each bug."""
    lines = ["| bug | in | noticed by | seconds |", "| --- | --- | --- | --- |"]
    for caught in found:
        by = ", ".join(f"`{test.removeprefix('tests/')}`" for test in caught.by) or "**nothing**"
        lines.append(f"| {caught.bug.name} | `{caught.bug.file}` | {by} | {caught.seconds:.0f} |")
    return "\n".join(lines)


def written(found: Sequence[Caught]) -> None:
    """Put both between the marks of the page."""
    text = PAGE.read_text()
    before, rest = text.split(_BEGIN)
    _, after = rest.split(_END)
    PAGE.write_text(f"{before}{_BEGIN}{summary(found)}\n\n{table(found)}\n{_END}{after}")


def listed() -> list[str]:
    """The bugs that the page has a line for."""
    inside = PAGE.read_text().split(_BEGIN)[1].split(_END)[0]
    return re.findall(r"^\| (?!bug \||--- \|)(.+?) \| `", inside, re.MULTILINE)
