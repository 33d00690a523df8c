"""Signing in and out. A token is shown once; from then on a cookie says who is visiting."""

from __future__ import annotations

from http import HTTPStatus

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from deniable.doors.console.pages import HOME, MENU, page
from deniable.doors.console.visitors import Visiting, fields, forget, key_of, local, remember
from deniable.service.entrance import Denied
from deniable.service.service import Service
from deniable.service.visits import Visits

router = APIRouter()


@router.get("/")
async def first(visitor: Visiting) -> Response:
    """The first page of a role."""
    return RedirectResponse(f"{HOME}/{MENU[visitor.session.token.role][0][0]}", HTTPStatus.SEE_OTHER)


@router.get("/sign-in")
async def ask_for_token(request: Request, next: str = HOME) -> Response:  # noqa: A002 - as the address has it
    """The form for a token."""
    return page(request, "sign_in", next=local(next), problem="")


@router.post("/sign-in")
async def sign_in(request: Request) -> Response:
    """A new visit with a new key, whatever cookie there was: nobody can prepare one for somebody else."""
    service: Service = request.app.state.service
    visits: Visits = request.app.state.visits
    sent = await fields(request)
    place = local(sent.get("next", HOME))
    try:
        session = await service.entrance.by_token(sent.get("token", "").strip(), "console")
    except Denied:
        problem = "That token is not valid. It may have ended: ask the custodian for another."
        return page(request, "sign_in", HTTPStatus.UNAUTHORIZED, next=place, problem=problem)
    visits.end(key_of(request))
    key, _ = visits.begin(session)
    secure: bool = request.app.state.secure
    return remember(RedirectResponse(place, HTTPStatus.SEE_OTHER), key, secure=secure)


@router.post("/sign-out")
async def sign_out(request: Request, visitor: Visiting) -> Response:
    """The visit is over here, not only in the browser."""
    del visitor
    request.app.state.visits.end(key_of(request))
    response = RedirectResponse(f"{HOME}/sign-in", HTTPStatus.SEE_OTHER)
    return forget(response, secure=request.app.state.secure)
