"""Around every request: its id, the size of its body, headers that keep browsers safe, and who is asking."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from fastapi import Request

from deniable.service.log import request_id
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
_TOO_LARGE = (
    b'{"type":"urn:deniable:too-long","title":"Request Entity Too Large","status":413,'
    b'"detail":"The body is too large.","code":"too-long"}'
)


class RequestGuard:
    """Middleware that refuses large bodies before they are read, and adds headers to every response."""

    def __init__(self, app: Callable[[Scope, Receive, Send], Awaitable[None]], body: int, *, secure: bool) -> None:
        self._app, self._body, self._secure = app, body, secure

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        name = request_id()
        scope.setdefault("state", {})["request_id"] = name
        body = bytearray()
        more = scope["method"] in {"POST", "PUT", "PATCH", "DELETE"}
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            body += message.get("body", b"")
            more = message.get("more_body", False)
            if len(body) > self._body:
                head = [*self._headers(name), (b"content-type", b"application/problem+json"), (b"connection", b"close")]
                await send({"type": "http.response.start", "status": 413, "headers": head})
                await send({"type": "http.response.body", "body": _TOO_LARGE})
                return
        given = False

        async def replay() -> MutableMapping[str, Any]:
            nonlocal given
            if given or scope["method"] in {"GET", "HEAD", "OPTIONS"}:
                return await receive()
            given = True
            return {"type": "http.request", "body": bytes(body), "more_body": False}

        async def sending(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *self._headers(name)]
            await send(message)

        await self._app(scope, replay, sending)

    def _headers(self, name: str) -> list[tuple[bytes, bytes]]:
        found = [*_HEADERS, (b"x-request-id", name.encode())]
        return [*found, _SECURE] if self._secure else found


async def somebody(request: Request) -> Session:
    """Whoever sends a valid token with the request."""
    service: Service = request.app.state.service
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    found = await service.entrance.by_token(secret.strip() if scheme.lower() == "bearer" else "", "http")
    found.admit()
    return Session(found.population, found.token, request.state.request_id)
