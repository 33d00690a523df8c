"""The site: every page can be reached from the first one, nothing is fetched when it is viewed, and it builds."""

import fnmatch
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = {path.relative_to(DOCS).with_suffix("").as_posix() for path in [*DOCS.rglob("*.md"), *DOCS.rglob("*.ipynb")]}
TREE = re.compile(r"^```\{toctree\}\n(.*?)^```", flags=re.MULTILINE | re.DOTALL)


def below(page: str) -> set[str]:
    """The pages that a page's tables of contents name."""
    file = DOCS / f"{page}.md"
    if not file.exists():
        return set()
    found = set()
    for tree in TREE.findall(file.read_text()):
        for line in tree.splitlines():
            if line and not line.startswith(":"):
                name = re.sub(r".*<(.+)>", r"\1", line)
                path = os.path.normpath(Path(page).parent / name)
                found |= {other for other in PAGES if fnmatch.fnmatchcase(other, path)} or {path}
    return found


def test_every_page_can_be_reached_from_the_first() -> None:
    reached, waiting = set(), {"index"}
    while waiting:
        page = waiting.pop()
        assert page in PAGES, f"a table of contents names {page}"
        reached.add(page)
        waiting |= below(page) - reached
    assert PAGES - reached == set()


@pytest.mark.parametrize("file", sorted((DOCS / "_static").rglob("*.*")), ids=lambda file: file.name)
def test_nothing_of_ours_reaches_a_network(file: Path) -> None:
    text = file.read_text().replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"https?:|//[a-z]+\.|fetch\(|import\(|XMLHttpRequest", text)


def test_every_moving_picture_is_there_and_has_words_where_it_cannot_move() -> None:
    made = {file.stem for file in (DOCS / "_static/pictures").glob("*.js")} - {"draw"}
    asked = re.compile(r'<div class="live" data-picture="(\w+)">([^<]+)</div>')
    found = [picture for page in DOCS.rglob("*.md") for picture in asked.findall(page.read_text())]
    assert {name for name, _ in found} == made
    assert all(words.strip() for _, words in found)


@pytest.mark.deep
def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    """The fast versions are above, in the links of `test_docs.py` and in `test_notebooks.py`; `make docs` runs all."""
    words = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", str(DOCS), str(tmp_path)]
    environment = {**os.environ, "DENIABLE_DOCS_NOTEBOOKS": "off"}
    done = subprocess.run(words, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    pages = "\n".join(page.read_text() for page in tmp_path.rglob("*.html"))
    assert not re.search(r"""<(script|link|img)[^>]+(src|href)=["']https?:""", pages)
