"""Around every request: its id, the size of its body, headers that keep browsers safe, and who is asking."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, MutableMapping
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import Depends, Request

from deniable.service.limits import ServerLimits
from deniable.service.log import note, request_id
from deniable.service.service import Service
from deniable.service.session import Session

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

_HEADERS = (
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
)
_SECURE = (b"strict-transport-security", b"max-age=31536000")
_WITH_BODY = frozenset({"POST", "PUT", "PATCH", "DELETE"})
_SIZES = {b"content-length", b"transfer-encoding"}
_SAYS = {413: ("too-long", "The body is too large."), 408: ("too-slow", "The body did not come.")}
_SAYS |= {400: ("bad-request", "The body has two lengths.")}
_SAYS |= {500: ("failed", "Something went wrong on this side.")}


class RequestGuard:
    """Middleware that refuses bodies that are large or do not come, and adds headers to every response."""

    def __init__(
        self, app: Callable[[Scope, Receive, Send], Awaitable[None]], limits: ServerLimits, *, secure: bool
    ) -> None:
        self._app, self._limits, self._secure = app, limits, secure

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        name = request_id()
        scope.setdefault("state", {})["request_id"] = name
        body, refused = await self._taken(scope, receive)
        if {title for title, _ in scope["headers"]} >= _SIZES:  # a proxy before us may have read another request
            refused = 400
        if refused:
            await self._refuse(refused, name, send)
        elif body is not None:
            await self._passed(
                scope, _replayed(body, receive) if scope["method"] in _WITH_BODY else receive, send, name
            )

    async def _taken(self, scope: Scope, receive: Receive) -> tuple[bytes | None, int]:
        """The body, None if the client has left; and, if it is too large or does not come, the status for that.

        Of one that is too large, the rest is taken and not kept, up to a limit: a client that is still sending would
        not hear why it is refused.
        """
        body, taken, more = bytearray(), 0, scope["method"] in _WITH_BODY
        try:
            async with asyncio.timeout(self._limits.stalled):
                while more and taken <= self._limits.message:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return None, 0
                    piece = message.get("body", b"")
                    taken += len(piece)
                    body += piece if len(body) <= self._limits.body else b""
                    more = message.get("more_body", False)
        except TimeoutError:
            return None, 408
        return bytes(body), 413 if taken > self._limits.body else 0

    async def _passed(self, scope: Scope, receive: Receive, send: Send, name: str) -> None:
        begun = False

        async def sending(message: MutableMapping[str, Any]) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                own = message.get("headers", [])
                named = {title.lower() for title, _ in own}  # a page's own rules take the place of these
                message["headers"] = [*own, *(one for one in self._headers(name) if one[0] not in named)]
            await send(message)

        try:
            await self._app(scope, receive, sending)
        except Exception as error:  # noqa: BLE001 - its text may quote a question, and is for nobody's log
            note("door-failed", failure=True, request=name, code=type(error).__name__)
            if not begun:
                await self._refuse(500, name, send)

    async def _refuse(self, status: int, name: str, send: Send) -> None:
        code, text = _SAYS[status]
        said = {"type": f"urn:deniable:{code}", "title": HTTPStatus(status).phrase, "status": status}
        content = json.dumps({**said, "detail": text, "code": code, "request": name}).encode()
        size = (b"content-length", str(len(content)).encode())
        head = [*self._headers(name), size, (b"content-type", b"application/problem+json"), (b"connection", b"close")]
        await send({"type": "http.response.start", "status": status, "headers": head})
        await send({"type": "http.response.body", "body": content})

    def _headers(self, name: str) -> list[tuple[bytes, bytes]]:
        found = [*_HEADERS, (b"x-request-id", name.encode())]
        return [*found, _SECURE] if self._secure else found


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Gives the body that was taken, and after that what comes."""
    given = False

    async def replay() -> MutableMapping[str, Any]:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


async def somebody(request: Request) -> Session:
    """Whoever sends a valid token with the request."""
    service: Service = request.app.state.service
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    found = await service.entrance.by_token(secret.strip() if scheme.lower() == "bearer" else "", "http")
    return Session(found.population, found.token, request.state.request_id)


Somebody = Annotated[Session, Depends(somebody)]
