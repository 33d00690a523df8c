"""The private rows of a query, ready for a statement: where they are read from, their keys and their unit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from deniable.core.algebra.expression import Column, Expression, Kind, columns
from deniable.core.algebra.query import (
    WEIGHT,
    DistinctValues,
    ExactQuery,
    Key,
    Source,
    Total,
    Units,
    VectorSums,
)
from deniable.core.algebra.relation import ROW
from deniable.engines.sql.dialect import Dialect, Stored, Weighing
from deniable.engines.sql.relations import Tables, spelled
from deniable.engines.sql.spelling import Speller
from deniable.engines.sql.statements.sums import Adding, finished

_MOST_ROWS = 1 << 42
"""More than any table has, so a contribution above this bounds nothing."""


@dataclass(frozen=True, slots=True)
class Rows:
    """The private rows of a query, and its keys: called k0, k1, ... until the last step gives them their names."""

    source: Source
    named: tuple[Key, ...]
    speller: Speller
    origin: str
    """What they are read from, under the name `r`."""
    steps: Mapping[str, str]
    """What has to be computed first."""
    windowed: bool
    """Whether each row is weighed by a window over its unit's rows, and not by a join: where nothing finds them."""
    part: tuple[int, int] | None = None
    """Which part of all units, of how many parts; None: all of them."""

    @property
    def dialect(self) -> Dialect:
        """What the engine calls things."""
        return self.speller.dialect

    @property
    def unit(self) -> str:
        """Whose a row is."""
        return self.speller.unit(self.source.unit or "")

    @property
    def keys(self) -> list[str]:
        """What the keys are called meanwhile."""
        return [f"k{place}" for place in range(len(self.named))]

    @property
    def values(self) -> list[str]:
        """The keys as expressions."""
        return [self.speller.key(key.value) for key in self.named]

    @property
    def most(self) -> int:
        """The rows of a unit that count."""
        return min(self.source.contribution, _MOST_ROWS)

    def totals(self, totals: Iterable[Total]) -> list[Adding]:
        """Each ready to be added up over these rows."""
        return [Adding(total, self.speller) for total in totals]

    def labelled(self) -> list[str]:
        """The keys as expressions, for a step before the last."""
        return [f"{value} AS {key}" for value, key in zip(self.values, self.keys, strict=True)]

    def labelled_early(self) -> list[str]:
        """The same, not yet in their one form: where that costs something for each row, it comes last."""
        early = (self.speller.early_key(key.value) for key in self.named)
        return [f"{value} AS {key}" for value, key in zip(early, self.keys, strict=True)]

    def answered(self, values: Iterable[str]) -> list[str]:
        """The keys with their own names, for the last step."""
        return [f"{value} AS {self.dialect.quoted(key.name)}" for value, key in zip(values, self.named, strict=True)]

    def chosen(self, *conditions: str, join: str = "") -> str:
        """The rows that satisfy all conditions and whose unit is known."""
        known = [] if self.source.unit is None else [f"{self.unit} IS NOT NULL"]
        if self.part is not None:
            known.append(f"{self.dialect.hashed([self.unit])} % {self.part[1]} = {self.part[0]}")
        return self._satisfying([*known, *conditions], join)

    def beside(self, step: str, *conditions: str) -> str:
        """The rows that satisfy all conditions, each beside its unit's in a step. Nobody's rows match none.

        To say so as a condition once more makes Sail three times as slow.
        """
        return self._satisfying(conditions, f" JOIN {step} ON {step}.unit = {self.unit}")

    def _satisfying(self, conditions: Iterable[str], join: str) -> str:
        where = [] if self.source.where is None else [self.speller.spell(self.source.where)]
        together = " AND ".join([*where, *conditions])
        return f"{self.origin}{join}" + (f" WHERE {together}" if together else "")

    def finished(self, spelled_out: str, name: str) -> str:
        """A sum as a column of the answer."""
        return finished(spelled_out, name, self.dialect)

    def with_steps(self, steps: Mapping[str, str], last: str, kept: str = "") -> str:
        """A SELECT after its steps. Rows that are numbered must be kept: read twice, they could differ."""
        keeping = {*self.steps, kept}
        spelled_out = [
            f"{name} AS {self.dialect.kept if name in keeping else ''}({step})"
            for name, step in (*self.steps.items(), *steps.items())
        ]
        return "WITH " + ",\n".join(spelled_out) + f"\n{last}" if spelled_out else last

    def hashed(self, unit: str, values: Iterable[str]) -> str:
        """By what a unit's groups are put in order: with the unit, so that no group is favoured.

        As text, so that it is the same whatever the file's type. The number of a row is left out: it can change with
        the rows before it, and what a unit keeps must follow from its own rows.
        """
        numbered = (self.source.unit or "").endswith(ROW)
        whose = [] if numbered else [f"CAST({unit} AS {self.dialect.types[Kind.TEXT]})"]
        return self.dialect.hashed([*whose, *values])

    def weight(self, rows: str) -> str:
        """What each of so many rows weighs."""
        return f"LEAST({WEIGHT}, {self.dialect.quotient(str(self.most * WEIGHT), rows)})"


def rows_of(query: ExactQuery, tables: Tables) -> Rows:
    """A declared table is read as it is; other relations come first, with the columns that the query needs."""
    source, relation = query.source, spelled(query.source.table, tables)
    speller, dialect = relation.speller, tables.dialect
    keys = () if isinstance(query, VectorSums) else query.keys
    if isinstance(source.table, str):
        indexed = source.unit is not None and tables.indexed(source.table, source.unit)
        return Rows(
            source, keys, speller, relation.text, {}, windowed=dialect.weighing is Weighing.WINDOW and not indexed
        )
    unit = [] if source.unit is None else [source.unit]
    seen = {column.name: column for column in columns_of(query)}
    needed = {name: f"c{place}" for place, name in enumerate(sorted({*seen, *unit}))}
    read = {name: stored(speller, name, seen.get(name), source.unit) for name in needed}
    values = [f"{read[name].place} AS {short}" for name, short in needed.items()] or ["1"]
    kept = {name: Stored(f"r.{short}", read[name].type) for name, short in needed.items()}
    steps = {"kept_rows": relation.select(source.unit, source.where, values)}
    bare, spelled_over = replace(source, where=None), Speller(kept, dialect)
    return Rows(bare, keys, spelled_over, "kept_rows AS r", steps, windowed=dialect.weighing is Weighing.WINDOW)


def stored(speller: Speller, name: str, column: Column | None, unit: str | None) -> Stored:
    """What is kept of a column: of a text as much as is read of it, since a join can repeat it; the unit as it is."""
    if column is None or column.kind is not Kind.TEXT or name == unit:
        return speller.columns[name]
    return Stored(speller.spell(column), speller.dialect.types[Kind.TEXT])


def columns_of(query: ExactQuery) -> frozenset[Column]:
    """The columns that a query looks at, besides the unit and its source's condition."""
    return frozenset().union(*(columns(expression) for expression in looked_at(query)))


def looked_at(query: ExactQuery) -> list[Expression]:
    """What a query computes of a row, besides the unit and its source's condition."""
    parts: list[Expression | None]
    if isinstance(query, Units):
        parts = [query.filter]
    elif isinstance(query, DistinctValues):
        parts = [query.value, query.filter]
    elif isinstance(query, VectorSums):
        parts = list(query.fields)
    else:
        parts = [part for total in query.totals for part in (total.row, total.where)]
    keys = () if isinstance(query, VectorSums) else query.keys
    return [*(key.value for key in keys), *(part for part in parts if part is not None)]


def select(columns: Iterable[str], source: str, groups: int = 0) -> str:
    """Grouped by the first few columns; by none, there is one row."""
    grouped = f" GROUP BY {', '.join(str(place + 1) for place in range(groups))}" if groups else ""
    return f"SELECT {', '.join(columns)} FROM {source}{grouped}"  # noqa: S608 - our own algebra, all names quoted
