"""The closed algebra of exact questions: what an engine may be asked.

Every statistic is a sum, over rows, of whole numbers. A unit's rows weigh at most `contribution` rows together.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from deniable.core.algebra.expression import Expression
from deniable.core.algebra.relation import Relation, Work

if TYPE_CHECKING:  # kernels speak of weights
    from deniable.core.vectors.kernel import Kernel

WEIGHT = 1 << 20
"""What a row weighs that is not scaled down."""


@dataclass(frozen=True, slots=True)
class Source:
    """Private rows: those of a relation, mostly a declared table, that satisfy `where` and whose unit is known."""

    table: Relation
    unit: str | None
    """The column that names the unit; None: each row is a unit of its own, and rows are not weighed."""
    contribution: int
    """The most one unit may weigh, in rows. Its rows weigh min(WEIGHT, contribution * WEIGHT // rows) each."""
    where: Expression | None
    work: tuple[Work, ...] = ()
    """What one unit's rows can become on the way, for each join; too much is refused before anything is charged."""


@dataclass(frozen=True, slots=True)
class Key:
    """A column of the answer that rows are grouped by."""

    name: str
    value: Expression
    known: tuple[object, ...] | None = field(default=None, compare=False, repr=False)
    """The values that are looked at, or None: all are. An engine may put texts that are not among them together, as
    one that no row has; it need not, so this makes no other question of it."""


@dataclass(frozen=True, slots=True)
class Total:
    """The sum over rows of (row * weight) // 2^shift, rounded towards zero; without weights, of row itself.

    `row` is a whole number within plus or minus `reach`, or NULL, which adds nothing; so does a row that fails `where`.
    """

    name: str
    row: Expression
    where: Expression | None
    reach: int
    shift: int


@dataclass(frozen=True, slots=True)
class Sums:
    """Totals per group: one output row per group that exists, with the keys' and the totals' names as columns."""

    source: Source
    keys: tuple[Key, ...]
    totals: tuple[Total, ...]


@dataclass(frozen=True, slots=True)
class Units:
    """How many units each group has, as a weighted count called `name`; only for sources with a unit.

    A unit that is in g groups weighs min(WEIGHT, contribution * WEIGHT // g) in each of them. Rows that fail `filter`
    do not count.
    """

    source: Source
    keys: tuple[Key, ...]
    name: str
    filter: Expression | None


@dataclass(frozen=True, slots=True)
class DistinctValues:
    """How many different values there are in each group, as a count called `name`.

    A unit adds at most `contribution` pairs of group and value: if it has more, the first by a fixed hash of unit, keys
    and value. Rows that fail `filter` do not count, nor do missing values. A row that is a unit of its own has one.
    """

    source: Source
    keys: tuple[Key, ...]
    name: str
    value: Expression
    filter: Expression | None


@dataclass(frozen=True, slots=True)
class DistinctSum(DistinctValues):
    """The sum of the different values in each group, which are whole numbers; a unit adds as many as are counted."""


@dataclass(frozen=True, slots=True)
class Kept:
    """Totals per group, where a unit counts only in the first `most` of its groups, by a fixed hash of unit and keys.

    For keys that are private: the output has one column more, called `units`: how many units each group keeps (rows,
    for sources without a unit). A unit's rows in dropped groups add nothing, and do not weigh.
    """

    source: Source
    keys: tuple[Key, ...]
    totals: tuple[Total, ...]
    most: int
    units: str


MOST_KEYS = 63
"""Of marginal sums: each has a bit of a whole number of 64."""


@dataclass(frozen=True, slots=True)
class MarginalSums:
    """Totals per group, for several sets of keys at once; rows are read once for all of them.

    `sets` holds the places of each set's keys; every key is in one of them, and there are `MOST_KEYS` at most. The
    output has every key's column, NULL where a set leaves it out, and one column more, called `left`: which keys the
    row's set leaves out, as a number whose last bit is the last key.
    """

    source: Source
    keys: tuple[Key, ...]
    totals: tuple[Total, ...]
    sets: tuple[tuple[int, ...], ...]
    left: str


@dataclass(frozen=True, slots=True)
class VectorSums:
    """Rows as vectors of whole numbers, and the sums over them that a kernel adds up where the rows are.

    `fields` are whole numbers within plus or minus 2^31, or NULL: one for each feature of the kernel's design, and one
    for its target if there is one. A unit's rows weigh min(WEIGHT, contribution * WEIGHT // rows) each; where each row
    is a unit of its own, WEIGHT. Nothing but the kernel's numbers leaves the engine.
    """

    source: Source
    fields: tuple[Expression, ...]
    kernel: Kernel


GroupQuery = Sums | Units | DistinctValues | Kept | MarginalSums
"""What is answered by a row for each group."""

ExactQuery = GroupQuery | VectorSums
