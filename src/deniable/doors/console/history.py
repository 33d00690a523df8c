"""What was asked before: every question can be opened again, for free, searched, and put into a notebook."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Context, Decimal
from fractions import Fraction

from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from deniable.core.shown import at_most
from deniable.doors.console import asking
from deniable.doors.console.answers import AnswerPage, file
from deniable.doors.console.drawn.snippets import notebook
from deniable.doors.console.pages import HOME, go, page
from deniable.doors.console.visitors import Visiting
from deniable.doors.console.written import WrittenQuestion
from deniable.service.history import Charged

router = APIRouter()
_MOST = 100_000
_A_PAGE = 50
_DIGITS = Context(prec=60)


@router.get("/history")
async def history(request: Request, visitor: Visiting, find: str = "", before: int = 0) -> Response:
    """The last questions first; those whose text has the words in it."""
    visitor.session.may_ask()
    titles, wanted = await visitor.session.titles(), find.lower()
    found = [
        one
        for one in await visitor.session.history(0, _MOST)
        if wanted in one.question.lower() or wanted in titles.get(one.entry, "").lower()
    ]
    shown = [one for one in reversed(found) if not before or one.entry < before]
    rest = shown[_A_PAGE - 1].entry if len(shown) > _A_PAGE else 0
    return page(request, "history", charges=shown[:_A_PAGE], find=find, many=len(found), next=rest, titles=titles)


@router.post("/history/{entry}/title")
async def rename(request: Request, entry: int, visitor: Visiting) -> Response:
    """Call a question something."""
    await visitor.session.name(entry, visitor.sent.get("title", ""))
    return go(request, f"{HOME}/history")


@router.get("/history/notebook.ipynb")
async def as_notebook(request: Request, visitor: Visiting) -> Response:
    """The questions that were ticked, or all of them, as a notebook."""
    visitor.session.may_ask()
    wanted = {value for value in request.query_params.getlist("entry") if value.isdigit()}
    charges = [one for one in await visitor.session.history(0, _MOST) if not wanted or str(one.entry) in wanted]
    titles = await visitor.session.titles()
    asked = [one for one in charges if not one.release]
    text = notebook(
        request,
        [(f"{titles.get(one.entry) or f'Question {one.entry}'}, of {one.written[:10]}", _noted(one)) for one in asked],
    )
    named = {"Content-Disposition": 'attachment; filename="questions.ipynb"'}
    return Response(text, media_type="application/x-ipynb+json", headers=named)


@router.get("/history/{entry}")
async def again(request: Request, entry: int, visitor: Visiting, one: str = "", other: str = "") -> Response:
    """The question and its answer, as it was."""
    charge, payment, answer = await visitor.session.reopened(entry)
    written = _paid(charge.question, payment)
    if answer is None:
        return await asking.shown(request, visitor, written)
    found = AnswerPage(f"{HOME}/history/{entry}", written, answer, (one, other))
    return await asking.shown(request, visitor, written, answer=await found.facts(request, visitor.session))


@router.get("/history/{entry}/answer.{form}")
async def download(entry: int, form: str, visitor: Visiting) -> Response:
    """The answer as a file."""
    _, _, answer = await visitor.session.reopened(entry)
    if answer is None:
        raise HTTPException(404, "The data or the policy have changed since: ask again.")
    return await file(visitor.session, answer, form)


def _noted(charge: Charged) -> WrittenQuestion:
    """The question with what it has cost, to four digits, which is mostly what was paid."""
    loss = charge.loss
    form, amount = ("rho", loss.rho) if loss.epsilon is None else ("epsilon", loss.epsilon)
    numbers = {form: amount, "delta": loss.delta}
    return _paid(
        charge.question, {name: Fraction(at_most(one).replace(",", "")) for name, one in numbers.items() if one}
    )


def _paid(sql: str, payment: Mapping[str, Fraction]) -> WrittenQuestion:
    """The question with its payment, written so that it is the same question."""
    form = "rho" if "rho" in payment else "epsilon"
    delta = _decimal(payment["delta"]) if "delta" in payment else ""
    return WrittenQuestion(sql, form, _decimal(payment[form]) if form in payment else "", delta)


def _decimal(number: Fraction) -> str:
    """With all of its digits, so that it is read as the same number."""
    return f"{_DIGITS.divide(Decimal(number.numerator), Decimal(number.denominator)).normalize():f}"
