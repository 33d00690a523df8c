"""What is asked and paid: explain, questions, batches, releases."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Coroutine
from typing import Annotated, Any

from fastapi import APIRouter, Header, Request
from fastapi.responses import Response, StreamingResponse
from starlette.exceptions import HTTPException

from deniable.doors.http.formats import ARROW, CSV, JSON, PARQUET, Ready, response, said, wanted, written, written_all
from deniable.doors.http.guard import Somebody
from deniable.doors.http.jobs import Asked, Jobs
from deniable.doors.http.problems import PROBLEMS
from deniable.doors.http.shapes import (
    AnswerBody,
    BatchAnswerBody,
    BatchBody,
    LaterBody,
    PriceBody,
    QuestionBody,
    ReleaseBody,
)
from deniable.planner.wording.parameters import filled_all
from deniable.service.session import Session

router = APIRouter()
_PATIENCE = 30.0
"""Seconds for which a request waits for its answer before it is sent to the answer's address."""
_FORMS: dict[str, Any] = {CSV: {}, ARROW: {}, PARQUET: {}}
_OF_BATCHES = (JSON, ARROW)
_LATER: dict[str, Any] = {"model": LaterBody, "description": "On its way; Location says where."}


def _answers(model: Any, forms: dict[str, Any] | None = None) -> dict[int | str, dict[str, Any]]:  # noqa: ANN401 - a class of pydantic's
    """The responses of a route that leads to answers."""
    return {200: {"model": model, "description": "The answer.", "content": forms or {}}, 202: _LATER, **PROBLEMS}


Prefer = Annotated[str | None, Header(description="respond-async: the address of the answer, at once.")]
Key = Annotated[str | None, Header(max_length=200, description="Binds a request: sent twice, it is carried out once.")]


@router.post("/explain", responses={200: {"model": PriceBody}, **PROBLEMS}, summary="The price of a question; free")
async def explain(question: QuestionBody, session: Somebody) -> Response:
    """What it would cost, and how accurate it would be. Reads no private row."""
    asked, spending = question.settled()
    with asked.as_written():
        quote = await session.explain(asked.text, spending)
    return said({**quote.to_dict(), "person": quote.person})


@router.post("/questions", responses=_answers(AnswerBody, _FORMS), summary="Ask a question, and pay for it")
async def ask(  # noqa: PLR0917 - as many headers as it has
    request: Request,
    question: QuestionBody,
    session: Somebody,
    accept: Annotated[str | None, Header()] = None,
    prefer: Prefer = None,
    idempotency_key: Key = None,
) -> Response:
    """The answer, when its time has come; with `Prefer: respond-async` its address, at once."""
    form, (whole, spending) = wanted(accept), question.settled()

    async def work(asked: Asked) -> Ready[Any]:
        with whole.as_written():
            return await session.asked(whole.text, spending, lambda answer: Ready(answer, form, written), asked.told)

    return await _answered(request, session, (form, prefer, idempotency_key, question.model_dump_json()), work)


@router.post(
    "/batches", responses=_answers(BatchAnswerBody, {ARROW: {}}), summary="Ask several questions for one spend"
)
async def ask_all(  # noqa: PLR0917 - same
    request: Request,
    batch: BatchBody,
    session: Somebody,
    accept: Annotated[str | None, Header()] = None,
    prefer: Prefer = None,
    idempotency_key: Key = None,
) -> Response:
    """All answers, or none; in JSON, or as Arrow streams, one after the other."""
    form, texts = wanted(accept, _OF_BATCHES), filled_all(batch.questions, batch.params)

    async def work(asked: Asked) -> Ready[Any]:
        return await session.asked_all(
            texts, batch.named(), lambda answers: Ready(answers, form, written_all, _OF_BATCHES), asked.told
        )

    return await _answered(request, session, (form, prefer, idempotency_key, batch.model_dump_json()), work)


@router.post("/releases", responses=_answers(AnswerBody, _FORMS), summary="Answer a whole workload at once")
async def release(  # noqa: PLR0917 - same
    request: Request,
    released: ReleaseBody,
    session: Somebody,
    accept: Annotated[str | None, Header()] = None,
    prefer: Prefer = None,
    idempotency_key: Key = None,
) -> Response:
    """All queries of the workload."""
    from deniable.releases.linear.toml import read_workload  # noqa: PLC0415 - strategies are slow to load

    form, spending = wanted(accept), released.named()
    workload = await session.free("workload", lambda: read_workload(released.workload))

    async def work(asked: Asked) -> Ready[Any]:
        return await session.released(workload, spending, lambda found: Ready(found, form, written), asked.told)

    return await _answered(request, session, (form, prefer, idempotency_key, released.model_dump_json()), work)


@router.get("/questions/{name}", responses=_answers(AnswerBody, _FORMS), summary="An answer that comes later")
async def look(
    request: Request, name: str, session: Somebody, accept: Annotated[str | None, Header()] = None
) -> Response:
    """The answer; or 202 again, until it is there."""
    session.admit()
    asked = _mine(request, session, name)
    if asked.task is None or not asked.task.done():
        return _later(request, asked)
    found = asked.task.result()
    if not isinstance(found, Ready):  # it was asked on a page of the console, and has its address there
        raise _unknown()
    return await _sent(session, found, wanted(accept, found.forms))


@router.get(
    "/questions/{name}/events",
    responses={200: {"description": "Stages.", "content": {"text/event-stream": {}}}, **PROBLEMS},
    response_class=StreamingResponse,
    summary="Its stages, as they come",
)
async def events(request: Request, name: str, session: Somebody) -> Response:
    """Queued, started, charged; and then nothing until the answer may be seen."""
    session.admit()
    return StreamingResponse(_mine(request, session, name).events(), media_type="text/event-stream")


async def _answered(
    request: Request,
    session: Session,
    sent: tuple[str, str | None, str | None, str],
    work: Callable[[Asked], Coroutine[Any, Any, Ready[Any]]],
) -> Response:
    """Begin, and wait for the answer unless the client would rather not."""
    form, prefer, key, body = sent
    jobs: Jobs = request.app.state.jobs
    digest = hashlib.sha256(f"{request.url.path}\n{body}".encode()).hexdigest()
    owner = session.population.name, session.who
    if jobs.knows(owner, key):  # what is begun is counted where it is begun; this is only looked at
        session.admit()
    asked = jobs.start(owner, key, digest, work)
    if asked.task is None or "respond-async" in (prefer or "").lower():
        return _later(request, asked)
    done, _ = await asyncio.wait([asked.task], timeout=_PATIENCE)
    if not done:
        return _later(request, asked)
    if key is None:
        jobs.forget(asked)
    return await _sent(session, asked.task.result(), form)


async def _sent(session: Session, found: Ready[Any], form: str) -> Response:
    """What lies ready; or the same in another form."""
    content = found.content(form) if form == found.form else await session.aside(lambda: found.content(form))
    return response(content, form)


def _later(request: Request, asked: Asked) -> Response:
    place = f"{request.url.path.rsplit('/v1/', 1)[0]}/v1/questions/{asked.id}"
    return said({"id": asked.id, "stage": asked.stages[-1]}, 202, {"Location": place, "Retry-After": "1"})


def _mine(request: Request, session: Session, name: str) -> Asked:
    asked = request.app.state.jobs.get((session.population.name, session.who), name)
    if asked is None:
        raise _unknown()
    found: Asked = asked
    return found


def _unknown() -> HTTPException:
    return HTTPException(404, "There is no such question of yours.")
