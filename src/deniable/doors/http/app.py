"""All routes of one server."""

from __future__ import annotations

from functools import cache
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.responses import RedirectResponse
from starlette.exceptions import HTTPException

from deniable import __version__
from deniable.core.errors import Failed, InvalidArgumentError, Refused
from deniable.doors.console.app import make_console
from deniable.doors.http import accounts, questions
from deniable.doors.http.guard import RequestGuard
from deniable.doors.http.jobs import Jobs
from deniable.doors.http.problems import of_error
from deniable.doors.http.shapes import HealthBody, ProblemBody
from deniable.service.entrance import Denied
from deniable.service.service import Service


def make_app(service: Service, *, secure: bool = False) -> FastAPI:
    """The application; `/openapi.json` describes it. Its pages, the only place with a cookie, are below `/console`."""
    app = FastAPI(
        title="Deniable",
        version=__version__,
        summary="A curator for sensitive tables: private answers with error bars, paid from a budget.",
        docs_url=None,
        redoc_url=None,
    )
    app.state.service, app.state.jobs = service, Jobs()
    app.include_router(questions.router, prefix="/v1")
    app.include_router(accounts.router, prefix="/v1")
    app.add_api_route(
        "/healthz",
        _healthy,
        methods=["GET"],
        responses={200: {"model": HealthBody}},
        summary="Whether the server is there",
    )
    for kind in (Refused, Failed, Denied, InvalidArgumentError, RequestValidationError, HTTPException, Exception):
        app.add_exception_handler(kind, of_error)
    app.mount("/console", make_console(service, app.state.jobs, secure=secure))
    app.add_api_route("/", _pages, methods=["GET"], include_in_schema=False)
    app.add_middleware(RequestGuard, limits=service.limits, secure=secure)
    plain = app.openapi

    @cache
    def described() -> dict[str, Any]:
        found = plain()
        parts = found.setdefault("components", {})
        parts.setdefault("schemas", {})["ProblemBody"] = ProblemBody.model_json_schema()
        parts["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        found["security"] = [{"token": []}]
        found["paths"]["/healthz"]["get"]["security"] = []
        for operation in (one for path in found["paths"].values() for one in path.values()):
            unread = operation["responses"].get("422", {}).get("content", {})
            unread.pop("application/json", None)  # which FastAPI adds, and we never send
        return found

    app.openapi = described  # type: ignore[method-assign]  # as FastAPI says
    return app


async def _pages() -> RedirectResponse:
    """Whoever opens the server's address in a browser wants to see something."""
    return RedirectResponse("/console/", 303)


async def _healthy() -> dict[str, str]:
    """No token is needed for this."""
    return {"status": "ok"}
