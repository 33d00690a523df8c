"""All pages of one server, and what is said when something goes wrong."""

from __future__ import annotations

from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.middleware.gzip import GZipMiddleware
from fastapi.responses import Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

from deniable.core.errors import Failed, InvalidArgumentError, Refused
from deniable.doors.console import accounts, answers, asking, data, entrance, history, proofs, review
from deniable.doors.console.begun import Texts
from deniable.doors.console.custodian import custody, policies, releases
from deniable.doors.console.pages import STATIC, by_script, go, page
from deniable.doors.console.visitors import Stranger, key_of, sign_in_address
from deniable.doors.console.written import WrittenQuestion
from deniable.doors.http.jobs import Jobs
from deniable.doors.http.problems import status_of
from deniable.service.orders import Order
from deniable.service.service import Service
from deniable.service.visits import Visits

_STATUS = {"foreign-form": 403, "own-token": 403, "bad-request": 400, "unknown-entry": 404}
_KEPT = {"Cache-Control": "private, max-age=3600"}


def make_console(service: Service, jobs: Jobs, *, secure: bool) -> FastAPI:
    """The pages, as an application of their own: their errors are pages, too."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, redirect_slashes=False)
    app.state.service, app.state.jobs, app.state.secure = service, jobs, secure
    app.state.visits, app.state.texts = Visits(service.limits.idle), Texts[WrittenQuestion]()
    app.state.orders = Texts[Order]()
    for part in (entrance, asking, answers, history, accounts, data, custody, policies, releases, review, proofs):
        app.include_router(part.router)
    app.mount("/static", GZipMiddleware(_Kept(directory=STATIC)))  # pages are not packed: they hold secrets
    app.add_exception_handler(Stranger, _stranger)
    for kind in (Refused, Failed, InvalidArgumentError, RequestValidationError, HTTPException, Exception):
        app.add_exception_handler(kind, _wrong)
    return app


class _Kept(StaticFiles):
    """Files that are the same for everybody, and may be kept for a while."""

    def file_response(self, *args, **kwargs) -> Response:  # type: ignore[no-untyped-def]  # noqa: ANN002, ANN003 - as in its base
        found = super().file_response(*args, **kwargs)
        found.headers.update(_KEPT)
        return found


async def _stranger(request: Request, error: Exception) -> Response:
    """To the entrance, and back from there."""
    place = error.place if isinstance(error, Stranger) else ""
    return go(request, sign_in_address(place))


async def _wrong(request: Request, error: Exception) -> Response:
    """A page that says what it was, as far as it may be said; to a script of ours, the part of it that says so."""
    status, title, text, hint = _said(error)
    if getattr(request.state, "visit", None) is None:  # of a page that is not there, nobody has asked who looks at it
        request.state.visit = request.app.state.visits.find(key_of(request))
    name = "parts/wrong" if by_script(request) else "wrong"
    return page(request, name, status, title=title, text=text, hint=hint)


def _said(error: Exception) -> tuple[int, str, str, str]:
    if isinstance(error, Refused):
        status = _STATUS.get(error.code, status_of(error.code))
        return status, f"Refused ({error.code})", error.reason, error.hint
    if isinstance(error, InvalidArgumentError | RequestValidationError):
        words = f"{error}." if isinstance(error, InvalidArgumentError) else "The address cannot be read."
        return HTTPStatus.BAD_REQUEST, "Refused", words, "Correct it, and try again."
    if isinstance(error, HTTPException):
        phrase = HTTPStatus(error.status_code).phrase
        words = error.detail if error.detail != phrase else "There is no such page."
        return error.status_code, phrase, words, ""
    text = str(error) if isinstance(error, Failed) else "Something went wrong on this side."
    return HTTPStatus.INTERNAL_SERVER_ERROR, "Failed", text, "The custodian finds more in the log."
