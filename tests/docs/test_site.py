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


def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    """Every page is read and every reference resolved, and nothing is written; `make docs` runs the notebooks, too."""
    sphinx("dummy", tmp_path)


def test_versions_stand_side_by_side_with_the_newest_first(tmp_path: Path) -> None:
    for name in ("0.9.0", "0.10.0", "0.2.0"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "index.html").touch()
    (tmp_path / "pictures").mkdir()
    done = subprocess.run([sys.executable, DOCS / "versions.py", tmp_path], capture_output=True, text=True, check=True)
    assert done.stdout == "versions: 0.10.0, 0.9.0, 0.2.0\n"
    assert '["0.10.0", "0.9.0", "0.2.0"]' in (tmp_path / "versions.js").read_text()
    assert 'url=0.10.0/index.html"' in (tmp_path / "index.html").read_text()


@pytest.mark.deep
def test_no_page_fetches_anything(tmp_path: Path) -> None:
    """The fast version looks at our own scripts, above."""
    sphinx("html", tmp_path)
    pages = "\n".join(page.read_text() for page in tmp_path.rglob("*.html"))
    assert not re.search(r"""<(script|link|img)[^>]+(src|href)=["']https?:""", pages)


def sphinx(builder: str, folder: Path) -> None:
    words = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", builder, str(DOCS), str(folder)]
    environment = {**os.environ, "DENIABLE_DOCS_NOTEBOOKS": "off"}
    done = subprocess.run(words, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
