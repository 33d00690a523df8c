"""The custodian's pages: the policy, the people who may ask, and how the server fares."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from deniable.core.errors import Refused
from deniable.doors.console.data import described
from deniable.doors.console.pages import HOME, by_script, go, page
from deniable.doors.console.visitors import Visiting, Visitor
from deniable.service.custody import Custody, digest_of_text
from deniable.service.tokens import Role

router = APIRouter()


@router.get("/policy")
async def policy(request: Request, visitor: Visiting) -> Response:
    """The policy as it stands, to be changed."""
    return await _policy(request, visitor, Custody(visitor.session).policy_text())


@router.post("/policy/check")
async def check(request: Request, visitor: Visiting) -> Response:
    """What is wrong with a text, or what it would change; changes nothing."""
    text = visitor.sent.get("text", "")
    if not by_script(request):
        return await _policy(request, visitor, text)
    considered = await Custody(visitor.session).consider(text)
    tables = described(considered.policy or visitor.session.policy)
    return page(request, "parts/considered", considered=considered, tables=tables)


@router.post("/policy")
async def adopt(request: Request, visitor: Visiting) -> Response:
    """Adopt it, with its reason."""
    sent, custody = visitor.sent, Custody(visitor.session)
    try:
        words = await custody.amend(sent.get("text", ""), sent.get("reason", ""), sent.get("based", ""))
    except Refused as refusal:
        return await _policy(request, visitor, sent.get("text", ""), problem=refusal)
    return await _policy(request, visitor, custody.policy_text(), adopted=words or ["Nothing that the account keeps."])


async def _policy(
    request: Request,
    visitor: Visitor,
    text: str,
    problem: Refused | None = None,
    adopted: list[str] | None = None,
) -> Response:
    custody = Custody(visitor.session)
    based = visitor.sent.get("based") if problem is not None else None
    considered = await custody.consider(text)
    facts: dict[str, Any] = {
        "text": text,
        "considered": considered,
        "tables": described(considered.policy or visitor.session.policy),
        "based": based or digest_of_text(custody.policy_text()),
        "reason": visitor.sent.get("reason", "") if problem is not None else "",
        "problem": problem,
        "adopted": adopted or [],
    }
    return page(request, "policy", 200 if problem is None else 400, **facts)


@router.get("/people")
async def people(request: Request, visitor: Visiting) -> Response:
    """Who may ask: shares, tokens, requests for more."""
    return await _people(request, visitor)


@router.post("/people/tokens")
async def give(request: Request, visitor: Visiting) -> Response:
    """A new token, which is shown on this one page, and never again. A stolen cookie is not enough to get one."""
    sent = visitor.sent
    if not visitor.visit.knows(sent.get("own", "").strip()):
        raise Refused("own-token", "That is not the token with which you signed in.", "Go back, and write it again.")
    try:
        days = float(sent["days"]) if sent.get("days", "").strip() else None
        role = Role(sent.get("role", "analyst"))
    except ValueError:
        raise Refused("bad-request", "The form cannot be read.", "Say for how many days, as a number.") from None
    secret, token = await Custody(visitor.session).give(sent.get("name", "").strip(), role, days)
    return await _people(request, visitor, secret=secret, given=token)


@router.post("/people/tokens/end")
async def revoke(request: Request, visitor: Visiting) -> Response:
    """End a token, at once."""
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
    counted = [line.rsplit(" ", 1) for line in custody.metrics().splitlines() if line and not line.startswith("#")]
    entries = await custody.entries()
    answered = {one.charge for one in entries if one.kind == "answered"}
    unanswered = [one for one in entries if one.kind == "charged" and one.sequence not in answered]
    return page(request, "activity", counted=counted, unanswered=unanswered[::-1][:50])
