"""Links from a page to a file of the repository lead to that file, on a page of the site.

The Markdown pages link to the code that they speak of, as `../src/deniable/curator/ask.py`. On a code host that works
by itself; here each file that some page links to is shown with its lines coloured, and a folder as the list of what is
in it. So the site can be read without a network, and no link says where the code is hosted.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

ROOT = Path(__file__).parents[2]
_ROOM = "files"
_SHOWN = {
    "README.md": "index",
    "docs": "index",
    "CHANGELOG.md": "reference/changes",
    "CONTRIBUTING.md": "reference/contributing",
    "benchmarks/README.md": "reference/benchmarks",
}
"""Files that are pages of the site, although they stand outside of `docs/`."""


def setup(app: Sphinx) -> dict[str, bool]:
    """What Sphinx calls."""
    app.add_transform(RepositoryLinks)
    app.connect("html-collect-pages", _pages)
    return {"parallel_read_safe": False}


class RepositoryLinks(SphinxTransform):
    """Makes links to files outside of `docs/`, and to folders, ordinary links to the pages made below."""

    default_priority = 200

    def apply(self, **_: Any) -> None:  # noqa: ANN401 - as Sphinx has it
        """Before Sphinx takes such a link for a download."""
        page = Path(self.env.doc2path(self.env.docname)).parent
        links = [*self.document.findall(addnodes.download_reference), *self.document.findall(addnodes.pending_xref)]
        for node in links:
            if node.get("refdomain") not in (None, "", "doc"):
                continue
            target = _target(page, node["reftarget"], Path(self.env.srcdir))
            if target is None:
                continue
            path = target.relative_to(ROOT)
            name = _SHOWN.get(path.as_posix())
            if name is None:
                _linked(self.env).add(path)
            uri = os.path.relpath((name or _name(path)) + ".html", Path(self.env.docname).parent)
            uri += f"#{node['reftargetid']}" if node.get("reftargetid") else ""
            link = nodes.reference("", "", internal=True, refuri=uri)
            link += node.children
            node.replace_self(link)


def _target(page: Path, written: str, source: Path) -> Path | None:
    """The file or folder of the repository that a link means, if it is one that no page of `docs/` shows."""
    for start in (page, source, ROOT, Path("/")):
        for ending in ("", ".md"):
            target = (start / (written + ending)).resolve()
            if not written or not target.is_relative_to(ROOT):
                continue
            if target.is_dir() or (target.is_file() and not target.is_relative_to(source)):
                return target
    return None


def _linked(env: Any) -> set[Path]:  # noqa: ANN401 - Sphinx keeps what extensions ask it to
    if not hasattr(env, "repository_files"):
        env.repository_files = set()
    linked: set[Path] = env.repository_files
    return linked


def _name(path: Path) -> str:
    return f"{_ROOM}/{path.as_posix()}" + ("/contents" if (ROOT / path).is_dir() else "")


def _pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """One page for each file or folder that is linked to; what a folder holds is linked to from its page."""
    waiting, made = set(_linked(app.env)), set()
    while waiting:
        path = waiting.pop()
        made.add(path)
        if (ROOT / path).is_dir():
            inside = sorted(p.relative_to(ROOT) for p in (ROOT / path).iterdir() if _shown(p))
            waiting |= set(inside) - made
            body = _listing(path, inside)
        else:
            text = (ROOT / path).read_text(encoding="utf-8")
            lexer = {".py": "python", ".toml": "toml", ".md": "markdown", ".sql": "sql"}.get(path.suffix, "text")
            body = app.builder.highlighter.highlight_block(text, lexer, force=True, linenos=False)  # type: ignore[attr-defined]
        yield _name(path), {"title": path.as_posix(), "body": f"<h1>{path.as_posix()}</h1>{body}"}, "page.html"


def _shown(path: Path) -> bool:
    return (path.is_dir() and path.name != "__pycache__") or path.suffix in {".py", ".md", ".sql", ".toml", ".plan"}


def _listing(path: Path, inside: list[Path]) -> str:
    lines = []
    for child in inside:
        uri = os.path.relpath(_name(child) + ".html", Path(_name(path)).parent)
        lines.append(f'<li><a href="{uri}">{child.name}</a></li>')
    return f"<ul>{''.join(lines)}</ul>"
