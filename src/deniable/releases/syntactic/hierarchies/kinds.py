"""The kinds of hierarchies: each names values from fine to coarse."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from deniable.core.errors import InvalidArgumentError
from deniable.core.number import whole
from deniable.releases.syntactic.hierarchies.values import STAR, date_of, number_of, text_of

Label = str | None
PERIODS = ("month", "quarter", "year", "decade", "century")


class Hierarchy(ABC):
    """Names for values, from fine to coarse."""

    @abstractmethod
    def levels(self, values: Sequence[object]) -> list[list[Label]]:
        """For each level above the values themselves and below '*': the name of each value (none of them NULL)."""

    def at_most(self, level: int) -> Hierarchy:
        """The same, but never coarser than a level; then '*' is for suppressed rows alone."""
        return CappedHierarchy(self, whole("at_most", level, least=0))

    @property
    def most(self) -> int | None:
        """The coarsest level that may be used, if not '*'."""
        return None

    def place(self, value: object) -> float | None:
        """Where a value lies on a line, if the hierarchy is about numbers or days; its order and its span follow."""
        del value
        return None

    @property
    def null(self) -> list[Label] | None:
        """What NULL is called at each level, if the hierarchy says so."""
        return None


@dataclass(frozen=True, slots=True)
class CappedHierarchy(Hierarchy):
    """Another hierarchy without its coarsest levels."""

    inner: Hierarchy
    level: int

    def levels(self, values: Sequence[object]) -> list[list[Label]]:
        """Those of the other."""
        return self.inner.levels(values)

    @property
    def most(self) -> int:
        """The level that was said."""
        return self.level

    def place(self, value: object) -> float | None:
        """That of the other."""
        return self.inner.place(value)

    @property
    def null(self) -> list[Label] | None:
        """That of the other."""
        return self.inner.null

    def __repr__(self) -> str:
        """As it is written."""
        return f"{self.inner!r}.at_most({self.level})"


@dataclass(frozen=True, slots=True)
class FlatHierarchy(Hierarchy):
    """The value, or '*'."""

    def levels(self, values: Sequence[object]) -> list[list[Label]]:
        """Nothing lies between."""
        del values
        return []

    def __repr__(self) -> str:
        """As it is written."""
        return "hierarchy.flat()"


@dataclass(frozen=True, slots=True)
class MaskHierarchy(Hierarchy):
    """Characters replaced by '*', one more at each level, from the right."""

    length: int

    def levels(self, values: Sequence[object]) -> list[list[Label]]:
        """13053, 1305*, 130**, 13***, 1****; whole numbers are written with leading zeros."""
        texts = [self._text(value) for value in values]
        return [[text[:-hidden] + STAR * hidden for text in texts] for hidden in range(1, self.length)]

    def _text(self, value: object) -> str:
        text = text_of(value)
        text = text.zfill(self.length) if isinstance(value, int) and not isinstance(value, bool) else text
        if len(text) != self.length:
            raise InvalidArgumentError("mask", f"({self.length}) does not fit {text!r}: it has {len(text)} characters")
        return text

    def __repr__(self) -> str:
        """As it is written."""
        return f"hierarchy.mask({self.length})"


@dataclass(frozen=True, slots=True)
class IntervalHierarchy(Hierarchy):
    """Intervals of growing width, counted from `origin`; each width is a multiple of the one before."""

    widths: tuple[Fraction, ...]
    origin: Fraction

    def levels(self, values: Sequence[object]) -> list[list[Label]]:
        """The finest interval by division; coarser ones by whole division of its number, so that they nest."""
        finest = [_interval_number(value, self.widths[0], self.origin) for value in values]
        ratios = [int(width / self.widths[0]) for width in self.widths]
        whole_numbers = all(_whole(value) for value in values) and self.origin.denominator == 1
        return [
            [_interval_name(self.origin + (number // ratio) * width, width, whole_numbers) for number in finest]
            for ratio, width in zip(ratios, self.widths, strict=True)
        ]

    def place(self, value: object) -> float:
        """The number."""
        return float(number_of(value))

    def __repr__(self) -> str:
        """As it is written."""
        widths = ", ".join(_shown(width) for width in self.widths)
        return f"hierarchy.interval({widths}{f', origin={_shown(self.origin)}' if self.origin else ''})"


@dataclass(frozen=True, slots=True)
class CutsHierarchy(Hierarchy):
    """Levels that are cut at given numbers; each level's cuts are some of those of the level before."""

    cuts: tuple[tuple[Fraction, ...], ...]

    def levels(self, values: Sequence[object]) -> list[list[Label]]:
        """Below the first cut, between two, from the last one on."""
        numbers = [number_of(value) for value in values]
        whole_numbers = all(_whole(value) for value in values)
        return [[_piece_name(number, level, whole_numbers) for number in numbers] for level in self.cuts]

    def place(self, value: object) -> float:
        """The number."""
        return float(number_of(value))

    def __repr__(self) -> str:
        """As it is written."""
        return f"hierarchy.cuts({', '.join('[' + ', '.join(map(_shown, level)) + ']' for level in self.cuts)})"


@dataclass(frozen=True, slots=True)
class DateHierarchy(Hierarchy):
    """Days, then ever longer periods."""

    periods: tuple[str, ...]

    def levels(self, values: Sequence[object]) -> list[list[Label]]:
        """Each period holds whole periods before it: months make quarters, quarters years."""
        days = [date_of(value) for value in values]
        return [[_period_name(day.year, day.month, period) for day in days] for period in self.periods]

    def place(self, value: object) -> float:
        """The number of the day."""
        return float(date_of(value).toordinal())

    def __repr__(self) -> str:
        """As it is written."""
        return f"hierarchy.date({', '.join(map(repr, self.periods))})"


@dataclass(frozen=True, slots=True)
class TreeHierarchy(Hierarchy):
    """Named places for each value, all of them listed."""

    paths: Mapping[Label, tuple[Label, ...]]
    name: str = "..."

    def levels(self, values: Sequence[object]) -> list[list[Label]]:
        """What is not listed is refused, not guessed."""
        texts = [text_of(value) for value in values]
        missing = sorted({text for text in texts if text not in self.paths})
        if missing:
            few = ", ".join(map(repr, missing[:3])) + (f" and {len(missing) - 3} more" if len(missing) > 3 else "")  # noqa: PLR2004
            raise InvalidArgumentError("tree", f"has no place for {few}; add a line for each")
        return [list(level) for level in zip(*(self.paths[text] for text in texts), strict=True)]

    @property
    def null(self) -> list[Label] | None:
        """A tree may have a line for it, whose value is empty."""
        return list(self.paths[None]) if None in self.paths else None

    def __repr__(self) -> str:
        """As it is written."""
        return f"hierarchy.tree({self.name})"


def _interval_number(value: object, width: Fraction, origin: Fraction) -> int:
    return int((number_of(value) - origin) // width)


def _interval_name(low: Fraction, width: Fraction, whole_numbers: bool) -> str:  # noqa: FBT001 - how it is shown
    high = low + width
    if whole_numbers and low >= 0 and high.denominator == 1:
        return _shown(low) if width == 1 else f"{low}-{high - 1}"
    return f"[{_shown(low)}, {_shown(high)})"


def _piece_name(number: Fraction, level: tuple[Fraction, ...], whole_numbers: bool) -> str:  # noqa: FBT001 - same
    above = sum(number >= cut for cut in level)
    if above == 0:
        return f"<{_shown(level[0])}"
    if above == len(level):
        return f">={_shown(level[-1])}"
    return _interval_name(level[above - 1], level[above] - level[above - 1], whole_numbers)


def _period_name(year: int, month: int, period: str) -> str:
    names = {
        "month": f"{year:04d}-{month:02d}",
        "quarter": f"{year:04d}-Q{(month + 2) // 3}",
        "year": f"{year:04d}",
        "decade": f"{year // 10 * 10:04d}s",
        "century": f"{year // 100 * 100:04d}-{year // 100 * 100 + 99:04d}",
    }
    return names[period]


def _whole(value: object) -> bool:
    return number_of(value).denominator == 1


def _shown(number: Fraction) -> str:
    return str(number.numerator) if number.denominator == 1 else repr(float(number))
