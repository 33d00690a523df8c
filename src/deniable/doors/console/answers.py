"""Answers that are on their way, or there: each has an address, at which it waits for whoever has asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from deniable.core.errors import Failed, Refused
from deniable.curator import NoisyAnswer, PublicAnswer
from deniable.doors.console import asking
from deniable.doors.console.drawn.charts import chart_of
from deniable.doors.console.drawn.sheets import compared, first_keys, sheet_of
from deniable.doors.console.drawn.snippets import snippets
from deniable.doors.console.pages import HOME, page
from deniable.doors.console.visitors import Visiting
from deniable.doors.console.written import WrittenQuestion
from deniable.doors.http.formats import ARROW, CSV, JSON, PARQUET, response, written
from deniable.doors.http.jobs import Asked
from deniable.service.session import Session

router = APIRouter()
FORMS = {"csv": CSV, "json": JSON, "parquet": PARQUET, "arrow": ARROW}


@dataclass(frozen=True, slots=True)
class AnswerPage:
    """An answer as a page shows it."""

    place: str
    """Its address, below which its files are."""
    written: WrittenQuestion
    answer: NoisyAnswer | PublicAnswer
    chosen: tuple[str, str] = ("", "")
    """Two groups that are compared."""

    async def facts(self, request: Request, session: Session) -> dict[str, Any]:
        """What the template is given; drawn in a thread, because an answer may be long."""
        return await session.aside(lambda: self._drawn(request, session))

    def _drawn(self, request: Request, session: Session) -> dict[str, Any]:
        column = request.query_params.get("column", "")
        return {
            "place": self.place,
            "sheet": sheet_of(self.answer),
            "chart": chart_of(self.answer, column),
            "meaning": self.answer.meaning,
            "free": self.answer.free,
            "notes": self.answer.notes,
            "price": self.answer.sheet().price,
            "forms": list(FORMS),
            "snippets": snippets(request, self.written, session),
            "groups": first_keys(self.answer),
            "chosen": self.chosen,
            "difference": compared(self.answer, *self.chosen) if all(self.chosen) else None,
        }


@router.get("/answers/{name}")
async def look(request: Request, name: str, visitor: Visiting, one: str = "", other: str = "") -> Response:
    """The question with its answer below; or with what became of it."""
    asked, question = _mine(request, visitor.session, name)
    place = f"{HOME}/answers/{name}"
    if asked.task is None or not asked.task.done():
        stage = asked.stages[-1]
        return await asking.shown(request, visitor, question, waiting={"place": place, "stage": stage})
    try:
        answer = asked.task.result()
    except Refused as refusal:
        price = asking.Price(question, refusal=refusal)
        return await asking.shown(request, visitor, question, price=price)
    except Failed as failure:
        return await asking.shown(request, visitor, question, waiting={"place": "", "stage": str(failure)})
    found = AnswerPage(place, question, answer, (one, other))
    return await asking.shown(request, visitor, question, answer=await found.facts(request, visitor.session))


@router.get("/answers/{name}/stage")
async def stage(request: Request, name: str, visitor: Visiting) -> Response:
    """How far it is; when it is there, the page is opened anew."""
    asked, _ = _mine(request, visitor.session, name)
    place = f"{HOME}/answers/{name}"
    if asked.over:
        return Response(headers={"HX-Refresh": "true"})
    return page(request, "parts/waiting", waiting={"place": place, "stage": asked.stages[-1]})


@router.get("/answers/{name}/answer.{form}")
async def download(request: Request, name: str, form: str, visitor: Visiting) -> Response:
    """The answer as a file."""
    asked, _ = _mine(request, visitor.session, name)
    if not asked.over or asked.task is None:
        raise HTTPException(404)
    return await file(visitor.session, asked.task.result(), form)


async def file(session: Session, answer: NoisyAnswer | PublicAnswer, form: str) -> Response:
    """With a name, so that a browser keeps it and does not show it; written in a thread."""
    if form not in FORMS:
        raise HTTPException(404)
    found = response(await session.aside(lambda: written(answer, FORMS[form])), FORMS[form])
    found.headers["Content-Disposition"] = f'attachment; filename="answer.{form}"'
    return found


def _mine(request: Request, session: Session, name: str) -> tuple[Asked, WrittenQuestion]:
    """Somebody else's is not there, and neither is one that was forgotten."""
    session.may_ask()
    asked = request.app.state.jobs.get((session.population.name, session.who), name)
    question = request.app.state.texts.get(name)
    if asked is None or question is None:
        raise HTTPException(404, "This answer is not kept here any more. Open it from your history: that is free.")
    return asked, question
