"""Statistics of different rows: aggregates whose FILTERs exclude each other share one spend, as groups do.

`COUNT(*) FILTER (WHERE month = 7)` and `COUNT(*) FILTER (WHERE month = 2)` are two groups of one question, only written
side by side. That no row counts in two of them is not concluded and then trusted: the statement computes one number for
each row, the place of the first condition that holds, and a row counts where its number is that of the statistic. What
is concluded here is only that this changes no answer: if no two conditions can hold at once, the first is the only one.
Proof: docs/proofs/parallel.md
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from deniable.core.algebra.expression import Call, Expression, Literal
from deniable.planner.aggregates.statistics import Base, Statistic
from deniable.planner.expressions.functions import call, number
from deniable.planner.expressions.keys import conjuncts
from deniable.planner.work import spend

_MOST = 32
"""Statistics that share a spend: each of them names the conditions of all."""


@dataclass(frozen=True, slots=True)
class Extent:
    """Where a value lies; an end that is None is open. Without ends, it is any value but NULL."""

    low: Fraction | None = None
    high: Fraction | None = None
    above: bool = False
    """Whether the low end itself is left out."""
    below: bool = False
    """Whether the high end itself is left out."""

    def before(self, other: Extent) -> bool:
        """Whether all of it lies below all of the other, compared exactly and compared as doubles."""
        if self.high is None or other.low is None:
            return False
        apart = self.below or other.above
        return self.high <= other.low if apart else float(self.high) < float(other.low)


NULL = "null"
Fact = tuple[Extent, ...] | frozenset[object] | str
"""What a condition says of an expression: it lies in one of these, it is one of these, or it is NULL."""
Facts = Mapping[Expression, Sequence[Fact]]


def parallel(statistics: Sequence[Base]) -> tuple[tuple[Base, ...], tuple[frozenset[str], ...]]:
    """The statistics, those of different rows with a number for each row; and which of them share a spend.

    Each goes to the first family in which it excludes everyone, so that counts and sums of the same rows end up in
    different families.
    """
    families: list[list[tuple[Statistic, Facts]]] = []
    for statistic in statistics:
        if not isinstance(statistic, Statistic) or statistic.total is None or statistic.total.where is None:
            continue
        known = facts(statistic.total.where)
        spend(1 + len(families))
        home = next(
            (one for one in families if len(one) < _MOST and all(exclude(known, other) for _, other in one)), None
        )
        if home is None:
            families.append(home := [])
        home.append((statistic, known))
    shared = [[statistic for statistic, _ in family] for family in families if len(family) > 1]
    numbered = {statistic.name: statistic for family in shared for statistic in _numbered(family)}
    found = tuple(numbered.get(base.name, base) if isinstance(base, Statistic) else base for base in statistics)
    return found, tuple(frozenset(statistic.name for statistic in family) for family in shared)


def _numbered(family: Sequence[Statistic]) -> Iterator[Statistic]:
    """Each over the rows whose number is its own: a row has one number at most, whatever the conditions are."""
    conditions = [statistic.total.where for statistic in family if statistic.total is not None]
    cases = [part for place, where in enumerate(conditions, 1) if where is not None for part in (where, number(place))]
    first = call("case", *cases)
    for place, statistic in enumerate(family, 1):
        if statistic.total is not None:
            yield replace(statistic, total=replace(statistic.total, where=call("equal", first, number(place))))


def exclude(one: Facts, other: Facts) -> bool:
    """Whether no row satisfies both conditions."""
    return any(
        _apart(fact, another)
        for expression in one.keys() & other.keys()
        for fact in one[expression]
        for another in other[expression]
    )


def facts(where: Expression) -> Facts:
    """What a condition says if it holds: of expressions that it compares with constants, and of its parts' truth."""
    found: dict[Expression, list[Fact]] = {}
    for part in conjuncts(where):
        for expression, fact in _said(part):
            found.setdefault(expression, []).append(fact)
    return found


def _said(condition: Expression, *, holds: bool = True) -> Iterator[tuple[Expression, Fact]]:
    if isinstance(condition, Call) and condition.function == "not":
        yield from _said(condition.arguments[0], holds=not holds)
        return
    plain, turned = _turned(condition)
    yield plain, frozenset({holds != turned})
    if not isinstance(condition, Call):
        return
    if condition.function == "is_null":
        yield condition.arguments[0], NULL if holds else (Extent(),)
    elif holds:
        yield from _compared(condition)


def _turned(condition: Expression) -> tuple[Expression, bool]:
    """Comparisons as the one of two opposite ones that is kept, and whether it was the other."""
    match condition:
        case Call(function="unequal", arguments=(one, other)):
            return call("equal", one, other), True
        case Call(function="more", arguments=(one, other)):
            return call("less", other, one), False
        case Call(function="at_least", arguments=(one, other)):
            return call("less", one, other), True
        case Call(function="at_most", arguments=(one, other)):
            return call("less", other, one), True
        case _:
            return condition, False


def _compared(condition: Call) -> Iterator[tuple[Expression, Fact]]:
    """Of a comparison with constants: where the other side lies."""
    value, *constants = condition.arguments
    if isinstance(value, Literal):
        if len(constants) == 1 and condition.function in _MIRRORED and not isinstance(constants[0], Literal):
            yield from _compared(call(_MIRRORED[condition.function], constants[0], value))
        return
    if condition.function not in _ENDS or not all(isinstance(one, Literal) for one in constants):
        return
    texts = frozenset(one.value for one in constants if isinstance(one, Literal) and isinstance(one.value, str | bool))
    ends = [one.range.low for one in constants]
    if len(texts) == len(constants) and condition.function in ("equal", "in"):
        yield value, texts
    elif all(end is not None for end in ends) and not texts:
        yield value, tuple(_interval(condition.function, end) for end in ends if end is not None)


_MIRRORED = {"equal": "equal", "less": "more", "more": "less", "at_most": "at_least", "at_least": "at_most"}
_ENDS = (*_MIRRORED, "in")


def _interval(comparison: str, end: Fraction) -> Extent:
    match comparison:
        case "less" | "at_most":
            return Extent(high=end, below=comparison == "less")
        case "more" | "at_least":
            return Extent(low=end, above=comparison == "more")
        case _:
            return Extent(end, end)


def _apart(one: Fact, other: Fact) -> bool:
    """Whether both cannot be said of one value."""
    if NULL in (one, other):
        return one != other
    if isinstance(one, frozenset) and isinstance(other, frozenset):
        return not one & other
    if isinstance(one, tuple) and isinstance(other, tuple):
        return all(left.before(right) or right.before(left) for left in one for right in other)
    return False
