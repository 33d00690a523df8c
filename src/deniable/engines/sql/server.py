"""Engines that are asked over a connection: what is alike in all of them, once a statement can be run."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Generic, Protocol, TypeVar

import pyarrow as pa

from deniable.core.algebra.expression import Column
from deniable.core.algebra.query import ExactQuery
from deniable.core.algebra.relation import Matches
from deniable.core.errors import Refused
from deniable.engines.engine import Declared, Engine, RowCounts
from deniable.engines.sql.compare import compared
from deniable.engines.sql.fan_out import count, lightened
from deniable.engines.sql.public import shown
from deniable.engines.sql.relations import Tables
from deniable.engines.sql.statements import statement


class ServerConnection(Protocol):
    """What a plan's statements are asked in: they are all about one state of the data, as far as the server can."""

    def fetch(self, sql: str) -> pa.Table:
        """The rows of one SELECT."""

    def plan(self, sql: str) -> None:
        """Nothing, if the server understands the SELECT; no row is read."""

    def close(self) -> None:
        """End it; nothing is raised."""


_C = TypeVar("_C", bound=ServerConnection)
_T = TypeVar("_T")


class ServerEngine(Engine, Generic[_C]):
    """An engine that is asked over a connection: a subclass says how it is opened, and what its tables are called."""

    _open: _C | None = None
    """That of a session's engine; an engine outside of a session opens one for each call."""
    _known: dict[tuple[str, ...], Any]
    """What a session has looked up already."""

    @property
    @abstractmethod
    def tables(self) -> Tables:
        """The declared tables, in this engine's words."""

    @abstractmethod
    def _connected(self) -> _C:
        """A new connection. May raise anything."""

    @contextmanager
    def session(self) -> Iterator[Engine]:
        """One connection. What is asked within a session's engine again is asked in the same.

        Raises:
            Refused: the data cannot be reached; nothing was charged yet.
        """
        if self._open is not None:
            yield self
            return
        found: _C | None
        try:
            found = self._connected()
        except Exception:  # noqa: BLE001 - whatever it is, its text can name hosts and users, and quote rows
            found = None
        if found is None:
            raise Refused("data-unavailable", "The data cannot be asked at the moment.", "Ask the custodian.")
        bound = copy.copy(self)
        bound._open, bound._known = found, {}  # noqa: SLF001 - of the same class
        try:
            yield bound
        finally:
            found.close()

    def _asked(self, work: Callable[[_C], Any]) -> Any:  # noqa: ANN401 - whatever the work gives
        """In this engine's session, or in one of its own."""
        if self._open is not None:
            return work(self._open)
        with self.session() as engine:
            return engine._asked(work)  # type: ignore[attr-defined]  # noqa: SLF001 - of the same class

    def fetch(self, sql: str) -> pa.Table:
        """In the session, or in one of its own."""
        table: pa.Table = self._asked(lambda connection: connection.fetch(sql))
        return table

    def plan(self, sql: str) -> None:
        """By EXPLAIN, which computes constants, looks at rights, and reads no row."""
        self._asked(lambda connection: connection.plan(sql))

    def _stored(self, table: str) -> dict[str, str]:
        """A table's columns and their types."""
        return self._once(("columns", table), lambda: self.describe(table))

    def _once(self, name: tuple[str, ...], look: Callable[[], _T]) -> _T:
        """What is found, looked up once in a session; outside of one, each time."""
        if self._open is None:
            return look()
        if name not in self._known:
            self._known[name] = look()
        found: _T = self._known[name]
        return found

    def emit(self, query: ExactQuery) -> str:
        """Every node of the algebra has one spelling here, and each spelling is total."""
        return statement(lightened(query, self.matched), self.tables)

    def matched(self, matches: Matches) -> int:
        """Counted in the session that asks."""
        return int(self.fetch(count(matches, self.tables))["most"][0].as_py())

    def compare(self, table: str, declared: Declared, distinct: Collection[str]) -> list[RowCounts]:
        """In one pass over the table."""

        def ask(sql: str) -> Sequence[Any]:
            return [column[0].as_py() for column in self.fetch(sql).columns]

        return compared(self.tables, table, declared, distinct, ask)

    def rows(self, table: str, columns: Sequence[Column]) -> pa.Table:
        """As a question would read them."""
        return self.fetch(shown(self.tables, table, columns))
