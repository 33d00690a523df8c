"""The reviewer's pages: the ledger, whether it holds, and what the policy has meant over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from deniable.core.errors import Refused
from deniable.doors.console.drawn.wording import begun
from deniable.doors.console.pages import HOME, go, page
from deniable.doors.console.proofs import proven
from deniable.doors.console.visitors import Visiting, Visitor
from deniable.doors.http.jobs import Asked
from deniable.service.custodian.custody import Custody

if TYPE_CHECKING:
    from deniable.ledger import Entry

router = APIRouter()
_A_PAGE = 100
_POLICY = ("created", "adopted", "raised", "moved")


@router.get("/ledger")
async def ledger(  # noqa: PLR0917 - as many filters as it has
    request: Request,
    visitor: Visiting,
    kind: str = "",
    analyst: str = "",
    find: str = "",
    since: str = "",
    until: str = "",
    before: int = 0,
) -> Response:
    """Every entry, the last first, by kind, analyst, words and days."""
    entries = await Custody(visitor.session).entries()
    found = [
        one
        for one in reversed(entries)
        if kind in ("", one.kind)
        and analyst in ("", one.analyst)
        and find.lower() in _words(one)
        and since <= one.written[:10] <= (until or "9999")
    ]
    rest = [one for one in found if not before or one.sequence < before]
    facts: dict[str, Any] = {
        "entries": rest[:_A_PAGE],
        "proven": proven,
        "many": len(found),
        "kinds": list(dict.fromkeys(one.kind for one in entries)),
        "analysts": sorted({one.analyst for one in entries if one.analyst}),
        "chosen": {"kind": kind, "analyst": analyst, "find": find, "since": since, "until": until},
        "next": rest[_A_PAGE - 1].sequence if len(rest) > _A_PAGE else 0,
        "head": entries[-1].digest if entries else "",
    }
    return page(request, "ledger", **facts)


def _words(entry: Entry) -> str:
    """What can be looked for in an entry: its text, why it was made, and what it changed."""
    said = entry.details
    return " ".join([entry.text, str(said.get("reason", "")), *map(str, said.get("changes", ()))]).lower()


@router.post("/ledger/verify")
async def verify(request: Request, visitor: Visiting) -> Response:
    """Every sum computed again, every digest compared, from the first entry on; how far it is, is said elsewhere."""
    custody = Custody(visitor.session)
    custody.may_review()

    async def work(asked: Asked) -> tuple[int, str]:
        return await custody.verify(asked.told)

    asked = request.app.state.jobs.start(_owner(visitor), None, "", work)
    return go(request, f"{HOME}/ledger/verified/{asked.id}")


@router.get("/ledger/verified/{name}")
async def verified(request: Request, name: str, visitor: Visiting) -> Response:
    """Whether it holds, or how far the check is."""
    asked = _mine(request, visitor, name)
    place = f"{HOME}/ledger/verified/{name}"
    if not asked.over or asked.task is None:
        return page(request, "verified", place=place, stage=asked.stages[-1], entries=0, head="", problem=None)
    try:
        entries, head = asked.task.result()
    except Refused as problem:
        return page(request, "verified", place=place, stage="", entries=0, head="", problem=problem)
    return page(request, "verified", place=place, stage="", entries=entries, head=head, problem=None)


@router.get("/ledger/verified/{name}/stage")
async def stage(request: Request, name: str, visitor: Visiting) -> Response:
    """How far it is; when it is over, the page is opened anew."""
    asked = _mine(request, visitor, name)
    if asked.over:
        return Response(headers={"HX-Refresh": "true"})
    return page(request, "parts/verifying", stage=asked.stages[-1])


def _owner(visitor: Visitor) -> tuple[str, str]:
    return visitor.session.population.name, visitor.session.who


def _mine(request: Request, visitor: Visitor, name: str) -> Asked:
    Custody(visitor.session).may_review()
    asked: Asked | None = request.app.state.jobs.get(_owner(visitor), name)
    if asked is None:
        raise HTTPException(404, "This check is not kept here any more. Verify again.")
    return asked


@router.get("/ledger/export.jsonl")
async def export(visitor: Visiting) -> Response:
    """Every entry as a line of JSON, without the answers."""
    named = {"Content-Disposition": 'attachment; filename="ledger.jsonl"'}
    return Response(await Custody(visitor.session).export(), media_type="application/jsonl", headers=named)


@router.get("/epochs")
async def epochs(request: Request, visitor: Visiting) -> Response:
    """What the account's numbers have meant, and when and why that was changed."""
    entries = [one for one in await Custody(visitor.session).entries() if one.kind in _POLICY]
    first = begun(entries[0].details.get("terms", {})) if entries else []
    return page(request, "epochs", entries=entries[::-1], first=first)
