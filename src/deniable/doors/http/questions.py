"""What is asked and paid: explain, questions, batches, releases."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Coroutine
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from deniable.core.errors import Refused
from deniable.curator import Answer
from deniable.doors.http.formats import ARROW, CSV, PARQUET, wanted, written
from deniable.doors.http.guard import somebody
from deniable.doors.http.jobs import Asked, Jobs
from deniable.service.hints import hinted, merged
from deniable.service.session import Session

router = APIRouter()
_PATIENCE = 30.0
"""Seconds for which a request waits for its answer before it is sent to the answer's address."""
_FORMS: dict[str, Any] = {CSV: {}, ARROW: {}, PARQUET: {}, "application/json": {}}
_PROBLEMS: dict[int | str, dict[str, Any]] = {
    code: {"description": text, "content": {"application/problem+json": {}}}
    for code, text in {
        400: "Refused: nothing was read or spent.",
        401: "Not let in.",
        402: "More than is left of the budget; nothing was spent.",
        403: "Not for this role.",
        404: "Nothing of yours is here.",
        413: "Too large.",
        422: "The request cannot be read, or its Idempotency-Key was used for another.",
        429: "Too many requests.",
        500: "Failed; a charge stays spent.",
        503: "The data or the ledger cannot be read at the moment.",
    }.items()
}
_ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {"description": "The answer.", "content": _FORMS},
    202: {"description": "On its way; Location says where."},
    **_PROBLEMS,
}
Somebody = Annotated[Session, Depends(somebody)]
Number = str | float


class SpendBody(BaseModel):
    """How a question is paid: one of epsilon, rho and accuracy, or else the analyst's usual spend."""

    model_config = ConfigDict(extra="forbid")
    epsilon: Number | None = None
    rho: Number | None = None
    accuracy: Number | None = None
    delta: Number | None = None
    confidence: Number | None = None

    def named(self) -> dict[str, Any]:
        """Only what was said."""
        names = ("epsilon", "rho", "accuracy", "delta", "confidence")
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}


class QuestionBody(SpendBody):
    """A question, in SQL."""

    sql: str = Field(min_length=1, max_length=20_000)

    def settled(self) -> tuple[str, dict[str, Any]]:
        """The question without its hint, and how it is paid: the hint comes first."""
        plain, hint = hinted(self.sql)
        return plain, merged(hint, self.named())


class BatchBody(SpendBody):
    """Questions that are fixed in advance, for one spend."""

    questions: list[str] = Field(min_length=1, max_length=100)


class ReleaseBody(SpendBody):
    """Many counts at once: a workload, written as in a workload's file."""

    workload: dict[str, Any]


@router.post("/explain", responses=_PROBLEMS, summary="The price of a question; costs nothing")
async def explain(question: QuestionBody, session: Somebody) -> dict[str, Any]:
    """What it would cost, and how accurate it would be. Reads no private row."""
    quote = await session.explain(*question.settled())
    return {**quote.to_dict(), "person": quote.person}


@router.post("/questions", responses=_ANSWERS, summary="Ask a question, and pay for it")
async def ask(  # noqa: PLR0917 - as many headers as it has
    request: Request,
    question: QuestionBody,
    session: Somebody,
    accept: Annotated[str | None, Header()] = None,
    prefer: Annotated[str | None, Header()] = None,
    idempotency_key: Annotated[str | None, Header(max_length=200)] = None,
) -> Response:
    """The answer, when its time has come; with `Prefer: respond-async` its address, at once."""
    form, (sql, spending) = wanted(accept), question.settled()

    async def work(asked: Asked) -> Callable[[str], Response]:
        answer = await session.ask(sql, spending, asked.told)
        return lambda other: written(answer, other)

    return await _answered(request, session, (form, prefer, idempotency_key, question.model_dump_json()), work)


@router.post("/batches", responses=_ANSWERS, summary="Ask several questions for one spend")
async def ask_all(
    request: Request,
    batch: BatchBody,
    session: Somebody,
    prefer: Annotated[str | None, Header()] = None,
    idempotency_key: Annotated[str | None, Header(max_length=200)] = None,
) -> Response:
    """All answers, or none."""

    async def work(asked: Asked) -> Callable[[str], Response]:
        answers = await session.ask_all(batch.questions, batch.named(), asked.told)
        return lambda _form: JSONResponse({"answers": [_said(answer) for answer in answers]})

    return await _answered(request, session, ("", prefer, idempotency_key, batch.model_dump_json()), work)


@router.post("/releases", responses=_ANSWERS, summary="Answer a whole workload at once")
async def release(
    request: Request,
    released: ReleaseBody,
    session: Somebody,
    prefer: Annotated[str | None, Header()] = None,
    idempotency_key: Annotated[str | None, Header(max_length=200)] = None,
) -> Response:
    """All queries of the workload."""
    from deniable.releases.linear.toml import read_workload  # noqa: PLC0415 - strategies are slow to load

    workload = read_workload(released.workload)

    async def work(asked: Asked) -> Callable[[str], Response]:
        found = await session.release(workload, released.named(), asked.told)
        return lambda _form: JSONResponse(found.to_dict())

    return await _answered(request, session, ("", prefer, idempotency_key, released.model_dump_json()), work)


@router.get("/questions/{name}", responses=_ANSWERS, summary="What was asked before, if it is there yet")
async def look(
    request: Request, name: str, session: Somebody, accept: Annotated[str | None, Header()] = None
) -> Response:
    """The answer; or 202 again, until it is there."""
    asked = _mine(request, session, name)
    if asked.task is None or not asked.task.done():
        return _later(request, asked)
    found: Response = asked.task.result()(wanted(accept))
    return found


@router.get(
    "/questions/{name}/events",
    responses={200: {"description": "Stages.", "content": {"text/event-stream": {}}}, **_PROBLEMS},
    summary="Its stages, as they come",
)
async def events(request: Request, name: str, session: Somebody) -> Response:
    """Queued, started, charged; and then nothing until the answer may be seen."""
    return StreamingResponse(_mine(request, session, name).events(), media_type="text/event-stream")


async def _answered(
    request: Request,
    session: Session,
    said: tuple[str, str | None, str | None, str],
    work: Callable[[Asked], Coroutine[Any, Any, Callable[[str], Response]]],
) -> Response:
    """Begin, and wait for the answer unless the client would rather not."""
    form, prefer, key, body = said
    jobs: Jobs = request.app.state.jobs
    digest = hashlib.sha256(f"{request.url.path}\n{body}".encode()).hexdigest()
    owner = (session.population.name, session.who)
    try:
        asked = jobs.start(owner, key, digest, work)
    except Refused as refusal:
        if refusal.code == "key-reused":
            raise HTTPException(422, refusal.reason) from None
        raise
    if asked.task is None or "respond-async" in (prefer or "").lower():
        return _later(request, asked)
    done, _ = await asyncio.wait([asked.task], timeout=_PATIENCE)
    if not done:
        return _later(request, asked)
    found: Response = asked.task.result()(form)
    return found


def _later(request: Request, asked: Asked) -> Response:
    place = f"{request.url.path.rsplit('/v1/', 1)[0]}/v1/questions/{asked.id}"
    return JSONResponse({"id": asked.id, "stage": asked.stages[-1]}, 202, {"Location": place, "Retry-After": "1"})


def _mine(request: Request, session: Session, name: str) -> Asked:
    asked = request.app.state.jobs.get((session.population.name, session.who), name)
    if asked is None:
        raise HTTPException(404, "There is no such question of yours.")
    found: Asked = asked
    return found


def _said(answer: Answer) -> dict[str, object]:
    return answer.to_dict()
