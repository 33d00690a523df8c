"""How one total adds up, in an engine's SQL: plainly, in full weight, or with the weight that a unit's rows have.

Sums of whole numbers have as many digits as they need, so they are exact in any order. At the end they are cut to 2^61,
which moves no two of them apart, and keeps room for the noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from deniable.core.algebra.expression import Kind, Literal
from deniable.core.algebra.query import WEIGHT, Total
from deniable.core.grid import RANGE
from deniable.engines.sql.dialect import Dialect
from deniable.engines.sql.literals import whole
from deniable.engines.sql.spelling import Speller

_PLACES = WEIGHT.bit_length() - 1
_LONG = 1 << 62


def finished(spelled: str, name: str, dialect: Dialect) -> str:
    """A sum as a column of the answer; nothing adds up to zero."""
    cut = f"LEAST(GREATEST(COALESCE({spelled}, 0), {whole(-RANGE, dialect)}), {RANGE})"
    return f"CAST({cut} AS {dialect.types[Kind.INTEGER]}) AS {dialect.quoted(name)}"


@dataclass(frozen=True, slots=True)
class Adding:
    """A total, ready to be put into a statement."""

    total: Total
    speller: Speller

    @property
    def scales(self) -> bool:
        """Whether a unit's rows can be added up first and weighed together, to the same result."""
        return self.total.shift == 0 or self._constant is not None

    @property
    def reads(self) -> bool:
        """Whether it looks at a row at all, or only counts it."""
        return self._constant is None or self.total.where is not None

    def plain(self) -> str:
        """The sum of rows that are not weighed. Constants are counted, which is faster."""
        if self._constant is None:
            return self._summed(self._row, self.total.reach)
        return self._counted(self._constant)

    def full(self) -> str:
        """The sum of rows that all have full weight."""
        if self._constant is None:
            places = _PLACES - self.total.shift
            return f"{self.plain()} * {1 << places}" if places >= 0 else self._summed(self._full_row, self._most)
        return self._counted(_truncated(self._constant * WEIGHT, self.total.shift))

    def weighed(self, weight: str) -> str:
        """The sum of rows that have this weight."""
        return self._summed(self._weighed_row(weight), self._most)

    def correction(self, weight: str) -> str:
        """What rows with this weight add to their sum in full weight; it draws them back towards zero."""
        return self._summed(f"({self._weighed_row(weight)} - {self._full_row})", self._most)

    def of_unit(self) -> str:
        """A unit's rows together, before they are weighed; for totals that scale."""
        return self._filtered("COUNT(*)") if self._constant is not None else self._summed(self._row, self.total.reach)

    def scaled(self, unit: str, weight: str) -> str:
        """The sum over units of what `of_unit` gave, weighed."""
        if self._constant is None:
            return self._dialect.added(f"{unit} * {weight}")
        count = unit if self.total.reach <= 1 else self._dialect.widened(unit)
        each = whole(self._constant, self._dialect)
        weighed = f"{self._dialect.widened(each) if self._wide else each} * {weight}"
        return self._dialect.added(f"{count} * {self._cut(weighed, self.total.shift)}")

    @property
    def _constant(self) -> int | None:
        """What every row adds, if that is a constant."""
        if not isinstance(self.total.row, Literal):
            return None
        value = self.total.row.value
        if isinstance(value, Fraction) and value.denominator == 1:
            return int(value)
        if value is not None:
            raise ValueError("a row adds a whole number")
        return 0

    @property
    def _row(self) -> str:
        row = self.speller.spell(self.total.row, Kind.INTEGER)
        return self._dialect.widened(row) if self._wide else row

    @property
    def _wide(self) -> bool:
        """Whether a row with its weight may need more than 64 bits."""
        return self.total.reach * WEIGHT >= _LONG

    @property
    def _dialect(self) -> Dialect:
        return self.speller.dialect

    @property
    def _full_row(self) -> str:
        places = _PLACES - self.total.shift
        return f"{self._row} * {1 << places}" if places >= 0 else self._cut(self._row, -places)

    def _weighed_row(self, weight: str) -> str:
        return self._cut(f"{self._row} * {weight}", self.total.shift)

    def _cut(self, product: str, shift: int) -> str:
        """Divided by 2^shift, towards zero; a shift of bits does that to what is not negative, and is faster."""
        if not shift:
            return f"({product})"
        low = self.total.row.range.low
        if low is not None and low >= 0:
            return f"({self._dialect.shifted(f'({product})', shift, wide=self._wide)})"
        return f"({self._dialect.quotient(f'({product})', str(1 << shift), wide=self._wide)})"

    def _counted(self, each: int) -> str:
        count = self._filtered("COUNT(*)")
        if each in (0, 1):  # of a product with zero, Sail does not know the type
            return f"{count} * 0" if each == 0 else count
        return f"{self._dialect.widened(count)} * {whole(each, self._dialect)}"

    @property
    def _most(self) -> int:
        """How far from zero a row with its weight can be: in full, or drawn back towards zero."""
        return max(1, self.total.reach) * WEIGHT >> self.total.shift

    def _summed(self, row: str, within: int) -> str:
        return self._dialect.summed(row, within, self._filter)

    def _filtered(self, aggregate: str) -> str:
        return f"{aggregate}{self._filter}"

    @property
    def _filter(self) -> str:
        where = self.total.where
        return "" if where is None else f" FILTER (WHERE {self.speller.spell(where)})"


def _truncated(product: int, shift: int) -> int:
    return (abs(product) >> shift) * (1 if product >= 0 else -1)
