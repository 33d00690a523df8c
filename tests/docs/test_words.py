"""docs/words.md defines each word once, and pages keep to their width."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WORDS = re.findall(r"^- \*\*(.+?)\*\*: (.+)", (ROOT / "docs/words.md").read_text(), flags=re.MULTILINE)
PAGES = [*sorted(ROOT.glob("*.md")), ROOT / "benchmarks/README.md", *sorted((ROOT / "docs").rglob("*.md"))]
WIDTH = 120


def test_each_word_is_defined_once() -> None:
    words = [word for word, _ in WORDS]
    assert len(words) > 50
    assert sorted(words) == sorted(set(words))


def test_every_line_that_starts_an_entry_is_one() -> None:
    lines = [line for line in (ROOT / "docs/words.md").read_text().splitlines() if line.startswith("- ")]
    assert len(lines) == len(WORDS)


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_prose_ends_at_the_width(page: Path) -> None:
    prose = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    long = [line for line in prose.splitlines() if len(line) > WIDTH and not line.startswith(("|", "!["))]
    assert not long, long
