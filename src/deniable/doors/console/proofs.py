"""The proofs behind the ledger's sums, and how to put them on trial: the project's own pages, read in the browser."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from fastapi.responses import Response
from markupsafe import Markup
from starlette.exceptions import HTTPException

import deniable
from deniable import mechanisms
from deniable.doors.console.pages import HOME, page
from deniable.doors.console.visitors import Visiting
from deniable.service.custodian.custody import Custody

if TYPE_CHECKING:
    from deniable.ledger import Entry

router = APIRouter()
_PACKAGE = Path(deniable.__file__).parent
_FOLDERS = (_PACKAGE / "proofs", _PACKAGE.parents[1] / "docs" / "proofs", _PACKAGE.parents[1] / "docs")
"""As installed; and as they are in the source tree."""
_PAGE = re.compile(r"(?:\.\./)*(?:proofs/)?(\w+)\.md(?:#.*)?\Z")
_PROOF = re.compile(r"docs/proofs/(\w+)\.md")
GENERAL = {
    "filter": "all charges together stay within the budget",
    "ledger": "the charge is on disk before a row is read, and no entry can be changed",
    "weighing": "one person moves an answer by no more than was claimed",
    "relations": "also through joins and subqueries",
    "sampling": "noise is drawn by exactly its law",
    "intervals": "error bars hold as often as they say",
    "parallel": "several columns for one price",
}
"""What every answer rests on."""


def proof_of(mechanism: str) -> str:
    """The page of a mechanism, by the name under which the ledger keeps it; empty, where it is proven elsewhere."""
    found = _PROOF.search(getattr(mechanisms, mechanism, object).__doc__ or "")
    return "" if found is None else found[1]


def proven(entry: Entry) -> list[tuple[str, str]]:
    """The mechanisms of a charge, each with its page."""
    return [(name, proof_of(name)) for name in dict.fromkeys(one.mechanism for one in entry.events)]


@router.get("/proofs")
async def proofs(request: Request, visitor: Visiting) -> Response:
    """What this ledger's sums rest on, and what else is proven."""
    entries = await Custody(visitor.session).entries()
    return page(request, "proofs", used=_used(entries), general=GENERAL)


@router.get("/proofs/{name}")
async def proof(request: Request, name: str, visitor: Visiting) -> Response:
    """A page of the project's own."""
    Custody(visitor.session).may_review()
    found = _found(name)
    if found is None:
        raise HTTPException(404, "There is no such proof.")
    return page(request, "proof", title=name.replace("_", " "), text=_rendered(found.read_text(encoding="utf-8")))


def _used(entries: Iterable[Entry]) -> list[tuple[str, int, str]]:
    """Each mechanism of the ledger: how often it was charged, and its page."""
    often = Counter(event.mechanism for one in entries if one.kind == "charged" for event in one.events)
    return [(name, many, proof_of(name)) for name, many in often.most_common()]


def _found(name: str) -> Path | None:
    """By name alone: nothing but letters can be asked for."""
    if re.fullmatch(r"[a-z_]+", name) is None:
        return None
    allowed = (*_FOLDERS[:2], *(_FOLDERS[2:] if name == "trust" else ()))
    return next((path for folder in allowed if (path := folder / f"{name}.md").is_file()), None)


def _rendered(text: str) -> Markup:
    """Without markup of its own; links lead to other pages of this kind, or nowhere."""
    from markdown_it import MarkdownIt  # noqa: PLC0415 - few read proofs

    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = reader.parse(text)
    for token in (inner for outer in tokens for inner in outer.children or ()):
        if token.type == "link_open":
            found = _PAGE.match(str(token.attrs.pop("href", "")))
            if found is not None and _found(found[1]) is not None:
                token.attrs["href"] = f"{HOME}/proofs/{found[1]}"
        elif token.type == "image":
            token.type, token.content = "text", ""
    return Markup(reader.renderer.render(tokens, reader.options, {}))  # noqa: S704 - made from escaped text alone
