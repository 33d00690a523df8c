"""What may be known without asking: tables, policy, budget, history; and the custodian's tokens, ledger and metrics."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query
from fastapi.responses import PlainTextResponse, Response

from deniable.doors.http.formats import said
from deniable.doors.http.guard import Somebody
from deniable.doors.http.problems import PROBLEMS
from deniable.doors.http.shapes import (
    AccountsBody,
    CheckBody,
    HistoryBody,
    PolicyBody,
    TablesBody,
    TokenBody,
    TokenGivenBody,
    TokenListBody,
    TokensEndedBody,
    VerifiedBody,
)
from deniable.service.custodian.custody import Custody
from deniable.service.tokens import Token

router = APIRouter()
_LARGEST_ENTRY = 2**53


@router.get("/tables", responses={200: {"model": TablesBody}, **PROBLEMS}, summary="What may be asked about")
async def tables(session: Somebody) -> Response:
    """The declared tables and columns: all of it is public."""
    session.admit()
    declared = {name: dict(table.facts) for name, table in session.policy.tables.items()}
    return said({"population": session.population.name, "tables": declared})


@router.get("/policy", responses={200: {"model": PolicyBody}, **PROBLEMS}, summary="What the custodian has declared")
async def policy(session: Somebody) -> Response:
    """Population, neighbours, budget, and when answers leave."""
    session.admit()
    rules = session.policy
    return said(
        {
            "population": rules.population,
            "neighbours": rules.neighbours.value,
            "budget": {"epsilon": float(rules.budget.epsilon), "delta": float(rules.budget.delta)},
            "release_after": rules.serving.release_after,
            "per_question": None if (usual := rules.per_question.get(session.who)) is None else float(usual),
            "digest": rules.digest,
        }
    )


@router.get(
    "/policy/check",
    responses={200: {"model": CheckBody}, **PROBLEMS},
    summary="Whether the files are as the policy says",
)
async def check(session: Somebody) -> Response:
    """For custodians: each declared column, what it allows, and what is wrong with it."""
    seen = await Custody(session).check()
    return said({"columns": seen, "fits": not any(one["problem"] for one in seen)})


@router.get("/budget", responses={200: {"model": AccountsBody}, **PROBLEMS}, summary="What was spent, and what is left")
async def budget(session: Somebody) -> Response:
    """An analyst's own account; every account for custodians and reviewers."""
    return said({"accounts": [one.to_dict() for one in await session.budgets()]})


@router.get("/history", responses={200: {"model": HistoryBody}, **PROBLEMS}, summary="What was charged")
async def history(
    session: Somebody,
    after: Annotated[int, Query(ge=0, le=_LARGEST_ENTRY)] = 0,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> Response:
    """Oldest first; `next` is what `after` must be for the lines that follow."""
    found = await session.history(after, limit)
    after_that = found[-1].entry if len(found) == limit else None
    return said({"charges": [one.to_dict() for one in found], "next": after_that})


@router.get(
    "/ledger/verify",
    responses={200: {"model": VerifiedBody}, **PROBLEMS},
    summary="Whether every entry fits",
)
async def verify(session: Somebody) -> Response:
    """For custodians and reviewers."""
    entries, head = await Custody(session).verify()
    return said({"entries": entries, "head": head})


@router.get(
    "/ledger/export",
    responses={200: {"description": "A line for each.", "content": {"application/jsonl": {}}}, **PROBLEMS},
    response_class=Response,
    summary="Every entry, as a line of JSON",
)
async def export(session: Somebody) -> Response:
    """For custodians and reviewers; without the answers."""
    return Response(await Custody(session).export(), media_type="application/jsonl")


@router.get("/tokens", responses={200: {"model": TokenListBody}, **PROBLEMS}, summary="Who may come in")
async def tokens(session: Somebody) -> Response:
    """For custodians. The tokens themselves are not kept."""
    return said({"tokens": [_shown(token) for token in await Custody(session).tokens()]})


@router.post(
    "/tokens", responses={201: {"model": TokenGivenBody}, **PROBLEMS}, status_code=201, summary="Give somebody a token"
)
async def create(session: Somebody, new: TokenBody) -> Response:
    """For custodians. The token is shown this once."""
    secret, token = await Custody(session).give(new.name, new.role, new.days)
    return said({"token": secret, **_shown(token)}, 201)


@router.delete(
    "/tokens/{which}",
    responses={200: {"model": TokensEndedBody}, **PROBLEMS},
    summary="End a token, or all tokens of a name",
)
async def revoke(session: Somebody, which: Annotated[str, Path(description="A token's id, or a name.")]) -> Response:
    """For custodians; at once."""
    return said({"revoked": [token.id for token in await Custody(session).revoke(which)]})


@router.get("/metrics", responses=PROBLEMS, summary="Counters, for Prometheus", response_class=PlainTextResponse)
async def metrics(session: Somebody) -> Response:
    """For custodians: how much of each kind there was, never what."""
    return PlainTextResponse(f"{Custody(session).metrics()}\n", media_type="text/plain; version=0.0.4")


def _shown(token: Token) -> dict[str, str | None]:
    return {
        "id": token.id,
        "name": token.name,
        "role": token.role.value,
        "created": token.created,
        "expires": token.expires,
        "revoked": token.revoked,
        "state": token.state,
    }
