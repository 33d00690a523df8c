"""What may be known without asking: tables, policy, budget, history; and the custodian's tokens, ledger and metrics."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import PlainTextResponse, Response
from pydantic import BaseModel, ConfigDict, Field

from deniable.core.errors import InvalidArgumentError, Refused
from deniable.doors.http.questions import _PROBLEMS, Somebody
from deniable.service.tokens import Role, Token

router = APIRouter()


class TokenBody(BaseModel):
    """Whom a token is for, what it allows, and for how long."""

    model_config = ConfigDict(extra="forbid")
    name: str = Field(min_length=1, max_length=63)
    role: Role = Role.ANALYST
    days: float | None = Field(default=None, gt=0, le=36_500)


@router.get("/tables", responses=_PROBLEMS, summary="What may be asked about")
async def tables(session: Somebody) -> dict[str, Any]:
    """The declared tables and columns: all of it is public."""
    return {
        "population": session.population.name,
        "tables": {name: dict(table.facts) for name, table in session.policy.tables.items()},
    }


@router.get("/policy", responses=_PROBLEMS, summary="What the custodian has declared")
async def policy(session: Somebody) -> dict[str, Any]:
    """Population, neighbours, budget, and when answers leave."""
    rules = session.policy
    return {
        "population": rules.population,
        "neighbours": rules.neighbours.value,
        "budget": {"epsilon": float(rules.budget.epsilon), "delta": float(rules.budget.delta)},
        "release_after": rules.serving.release_after,
        "per_question": None if (usual := rules.per_question.get(session.who)) is None else float(usual),
        "digest": rules.digest,
    }


@router.get("/policy/check", responses=_PROBLEMS, summary="Whether the files are as the policy says")
async def check(session: Somebody) -> dict[str, Any]:
    """For custodians: each declared column, what it allows, and what is wrong with it."""
    session.require(Role.CUSTODIAN)
    seen = await session.check()
    return {"columns": seen, "fits": not any(one["problem"] for one in seen)}


@router.get("/budget", responses=_PROBLEMS, summary="What was spent, and what is left")
async def budget(session: Somebody) -> dict[str, Any]:
    """An analyst's own account; every account for custodians and reviewers."""
    return {"accounts": [one.to_dict() for one in await session.budgets()]}


@router.get("/history", responses=_PROBLEMS, summary="What was charged")
async def history(
    session: Somebody,
    after: Annotated[int, Query(ge=0)] = 0,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> dict[str, Any]:
    """Oldest first; `next` is what `after` must be for the lines that follow."""
    found = await session.history(after, limit)
    return {"charges": [one.to_dict() for one in found], "next": found[-1].entry if len(found) == limit else None}


@router.get("/ledger/verify", responses=_PROBLEMS, summary="Whether every entry fits the one before")
async def verify(session: Somebody) -> dict[str, Any]:
    """For custodians and reviewers."""
    entries, head = await session.verify()
    return {"entries": entries, "head": head}


@router.get("/ledger/export", responses=_PROBLEMS, summary="Every entry, as a line of JSON")
async def export(session: Somebody) -> Response:
    """For custodians and reviewers; without the answers."""
    session.require(Role.CUSTODIAN, Role.REVIEWER)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ledger.jsonl"
        await asyncio.to_thread(session.population.curator.ledger.export, path)
        return Response(path.read_bytes(), media_type="application/jsonl")


@router.get("/tokens", responses=_PROBLEMS, summary="Who may come in")
async def tokens(session: Somebody) -> dict[str, Any]:
    """For custodians. The tokens themselves are not kept."""
    session.require(Role.CUSTODIAN)
    return {"tokens": [_shown(token) for token in session.population.tokens.all()]}


@router.post("/tokens", responses=_PROBLEMS, status_code=201, summary="Give somebody a token")
async def create(session: Somebody, new: TokenBody) -> dict[str, Any]:
    """For custodians. The token is shown this once."""
    session.require(Role.CUSTODIAN)
    shares = session.policy.analysts
    if new.role is Role.ANALYST and shares and new.name not in shares:
        raise Refused("unknown-analyst", f"{new.name!r} has no share in the policy.", "Add a share first.")
    secret, token = session.population.tokens.create(new.name, new.role, new.days)
    return {"token": secret, **_shown(token)}


@router.delete("/tokens/{which}", responses=_PROBLEMS, summary="End a token, or all tokens of a name")
async def revoke(session: Somebody, which: str) -> dict[str, Any]:
    """For custodians; at once."""
    session.require(Role.CUSTODIAN)
    try:
        ended = session.population.tokens.revoke(which)
    except InvalidArgumentError as error:
        raise Refused("unknown-token", f"{error}.", "See the list of tokens.") from None
    return {"revoked": [token.id for token in ended]}


@router.get("/metrics", responses=_PROBLEMS, summary="Counters, for Prometheus", response_class=PlainTextResponse)
async def metrics(request: Request, session: Somebody) -> Response:
    """For custodians: how much of each kind there was, never what."""
    session.require(Role.CUSTODIAN)
    found = request.app.state.service.metrics.prometheus(session.population.name)
    return PlainTextResponse(f"{found}\n", media_type="text/plain; version=0.0.4")


def _shown(token: Token) -> dict[str, Any]:
    return {
        "id": token.id,
        "name": token.name,
        "role": token.role.value,
        "created": token.created,
        "expires": token.expires,
        "revoked": token.revoked,
        "state": token.state,
    }
