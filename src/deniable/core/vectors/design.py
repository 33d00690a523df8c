"""How rows become vectors of whole numbers, from public facts alone: what models are trained on.

One unit of a vector is 1 / GRID. A number lies between its bounds, which are one apart; a category is one of its
values, and has a coordinate for each that is 1 or 0; a number in bins is a category whose values are the bins. What is
missing is 0 in every coordinate. The last coordinate, if there is one, is the same for all rows.

No row's squares add up to more than `VectorDesign.square`: a longer row is shrunk, with its target.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from math import ceil, isqrt
from typing import Any

from deniable.core.number import ratio
from deniable.core.sensitivity import Neighbours

GRID = 1 << 12
"""Steps in one."""
_FEWEST = 3
"""Bins: low, middling, high."""


Entry = str | int | bool
"""One of the public values of a category."""


@dataclass(frozen=True, slots=True)
class NumberFeature:
    """A number between public bounds: one coordinate, its distance from a centre between them."""

    name: str
    low: Fraction
    high: Fraction
    centre: Fraction
    """Where 0 is, as a part of the way from low to high."""

    @property
    def names(self) -> tuple[str, ...]:
        """Of its coordinates."""
        return (self.name,)

    @property
    def size(self) -> int:
        """How many coordinates it has."""
        return 1

    @property
    def reach(self) -> int:
        """The farthest that a value lies from the centre."""
        return ceil(max(self.centre, 1 - self.centre) * GRID)

    @property
    def width(self) -> Fraction:
        """Between its bounds, in the value's own unit."""
        return self.high - self.low

    @property
    def origin(self) -> Fraction:
        """What is 0, in the value's own unit."""
        return self.low + self.centre * self.width


@dataclass(frozen=True, slots=True)
class CategoryFeature:
    """One of some public values: a coordinate for each."""

    name: str
    values: tuple[Entry, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Of its coordinates."""
        return tuple(f"{self.name}={value}" for value in self.values)

    @property
    def size(self) -> int:
        """One for each value."""
        return len(self.values)

    @property
    def reach(self) -> int:
        """One."""
        return GRID


@dataclass(frozen=True, slots=True)
class BinnedFeature:
    """A number between public bounds, as one of so many bins of equal width."""

    name: str
    low: Fraction
    high: Fraction
    bins: int

    @property
    def names(self) -> tuple[str, ...]:
        """Of its coordinates: where each bin begins."""
        width = (self.high - self.low) / self.bins
        return tuple(f"{self.name}>={float(self.low + width * place):g}" for place in range(self.bins))

    @property
    def size(self) -> int:
        """One for each bin."""
        return self.bins

    @property
    def reach(self) -> int:
        """One."""
        return GRID


Feature = NumberFeature | CategoryFeature | BinnedFeature


@dataclass(frozen=True, slots=True)
class Classes:
    """A target that is one of some public values. Rows with another are left out."""

    name: str
    values: tuple[Entry, ...]


Target = NumberFeature | Classes


@dataclass(frozen=True, slots=True)
class Encoding:
    """How columns become coordinates: a public rule, the same for all data.

    Numbers are centred at a third of the way between their bounds, as people leave more room above than below; and a
    typical number, so centred, is taken to have a square of 1/16: rows that are longer are shrunk.
    """

    centre: Fraction = Fraction(1, 3)
    each: Fraction = Fraction(1, 16)
    """What a number adds to the square of the longest row; a category adds 1."""
    constant: Fraction = Fraction(1, 2)
    """The last coordinate; 0: there is none."""
    bins: int | None = None
    """Into how many bins a number is put at most; None: it stays a number."""
    most_bins: int = 1 << 20
    """About how many bins there may be of all numbers together; of each, at least three."""
    classes: bool = False
    """Whether the target is one of some values, and not a number."""

    def bins_of(self, numbers: int) -> int | None:
        """Into how many bins each of so many numbers is put."""
        return None if self.bins is None else max(_FEWEST, min(self.bins, self.most_bins // max(numbers, 1)))

    def square(self, features: Sequence[Feature]) -> int:
        """The most that the squares of a row add up to, without the constant."""
        numbers = sum(isinstance(feature, NumberFeature) for feature in features)
        return (len(features) - numbers) * GRID**2 + int(numbers * self.each * GRID**2)


@dataclass(frozen=True, slots=True)
class VectorDesign:
    """Rows as vectors, and how much of them one unit is. All of it is public.

    Example:
        >>> age = NumberFeature("age", Fraction(0), Fraction(110), Fraction(1, 3))
        >>> design = VectorDesign((age,), None, constant=GRID // 2, square=GRID**2 // 16 + GRID**2 // 4)
        >>> design.names, design.reaches, design.radius
        (('age', 'constant'), (2731, 2048), 2289)
    """

    features: tuple[Feature, ...]
    target: Target | None
    constant: int
    """The last coordinate of every row; 0: there is none."""
    square: int
    """The most that the squares of a row's coordinates add up to."""
    contribution: int = 1
    """The most that one unit weighs, in rows."""
    weighed: bool = False
    """Whether a unit can have several rows, which then weigh less."""
    neighbours: Neighbours = Neighbours.ADD_REMOVE

    @property
    def names(self) -> tuple[str, ...]:
        """Of all coordinates."""
        named = tuple(name for feature in self.features for name in feature.names)
        return (*named, *(("constant",) if self.constant else ()))

    @property
    def size(self) -> int:
        """How many coordinates there are."""
        return sum(feature.size for feature in self.features) + bool(self.constant)

    @property
    def reaches(self) -> tuple[int, ...]:
        """How far each coordinate can be from 0."""
        named = tuple(feature.reach for feature in self.features for _ in range(feature.size))
        return (*named, *((self.constant,) if self.constant else ()))

    @property
    def longest(self) -> int:
        """What the squares of a row can add up to before it is shrunk: a category is in one place at most."""
        return sum(feature.reach**2 for feature in self.features) + self.constant**2

    @property
    def radius(self) -> int:
        """The longest that a row is in the end, rounded down."""
        return isqrt(self.square)

    def to_dict(self) -> dict[str, object]:
        """All of it in values that JSON can say."""
        return {
            "features": [_said(feature) for feature in self.features],
            "target": None if self.target is None else _said(self.target),
            "constant": self.constant,
            "square": self.square,
            "contribution": self.contribution,
            "weighed": self.weighed,
            "neighbours": self.neighbours.value,
        }

    @classmethod
    def from_dict(cls, said: Mapping[str, Any]) -> VectorDesign:
        """What `to_dict` said."""
        return cls(
            tuple(_read(feature) for feature in said["features"]),
            None if said["target"] is None else _read(said["target"]),
            int(said["constant"]),
            int(said["square"]),
            int(said["contribution"]),
            bool(said["weighed"]),
            Neighbours(said["neighbours"]),
        )

    @property
    def classes(self) -> Classes:
        """The target, where it is one of some values."""
        if not isinstance(self.target, Classes):
            raise TypeError("the target is a number")
        return self.target


_KINDS = {"number": NumberFeature, "category": CategoryFeature, "bins": BinnedFeature, "classes": Classes}
_WHOLE = frozenset({"bins"})
_MOST = 1 << 20
"""Bins of one number."""


def _said(part: Feature | Classes) -> dict[str, object]:
    kind = next(name for name, known in _KINDS.items() if isinstance(part, known))
    values = {one.name: getattr(part, one.name) for one in fields(part)}
    return {"kind": kind} | {
        name: str(value) if isinstance(value, Fraction) else list(value) if isinstance(value, tuple) else value
        for name, value in values.items()
    }


def _read(said: Mapping[str, Any]) -> Any:  # noqa: ANN401 - a feature of any kind
    values = {name: value for name, value in said.items() if name not in ("kind", "name", *_WHOLE)}
    read: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else ratio(value) for name, value in values.items()
    }
    whole = {name: int(said[name]) for name in _WHOLE if name in said}
    if not all(0 < one <= _MOST for one in whole.values()) or ("low" in read and read["low"] >= read["high"]):
        raise ValueError("bounds that hold nothing, or bins without end")
    return _KINDS[said["kind"]](name=str(said["name"]), **read, **whole)
