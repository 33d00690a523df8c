"""One client: statements come in, by the simple or the extended protocol; results, notices and errors go out."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Coroutine, Sequence
from dataclasses import replace
from secrets import randbelow, token_bytes

from deniable.core.errors import Failed, Refused
from deniable.doors.postgres.catalogue.current import CurrentCatalogue
from deniable.doors.postgres.errors import PgError, failed, protocol, refused
from deniable.doors.postgres.executor import Executor
from deniable.doors.postgres.lexing import Statement
from deniable.doors.postgres.messages import Body, Wire, zero
from deniable.doors.postgres.portals import PgColumn, Portal, Result, as_copied, as_messages, formats_of
from deniable.doors.postgres.settings import FIXED, REPORTED, Settings
from deniable.doors.postgres.types import from_wire, size_of
from deniable.service.limits import ServerLimits
from deniable.service.log import note
from deniable.service.session import Session

_TOLD = (
    *("server_version", "server_encoding", "integer_datetimes", "standard_conforming_strings", "is_superuser"),
    *("in_hot_standby", "default_transaction_read_only"),
)


class ClientConnection:
    """A session on the wire, from the first ReadyForQuery to the last message."""

    def __init__(
        self, wire: Wire, session: Session, catalogue: CurrentCatalogue, startup: dict[str, str], limits: ServerLimits
    ) -> None:
        self._wire, self._session, self._limits = wire, session, limits
        self._settings = Settings(startup, session.who)
        self._executor = Executor(session, catalogue, self._settings, limits)
        self._working: asyncio.Task[None] | None = None
        self._skipping = False
        self.owner = session.population.name, session.who
        self.process, self.key = randbelow(2**31 - 1) + 1, token_bytes(4)

    def cancel(self) -> None:
        """Stop waiting for what is being done. What was charged stays charged, and asking again is free."""
        if self._working is not None:
            self._working.cancel()

    async def serve(self) -> None:  # noqa: C901 - one line for each message
        """Until the client leaves."""
        for name in _TOLD:
            self._wire.parameter(name, FIXED[name])
        for name in (*REPORTED, "session_authorization"):
            self._wire.parameter(*self._settings.show(name))
        self._wire.send(b"K", struct.pack("!I", self.process) + self.key)
        await self._ready()
        while True:
            letter, body = await self._wire.receive(self._limits.message)
            if letter == b"X":
                return
            if letter == b"S":
                self._skipping = False
                self._executor.synchronized()
                await self._ready()
            elif letter == b"H":
                await self._wire.flush()
            elif letter == b"Q":
                self._skipping = False
                await self._guarded(self._simple(Body(body).string()))
                self._executor.synchronized()
                await self._ready()
            elif letter in {b"d", b"c", b"f"}:
                continue  # left over from a copy that we never take
            elif letter not in _EXTENDED:
                raise protocol("invalid frontend message type")
            elif not self._skipping:
                self._skipping = not await self._guarded(_EXTENDED[letter](self, Body(body)))
            if self._wire.full:  # whoever sends on and on without a Sync does not fill our memory
                await self._wire.flush()

    async def _ready(self) -> None:
        self._wire.send(b"Z", self._executor.transaction)
        await self._wire.flush()

    async def _guarded(self, work: Coroutine[object, object, None]) -> bool:
        """Whether it went well; what went wrong is said, and nothing of it that is not for the client's eyes."""
        self._working = asyncio.ensure_future(work)
        try:
            await self._working
        except asyncio.CancelledError:
            own = asyncio.current_task()
            if own is not None and own.cancelling():  # it is the whole connection that ends
                raise
            self._fail(PgError("57014", "canceling statement due to user request"))
        except PgError as error:
            if error.fatal:
                raise
            self._fail(error)
        except Refused as refusal:
            self._fail(refused(refusal))
        except Failed as failure:
            self._fail(failed(failure))
        except (ConnectionError, TimeoutError, asyncio.IncompleteReadError):
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, its text stays on this side
            note("door-failed", failure=True, request=self._session.request, code=type(error).__name__)
            self._fail(PgError("XX000", "internal error"))
        else:
            return True
        finally:
            self._working = None
        return False

    def _fail(self, error: PgError) -> None:
        self._executor.failed()
        self._wire.error(error)

    async def _simple(self, message: str) -> None:
        """All statements of a message, until one fails."""
        statements = await self._executor.split(message)
        if not statements:
            self._wire.send(b"I")
        for statement in statements:
            try:
                result = await self._executor.run(statement, (), (), ())
            except PgError as error:
                raise _placed(error, statement) from None
            except Refused as refusal:
                raise _placed(refused(refusal), statement) from None
            self._before(result)
            if result.columns is not None and result.copy is None:
                self._describe_rows(result.columns, [self._executor.format] * len(result.columns))
                await self._rows(result, [self._executor.format])
            await self._after(result)

    async def _parse(self, body: Body) -> None:
        name, text = body.string(), body.string()
        given = body.numbers("I")
        prepared = await self._executor.prepare(text, given)
        self._executor.keep_statement(name, prepared)
        self._wire.send(b"1")

    async def _bind(self, body: Body) -> None:
        portal, name = body.string(), body.string()
        prepared = self._executor.statement(name)
        formats = body.numbers("H")
        raw = [body.value() for _ in range(body.number("H"))]
        if len(raw) != len(prepared.parameters):
            wanted = len(prepared.parameters)
            raise PgError("08P01", f"bind message supplies {len(raw)} parameters, but {wanted} are required")
        forms = formats * len(raw) if len(formats) == 1 else formats or [0] * len(raw)
        if len(forms) != len(raw) or set(forms) - {0, 1}:
            raise protocol("invalid parameter formats")
        values = tuple(
            from_wire(one, oid, binary=form == 1)
            for one, oid, form in zip(raw, prepared.parameters, forms, strict=True)
        )
        results = tuple(body.numbers("H"))
        if set(results) - {0, 1}:
            raise protocol("invalid result formats")
        self._executor.keep_portal(portal, Portal(prepared, values, results))
        self._wire.send(b"2")

    async def _describe(self, body: Body) -> None:
        kind, name = body.take(1), body.string()
        if kind == b"S":
            prepared = self._executor.statement(name)
            columns = await self._executor.columns(prepared)
            oids = prepared.parameters
            self._wire.send(b"t", struct.pack(f"!H{len(oids)}I", len(oids), *oids))
            forms: Sequence[int] = ()
        else:
            portal = self._executor.portal(name)
            columns = await self._executor.columns(portal.prepared) if portal.result is None else portal.result.columns
            forms = portal.formats
        if columns is None:
            self._wire.send(b"n")
        else:
            self._describe_rows(columns, formats_of(forms, columns))

    async def _execute(self, body: Body) -> None:
        portal, most = self._executor.portal(body.string()), body.number("I")
        if portal.result is None:
            statements = await self._executor.split(portal.prepared.text)
            if not statements:
                self._wire.send(b"I")
                return
            try:
                if len(portal.formats) > 1 and (columns := await self._executor.columns(portal.prepared)) is not None:
                    formats_of(portal.formats, columns)  # which refuses, before anything is paid, what does not fit
                values, oids = portal.values, portal.prepared.parameters
                portal.result = await self._executor.run(statements[0], values, oids, portal.formats)
            except PgError as error:
                raise _placed(error, statements[0]) from None
            self._before(portal.result)
        result = portal.result
        if result.columns is None or result.copy is not None:
            await self._after(result)
            return
        part = portal.fetch(most or None)
        await self._rows(part, portal.formats)
        if most and not portal.ended:
            self._wire.send(b"s")
        else:
            self._wire.tag(result.tag if len(part.rows) == len(result.rows) else f"SELECT {len(part.rows)}")

    async def _close(self, body: Body) -> None:
        kind, name = body.take(1), body.string()
        self._executor.forget(name, statement=kind == b"S")
        self._wire.send(b"3")

    def _before(self, result: Result) -> None:
        """What is said before the rows."""
        for text in () if self._settings.quiet else result.notices:
            self._wire.notice(text)
        for name in self._executor.changed():
            self._wire.parameter(*self._settings.show(name))

    async def _after(self, result: Result) -> None:
        """Rows that are copied out, and the tag."""
        if result.copy is not None and result.columns is not None:
            form = int(result.copy.format == "binary")
            width = len(result.columns)
            self._wire.send(b"H", struct.pack(f"!BH{width}H", form, width, *[form] * width))
            await self._wire.forward(result.ready or as_copied(result.columns, result.rows, result.copy))
            self._wire.send(b"c")
        self._wire.tag(result.tag)

    def _describe_rows(self, columns: Sequence[PgColumn], forms: Sequence[int]) -> None:
        """RowDescription. No column is said to be a table's: clients would ask for keys that it has not."""
        parts = [struct.pack("!H", len(columns))]
        for column, form in zip(columns, forms, strict=True):
            name = column.name.encode("utf-8", "replace")[:63].decode("utf-8", "ignore")
            parts.append(zero(name) + struct.pack("!IhIhih", 0, 0, column.oid, size_of(column.oid), -1, form))
        self._wire.send(b"T", b"".join(parts))

    async def _rows(self, result: Result, formats: Sequence[int]) -> None:
        if result.columns is not None:
            formats_of(formats, result.columns)
            await self._wire.forward(result.ready or as_messages(result.columns, result.rows, formats))


_EXTENDED = {
    b"P": ClientConnection._parse,  # noqa: SLF001 - its own
    b"B": ClientConnection._bind,  # noqa: SLF001 - same
    b"D": ClientConnection._describe,  # noqa: SLF001 - same
    b"E": ClientConnection._execute,  # noqa: SLF001 - same
    b"C": ClientConnection._close,  # noqa: SLF001 - same
}


def _placed(error: PgError, statement: Statement) -> PgError:
    """With its place counted from the start of the message."""
    return error if error.place is None else replace(error, place=error.place + statement.start)
