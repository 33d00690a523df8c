"""The custodian's pages: the people who may ask, and how the server fares."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from deniable.core.errors import Refused
from deniable.doors.console.drawn.wording import counted, number_of
from deniable.doors.console.pages import HOME, go, page
from deniable.doors.console.visitors import Visiting, Visitor
from deniable.service.custodian.custody import Custody
from deniable.service.tokens import Role

router = APIRouter()


@router.get("/people")
async def people(request: Request, visitor: Visiting) -> Response:
    """Who may ask: shares, tokens, requests for more."""
    return await _people(request, visitor)


@router.post("/people/tokens")
async def give(request: Request, visitor: Visiting) -> Response:
    """A new token, which is shown on this one page, and never again. A stolen cookie is not enough to get one."""
    sent = visitor.sent
    Custody(visitor.session).may_give()
    visitor.show_token()
    try:
        days = float(sent["days"]) if sent.get("days", "").strip() else None
        role = Role(sent.get("role", "analyst"))
    except ValueError:
        raise Refused("bad-request", "The form cannot be read.", "Say for how many days, as a number.") from None
    secret, token = await Custody(visitor.session).give(sent.get("name", "").strip(), role, days)
    return await _people(request, visitor, secret=secret, given=token)


@router.post("/people/tokens/end")
async def revoke(request: Request, visitor: Visiting) -> Response:
    """End a token, at once. Not with a cookie alone, either: who has stolen one could lock everybody out."""
    Custody(visitor.session).may_give()
    visitor.show_token()
    await Custody(visitor.session).revoke(visitor.sent.get("which", ""))
    return go(request, f"{HOME}/people")


@router.post("/people/requests/{entry}")
async def reply(request: Request, entry: int, visitor: Visiting) -> Response:
    """Answer a request, with a reason: with a new share, or without."""
    sent = visitor.sent
    share = sent.get("share", "").strip() if sent.get("answer") == "grant" else None
    await Custody(visitor.session).reply(entry, sent.get("reason", ""), share)
    return go(request, f"{HOME}/people")


async def _people(request: Request, visitor: Visitor, **more: object) -> Response:
    session = visitor.session
    tokens = await Custody(session).tokens()
    facts: dict[str, Any] = {
        "tokens": sorted(tokens, key=lambda token: (token.state != "valid", token.name)),
        "shares": session.policy.analysts,
        "requests": await session.requests(),
        "roles": [role.value for role in Role],
        "secret": "",
        "given": None,
    }
    return page(request, "people", **{**facts, **more})


@router.get("/activity")
async def activity(request: Request, visitor: Visiting) -> Response:
    """How much there was of each kind, answers that were late, charges that have no answer."""
    custody = Custody(visitor.session)
    lines = custody.metrics().splitlines()
    entries = await custody.entries()
    answered = {one.charge for one in entries if one.kind == "answered"}
    unanswered = [one for one in entries if one.kind == "charged" and one.sequence not in answered]
    facts: dict[str, Any] = {
        "counted": counted(lines),
        "late": number_of(lines, "late"),
        "strangers": number_of(lines, "logins_failed"),
    }
    return page(request, "activity", **facts, unanswered=unanswered[::-1][:50])
