"""The reviewer's pages: the ledger, whether it holds, and what the policy has meant over time."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from deniable.doors.console.pages import page
from deniable.doors.console.visitors import Visiting
from deniable.service.custody import Custody

router = APIRouter()
_A_PAGE = 100
_POLICY = ("created", "adopted", "raised", "moved")


@router.get("/ledger")
async def ledger(  # noqa: PLR0917 - as many filters as it has
    request: Request, visitor: Visiting, kind: str = "", analyst: str = "", find: str = "", before: int = 0
) -> Response:
    """Every entry, the last first, by kind, analyst and words."""
    entries = await Custody(visitor.session).entries()
    found = [
        one
        for one in reversed(entries)
        if kind in ("", one.kind) and analyst in ("", one.analyst) and find.lower() in one.text.lower()
    ]
    rest = [one for one in found if not before or one.sequence < before]
    facts: dict[str, Any] = {
        "entries": rest[:_A_PAGE],
        "many": len(found),
        "kinds": list(dict.fromkeys(one.kind for one in entries)),
        "analysts": sorted({one.analyst for one in entries if one.analyst}),
        "chosen": {"kind": kind, "analyst": analyst, "find": find},
        "next": rest[_A_PAGE - 1].sequence if len(rest) > _A_PAGE else 0,
        "head": entries[-1].digest if entries else "",
    }
    return page(request, "ledger", **facts)


@router.post("/ledger/verify")
async def verify(request: Request, visitor: Visiting) -> Response:
    """Every sum computed again, every digest compared, from the first entry on."""
    entries, head = await Custody(visitor.session).verify()
    return page(request, "verified", entries=entries, head=head)


@router.get("/ledger/export.jsonl")
async def export(visitor: Visiting) -> Response:
    """Every entry as a line of JSON, without the answers."""
    named = {"Content-Disposition": 'attachment; filename="ledger.jsonl"'}
    return Response(await Custody(visitor.session).export(), media_type="application/jsonl", headers=named)


@router.get("/epochs")
async def epochs(request: Request, visitor: Visiting) -> Response:
    """What the account's numbers have meant, and when and why that was changed."""
    entries = await Custody(visitor.session).entries()
    return page(request, "epochs", entries=[one for one in reversed(entries) if one.kind in _POLICY])
