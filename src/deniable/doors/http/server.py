"""Listening for HTTP: TLS where there is a certificate, loopback only where there is none."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections import Counter
from contextlib import closing
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from deniable.doors.http.app import make_app
from deniable.doors.postgres.login import Encryption
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
        encryption = Encryption.load(self._certificate, self._key) if self._certificate and self._key else None
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
            http=impatient(self._service.limits, encryption.context if encryption else None),
            log_config=None,
            log_level="critical",
            access_log=False,
            server_header=False,
            date_header=False,
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


def impatient(limits: ServerLimits, encryption: ssl.SSLContext | None = None) -> type[H11Protocol]:  # noqa: C901 - one class
    """The protocol, with an end to connections that stand still, and a limit on them, in all and from one address.

    TLS begins here, and not in the loop's own server: that says nothing of a connection before its handshake is over,
    and each that is left in the middle of one takes a quarter of a megabyte.
    """
    coming: Counter[str] = Counter()

    class Impatient(H11Protocol):
        """Closed when for a while no request has come, whole, and none is being answered, or nothing sent was taken."""

        _peer: str | None = None
        """From where it comes, as long as it is counted."""
        _handshake: asyncio.Task[None] | None = None
        _early = b""
        """What has come with the last words of the handshake."""
        _timer: asyncio.TimerHandle | None = None
        _last: object = None
        _untaken = 0

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in its base
            self._peer = str((transport.get_extra_info("peername") or ("",))[0])
            coming[self._peer] += 1
            if coming[self._peer] > limits.connections_each or coming.total() > limits.connections:
                transport.abort()
            elif encryption is None:
                self._begin(transport)
            else:
                transport.pause_reading()  # nothing that comes before TLS is read as a request
                self._handshake = self.loop.create_task(self._secure(transport, encryption))

        def data_received(self, data: bytes) -> None:
            if self.transport is None:
                self._early += data
            else:
                super().data_received(data)

        def connection_lost(self, exc: Exception | None) -> None:
            self._leave()
            if self.transport is not None:
                super().connection_lost(exc)
            if self._timer is not None:
                self._timer.cancel()

        async def _secure(self, transport: asyncio.Transport, context: ssl.SSLContext) -> None:
            try:
                secured = await self.loop.start_tls(
                    transport, self, context, server_side=True, ssl_handshake_timeout=limits.login
                )
            except OSError:  # of the connection, of TLS, or of time
                transport.abort()
                self._leave()  # of which we are told only in some of these cases
            else:
                if secured is not None and self._peer is not None:  # it may have gone already
                    self._begin(secured)

        def _begin(self, transport: asyncio.Transport) -> None:
            super().connection_made(transport)
            self._timer = self.loop.call_later(limits.stalled, self._look)
            if self._early:
                super().data_received(self._early)
                self._early = b""

        def _leave(self) -> None:
            if self._peer is not None:
                coming[self._peer] -= 1
                if not coming[self._peer]:
                    del coming[self._peer]
                self._peer = None

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

    return Impatient
