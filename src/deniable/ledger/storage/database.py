"""One connection to a database, whichever driver speaks to it: statements in, rows out, transactions begun in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self


class DatabaseError(Exception):
    """What a driver raised, as the cause; `lost` says whether the connection is of no more use."""

    def __init__(self, said: str, *, lost: bool = False) -> None:
        super().__init__(said)
        self.lost = lost


class Database:
    """At most one connection, made when it is first needed; it may be let go of at any time, and is made anew.

    The driver begins nothing by itself: a statement is its own transaction unless BEGIN was said. Not for several
    threads at once.
    """

    def __init__(
        self, opened: Callable[[], Any], errors: type[Exception], *, mark: str = "?", schema: str | None = None
    ) -> None:
        self._opened = opened
        self._errors = errors
        self._raw: Any = None
        self.mark = mark
        """How the driver spells the place of a value."""
        self.prefix = "" if schema is None else f"{schema}."
        """Stands before the name of a table."""

    def connect(self) -> Connection:
        """A use of the connection.

        Raises:
            DatabaseError: there is none to be had.
        """
        if self._raw is None:
            self._raw = self.guarded(self._opened)
        return Connection(self, self._raw)

    def dispose(self) -> None:
        """Let go of it. What was not committed is undone."""
        raw, self._raw = self._raw, None
        if raw is not None:
            raw.close()

    def guarded(self, step: Callable[[], Any], raw: Any = None) -> Any:  # noqa: ANN401 - drivers have their own types
        """What the step gives. A connection that it cost is let go of."""
        try:
            return step()
        except self._errors as error:
            if lost := bool(getattr(raw, "closed", False)):
                self._raw = None
            raise DatabaseError(str(error), lost=lost) from error


class Connection:
    """A use of the one connection. What was begun in it, and not committed, is undone when it is closed."""

    def __init__(self, database: Database, raw: Any) -> None:  # noqa: ANN401 - drivers have their own types
        self._database = database
        self.raw = raw

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """However the block ended."""
        self.close()

    @property
    def prefix(self) -> str:
        """What stands before the name of a table."""
        return self._database.prefix

    def rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """What a statement gives, each `?` in it being a value; a statement without values may be several."""

        def said() -> list[tuple[Any, ...]]:
            arguments = (statement.replace("?", self._database.mark), values) if values else (statement,)
            cursor = self.raw.execute(*arguments)
            return list(cursor.fetchall()) if cursor.description else []

        found: list[tuple[Any, ...]] = self._database.guarded(said, self.raw)
        return found

    def value(self, statement: str, *values: object) -> Any:  # noqa: ANN401 - whatever the database holds
        """The first value of the first row; None if there is no row."""
        found = self.rows(statement, *values)
        return found[0][0] if found else None

    def commit(self) -> None:
        """On disk when it returns."""
        self._database.guarded(self.raw.commit, self.raw)

    def close(self) -> None:
        """Where even undoing fails, the connection goes, and the transaction with it."""
        try:
            self._database.guarded(self.raw.rollback, self.raw)
        except DatabaseError:
            self._database.dispose()
