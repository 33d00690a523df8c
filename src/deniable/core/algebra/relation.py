"""The closed algebra of rows: what a question can range over besides one declared table.

A relation has columns, by name, and one of them can name the unit that a row belongs to. Every relation is made so
that a unit's rows follow from the unit's own rows in the declared private tables, and from public tables: whoever
joins, leaves or changes moves no rows but their own. How much the rows of one unit weigh is bounded later, once, at
the end (see `query.Source`).

- A declared table: its rows. The unit is the column that the policy says.
- LookedUp: the rows of a declared table that does not name the unit, with the unit that another table has for a key.
- Numbered: if the unit is the row, each row names itself, so that it can be followed through a join.
- Projected: row by row.
- Grouped: one row for each unit and value of the keys; never across units, unless all of it is public.
- Stacked: UNION ALL. Equal values of the unit are one unit.
- Joined: private with private only where their units are equal; private with public on anything.
- Among: one column more, which says whether a value is in a set; never one row more.
- Cut: of each unit, no more rows than a public number; before they are joined, so that nobody's rows explode.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from deniable.core.algebra.expression import Column, Expression

UNIT, ROW, THERE = "whose row it is", "which row it is", "whether it is there"
LOW, HIGH = "the least there", "the greatest there"
"""What Projected and Grouped, and what Numbered, call the unit's column, and what Among adds: no policy has such names.
"""


class Measured(Enum):
    """What can be taken of a unit's rows: nothing that depends on their order."""

    COUNT = "count"
    SUM = "sum"
    """Of whole numbers, cut to 2^61; NULL if there are none."""
    LEAST = "least"
    GREATEST = "greatest"
    DISTINCT = "distinct"
    """How many different values."""


@dataclass(frozen=True, slots=True)
class Field:
    """A column that a relation computes."""

    name: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Measure:
    """A column that sums up rows: those that satisfy `where` and whose value is not NULL."""

    name: str
    function: Measured
    value: Expression
    where: Expression | None


@dataclass(frozen=True, slots=True)
class LookedUp:
    """The rows of a declared table, each once for every unit that `through` has for the value of its column.

    Rows for which there is no unit are nobody's, and are left out. The column UNIT is new. If the key is what the
    policy says, a row has one unit at most; if not, a row that several units share counts for each of them.
    """

    table: str
    column: str
    """Whose value is looked up."""
    through: str | LookedUp
    key: str
    """The column of `through` that it is compared with, as both are stored."""
    unit: str
    """The column of `through` that names the unit."""


@dataclass(frozen=True, slots=True)
class Numbered:
    """The rows of a relation whose unit is the row, with the column ROW, which is different for each."""

    table: Relation


@dataclass(frozen=True, slots=True)
class Projected:
    """Rows that satisfy `where` and whose unit is known; their fields, and the unit's column if there is one."""

    table: Relation
    unit: str | None
    where: Expression | None
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class Grouped:
    """One row for each unit and combination of the keys, of rows that satisfy `where` and whose unit is known.

    Without a unit, all of it is public.
    """

    table: Relation
    unit: str | None
    where: Expression | None
    keys: tuple[Field, ...]
    measures: tuple[Measure, ...]


@dataclass(frozen=True, slots=True)
class Stacked:
    """All rows of all parts, which have the same columns of the same kinds."""

    parts: tuple[Projected, ...]


@dataclass(frozen=True, slots=True)
class Beside:
    """What is joined to the parts before it."""

    table: Relation
    units: tuple[str, str] | None
    """The columns that name the unit, among the parts before and here, where both are private: they must be equal."""
    condition: Expression | None
    outer: bool
    """Whether rows of the parts before stay when nothing here belongs to them."""


@dataclass(frozen=True, slots=True)
class Among:
    """A set beside the parts before it: the column THERE is true where the value is in it, and NULL elsewhere.

    The set has each combination of values once, told apart as what they are compared as; so rows stay as many as they
    are.
    """

    table: Relation
    where: Expression | None
    """Which of its rows make up the set."""
    units: tuple[str, str] | None
    """The columns that name the unit, among the parts before and in the table, if it is private: they must be equal."""
    values: tuple[tuple[Expression, Expression], ...]
    """What else is looked for among the parts before, and what each is compared with in the table."""
    extent: Expression | None = None
    """Of what in the table the columns LOW and HIGH are the least and the greatest value, for each combination."""


@dataclass(frozen=True, slots=True)
class Joined:
    """Relations side by side. Column c of part n, counted from 0, is called 'n.c'."""

    first: Relation
    others: tuple[Beside | Among, ...]


@dataclass(frozen=True, slots=True)
class Matches:
    """How many rows of a public relation can belong to one row: the most of those in `where` that agree in all keys."""

    table: Relation
    where: Expression | None
    keys: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Cut:
    """The first `most` rows of each unit, in an order that follows from its own rows: by a hash of `by`, then by these.

    Rows that agree in `by`, which is all that a question looks at, are as good as each other.
    """

    table: Relation
    unit: str
    most: int
    by: tuple[Column, ...]
    unless: tuple[Matches, ...] | None
    """Not needed where none of these has more than one row: then the rows stay as many as they are. None: needed."""
    key: Column | None = None
    """Where rows are found by this: of each unit and value, so many. Rows without a value are found by nothing."""


@dataclass(frozen=True, slots=True)
class Work:
    """What the rows of one unit can become in a join: so many pairs of its own, and for each all that matches."""

    rows: int
    matches: tuple[Matches, ...]
    counting: bool = False
    """Whether this is no unit's, but all that is made of public rows, to count what matches a row: it may be more."""


Relation = str | LookedUp | Numbered | Projected | Grouped | Stacked | Joined | Cut


def tables(relation: Relation) -> tuple[str, ...]:
    """The declared tables that a relation reads, each as often as it is read.

    Example:
        >>> tables(Joined("visits", (Beside("hospitals", None, None, outer=False),)))
        ('visits', 'hospitals')
    """
    match relation:
        case str():
            return (relation,)
        case LookedUp(table=table, through=through):
            return (table, *tables(through))
        case Stacked(parts=parts):
            return tuple(name for part in parts for name in tables(part))
        case Joined(first=first, others=others):
            return (*tables(first), *(name for other in others for name in tables(other.table)))
        case _:
            return tables(relation.table)


def lookups(relation: Relation) -> tuple[LookedUp, ...]:
    """Every table in it whose rows do not name their unit.

    Example:
        >>> [found.table for found in lookups(Numbered(LookedUp("lines", "order", "orders", "id", "customer")))]
        ['lines']
    """
    match relation:
        case str():
            return ()
        case LookedUp(through=through):
            return (relation, *lookups(through))
        case Stacked(parts=parts):
            return tuple(found for part in parts for found in lookups(part))
        case Joined(first=first, others=others):
            return (*lookups(first), *(found for other in others for found in lookups(other.table)))
        case _:
            return lookups(relation.table)


def depth(relation: Relation) -> int:
    """How many relations rest on each other.

    Example:
        >>> depth("visits"), depth(Grouped(Numbered("visits"), None, None, (), ()))
        (0, 2)
    """
    match relation:
        case str():
            return 0
        case LookedUp(through=through):
            return 1 + depth(through)
        case Stacked(parts=parts):
            return 1 + max(map(depth, parts))
        case Joined(first=first, others=others):
            return 1 + max([depth(first), *(depth(other.table) for other in others)])
        case _:
            return 1 + depth(relation.table)
