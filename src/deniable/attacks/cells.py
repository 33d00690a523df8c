"""Cells of an anonymized table: what '130**', '<30', '[20,30)', '20-29', '{flu, cancer}' and '*' stand for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from functools import cache
from math import inf

_INTERVAL = re.compile(r"([\[(])\s*([^,;]+?)\s*[,;]\s*([^,;]+?)\s*([\])])")
_BOUND = re.compile(r"(<=|>=|<|>|≤|≥)\s*(.+)")
_RANGE = re.compile(r"(-?\d+(?:\.\d+)?)\s*(?:-|–|to|\.\.)\s*(-?\d+(?:\.\d+)?)")  # noqa: RUF001 - people write dashes
_SET = re.compile(r"\{(.*)\}")


@dataclass(frozen=True, slots=True)
class AnythingCell:
    """A cell that was suppressed."""


@dataclass(frozen=True, slots=True)
class PatternCell:
    """A text in which each star stands for one character."""

    text: str


@dataclass(frozen=True, slots=True)
class IntervalCell:
    """Numbers or dates between two ends."""

    low: float
    high: float
    low_open: bool = False
    high_open: bool = False

    def holds(self, number: float) -> bool:
        """Whether the number lies in it."""
        above = number > self.low if self.low_open else number >= self.low
        return above and (number < self.high if self.high_open else number <= self.high)

    def meets(self, other: IntervalCell) -> bool:
        """Whether some number lies in both."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        return low < high or (low == high and self.holds(low) and other.holds(low))


@dataclass(frozen=True, slots=True)
class ValuesCell:
    """One of these texts; a cell that was left as it is has just one."""

    texts: frozenset[str]


Cell = AnythingCell | PatternCell | IntervalCell | ValuesCell


@cache
def read(text: str) -> Cell:
    """What a cell stands for.

    Example:
        >>> read("130**"), read(" 28.0 ")
        (PatternCell(text='130**'), ValuesCell(texts=frozenset({'28'})))
        >>> read("<30")
        IntervalCell(low=-inf, high=30.0, low_open=False, high_open=True)
    """
    plain = canonical(text)
    if not plain.strip("*"):
        return AnythingCell()
    if found := _SET.fullmatch(plain):
        return ValuesCell(frozenset(canonical(part) for part in found[1].split(",")))
    if "|" in plain:
        return ValuesCell(frozenset(canonical(part) for part in plain.split("|")))
    return _interval(plain) or (PatternCell(plain) if "*" in plain else ValuesCell(frozenset({plain})))


def _interval(plain: str) -> IntervalCell | None:
    """The forms that have ends: [20,30), <30, 20-29."""
    if (found := _INTERVAL.fullmatch(plain)) and (ends := _ends(found[2], found[3])):
        return IntervalCell(*ends, found[1] == "(", found[4] == ")")
    if (found := _BOUND.fullmatch(plain)) and (end := number(found[2])) is not None:
        below, strict = found[1] in ("<", "<=", "≤"), found[1] in ("<", ">")
        return IntervalCell(-inf, end, high_open=strict) if below else IntervalCell(end, inf, low_open=strict)
    if (found := _RANGE.fullmatch(plain)) and (ends := _ends(found[1], found[2])):
        return IntervalCell(*ends)
    return None


@cache
def covers(cell: str, value: str) -> bool:
    """Whether a generalised cell can stand for a plain value.

    Example:
        >>> [covers(cell, "28") for cell in ("2*", "<30", "[20,28)", "20-29", "{27, 28}", "*", "28", "2**")]
        [True, True, False, True, True, True, True, False]
    """
    plain = canonical(value)
    match read(cell):
        case AnythingCell():
            return True
        case ValuesCell(texts):
            return plain in texts
        case PatternCell(text):
            return _fits(text, plain)
        case IntervalCell() as interval:
            return (here := number(plain)) is not None and interval.holds(here)


@cache
def overlap(one: str, other: str) -> bool:
    """Whether some value fits both cells.

    Example:
        >>> overlap("<30", "28-35"), overlap("130**", "1305*"), overlap("3*", "<30"), overlap("130**", "[13012,13020]")
        (True, True, False, True)
    """
    match read(one), read(other):
        case (AnythingCell(), _) | (_, AnythingCell()):
            return True
        case ValuesCell(texts), _:
            return any(covers(other, text) for text in texts)
        case _, ValuesCell(texts):
            return any(covers(one, text) for text in texts)
        case PatternCell(text), PatternCell(second):
            return _fits(text, second)
        case IntervalCell() as interval, IntervalCell() as second:
            return interval.meets(second)
        case (PatternCell(text), IntervalCell() as interval) | (IntervalCell() as interval, PatternCell(text)):
            return _numbers(text).meets(interval) if re.fullmatch(r"\d*\**", text) else False
    raise AssertionError("every pair of cells is covered")


@cache
def plain(cell: str) -> bool:
    """Whether a cell was left as it is."""
    read_cell = read(cell)
    return isinstance(read_cell, ValuesCell) and len(read_cell.texts) == 1


def canonical(text: str) -> str:
    """Without blanks around it; 28.0 is 28."""
    stripped = text.strip()
    return stripped[:-2] if re.fullmatch(r"-?\d+\.0", stripped) else stripped


def number(text: str) -> float | None:
    """A number, or a date as its day."""
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}", text):
        try:
            return float(date.fromisoformat(text).toordinal())
        except ValueError:
            return None
    try:
        return float(text)
    except ValueError:
        return None


def _ends(low: str, high: str) -> tuple[float, float] | None:
    """Both ends, if they are numbers in order: 1990-05 is no interval."""
    first, last = number(low), number(high)
    return (first, last) if first is not None and last is not None and first <= last else None


def _fits(one: str, other: str) -> bool:
    return len(one) == len(other) and all(a in (b, "*") or b == "*" for a, b in zip(one, other, strict=True))


def _numbers(text: str) -> IntervalCell:
    """Digits followed by stars, as the numbers that they can be."""
    return IntervalCell(float(text.replace("*", "0")), float(text.replace("*", "9")))
