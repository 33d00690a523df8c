"""Refusals and failures as problem+json (RFC 9457): a code, the place in the question, and a hint."""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from deniable.core.errors import Failed, InvalidArgumentError, Refused
from deniable.doors.http.formats import said
from deniable.service.entrance import Denied

_STATUS = {
    "unknown-analyst": 403,
    "wrong-role": 403,
    "token-ended": 401,
    "over-budget": 402,
    "too-busy": 429,
    "questions-per-day": 429,
    "data-unavailable": 503,
    "too-long": 413,
    "key-reused": 422,
    "unknown-token": 404,
}
TYPE = "application/problem+json"
PROBLEMS: dict[int | str, dict[str, Any]] = {
    code: {"description": text, "content": {TYPE: {"schema": {"$ref": "#/components/schemas/ProblemBody"}}}}
    for code, text in {
        400: "Refused: nothing was read or spent.",
        401: "Not let in.",
        402: "More than is left of the budget; nothing was spent.",
        403: "Not for this role.",
        404: "Nothing of yours is here.",
        406: "There is no such form.",
        408: "The body did not come.",
        413: "Too large.",
        422: "The request cannot be read, or its Idempotency-Key was used for another.",
        429: "Too many requests.",
        500: "Failed; a charge stays spent.",
        503: "The data or the ledger cannot be read at the moment.",
    }.items()
}
"""What every route may answer instead."""


def status_of(code: str) -> int:
    """The status of a refusal.

    Example:
        >>> status_of("over-budget"), status_of("unknown-column"), status_of("ledger-missing")
        (402, 400, 503)
    """
    return _STATUS.get(code, 503 if code.startswith("ledger") else 400)


def problem(request: Request, status: int, code: str, detail: str, **more: object) -> Response:
    """The response."""
    content = {
        "type": f"urn:deniable:{code}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "code": code,
        "request": getattr(request.state, "request_id", ""),
        **{key: value for key, value in more.items() if value not in (None, "")},
    }
    headers = {"Retry-After": "1"} if status in {429, 503} else {}
    headers |= {"WWW-Authenticate": 'Bearer realm="deniable"'} if status == HTTPStatus.UNAUTHORIZED else {}
    return said(content, status, headers, TYPE)


def _allowed(request: Request) -> set[str]:
    """What may be done at this address, as it is described."""
    return {
        method.upper()
        for path, operations in request.app.openapi()["paths"].items()
        if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", path), request.url.path)
        for method in operations
    }


async def of_error(request: Request, error: Exception) -> Response:
    """Whatever was raised; what is not for the client's eyes is a bare failure."""
    if isinstance(error, Refused):
        place = None if error.position is None else list(error.position)
        return problem(request, status_of(error.code), error.code, error.reason, hint=error.hint, position=place)
    if isinstance(error, Denied):
        return problem(request, 401, "denied", str(error))
    if isinstance(error, InvalidArgumentError):
        return problem(request, 400, "bad-argument", f"{error}.")
    if isinstance(error, RequestValidationError):
        first = error.errors()[0] if error.errors() else {}
        where = ".".join(str(part) for part in first.get("loc", ()))
        typed = "json" in request.headers.get("content-type", "")
        hint = "" if typed or where != "body" else "Send it with the header Content-Type: application/json."
        return problem(request, 422, "bad-request", f"{where}: {first.get('msg', 'cannot be read')}.", hint=hint)
    if isinstance(error, HTTPException):
        words = HTTPStatus(error.status_code).phrase.lower().replace(" ", "-")
        found = problem(request, error.status_code, words, str(error.detail))
        found.headers.update(error.headers or {})
        if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
            found.headers["Allow"] = ", ".join(sorted(_allowed(request)))
        return found
    text = str(error) if isinstance(error, Failed) else "Something went wrong on this side."
    return problem(request, 500, "failed", text)
