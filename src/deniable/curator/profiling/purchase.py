"""The private profile on the one path: what is counted, with which noise, and what the ledger keeps of it.

Nothing in it depends on declared bounds, values of numbers, or contributions: each person weighs one row, and cells
cover every number. So the profile that a policy was corrected by is still the profile of the corrected policy.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import floor
from typing import Any

import numpy as np
import pyarrow as pa

from deniable.core.algebra.expression import Column, Expression, Kind, Literal, Range
from deniable.core.algebra.query import MOST_KEYS, WEIGHT, ExactQuery, Key, MarginalSums, Source, Sums, Total
from deniable.core.algebra.relation import Grouped, Measure, Measured, tables
from deniable.core.distributions.normal import quantile as normal_quantile
from deniable.core.errors import Refused
from deniable.core.event import Event
from deniable.core.loss import Loss
from deniable.core.number import root_above
from deniable.core.sensitivity import Neighbours
from deniable.curator.groups import laid_out
from deniable.curator.profiling.known import PROFILE
from deniable.curator.profiling.texts import MOST_TEXTS, FoundTexts, Texts
from deniable.curator.purchase import Round
from deniable.curator.workloads.purchase import ExactCounts
from deniable.mechanisms import Gaussian
from deniable.planner import ChargeLimits, Spend, bind, parse
from deniable.planner.expressions.functions import call, number
from deniable.planner.expressions.keys import GroupKey
from deniable.policy import DeclaredColumn, DeclaredTable, Policy
from deniable.releases.linear.measurement import together
from deniable.releases.profile.cells import FIRST_YEAR, row_edges, value_edges
from deniable.releases.profile.histogram import ValueHistogram
from deniable.releases.profile.measured import MeasuredCells, RunningSums
from deniable.releases.profile.people import RowsPerPerson
from deniable.releases.profile.profile import ListedValues, Profile, TableProfile

_VERSION = "profile, 1"
_PEOPLE_PART = Fraction(1, 2)
"""The part of a table's spend that rows per person have; columns share the rest."""
_LEFT, _ROWS, _NOISY, _ABOUT = "left", "rows", "noisy", b"profile"
_NONE: Texts = {}
_NUMBERS = {Kind.DATE: "days", Kind.TIMESTAMP: "microseconds", Kind.TIME: "microseconds"}


@dataclass(frozen=True)
class ColumnPart:
    """One column's cells: of values, or of declared texts; the last holds what is missing."""

    column: DeclaredColumn
    key: GroupKey
    edges: tuple[Fraction, ...] | None
    """None: texts."""
    mechanism: Gaussian
    found: bool = False
    """Whether the texts are not declared: they were found privately."""

    def exact(self, counts: np.ndarray) -> np.ndarray:
        """What noise is added to: sums of ordered cells, and plain counts of texts."""
        return counts if self.edges is None else RunningSums(len(counts)).sums(counts)


@dataclass(frozen=True)
class TablePart:
    """One table: its people, and its columns, each with its noise."""

    name: str
    source: Source
    people: tuple[Sums, GroupKey, Gaussian] | None
    columns: tuple[ColumnPart, ...]
    questions: tuple[str, ...]
    """Those that found texts of its columns before: the ledger's names of them, which are charges of their own."""

    @property
    def at_once(self) -> tuple[tuple[ColumnPart, ...], ...]:
        """The columns, as many together as are counted in one pass."""
        starts = range(0, len(self.columns), MOST_KEYS)
        return tuple(self.columns[start : start + MOST_KEYS] for start in starts)

    @property
    def marginals(self) -> tuple[MarginalSums, ...]:
        """The cells of all columns: one pass for as many as there may be in one."""
        return tuple(self._marginals(columns) for columns in self.at_once)

    def _marginals(self, columns: Sequence[ColumnPart]) -> MarginalSums:
        keys = tuple(Key(part.key.name, part.key.value) for part in columns)
        sets = tuple((place,) for place in range(len(keys)))
        return MarginalSums(self.source, keys, (Total(_ROWS, number(1), None, 1, 0),), sets, _LEFT)

    @property
    def queries(self) -> tuple[ExactQuery, ...]:
        """Those that there are."""
        return (*(() if self.people is None else (self.people[0],)), *self.marginals)

    @property
    def mechanisms(self) -> tuple[Gaussian, ...]:
        """In the order in which numbers are recorded."""
        return (*(() if self.people is None else (self.people[2],)), *(part.mechanism for part in self.columns))

    def add_noise(self, exact: Sequence[pa.Table]) -> pa.Table:
        """All numbers of the table, one part after the other, with noise on each; and what they are."""
        numbers: list[np.ndarray] = []
        about: list[dict[str, object]] = []
        waiting = list(exact)
        if self.people is not None:
            _, key, mechanism = self.people
            counts = laid_out(waiting.pop(0), [key], [_ROWS])[_ROWS]
            sums = RunningSums(len(counts)).sums(counts[::-1])  # from the most rows down: tails are known best
            numbers.append(np.asarray(mechanism.release(sums), dtype=np.int64))
            about.append({"people": len(sums), "sigma": mechanism.sigma})
        for columns, query in zip(self.at_once, self.marginals, strict=True):
            found = ExactCounts([part.key for part in columns], query.sets, query, waiting.pop(0))
            for place, part in enumerate(columns):
                sums = part.exact(found((place,)))
                numbers.append(np.asarray(part.mechanism.release(sums), dtype=np.int64))
                about.append(self._about(part, len(sums)))
        said = {"table": self.name, "parts": about, "questions": self.questions}
        table = pa.table({_NOISY: np.concatenate(numbers) if numbers else np.zeros(0, dtype=np.int64)})
        return table.replace_schema_metadata({_ABOUT: json.dumps(said).encode()})

    def _about(self, part: ColumnPart, size: int) -> dict[str, object]:
        weight = 1 if self.source.unit is None else WEIGHT
        column = part.column
        values = None if part.edges is not None else [str(value) for value in column.values or ()]
        said = {"column": column.name, "kind": column.kind.value, "size": size, "weight": weight, "values": values}
        return said | {"sigma": part.mechanism.sigma / weight, "found": part.found}


@dataclass(frozen=True)
class ProfilePlan:
    """Everything that is counted, and nothing that depends on the data."""

    population: str
    parts: tuple[TablePart, ...]
    rho: Fraction

    @property
    def text(self) -> str:
        """For people who read the ledger."""
        return f"{PROFILE}{self.population}: ρ {float(self.rho):g}"

    @property
    def tables(self) -> tuple[str, ...]:
        """All that are private, and those that lead to people."""
        return tuple(name for part in self.parts for name in tables(part.source.table))

    @property
    def queries(self) -> tuple[ExactQuery, ...]:
        """Of all tables."""
        return tuple(query for part in self.parts for query in part.queries)

    @property
    def events(self) -> tuple[Event, ...]:
        """One for each histogram."""
        return tuple(mechanism.event for part in self.parts for mechanism in part.mechanisms)

    @cached_property
    def loss(self) -> Loss:
        """Of all of them."""
        return together(mechanism.loss for part in self.parts for mechanism in part.mechanisms)

    @property
    def digest(self) -> str:
        """What runs, with which noise, on which cells."""
        keys = [(part.key.name, part.key.value, part.key.domain) for table in self.parts for part in table.columns]
        people = [(table.people[1].value, table.people[1].domain) for table in self.parts if table.people is not None]
        said = (_VERSION, self.queries, self.events, keys, people)
        return hashlib.sha256(repr(said).encode()).hexdigest()

    def rounds(self, noisy: Sequence[pa.Table]) -> Iterator[Round]:
        """Table after table, whatever the noise was."""
        del noisy
        for part in self.parts:
            yield Round(part.queries, part.add_noise)


def plan_profile(policy: Policy, spend: Spend, texts: Texts = _NONE) -> ProfilePlan:
    """Every private table for the same part of rho; within it, half is for people, and the rest for columns.

    `texts`: of columns whose values the policy does not list, those that were found.
    """
    if spend.rho is None:
        raise Refused("bad-spend", "A profile is paid for in rho.", "Give rho = 0.02, or a little more or less.")
    spend.check_contribution("a profile")
    rho = ChargeLimits.of(policy).admit(spend, Fraction(1)).rho or Fraction(0)
    policy = policy.as_profiled
    private = [table for table in policy.tables.values() if not table.public]
    if not private:
        raise Refused("unknown-table", "There is no private table.", "Public tables can simply be looked at.")
    parts = tuple(_table(policy, table, rho / len(private), texts) for table in private)
    return ProfilePlan(policy.population, parts, rho)


def profile_of(recorded: Sequence[pa.Table], loss: Loss, confidence: Fraction, release: str, *, free: bool) -> Profile:
    """What is made of the recorded tables: they say themselves what they are."""
    found = [_read(table, confidence) for table in recorded]
    return Profile({one.name: one for one in found}, loss, free, confidence, release)


def questions_before(recorded: Sequence[pa.Table]) -> list[str]:
    """The ledger's names of the questions that found texts for it."""
    return [question for table in recorded for question in _said(table).get("questions", ())]


def _table(policy: Policy, table: DeclaredTable, rho: Fraction, texts: Texts) -> TablePart:
    """One table, whose rows belong to people as in any question; but each person weighs one row."""
    quoted = table.name.replace('"', '""')
    bound = bind(parse(f'SELECT COUNT(*) FROM "{quoted}"'), policy)  # noqa: S608 - a name of the policy, quoted; parsed as any question
    source = replace(bound.source, contribution=1)
    known = [_knowing(column, texts.get((table.name, column.name))) for column in table.columns.values()]
    wanted = [column for column in known if column.name != table.unit and _countable(column)]
    for_people = Fraction(0) if source.unit is None else rho * (_PEOPLE_PART if wanted else 1)
    people = None if source.unit is None else _people(source, policy.neighbours, for_people)
    reach, each = 1 if source.unit is None else WEIGHT, (rho - for_people) / max(1, len(wanted))
    columns = [_column(column, f"c{place}", reach, policy.neighbours, each) for place, column in enumerate(wanted)]
    told = [replace(part, found=(table.name, part.column.name) in texts) for part in columns]
    questions = tuple(found.question for (name, _), found in texts.items() if name == table.name)
    return TablePart(table.name, source, people, tuple(told), questions)


def _knowing(column: DeclaredColumn, texts: FoundTexts | None) -> DeclaredColumn:
    return replace(column, values=texts.values) if texts is not None and texts.values else column


def _countable(column: DeclaredColumn) -> bool:
    if column.kind is Kind.TEXT:
        return column.values is not None and len(column.values) <= MOST_TEXTS
    return column.kind is not Kind.BOOLEAN


def _people(source: Source, neighbours: Neighbours, rho: Fraction) -> tuple[Sums, GroupKey, Gaussian]:
    """How many people have how many rows: one row for each person, so each counts once."""
    counted = Grouped(source.table, source.unit, None, (), (Measure("m0", Measured.COUNT, number(1), None),))
    rows = Column("m0", Kind.INTEGER, Range(Fraction(0)), nullable=False)
    edges = [Fraction(edge) for edge in row_edges()]
    cell = cell_of(rows, edges[1:], 0)
    key = GroupKey("cell", cell, tuple(range(len(edges))))
    query = Sums(Source(counted, None, 1, None), (Key("cell", cell),), (Total(_ROWS, number(1), None, 1, 0),))
    return query, key, Gaussian(sensitivity=_moved(1, neighbours, RunningSums(len(edges)).norm_squared), rho=rho)


def _column(column: DeclaredColumn, name: str, reach: int, neighbours: Neighbours, rho: Fraction) -> ColumnPart:
    """Cells that follow from the column's kind alone; its bounds are not read, so that values beyond them are seen."""
    value = replace(column.expression, range=Range(), nullable=True)
    edges = None if column.kind is Kind.TEXT else value_edges(column.kind)
    if edges is None:
        texts = [text for text in column.values or () if isinstance(text, str)]
        cells, last = _text_of(value, texts), len(texts) + 1
        norm = 1
    else:
        cells, last = _cells_of(value, edges), len(edges) + 1
        norm = RunningSums(last + 1).norm_squared
    cell = call("case", call("is_null", value), number(last), cells)
    key = GroupKey(name, cell, tuple(range(last + 1)))
    mechanism = Gaussian(sensitivity=_moved(reach, neighbours, norm), rho=rho)
    return ColumnPart(column, key, edges, mechanism)


def _cells_of(value: Expression, edges: Sequence[Fraction]) -> Expression:
    """How many of the edges a value has reached.

    Those of days and moments are half years, and computed as such: in files of text a date is a long expression, which
    must not stand beside every edge.
    """
    if value.kind not in _NUMBERS:
        return cell_of(value, edges, 0)
    moment = call(_NUMBERS[value.kind], value)
    if value.kind is Kind.TIME:
        return cell_of(moment, edges, 0)
    halves = call("add", call("multiply", call("year", value), number(2)), number(1 - 2 * FIRST_YEAR))
    half = call("case", call("less", call("month", value), number(7)), number(0), number(1))
    beyond = call("less", moment, number(edges[-1]))
    within = call("case", beyond, call("add", halves, half), number(len(edges)))
    return call("case", call("less", moment, number(edges[0])), number(0), within)


def cell_of(value: Expression, edges: Sequence[Fraction], first: int) -> Expression:
    """How many of the edges, in ascending order, a value has reached; found by halving."""
    if not edges:
        return number(first)
    middle = len(edges) // 2
    below, above = cell_of(value, edges[:middle], first), cell_of(value, edges[middle + 1 :], first + middle + 1)
    return call("case", call("less", value, number(edges[middle])), below, above)


def _text_of(value: Expression, texts: Sequence[str]) -> Expression:
    """The place of a text among declared ones; of any other, the place behind them."""
    parts: list[Expression] = []
    for place, text in enumerate(texts):
        parts += [call("equal", value, Literal(text, Kind.TEXT)), number(place)]
    return call("case", *parts, number(len(texts)))


def _moved(reach: int, neighbours: Neighbours, norm_squared: int) -> int:
    """How far one person moves what is measured, in l2: by its weight times the longest column.

    Replaced, by sqrt(2) times that, as neither counts nor entries of the matrix are negative. What a person adds to all
    cells adds up to the weight at most.
    """
    times = norm_squared * (1 if neighbours is Neighbours.ADD_REMOVE else 2)
    return reach if times == 1 else -floor(-root_above(Fraction(times)) * reach)


def _read(table: pa.Table, confidence: Fraction) -> TableProfile:
    """One recorded table."""
    said = _said(table)
    numbers, start = table[_NOISY].to_numpy(), 0
    people, columns, listed = None, {}, {}
    for part in said["parts"]:
        size = part["people"] if "people" in part else part["size"]
        noisy, start = numbers[start : start + size].astype(np.float64), start + size
        if "people" in part:
            people = RowsPerPerson(row_edges(), MeasuredCells(noisy, part["sigma"], descending=True), confidence)
            continue
        noisy, name = noisy / part["weight"], part["column"]
        if part["values"] is not None:
            off, together = (-normal_quantile(float(1 - confidence) / two) * part["sigma"] for two in (2, 4))
            texts, numbers_of = tuple(part["values"]), tuple(noisy.tolist())
            listed[name] = ListedValues(name, texts, numbers_of, off, together, found=part.get("found", False))
        else:
            kind = Kind(part["kind"])
            measured = MeasuredCells(noisy, part["sigma"])
            columns[name] = ValueHistogram(name, kind, value_edges(kind), measured, confidence)
    return TableProfile(said["table"], people, columns, listed)


def _said(table: pa.Table) -> dict[str, Any]:
    """What a recorded table says of itself."""
    said: dict[str, Any] = json.loads((table.schema.metadata or {})[_ABOUT])
    return said
