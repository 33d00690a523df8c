"""What one connection holds, and what each of its statements does: settings, cursors, empty transactions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from deniable.doors.postgres.catalogue.current import CurrentCatalogue
from deniable.doors.postgres.commands import Command, understood
from deniable.doors.postgres.copying import copied
from deniable.doors.postgres.errors import PgError
from deniable.doors.postgres.lexing import Statement, split, tokens
from deniable.doors.postgres.parameters import count
from deniable.doors.postgres.portals import PgColumn, Portal, Prepared, Result
from deniable.doors.postgres.questions import Desk
from deniable.doors.postgres.settings import REPORTED, Settings, assigned
from deniable.doors.postgres.types import TEXT, Value
from deniable.service.limits import ServerLimits
from deniable.service.log import request_id
from deniable.service.session import Session

_IDLE, _OPEN, _BROKEN = b"I", b"T", b"E"
_BUDGET = "deniable.budget"


class Executor:
    """Statements, one after the other. Nothing is ever written, so a transaction is only a state."""

    def __init__(self, session: Session, catalogue: CurrentCatalogue, settings: Settings, limits: ServerLimits) -> None:
        self.transaction, self.format = _IDLE, 0
        self._session, self._settings, self._limits = session, settings, limits
        self._catalogue = catalogue
        self._desk = Desk(session, catalogue.latest, settings)
        self._statements: dict[str, Prepared] = {}
        self._portals: dict[str, Portal] = {}
        self._changed: list[str] = []

    async def split(self, message: str) -> list[Statement]:
        """The statements of a message."""
        return await self._desk.aside(message, lambda: split(message))

    async def prepare(self, text: str, given: Sequence[int]) -> Prepared:
        """A statement whose parameters have types. Never charges, and looks at nothing."""
        return await self._desk.aside(text, lambda: self._prepared(text, given))

    def _prepared(self, text: str, given: Sequence[int]) -> Prepared:
        statements = split(text)
        if len(statements) > 1:
            raise PgError("42601", "cannot insert multiple commands into a prepared statement")
        if statements and count(text):
            command = understood(statements[0])
            return Prepared(text, self._desk.parameters(command.text or text, given))
        return Prepared(text, tuple(given))

    async def columns(self, prepared: Prepared) -> tuple[PgColumn, ...] | None:
        """What a statement would return; None if it returns no rows. Costs nothing."""
        if not prepared.described or self._settings.intervals:
            statements = await self.split(prepared.text)
            command = await self._understood(statements[0]) if statements else Command("nothing")
            prepared.columns = await self._columns(command, prepared.parameters)
            prepared.described = command.kind == "select" and not self._settings.intervals
        return prepared.columns

    async def run(
        self, statement: Statement, values: Sequence[Value], oids: Sequence[int], formats: Sequence[int]
    ) -> Result:
        """Do what it says; its rows will be sent in these formats."""
        self.format = 0
        session, catalogue = replace(self._session, request=request_id()), await self._catalogue.now()
        self._desk = replace(self._desk, session=session, catalogue=catalogue)
        command = await self._understood(statement)
        if self.transaction == _BROKEN and command.kind not in {"end", "savepoint"}:
            raise PgError("25P02", "current transaction is aborted, commands ignored until end of transaction block")
        if command.kind in {"select", "copy", "declare"}:
            self._bear()
        try:
            return await self._run(command, statement.text, values, oids, formats)
        except PgError as error:
            if error.place is not None and command.start:
                raise _moved(error, command.start) from None
            raise

    def synchronized(self) -> None:
        """Outside of a transaction, what was bound is over."""
        if self.transaction == _IDLE:
            self._portals = {name: one for name, one in self._portals.items() if one.cursor}

    def failed(self) -> None:
        """An error breaks a transaction."""
        self.transaction = _BROKEN if self.transaction == _OPEN else self.transaction

    def changed(self) -> list[str]:
        """Settings that a client must be told of, once."""
        found, self._changed = self._changed, []
        return [name for name in found if name in REPORTED]

    def keep_statement(self, name: str, prepared: Prepared) -> None:
        """Under a name; the one without a name is replaced."""
        if name and name in self._statements:
            raise PgError("42P05", f'prepared statement "{name}" already exists')
        self._room(self._statements, name)
        self._statements[name] = prepared

    def keep_portal(self, name: str, portal: Portal) -> None:
        """Same."""
        self._vacant(name)
        self._portals[name] = portal

    def statement(self, name: str) -> Prepared:
        """What was prepared under this name."""
        if name not in self._statements:
            raise PgError("26000", f'prepared statement "{name}" does not exist')
        return self._statements[name]

    def portal(self, name: str) -> Portal:
        """What was bound or declared under this name."""
        if name not in self._portals:
            raise PgError("34000", f'cursor "{name}" does not exist')
        return self._portals[name]

    def forget(self, name: str, *, statement: bool) -> None:
        """What is not there is forgotten already."""
        if statement:
            self._statements.pop(name, None)
        else:
            self._portals.pop(name, None)

    def _bear(self) -> None:
        """Refuses whoever keeps so many rows open that there is no room for more; before anything is paid for."""
        if sum(one.result.size for one in self._portals.values() if one.result is not None) > self._limits.held:
            raise PgError("54000", "The results that you keep open are too large.", hint="Close some of them.")

    async def _understood(self, statement: Statement) -> Command:
        return await self._desk.aside(statement.text, lambda: understood(statement))

    def _vacant(self, name: str) -> None:
        if name and name in self._portals:
            raise PgError("42P03", f'cursor "{name}" already exists')
        self._room(self._portals, name)

    def _room(self, held: dict[str, Prepared] | dict[str, Portal], name: str) -> None:
        if name not in held and len(held) >= self._limits.statements:
            raise PgError("54000", "There are too many prepared statements or cursors.", hint="Close some of them.")

    async def _columns(self, command: Command, oids: Sequence[int]) -> tuple[PgColumn, ...] | None:
        if command.kind == "select":
            try:
                return await self._desk.columns(command.text, oids)
            except PgError as error:
                raise _moved(error, command.start) from None
        if command.kind == "fetch":
            found = self.portal(command.name).result
            return None if found is None else found.columns
        if command.kind == "show":
            name = _shown(command.text)
            return (PgColumn(name, TEXT),) if name == _BUDGET else self._show(command.text).columns
        return (PgColumn("QUERY PLAN", TEXT),) if command.kind == "explain" else None

    async def _run(  # noqa: PLR0911 - one for each kind of statement
        self, command: Command, text: str, values: Sequence[Value], oids: Sequence[int], formats: Sequence[int]
    ) -> Result:
        if command.kind == "select":
            return await self._desk.select(command.text, values, oids, formats)
        if command.kind == "explain":
            return await self._desk.explain(command.text, values, oids)
        if command.kind == "copy":
            found = await self._desk.select(command.text, values, oids, form := copied(text)[2])
            return replace(found, tag=f"COPY {len(found.rows)}", copy=form)
        if command.kind == "declare":
            return await self._declare(command, values, oids)
        if command.kind in {"fetch", "move"}:
            return self._fetch(command)
        if command.kind == "show" and _shown(text) == _BUDGET:
            account = await self._session.budget()
            return Result("SHOW", (PgColumn(_BUDGET, TEXT),), [(" ".join(account.notes),)])
        return self._quiet(command, text)

    async def _declare(self, command: Command, values: Sequence[Value], oids: Sequence[int]) -> Result:
        """A cursor has its rows from the start: an answer is whole, and paid for once; if there is room for it."""
        self._vacant(command.name)
        found = await self._desk.select(command.text, values, oids, None)
        prepared, formats = Prepared(command.text, tuple(oids)), (int(command.binary),)
        outlives = command.hold and self.transaction == _IDLE
        portal = Portal(prepared, (), formats, found, cursor=True, hold=command.hold, kept=outlives)
        self.keep_portal(command.name, portal)
        return Result("DECLARE CURSOR", notices=found.notices)

    def _fetch(self, command: Command) -> Result:
        portal = self.portal(command.name)
        part = portal.fetch(command.count)
        if command.kind == "move":
            return Result(f"MOVE {len(part.rows)}")
        self.format = portal.formats[0] if portal.cursor and portal.formats else 0
        return Result(f"FETCH {len(part.rows)}", part.columns, part.rows)

    def _quiet(self, command: Command, text: str) -> Result:  # noqa: PLR0911 - one for each kind of statement
        """What concerns only the connection."""
        match command.kind:
            case "begin":
                self.transaction = _OPEN
                return Result("BEGIN")
            case "end":
                tag = "ROLLBACK" if self.transaction == _BROKEN else command.name
                self.transaction = _IDLE
                self._ended(committed=tag == "COMMIT")
                return Result(tag)
            case "savepoint":
                self.transaction = _OPEN if command.name == "ROLLBACK" else self.transaction
                return Result(command.name)
            case "set":
                return self._set(text)
            case "show":
                return self._show(text)
            case "reset" | "discard":
                return self._reset(command.kind, text)
            case "close":
                return self._closed(command.name)
            case "deallocate":
                self._statements = (
                    {}
                    if command.name == "all"
                    else {name: one for name, one in self._statements.items() if name != command.name}
                )
                return Result("DEALLOCATE")
            case _:
                return Result(command.name)

    def _set(self, text: str) -> Result:
        """SET; with LOCAL, until the transaction is over, and without a transaction for nothing."""
        name, value = assigned(text)
        words = [token.name for token in tokens(text) if token.kind == "word"]
        if words[1:2] != ["local"]:
            self._changed.append(self._settings.set(name, value))
        elif self.transaction == _OPEN:
            self._changed.append(self._settings.set_local(name, value))
        elif name.startswith("deniable.") or name == "search_path":
            raise PgError(
                "25P01", "SET LOCAL can only be used in transaction blocks", hint="Write SET, or BEGIN first."
            )
        return Result("SET")

    def _ended(self, *, committed: bool) -> None:
        """Of a transaction's cursors, those WITH HOLD are left if it was committed; what was SET LOCAL is over."""
        if self._settings.restore():
            self._changed += REPORTED
        for portal in self._portals.values():
            portal.kept = portal.kept or (committed and portal.hold)
        self._portals = {name: portal for name, portal in self._portals.items() if portal.kept}

    def _closed(self, name: str) -> Result:
        if name == "all":
            self._portals.clear()
            return Result("CLOSE CURSOR ALL")
        self.portal(name)
        self.forget(name, statement=False)
        return Result("CLOSE CURSOR")

    def _reset(self, kind: str, text: str) -> Result:
        """Back to what the startup packet said."""
        words = [token.name for token in tokens(text) if token.kind in {"word", "quoted"}]
        if words[1:2] == ["all"]:
            self._settings.reset()
            self._changed += REPORTED
            if kind == "discard":
                self._statements.clear()
                self._portals.clear()
        elif kind == "reset":
            name = "".join(token.name for token in tokens(text) if token.kind != "space").removeprefix("reset")
            self._changed.append(self._settings.set(name, None))
        return Result("DISCARD ALL" if kind == "discard" else "RESET")

    def _show(self, text: str) -> Result:
        name = _shown(text)
        known = {"transactionisolationlevel": "transaction_isolation", "timezone": "TimeZone"}
        if name == "all":
            columns = tuple(PgColumn(one, TEXT) for one in ("name", "setting", "description"))
            return Result("SHOW", columns, [(one, value, "") for one, value in self._settings.all()])
        found, value = self._settings.show(known.get(name, name))
        return Result("SHOW", (PgColumn(found, TEXT),), [(value,)])


def _shown(text: str) -> str:
    """The name of the setting that SHOW asks for."""
    parts = [token for token in tokens(text) if token.kind != "space"]
    return "".join(part.name for part in parts[1:])


def _moved(error: PgError, start: int) -> PgError:
    """With its place counted from the start of the statement."""
    if error.place is None:
        return error
    return PgError(error.state, error.message, error.detail, error.hint, error.place + start, error.fatal)
