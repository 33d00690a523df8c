"""Listening for PostgreSQL's clients: TLS where there is a certificate, loopback only where there is none."""

from __future__ import annotations

import asyncio
import hmac
import socket
import ssl
from collections import Counter
from contextlib import suppress

from deniable.core.errors import InvalidArgumentError
from deniable.doors.postgres.catalogue.current import CurrentCatalogue
from deniable.doors.postgres.connection import ClientConnection
from deniable.doors.postgres.errors import PgError
from deniable.doors.postgres.login import Encryption, greet, login
from deniable.doors.postgres.messages import Wire
from deniable.service.log import note
from deniable.service.service import Service

_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_LOST = (ConnectionError, asyncio.IncompleteReadError, TimeoutError, ssl.SSLError)


class PostgresDoor:
    """Serves until it is closed. A client that misbehaves is closed, and nobody else notices."""

    def __init__(self, service: Service, encryption: Encryption | None = None) -> None:
        self._service, self._encryption = service, encryption
        self._catalogues = {name: CurrentCatalogue(one) for name, one in service.populations.items()}
        self._connections: dict[int, ClientConnection] = {}
        self._open: set[asyncio.Task[None]] = set()
        self._coming: Counter[str] = Counter()
        self._server: asyncio.Server | None = None

    async def listen(self, host: str, port: int) -> int:
        """Open the door; the port, which the system chooses where it is 0."""
        refuse_open(host, secure=self._encryption is not None)
        self._server = await asyncio.start_server(self._come, host, port, backlog=1024)
        self._service.postgres = int(self._server.sockets[0].getsockname()[1])
        return self._service.postgres

    async def close(self) -> None:
        """Take nobody in any more, and say goodbye to those who are here."""
        self._service.postgres = None
        if self._server is not None:
            self._server.close()
        for task in list(self._open):
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)
        for catalogue in self._catalogues.values():
            catalogue.close()

    async def _come(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._open.add(task)
        peer = str((writer.get_extra_info("peername") or ("",))[0])
        wire = Wire(reader, writer, self._service.limits)
        self._service.metrics.count("connections", door="postgres")
        try:
            await self._talk(wire, peer)
        except PgError as error:
            with suppress(*_LOST, OSError):
                wire.error(error)
                await wire.flush()
        except _LOST:
            pass
        except asyncio.CancelledError:
            with suppress(*_LOST, OSError):
                wire.error(PgError("57P01", "terminating connection due to administrator command", fatal=True))
                await wire.flush()
        except Exception as error:  # noqa: BLE001 - one client's accident is not everybody's
            note("door-failed", failure=True, code=type(error).__name__)
        finally:
            self._let_go(writer)
            if task is not None:
                self._open.discard(task)

    def _let_go(self, writer: asyncio.StreamWriter) -> None:
        """Close, once the client has taken what it was sent; one that does not is not waited for."""
        writer.close()
        if writer.transport.get_write_buffer_size():
            asyncio.get_running_loop().call_later(self._service.limits.stalled, writer.transport.abort)

    async def _talk(self, wire: Wire, peer: str) -> None:
        limits = self._service.limits
        if len(self._open) > limits.connections or self._coming[peer] >= limits.connections_each:
            raise PgError("53300", "There are too many connections.", fatal=True)
        self._coming[peer] += 1
        try:
            async with asyncio.timeout(limits.login):
                greeting = await greet(wire, self._encryption)
                if greeting.cancel is not None:
                    self._cancel(*greeting.cancel)
                    return
                session = await login(wire, self._service.entrance, greeting, limits, self._encryption)
        finally:
            self._coming[peer] -= 1
            if not self._coming[peer]:
                del self._coming[peer]
        catalogue = self._catalogues[session.population.name]
        connection = ClientConnection(wire, session, catalogue, greeting.settings, limits)
        if sum(one.owner == connection.owner for one in self._connections.values()) >= limits.connections_each:
            raise PgError("53300", "There are too many connections of yours.", fatal=True)
        self._connections[connection.process] = connection
        try:
            await connection.serve()
        finally:
            self._connections.pop(connection.process, None)

    def _cancel(self, process: int, key: bytes) -> None:
        found = self._connections.get(process)
        if found is not None and hmac.compare_digest(found.key, key):
            found.cancel()


def refuse_open(host: str, *, secure: bool) -> None:
    """Nothing but loopback without TLS: passwords and answers would be read on the way."""
    if secure or host in _LOOPBACK:
        return
    with suppress(OSError):
        if all(one[4][0] in _LOOPBACK for one in socket.getaddrinfo(host, None)):
            return
    raise InvalidArgumentError("address", f"{host} can be reached by others, and needs --tls-cert and --tls-key")
