"""Synthetic tables on the one path: what is paid for them, and the rounds in which they are measured and made.

    for each table:  count columns -> score and count pairs -> draw rows -> certify

A later round asks for bins, and for distances from rows, that follow from the noisy numbers of earlier ones. Rows are
drawn between two rounds, from noisy numbers alone, and recorded with them: whoever asks again gets the same table.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, partial

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from deniable.core.algebra.query import ExactQuery
from deniable.core.algebra.relation import tables
from deniable.core.bits import OperatingSystem, words
from deniable.core.conversion import budget_for_mu_squared, budget_for_rho
from deniable.core.deadline import uncounted
from deniable.core.errors import Refused
from deniable.core.event import Event
from deniable.core.grid import IntArray
from deniable.core.loss import Loss
from deniable.curator.purchase import Round
from deniable.curator.synthesis.bins import by_pairs, by_value, exact_pairs, exact_values, narrowed
from deniable.curator.synthesis.cells import Selected, TableCells, table_cells
from deniable.curator.synthesis.conditions import constraints, satisfying
from deniable.planner import ChargeLimits, Spend
from deniable.planner.listing import values_question
from deniable.policy import Policy
from deniable.releases.linear.measurement import together
from deniable.releases.synthetic.measured.bins import narrow
from deniable.releases.synthetic.recipe import CountedTable, Recipe
from deniable.releases.synthetic.report.quote import SynthesisQuote
from deniable.releases.synthetic.report.release import SyntheticRelease, SyntheticTable, siblings
from deniable.releases.synthetic.synthesis import MOST_ROWS, Synthesis

_NOISY, _METHOD = "noisy", b"method"
_ROUNDS = 4
"""For each table: counts, pairs, rows, certificate."""
_FOR_VALUES = Fraction(1, 10)
"""The part of the spend that finds values which the policy does not list."""
_VERSION = "synthetic tables, 5"
"""Of what is made of the noisy numbers: another method is another release."""
_WAY_BACK = Fraction(1, 10**9)
"""Left unspent, for what whole-numbered noise loses more than continuous noise."""


@dataclass(frozen=True)
class SynthesisPlan:
    """Everything that is needed to make the tables, and nothing that depends on the data."""

    wanted: Synthesis
    policy: Policy
    cells: tuple[TableCells, ...]
    recipes: tuple[Recipe, ...]
    notes: tuple[str, ...]
    confidence: Fraction
    first: Loss
    """What questions cost that found values before: charges of their own."""
    told: Callable[[str], None] = field(default=lambda _step: None, compare=False, repr=False)
    """Hears the name of each step as it begins."""

    @property
    def text(self) -> str:
        """What was wanted."""
        return repr(self.wanted)

    @property
    def tables(self) -> tuple[str, ...]:
        """Those that are counted."""
        return tuple(name for one in self.cells for name in tables(one.bound.source.table))

    @property
    def queries(self) -> tuple[ExactQuery, ...]:
        """Those that count columns; the others ask for the same rows, by bins of the same values."""
        return tuple(by_value(one) for one in self.cells)

    @property
    def events(self) -> tuple[Event, ...]:
        """Four for each table, fixed before the first round."""
        return tuple(mechanism.event for recipe in self.recipes for mechanism in recipe.mechanisms)

    @property
    def loss(self) -> Loss:
        """Of all of them."""
        return together(mechanism.loss for recipe in self.recipes for mechanism in recipe.mechanisms)

    @property
    def digest(self) -> str:
        """What runs, with which noise, and what is made of it."""
        said = (_VERSION, self.queries, self.events, self.recipes, self.wanted.rows)
        return hashlib.sha256(repr(said).encode()).hexdigest()

    @cached_property
    def quote(self) -> SynthesisQuote:
        """The price before paying."""
        names = [one.name for one in self.cells]
        return SynthesisQuote.of(names, self.recipes, self.first + self.loss, self.confidence, self.notes)

    def rounds(self, noisy: Sequence[pa.Table]) -> Iterator[Round]:
        """Table after table; rows of parents are known before their children are made."""
        chance = np.random.default_rng(words(OperatingSystem(), 4))  # for rows, which are made of noisy numbers alone
        for number, (cells, recipe) in enumerate(zip(self.cells, self.recipes, strict=True)):
            first = number * _ROUNDS
            self.told(f"{cells.name}: counting columns")
            yield Round((by_value(cells),), partial(_counts, cells, recipe))
            counted = recipe.counted(_numbers(noisy[first]))
            self.told(f"{cells.name}: counting pairs")
            queries = by_pairs(cells, counted.finest, recipe.pairs)
            yield Round(queries, partial(_pairs, cells, counted), narrowed)
            measured = counted.measured(_numbers(noisy[first + 1]))
            given, size = self._given(number, counted, noisy)
            self.told(f"{cells.name}: drawing rows")
            with uncounted():
                rows, method = measured.draw(size, chance, given)
            yield Round((), partial(_rows, cells, rows, method))
            self.told(f"{cells.name}: certifying")
            queries = by_pairs(cells, counted.shown, recipe.pairs)
            yield Round(queries, partial(_distances, cells, counted, rows), narrowed)

    def released(self, recorded: Sequence[pa.Table], *, free: bool) -> SyntheticRelease:
        """What is made of the recorded tables."""
        found: list[SyntheticTable] = []
        for number, (cells, recipe) in enumerate(zip(self.cells, self.recipes, strict=True)):
            counts, pairs, rows, distances = recorded[number * _ROUNDS : (number + 1) * _ROUNDS]
            counted = recipe.counted(_numbers(counts))
            found.append(
                SyntheticTable(
                    name=cells.name,
                    measured=counted.measured(_numbers(pairs)),
                    rows=tuple(column.to_numpy() for column in rows.columns),
                    method=(rows.schema.metadata or {}).get(_METHOD, b"").decode(),
                    distances=_numbers(distances),
                    parent=cells.parent,
                    children=cells.children,
                )
            )
        unit = self.policy.tables[self.cells[0].name].unit
        loss = self.first + self.loss
        return SyntheticRelease(tuple(found), loss, free, self.confidence, self.notes, unit, self._resolve)

    def _resolve(self, table: str, condition: str) -> tuple[tuple[int, ...], NDArray[np.bool_]]:
        """Which of a table's own columns a condition is about, and which of their values satisfy it."""
        return satisfying(self.policy, next(one for one in self.cells if one.name == table), condition)

    def _given(
        self, number: int, counted: CountedTable, noisy: Sequence[pa.Table]
    ) -> tuple[dict[int, IntArray] | None, int]:
        """The columns of children that are those of their parents, and how many rows there are to be."""
        cells = self.cells[number]
        if cells.parent is None:
            wanted = self.wanted.rows if number == 0 else None
            return None, min(MOST_ROWS, wanted or max(1, round(counted.rows)))
        parents = [column.to_numpy() for column in noisy[2].columns]
        own = self.cells[0].children.index(cells.name) - len(self.cells[0].children)
        return siblings(parents, own, MOST_ROWS)


def plan_synthesis(
    policy: Policy, wanted: Synthesis, spend: Spend, selected: Selected, first: Sequence[Loss] = ()
) -> SynthesisPlan:
    """The plan for this spend, in rho; half of it for parents, the rest for their children."""
    cells = table_cells(policy, wanted, selected)
    ChargeLimits.of(policy).check_size(sum(column.size for one in cells for column in one.columns))
    rho = spend.rho or Fraction(0)
    said = dict(wanted.constraints)
    recipes = tuple(
        Recipe(
            one.columns,
            rho / len(cells),
            one.reach,
            policy.neighbours,
            one.given,
            constraints(policy, one, said.get(one.name, ())),
        )
        for one in cells
    )
    return SynthesisPlan(wanted, policy, cells, recipes, _notes(cells), spend.confidence, together(first))


def in_rho(spend: Spend, unlisted: Sequence[str] = ()) -> Spend:
    """What may be spent, as rho; and as delta, which pays for values that the policy does not list.

    From epsilon and delta: the largest rho that is (epsilon, delta)-private, by Gaussian DP or by zCDP. Half of the
    delta is kept for values, if there are any to be selected.
    """
    if spend.accuracy is not None or spend.weights or (spend.epsilon is not None and spend.delta is None):
        hint = "Give rho, or epsilon and delta."
        raise Refused("bad-spend", "Synthetic tables are paid for in rho, or in epsilon and delta.", hint)
    if unlisted and spend.delta is None:
        hint = "Give a delta, too, such as 1e-8; or list the values in the policy; or leave the column out."
        raise Refused("private-keys", f"The policy does not list the values of {', '.join(unlisted)}.", hint)
    if spend.epsilon is None or spend.delta is None:
        return spend
    delta = spend.delta / 2 if unlisted else spend.delta
    epsilon = spend.epsilon * (1 - _WAY_BACK)
    rho = max(budget_for_mu_squared(epsilon, delta) / 2, budget_for_rho(epsilon, delta)) * (1 - _WAY_BACK)
    if rho <= 0:
        raise Refused("bad-spend", "So small an epsilon needs noise beyond all bounds.", "Spend more.")
    return replace(spend, epsilon=None, rho=rho, delta=delta if unlisted else None)


def unlisted_values(policy: Policy, wanted: Synthesis, spend: Spend) -> tuple[dict[tuple[str, str], str], Spend, Spend]:
    """A question for each text column whose values only the data knows, what each may spend, and what is left."""
    spend.check_contribution("a synthetic table")
    unlisted = dict.fromkeys(place for one in table_cells(policy, wanted, {}) for place in one.unlisted)
    least = _FOR_VALUES / len(unlisted) if unlisted else Fraction(1)
    paid = ChargeLimits.of(policy).admit(in_rho(spend, [".".join(place) for place in unlisted]), least)
    if not unlisted:
        return {}, paid, paid
    rho, delta = paid.rho or Fraction(0), paid.delta or Fraction(0)
    each = replace(paid, rho=rho * _FOR_VALUES / len(unlisted), delta=delta / len(unlisted))
    rest = replace(paid, rho=rho * (1 - _FOR_VALUES), delta=None)
    return {(table, column): values_question(table, column) for table, column in unlisted}, each, rest


def _notes(cells: Sequence[TableCells]) -> tuple[str, ...]:
    """What the tables leave out besides noise."""
    found = []
    for one in cells:
        source = one.bound.source
        if source.unit is not None and source.contribution > 1:
            found.append(f"{one.name}: people with more than {source.contribution} rows count as {source.contribution}")
        if one.unlisted:
            columns = ", ".join(column for _, column in one.unlisted)
            said = f"values of {columns} are found first, for a tenth of the price; rare ones are shown as (other)"
            found.append(f"{one.name}: {said}")
    if any(one.parent for one in cells):
        found.append("rows of one parent are drawn independently of each other, given their parent")
    return tuple(found)


def _counts(cells: TableCells, recipe: Recipe, exact: Sequence[pa.Table]) -> pa.Table:
    """The first round's noise."""
    return _kept(recipe.one_way.measure(exact_values(cells, exact[0])))


def _pairs(cells: TableCells, counted: CountedTable, exact: Sequence[pa.Table]) -> pa.Table:
    """The second's: of all scores, and then of the tables that these choose."""
    pairs = counted.pairs
    return _kept(pairs.measure(exact_pairs(cells, counted.finest, pairs.all, exact)))


def _rows(cells: TableCells, rows: Sequence[IntArray], method: str, exact: Sequence[pa.Table]) -> pa.Table:
    """The third's has none: rows are made of noisy numbers. As places, in as few bytes as they need."""
    del exact
    columns = [pa.array(narrow(row, column.size)) for row, column in zip(rows, cells.columns, strict=True)]
    table = pa.table(columns, names=[str(place) for place in range(len(columns))])
    return table.replace_schema_metadata({_METHOD: method.encode()})


def _distances(
    cells: TableCells, counted: CountedTable, rows: Sequence[IntArray], exact: Sequence[pa.Table]
) -> pa.Table:
    """The last round's: of the distances between the rows that were drawn and those that there are."""
    shown, certificate = counted.shown, counted.certificate
    found = exact_pairs(cells, shown, certificate.pairs, exact)
    table = [narrow(own, own.size)[row] for own, row in zip(shown, rows, strict=True)]
    return _kept(certificate.measure(found, table))


def _kept(noisy: IntArray) -> pa.Table:
    return pa.table({_NOISY: noisy})


def _numbers(table: pa.Table) -> IntArray:
    return np.asarray(table[_NOISY].to_numpy())
