"""How much one unit's rows can become in a join: bounded by public facts before a question is accepted.

A unit's weight is bounded in the end, whatever it has. What it has on the way must be bounded too: otherwise one person
could make a question fail that is answered without them. So the rows of a unit are cut before they meet others, far
above its contribution; and how many public rows can match one of them is counted in the public tables.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace
from math import prod

from sqlglot import exp

from deniable.core.algebra.expression import Call, Expression, Kind, names, unprefixed
from deniable.core.algebra.relation import Beside, Cut, Grouped, Joined, Matches, Relation, Work
from deniable.core.errors import Refused
from deniable.planner.expressions.functions import call
from deniable.planner.expressions.keys import conjuncts
from deniable.planner.parse import position
from deniable.planner.relations.rows import Origin, Side, both

MOST_PAIRS = 100_000
"""Of one unit's own rows, in one join."""
PER_KEY = 4
"""How many rows of one unit are found by one value of a declared key, of which there should be one."""


def ties(part: Expression, prefix: str) -> bool:
    """Whether this is an equality of something before and something in the part whose columns have this prefix."""
    if not isinstance(part, Call) or part.function != "equal":
        return False
    inside = [{name.startswith(prefix) for name in names(argument)} for argument in part.arguments]
    return inside in ([{True}, {False}], [{False}, {True}])


def compares(part: Expression, prefix: str) -> bool:
    """Whether a condition is about something before and something in the part whose columns have this prefix."""
    return {name.startswith(prefix) for name in names(part)} == {True, False}


def matching(on: Expression | None, left: Origin, right: Origin, prefix: str) -> tuple[Matches, ...]:
    """The public rows that stand beside each row of a join. The right is as it was before it got the prefix."""
    if left.private and right.private:
        return (*left.matches, *right.matches)
    if left.private:
        return (*left.matches, _matched(on, right, prefix, here=True))
    if right.private:
        return (*right.matches, _matched(on, left, prefix, here=False))
    return (*left.matches, *right.matches, _matched(on, right, prefix, here=True))


def first_alone(left: Origin, right: Origin) -> tuple[Work, ...]:
    """What becomes of public rows before private ones are put beside them: it is counted first."""
    return (Work(1, left.matches),) if right.private and not left.private and left.matches else ()


def counting(left: Origin, right: Origin, matches: tuple[Matches, ...]) -> tuple[Work, ...]:
    """The pairs of two public sides that are made to count what matches a row: to be bounded before they are made."""
    if left.private or right.private or not isinstance(left.table, Joined):
        return ()
    return (Work(1, (Matches(left.table.first, None, ()), *matches), counting=True),)


def _matched(on: Expression | None, public: Origin, prefix: str, *, here: bool) -> Matches:
    """A public side, by what it must agree in with a row of the other; `here`: it has the prefix in the condition."""
    keys: list[Expression] = []
    where = public.where
    for part in conjuncts(on):
        if ties(part, prefix) and isinstance(part, Call):
            keys += [_bare(_alike(side, part), prefix) for side in part.arguments if _is_here(side, prefix) is here]
        elif names(part) and all(name.startswith(prefix) is here for name in names(part)):
            where = both(where, _bare(part, prefix))
    return Matches(public.table, where, tuple(keys))


def _bare(value: Expression, prefix: str) -> Expression:
    return unprefixed(value, prefix) if _is_here(value, prefix) else value


def cut(rows: Origin, node: exp.Expression) -> Origin:
    """A join whose private parts have a limited number of rows of each unit, and what can become of these.

    Of a public join, what can become of one row.
    """
    sides = [side for side in rows.sides if not side.found]
    found = [side for side in rows.sides if side.found]
    times = PER_KEY ** len(found)
    limits = _limits(sides, MOST_PAIRS // times, node)
    unless = rows.matches if len(limits) == 1 else None
    table = rows.table
    if not isinstance(table, Joined):
        raise TypeError("only joins are cut")
    for side, most in zip(sides, limits, strict=True):
        if unless != ():
            table = _with(table, side, most, unless)
    for side in found:
        table = _with(table, side, PER_KEY, None)
    work = Work(prod(limits) * times, rows.matches)
    return replace(rows, table=table, most=work.rows, works=(*rows.works, work))


def _limits(sides: list[Side], pairs: int, node: exp.Expression) -> list[int]:
    """For each side as many rows as it may have; fewer, in proportion to the contributions, if they are many pairs."""
    least = [min(side.most, side.contribution) for side in sides]
    if prod(least) > pairs:
        reason = f"One person within the contribution could have more than {pairs:,} rows in this join."
        hint = "Join fewer private tables, or group them by the person first; or have most_rows declared."
        raise Refused("too-many-rows", reason, hint, position(node))

    def limits(times: int) -> list[int]:
        return [min(side.most, fewest * times) for side, fewest in zip(sides, least, strict=True)]

    return limits(bisect_right(range(1, pairs + 1), pairs, key=lambda times: prod(limits(times))))


def _with(table: Joined, side: Side, most: int, unless: tuple[Matches, ...] | None) -> Joined:
    """The join with one of its parts cut; anew, if it was cut before something else was joined."""

    def limited(part: Relation) -> Relation:
        whole = part.table if isinstance(part, Cut) else part
        if side.found and isinstance(whole, Grouped):
            return whole  # by its key: there is one
        return Cut(whole, side.unit, most, side.by, unless, side.key if side.found else None)

    if side.place == 0:
        return replace(table, first=limited(table.first))
    others = list(table.others)
    part = others[side.place - 1]
    if not isinstance(part, Beside):
        raise TypeError("a set has no rows to cut")
    others[side.place - 1] = replace(part, table=limited(part.table))
    return replace(table, others=tuple(others))


def _is_here(side: Expression, prefix: str) -> bool:
    return all(name.startswith(prefix) for name in names(side))


def _alike(side: Expression, equality: Call) -> Expression:
    """What is compared, as what it is compared as."""
    mixed = {argument.kind for argument in equality.arguments} == {Kind.INTEGER, Kind.NUMBER}
    return call("to_number", side) if mixed and side.kind is Kind.INTEGER else side
