"""What is asked: sets of linear queries about one table, put together from histograms, ranges and cross-tabulations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from math import comb

from deniable.core.errors import InvalidArgumentError
from deniable.core.number import Number, positive, whole
from deniable.releases.linear.matrices.factors import Shape

_MOST_PARTS = 20_000


@dataclass(frozen=True, slots=True)
class Product:
    """All combinations of one query about each attribute. Attributes that are not named count as a whole."""

    shapes: tuple[tuple[str, Shape], ...]
    weight: Fraction = Fraction(1)

    @property
    def attributes(self) -> tuple[str, ...]:
        """What it is about."""
        return tuple(name for name, _ in self.shapes)


@dataclass(frozen=True, slots=True)
class Conditions:
    """How many rows satisfy each of these conditions, written as in SQL's WHERE."""

    conditions: tuple[str, ...]
    weight: Fraction = Fraction(1)


Part = Product | Conditions


@dataclass(frozen=True, slots=True)
class Workload:
    """Linear queries about one table: each counts the rows of some cells.

    Attributes are columns with declared values or bounds, or expressions of them (`age // 10`). Workloads are joined
    with `|`, and weighed with `*`: a query of weight 2 should err half as much as one of weight 1.

    Example:
        >>> work = Workload.ranges("age") | 2 * Workload.marginals(["region", "age", "reason"], order=2)
        >>> work
        Workload: ranges of age; 2 x values of region x age; 2 x values of region x reason; 2 x values of age x reason
        >>> work.attributes
        ('age', 'region', 'reason')
    """

    parts: tuple[Part, ...] = ()
    table: str | None = None
    """Which table; None: the only private one of the policy."""
    where: str | None = None
    """Only rows that satisfy this condition are there at all."""

    def __post_init__(self) -> None:
        """Not without end, however it was put together."""
        _bear(len(self.parts))

    @classmethod
    def histogram(cls, *attributes: str) -> Workload:
        """Every combination of values: one attribute is a histogram, several are a cross-tabulation."""
        return cls.product(dict.fromkeys(_names(attributes), Shape.VALUES))

    @classmethod
    def prefixes(cls, *attributes: str) -> Workload:
        """How many rows are at most each value: the cumulative distribution. Of several attributes: all corners."""
        return cls.product(dict.fromkeys(_names(attributes), Shape.PREFIXES))

    @classmethod
    def ranges(cls, *attributes: str) -> Workload:
        """How many rows lie between each two values, both included. Of several attributes: all boxes."""
        return cls.product(dict.fromkeys(_names(attributes), Shape.RANGES))

    @classmethod
    def marginals(cls, attributes: Sequence[str], order: int) -> Workload:
        """Every cross-tabulation of `order` of these attributes."""
        names = _names(attributes)
        many = whole("order", order)
        if many > len(names):
            raise InvalidArgumentError("order", f"must be at most the {len(names)} attributes, not {order}")
        _bear(comb(len(names), many))  # before the first of them is made
        return cls(tuple(_product(dict.fromkeys(chosen, Shape.VALUES)) for chosen in combinations(names, many)))

    @classmethod
    def product(cls, shapes: Mapping[str, Shape | str]) -> Workload:
        """All combinations of what is named for each attribute: 'values', 'prefixes', 'ranges' or 'total'."""
        return cls((_product(shapes),))

    @classmethod
    def conditions(cls, conditions: Iterable[str]) -> Workload:
        """How many rows satisfy each condition, such as "age between 30 and 40 and region = 'north'"."""
        written = (conditions,) if isinstance(conditions, str) else tuple(conditions)
        if not written or not all(isinstance(condition, str) and condition.strip() for condition in written):
            raise InvalidArgumentError("conditions", "must be texts, at least one")
        return cls((Conditions(written),))

    def on(self, table: str, where: str | None = None) -> Workload:
        """The same queries about this table, and only about its rows that satisfy `where`."""
        return replace(self, table=table, where=where)

    @property
    def attributes(self) -> tuple[str, ...]:
        """All attributes that are named, in the order in which they first are; conditions name theirs themselves."""
        named = (name for part in self.parts if isinstance(part, Product) for name in part.attributes)
        return tuple(dict.fromkeys(named))

    def __or__(self, other: Workload) -> Workload:
        """All queries of both."""
        if not isinstance(other, Workload):
            return NotImplemented
        if None not in (self.table, other.table) and (self.table, self.where) != (other.table, other.where):
            raise InvalidArgumentError("workload", "must be about the same rows of one table to be joined")
        named = self if self.table is not None else other
        return Workload(self.parts + other.parts, named.table, named.where)

    def __mul__(self, weight: Number) -> Workload:
        """The same queries, so much more important."""
        factor = positive("weight", weight)
        return replace(self, parts=tuple(replace(part, weight=part.weight * factor) for part in self.parts))

    __rmul__ = __mul__

    def check(self) -> None:
        """There must be something to answer."""
        if not self.parts:
            raise InvalidArgumentError("workload", "must not be empty: join histograms, ranges or marginals with |")

    def __repr__(self) -> str:
        """In words."""
        about = "" if self.table is None else f" of {self.table}" + (f" where {self.where}" if self.where else "")
        return f"Workload{about}: {'; '.join(_words(part) for part in self.parts) or 'empty'}"


def _bear(parts: int) -> None:
    if parts > _MOST_PARTS:
        raise InvalidArgumentError("workload", f"must not have more than {_MOST_PARTS:,} parts")


def _names(attributes: Sequence[str]) -> tuple[str, ...]:
    """Texts, each once."""
    if isinstance(attributes, str):
        raise InvalidArgumentError("attributes", "must be a list of names, not one text")
    names = tuple(attributes)
    if not names or not all(isinstance(name, str) and name.strip() for name in names):
        raise InvalidArgumentError("attributes", "must be names of columns, at least one")
    if len(set(names)) < len(names):
        raise InvalidArgumentError("attributes", "must be named once each")
    return names


def _product(shapes: Mapping[str, Shape | str]) -> Product:
    known = [shape.value for shape in Shape]
    for name, shape in shapes.items():
        if not isinstance(shape, Shape) and shape not in known:
            raise InvalidArgumentError(name, f"must be one of {', '.join(known)}, not {shape!r}")
    _names(tuple(shapes))
    return Product(tuple((name, Shape(shape)) for name, shape in shapes.items()))


def _words(part: Part) -> str:
    times = "" if part.weight == 1 else f"{part.weight} x "
    if isinstance(part, Conditions):
        return f"{times}{len(part.conditions)} conditions"
    by_shape: dict[Shape, list[str]] = {}
    for name, shape in part.shapes:
        by_shape.setdefault(shape, []).append(name)
    return times + " by ".join(f"{shape.value} of {' x '.join(names)}" for shape, names in by_shape.items())
