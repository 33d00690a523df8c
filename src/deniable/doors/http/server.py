"""Listening for HTTP: TLS where there is a certificate, loopback only where there is none."""

from __future__ import annotations

import asyncio
import socket
from collections import Counter
from contextlib import closing
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from deniable.doors.http.app import make_app
from deniable.doors.postgres.server import refuse_open
from deniable.service.limits import ServerLimits
from deniable.service.service import Service


class HttpDoor:
    """Serves until it is closed."""

    def __init__(self, service: Service, certificate: str | None = None, key: str | None = None) -> None:
        self._service, self._certificate, self._key = service, certificate, key
        self._server: uvicorn.Server | None = None
        self._task: asyncio.Task[None] | None = None

    async def listen(self, host: str, port: int) -> int:
        """Open the door; the port, which the system chooses where it is 0."""
        secure = self._certificate is not None
        refuse_open(host, secure=secure)
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.socket(family, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, port))
        except OSError:
            with closing(listening):
                raise
        config = uvicorn.Config(
            make_app(self._service, secure=secure),
            http=impatient(self._service.limits),
            ssl_certfile=self._certificate,
            ssl_keyfile=self._key,
            log_config=None,
            log_level="critical",
            access_log=False,
            server_header=False,
            date_header=False,
            limit_concurrency=self._service.limits.connections,
            timeout_keep_alive=60,
            h11_max_incomplete_event_size=self._service.limits.body,
            lifespan="off",
        )
        self._server = uvicorn.Server(config)
        self._server.install_signal_handlers = lambda: None  # type: ignore[attr-defined]  # the command has its own
        self._task = asyncio.create_task(self._server._serve([listening]))  # noqa: SLF001 - without its signal handlers
        return int(listening.getsockname()[1])

    async def close(self) -> None:
        """Take nothing in any more, and end what is open."""
        if self._server is not None and self._task is not None:
            self._server.should_exit = True
            self._server.force_exit = True
            await self._task


def impatient(limits: ServerLimits) -> type[H11Protocol]:
    """The protocol, with an end to connections that stand still, and a limit on those from one address."""
    coming: Counter[str] = Counter()

    class Impatient(H11Protocol):
        """Closed when for a while no request has come, whole, and none is being answered, or nothing sent was taken."""

        _timer: asyncio.TimerHandle | None = None
        _last: object = None
        _untaken = 0

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in its base
            super().connection_made(transport)
            coming[self._peer] += 1
            if coming[self._peer] > limits.connections_each:
                transport.abort()
                return
            self._timer = self.loop.call_later(limits.stalled, self._look)

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            coming[self._peer] -= 1
            if not coming[self._peer]:
                del coming[self._peer]
            if self._timer is not None:
                self._timer.cancel()

        def _look(self) -> None:
            now: Any = self.scope
            before, self._untaken = self._untaken, self.transport.get_write_buffer_size()
            if 0 < before <= self._untaken:
                self.transport.abort()  # to close it would be to wait for ever
                return
            answering = self.cycle is not None and not self.cycle.response_complete
            if now is self._last and not answering:
                self.transport.close()
                return
            self._last = now
            self._timer = self.loop.call_later(limits.stalled, self._look)

        @property
        def _peer(self) -> str:
            return self.client[0] if self.client else ""

    return Impatient
