"""Public tables: what is in them is known, so keys from them need no list, and questions about them alone no budget.

Everything here runs in a process of its own, which has the public sources and no others.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from unicodedata import normalize

import pyarrow as pa
from sqlglot import exp

from deniable.core.algebra.expression import Kind
from deniable.core.deadline import within
from deniable.core.errors import Failed, InvalidArgumentError, Refused, asking
from deniable.curator.custodian.check import problems_of
from deniable.curator.public.answer import PublicAnswer
from deniable.curator.public.copies import Copies
from deniable.engines import DuckDB, Engine
from deniable.engines.duckdb.look import types
from deniable.engines.engine import Broken
from deniable.engines.sql.public import Facts, facts, shown
from deniable.files.kinds import kind_of, misfit
from deniable.files.scan import quoted
from deniable.planner.outer.check import check
from deniable.planner.outer.statement import entitled, make_total, text
from deniable.planner.parse import read
from deniable.planner.relations.names import declared, drop_paths, own_name, qualifier, rename
from deniable.planner.wording.spellings import clocked
from deniable.policy import DeclaredColumn, DeclaredTable, Policy

_MOST_VALUES = 10_000
"""Of a column, that are read for group keys; with more, the keys are as if the table were private."""
_LARGEST = 1 << 20
"""Rows of a public table that is computed with outside of the engine."""
_CELLS = 1 << 22
"""Of an answer about public tables alone: rows times columns."""
_SECONDS = 10.0
"""That such an answer may take."""


class PublicTables:
    """The public tables of a policy, read when a question first names one, and again when their files have changed."""

    def __init__(self, policy: Policy, engine: Engine) -> None:
        self._policy = policy
        public = {name: table for name, table in policy.tables.items() if table.public and table.source}
        self._copies = Copies(engine, {name: table for name, table in public.items() if table.remote})
        self._tables = {name: self._copies.as_file(table) for name, table in public.items()}
        settings = policy.engine
        sources = {name: file for name, table in self._tables.items() if (file := table.file) is not None}
        self._engine = DuckDB(sources, settings.seconds, settings.memory, settings.threads)
        self._known: dict[str, tuple[str, DeclaredTable]] = {}
        self._rows: dict[str, tuple[str, pa.Table]] = {}

    def policy_for(self, *questions: str) -> Policy:
        """The policy, in which the public tables that the questions may name say what is in them.

        Raises:
            Refused: such a table is not as it is declared, or cannot be read.
        """
        named = self._mentioned(*questions)
        if not named:
            return self._policy
        return replace(self._policy, tables={**self._policy.tables, **{name: self._in_place(name) for name in named}})

    def policy_of(self, tables: Sequence[str]) -> Policy:
        """The policy, in which those of these tables that are public say what is in them."""
        named = [name for name in dict.fromkeys(tables) if name in self._tables]
        if not named:
            return self._policy
        return replace(self._policy, tables={**self._policy.tables, **{name: self._looked_up(name) for name in named}})

    def rows(self, name: str) -> pa.Table:
        """All rows of a public table, as questions read them, for whoever computes with them.

        Raises:
            Refused: it cannot be read, or is too large for that.
        """
        table = self._looked_up(name)
        try:
            version = self._engine.version(name)
            if name not in self._rows or self._rows[name][0] != version:
                self._rows[name] = version, self._engine.fetch(f"{self._view(table)} LIMIT {_LARGEST + 1}")
        except (Broken, InvalidArgumentError, OSError):
            raise _unavailable(name) from None
        found = self._rows[name][1]
        if found.num_rows > _LARGEST:
            reason = f"The public table {name!r} is too large to be joined with noisy answers."
            raise Refused("public-table", reason, "Join it inside: FROM private JOIN public ON ... GROUP BY ...")
        return found

    def answer(self, sql: str) -> PublicAnswer | None:
        """The exact answer, if the question names public tables alone; None if it names others.

        Raises:
            Refused: it cannot be computed.
        """
        if not self._mentioned(sql):
            return None
        try:
            tree, _ = clocked(read(sql), self._policy)
        except Refused:
            return None
        named = self._named(tree)
        if not named:
            return None
        with asking(sql):
            check(tree, "in questions about public tables")
        tables = [self._looked_up(name) for name in named]
        views = ", ".join(f"{quoted(_viewed(table.name))} AS ({self._view(table)})" for table in tables)
        make_total(entitled(tree))
        body = text(tree)
        body = f", {body.removeprefix('WITH ')}" if body.startswith("WITH ") else f" {body}"
        found = self._computed(f"WITH {views}{body}")
        if found is None or any(pa.types.is_nested(column.type) for column in found.schema):
            hint = "Ask for less, or with other functions."
            raise Refused("public-table", "This cannot be computed from the public tables.", hint, question=sql)
        return PublicAnswer(found)

    def _computed(self, sql: str) -> pa.Table | None:
        """What a SELECT gives, if that is not too much: it is free, so nobody should have to wait for it for long."""
        try:
            with within(min(self._policy.engine.seconds, _SECONDS)):
                return self._engine.few(sql, _CELLS)
        except (Broken, Failed):
            return None

    def close(self) -> None:
        """End the process."""
        self._engine.close()
        self._copies.close()

    def _mentioned(self, *questions: str) -> list[str]:
        """The public tables whose names stand in the questions, wherever that is."""
        words = {name: own_name(table) for name, table in self._tables.items()}
        return [name for name, word in words.items() if any(_mentions(text, word) for text in questions)]

    def _named(self, tree: exp.Expression) -> list[str]:
        """The public tables that are named, if nothing else is. From then on, each goes by the name of its view."""
        queries = {query.alias.lower() for query in tree.find_all(exp.CTE)}
        found: dict[str, None] = {}
        for node in list(tree.find_all(exp.Table)):
            plain = isinstance(node.this, exp.Identifier)
            if plain and node.name.lower() in queries and not qualifier(node):
                continue
            table = declared(node, self._policy) if plain else None
            if table is None or table.name not in self._tables:
                return []
            found[table.name] = None
            rename(node, table, _viewed(table.name))
        drop_paths(tree)
        return list(found)

    def _view(self, table: DeclaredTable) -> str:
        columns = [column.expression for column in self._declared(table)]
        return shown(self._engine.tables, table.name, columns)

    def _declared(self, table: DeclaredTable) -> list[DeclaredColumn]:
        """Without the bounds that were looked up: they hold for what is there."""
        return list((self._policy.tables[table.name].columns or table.columns).values())

    def _looked_up(self, name: str) -> DeclaredTable:
        """The table with what is in its columns, for this version of its files."""
        try:
            self._copies.refresh(name)
            version = self._engine.version(name)
            known = self._known.get(name)
            if known is None or known[0] != version:
                known = self._known[name] = version, self._read(self._tables[name])
        except (Broken, InvalidArgumentError, OSError):
            raise _unavailable(name) from None
        return known[1]

    def _in_place(self, name: str) -> DeclaredTable:
        """What was looked up in a copy, of the table itself."""
        own = self._policy.tables[name]
        return replace(self._looked_up(name), source=own.source, remote=own.remote, version_query=own.version_query)

    def _read(self, table: DeclaredTable) -> DeclaredTable:
        columns = table.columns or self._found(table)
        unknown_key = table.key is not None and table.key not in columns
        if unknown_key or problems_of(replace(table, columns=columns), self._engine):
            raise _unavailable(table.name)
        listed = [column.expression for column in columns.values()]
        looked = facts(self._engine.fetch, self._engine.tables, table.name, listed, _MOST_VALUES)
        found = replace(
            table,
            columns={name: _known(columns[name], one) for name, one in zip(columns, looked, strict=True)},
        )
        return found if found.key is None else self._knowing(found, columns)

    def _knowing(self, table: DeclaredTable, columns: Mapping[str, DeclaredColumn]) -> DeclaredTable:
        """With all that its rows say, if they are few: what a group key then determines can be shown beside it."""
        listed = [column.expression for column in columns.values()]
        every = shown(self._engine.tables, table.name, listed)
        rows = self._engine.fetch(f"{every} LIMIT {_MOST_VALUES + 1}")
        return table if rows.num_rows > _MOST_VALUES else table.knowing(rows.to_pylist())

    def _found(self, table: DeclaredTable) -> Mapping[str, DeclaredColumn]:
        """All columns that could be declared, where the policy declares none."""
        if table.file is None:
            return {}
        found = {name: (stored, kind_of(stored)) for name, stored in types(table.file).items()}
        return {
            name: DeclaredColumn(name, kind)
            for name, (stored, kind) in found.items()
            if kind is not None and not misfit(stored, kind)
        }


def _known(column: DeclaredColumn, looked: Facts) -> DeclaredColumn:
    """What the policy says comes first; the rest is as it is."""
    low, high = column.low, column.high
    if low is None and looked.low is not None and looked.low < looked.high:
        exact = column.kind in {Kind.INTEGER, Kind.NUMBER}
        low, high = (Fraction(str(end)) if exact else end for end in (looked.low, looked.high))
    values = column.values if looked.values is None or column.values is not None else _once(looked.values)
    return replace(column, low=low, high=high, values=values, nulls=column.nulls and not looked.complete)


def _once(values: Sequence[str] | Sequence[int]) -> tuple[str, ...] | tuple[int, ...]:
    """Two ways in which Unicode writes the same text are one key."""
    texts = tuple(dict.fromkeys(normalize("NFC", value) for value in values if isinstance(value, str)))
    return texts or tuple(value for value in values if isinstance(value, int))


def _mentions(text: str, name: str) -> bool:
    """Whether a question could be about the table: its name stands there as a word, whatever it means there."""
    return '"' in name or re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) is not None


def _viewed(name: str) -> str:
    """What a table is called in statements: a name that no query in a question has."""
    return f"public table {name}"


def _unavailable(name: str) -> Refused:
    return Refused("data-unavailable", f"The table {name!r} is not as the policy says.", "Ask the custodian.")
