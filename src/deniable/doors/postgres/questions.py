"""A SELECT, sent where it belongs: questions about private tables to the session, everything else to the catalogue."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

import pyarrow as pa
from sqlglot import exp

from deniable.core.algebra.expression import Kind
from deniable.core.errors import Failed, Refused
from deniable.core.shown import percent
from deniable.curator import NoisyAnswer, PublicAnswer
from deniable.doors.postgres import parameters
from deniable.doors.postgres.catalogue.read import Node, parsed
from deniable.doors.postgres.catalogue.run import Catalogue, Interrupt, own
from deniable.doors.postgres.copying import CopyForm
from deniable.doors.postgres.errors import PgError, failed, refused
from deniable.doors.postgres.lexing import shape, tokens
from deniable.doors.postgres.parameters import as_column, samples
from deniable.doors.postgres.portals import PgColumn, Result, as_copied, as_messages
from deniable.doors.postgres.settings import Settings, path
from deniable.doors.postgres.types import BOOL, DATE, FLOAT8, INT8, NUMERIC, TEXT, TIME, TIMESTAMP, Value, oid_of
from deniable.planner import Quote
from deniable.planner.wording.parameters import Filled, filled
from deniable.service.hints import hinted, merged
from deniable.service.log import note
from deniable.service.session import Session

Read = TypeVar("Read")
_SHORT = 4_096
"""Characters of a statement that is remembered: clients send the same ones again and again."""
_QUICK = 1_024
"""Characters that are read in a few milliseconds; what is longer is read in a thread."""
_BESIDE = 6
"""How much larger an answer is as objects and messages than as a table, about."""
_UNKNOWN = {"0A000", "42P01", "42703", "42883"}
"""What the catalogue says of things that PostgreSQL may have and we have not: worth a line in the log."""
_END = {Kind.INTEGER: FLOAT8, Kind.NUMBER: FLOAT8, Kind.DATE: DATE, Kind.TIMESTAMP: TIMESTAMP, Kind.TIME: TIME}
"""What the ends of an interval are, by what is between them; other kinds have none."""
_CASTS = {"varchar": TEXT, "text": TEXT, "int": 23, "bigint": INT8, "smallint": 21, "boolean": BOOL, "date": DATE}
_CASTS |= {"oid": 26, "uint[]": 1028, "varchar[]": 1009, "text[]": 1009, "name": TEXT, "double precision": FLOAT8}
_CASTS |= {"decimal": NUMERIC, "numeric": NUMERIC, "name[]": 1009, "char": TEXT, "regclass": TEXT}


@dataclass(frozen=True, slots=True)
class Desk:
    """Where one connection's SELECTs are answered."""

    session: Session
    catalogue: Catalogue
    settings: Settings

    def parameters(self, text: str, given: Sequence[int]) -> tuple[int, ...]:
        """The types of a statement's parameters."""
        if self.is_question(text):
            return parameters.typed(text, given, self.session.policy)
        found = [*given, *[0] * (parameters.count(text) - len(given))]
        if any(oid in {0, 705} for oid in found):
            casts = _cast_parameters(text)
            found = [casts.get(place, TEXT) if oid in {0, 705} else oid for place, oid in enumerate(found, 1)]
        return tuple(found)

    async def columns(self, text: str, oids: Sequence[int]) -> tuple[PgColumn, ...]:
        """What a SELECT would return. Costs nothing."""
        question = await self._read(text, lambda: self._with(text, samples(oids, text, self.session.policy)))
        if not isinstance(question, Filled):
            return (await self._look(question, text, [None] * len(oids), most=0)).columns or ()
        with _in_words(question):
            plain, hint = hinted(question.text)
            described = await self.session.describe(plain, merged(hint, self.settings.spending))
        found = [PgColumn(one.name, oid_of(one.kind)) for one in described]
        if self.settings.intervals:
            ends = {one.name: _END.get(one.kind) for one in described if one.noisy}
            found += [PgColumn(f"{name}_{side}", oid) for name, oid in ends.items() if oid for side in ("low", "high")]
        return tuple(found)

    async def select(
        self, text: str, values: Sequence[Value], oids: Sequence[int], form: Sequence[int] | CopyForm | None
    ) -> Result:
        """The answer to a SELECT, with its rows as they will be sent, if that is known."""
        intervals = self.settings.intervals
        question = await self._read(text, lambda: self._filled(text, values, oids))
        if not isinstance(question, Filled):
            return await self._look(question, text, values)

        def made(answer: NoisyAnswer | PublicAnswer) -> Result:
            """In a thread, before the deadline."""
            left = () if answer.free else self._left()
            table = answer.with_intervals if intervals else answer.table
            columns = tuple(PgColumn(field.name, _arrow_oid(field.type)) for field in table.schema)
            rows = list(zip(*(column.to_pylist() for column in table.columns), strict=True))
            ready, size = _ready(columns, rows, form), _BESIDE * table.nbytes
            return Result(f"SELECT {len(rows)}", columns, rows, _notices(answer, left), None, ready, size)

        with _in_words(question):
            plain, hint = hinted(question.text)
            return await self.session.asked(plain, merged(hint, self.settings.spending), made)

    def _left(self) -> tuple[str, ...]:
        """What may still be asked; nothing, if that cannot be said: the answer was paid for, and leaves."""
        try:
            return self.session.account().notes
        except (Refused, Failed):
            return ()

    async def explain(self, text: str, values: Sequence[Value], oids: Sequence[int]) -> Result:
        """The price of a question, as rows."""
        question = await self._read(text, lambda: self._filled(text, values, oids))
        if not isinstance(question, Filled):
            lines = ["Free: it asks nothing about private rows."]
        else:
            with _in_words(question):
                plain, hint = hinted(question.text)
                quote = await self.session.explain(plain, merged(hint, self.settings.spending))
            lines = _priced(quote)
        return Result("EXPLAIN", (PgColumn("QUERY PLAN", TEXT),), [(line,) for line in lines])

    async def aside(self, text: str, work: Callable[[], Read]) -> Read:
        """What reads a text: if it is long, in a thread, so that nobody else waits for it."""
        return work() if len(text) <= _QUICK else await self.session.aside(work)

    async def _read(self, text: str, fill: Callable[[], Filled]) -> Filled | Node:
        """A question with its parameters; or a statement for the catalogue."""
        return await self.aside(text, lambda: fill() if self.is_question(text) else parsed(text))

    def is_question(self, text: str) -> bool:
        """Whether it is for the planner: if it names a table that the catalogue has not, or cannot be read at all."""
        searched = self.settings.show("search_path")[1]
        known = self.catalogue.questions.get((searched, text))
        if known is None:
            known = self._is_question(text, path(searched))
            if len(text) <= _SHORT:
                self.catalogue.questions.keep((searched, text), known)
        return known

    def _is_question(self, text: str, searched: Sequence[str]) -> bool:
        try:
            tree = parsed(text)
        except PgError:
            if searched[:1] != ("public",):
                raise  # it may mean other tables than those that the planner knows
            return not _speaks_of_the_catalogue(text)
        inside = {one.alias_or_name.lower() for one in tree.find_all(exp.CTE)}
        named = [
            (table.db.lower(), table.name.lower())
            for table in tree.find_all(exp.Table)
            if isinstance(table.this, exp.Identifier) and (table.db or table.name.lower() not in inside)
        ]
        found = [(schema, name, self.catalogue.space_of(schema, name, searched)) for schema, name in named]
        if all(not self.catalogue.is_private(space, name) for _, name, space in found):
            return False
        for schema, name, space in found:
            if not schema and (space is None or space == "dummy") and searched[:1] != ("public",):
                where = f"is looked for in {', '.join(searched) or 'no schema'}, because search_path says so"
                raise PgError("42P01", f'relation "{name}" {where}', hint="Write public before it, or SET search_path.")
        return True

    async def _look(self, tree: Node, text: str, values: Sequence[Value], most: int | None = None) -> Result:
        """From the catalogue."""
        tables = await self._own(tree)
        settings = dict(self.settings.all())
        limit, stop = {} if most is None else {"most": most}, Interrupt()

        def work() -> tuple[tuple[PgColumn, ...], list[tuple[Value, ...]], int] | PgError:
            try:
                return self.catalogue.run(
                    tree, values, settings=settings, user=self.session.who, tables=tables, stop=stop, **limit
                )
            except PgError as error:
                return error

        try:
            found = await self.session.free("catalogue", work)
        except asyncio.CancelledError:
            stop.now()
            raise
        if isinstance(found, PgError):
            if found.state in _UNKNOWN:
                self.session.population.metrics.count("catalogue_unknown")
                note("catalogue-unknown", failure=True, request=self.session.request, shape=shape(text)[:1000])
            raise found
        columns, rows, size = found
        return Result(f"SELECT {len(rows)}", columns, rows, size=size)

    async def _own(self, tree: exp.Expression) -> dict[str, pa.Table]:
        """The tables of the schema `deniable`, as this person may see them."""
        wanted = {table.name.lower() for table in tree.find_all(exp.Table) if table.db.lower() == "deniable"}
        found = {"columns": self.catalogue.columns} if "columns" in wanted else {}
        try:
            if "budget" in wanted:
                accounts = await self.session.budgets()
                rows = [{"account": one.name, **row} for one in accounts for row in one.table.to_pylist()]
                found["budget"] = own("budget", rows)
            if "history" in wanted:
                found["history"] = own(
                    "history",
                    [
                        {
                            "entry": line.entry,
                            "charged": line.written,
                            "analyst": line.analyst,
                            "question": line.question,
                            "loss": str(line.loss),
                            "shown": line.shown,
                            "epsilon": _float(line.loss.epsilon),
                            "rho": _float(line.loss.rho),
                        }
                        for line in await self.session.history(most=10_000)
                    ],
                )
        except Refused as refusal:
            raise refused(refusal) from None
        return found

    def _filled(self, text: str, values: Sequence[Value], oids: Sequence[int]) -> Filled:
        beside = parameters.typed(text, (), self.session.policy)
        known = [as_column(value, oid) for value, oid in zip(values, beside, strict=False)]
        del oids
        return self._with(text, known)

    def _with(self, text: str, values: Sequence[Value]) -> Filled:
        try:
            return filled(self._unqualified(text), values)
        except Refused as refusal:
            raise refused(refusal) from None

    def _unqualified(self, text: str) -> str:
        """With the schema's name blanked out, so that every place stays where it is."""
        parts, out = [token for token in tokens(text) if token.kind != "space"], list(text)
        for before, dot in pairwise(parts):
            if dot.text == "." and before.kind in {"word", "quoted"} and before.name == "public":
                out[before.start : dot.end] = " " * (dot.end - before.start)
        return "".join(out)


class _in_words:  # noqa: N801 - reads as a word
    """Refusals and failures in PostgreSQL's words, with places of the client's own text."""

    def __init__(self, question: Filled) -> None:
        self._question = question

    def __enter__(self) -> None:
        """Nothing yet."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _trace: object) -> None:
        """Translate."""
        del kind
        if isinstance(error, Refused):
            if error.position is not None:
                error.position = self._question.place(error.position[0]), error.position[1]
            raise refused(error) from None
        if isinstance(error, Failed):
            raise failed(error) from None


def _speaks_of_the_catalogue(text: str) -> bool:
    """Whether any name in it is one of PostgreSQL's own."""
    names = [token.name.lower() for token in tokens(text) if token.kind in {"word", "quoted"}]
    return any(name.startswith("pg_") or name == "information_schema" for name in names)


def _cast_parameters(text: str) -> dict[int, int]:
    """By number: the type that a parameter is cast to, or that LIMIT and ANY want."""
    try:
        tree = parsed(text)
    except PgError:
        return {}
    found: dict[int, int] = {}
    for node in tree.find_all(exp.Parameter):
        if not node.name.isdigit():
            continue
        parent = node.parent
        if isinstance(parent, exp.Cast):
            found.setdefault(int(node.name), _CASTS.get(parent.to.sql("postgres").lower(), TEXT))
        elif isinstance(parent, exp.Limit | exp.Offset):
            found.setdefault(int(node.name), INT8)
        elif isinstance(parent, exp.Any) or (isinstance(parent, exp.Paren) and isinstance(parent.parent, exp.Any)):
            found.setdefault(int(node.name), 1009)
    return found


def _ready(
    columns: Sequence[PgColumn], rows: Sequence[tuple[Value, ...]], form: Sequence[int] | CopyForm | None
) -> list[bytes]:
    if isinstance(form, CopyForm):
        return list(as_copied(columns, rows, form))
    fits = form is not None and len(form) in {0, 1, len(columns)}  # else it is an error, which is said in its place
    return list(as_messages(columns, rows, form)) if fits and form is not None else []


def _notices(answer: NoisyAnswer | PublicAnswer, left: Sequence[str]) -> tuple[str, ...]:
    """What the client is told beside the rows."""
    free = "free: it was asked before" if answer.loss.epsilon or answer.loss.rho else "free: nothing private was asked"
    alone = " from your share alone: the population's budget had paid before" if answer.share else ""
    paid = free if answer.free else f"spent {answer.loss}{alone}"
    return (f"{paid}. {left[0]}" if left else paid, *answer.notes)


def _priced(quote: Quote) -> list[str]:
    """A quote as lines of text."""
    columns = [
        f"  {line.column}: {line.mechanism}, one unit moves it by {line.sensitivity:g}, scale {line.scale:g}, "
        f"error ± {line.error:g} at {percent(quote.confidence)} confidence"
        for line in quote.lines
    ]
    rows = "rows: only the data knows" if quote.groups is None else f"rows: {quote.groups:,}"
    return [f"price {quote.loss}", *columns, rows, *quote.sizes, *quote.notes]


def _arrow_oid(kind: pa.DataType) -> int:
    for is_kind, oid in (
        (pa.types.is_boolean, BOOL),
        (pa.types.is_integer, INT8),
        (pa.types.is_floating, FLOAT8),
        (pa.types.is_date, DATE),
        (pa.types.is_timestamp, TIMESTAMP),
        (pa.types.is_time, TIME),
    ):
        if is_kind(kind):
            return oid
    return TEXT


def _float(number: object) -> float | None:
    return None if number is None else float(number)  # type: ignore[arg-type]  # a fraction
