"""Rows side by side: what may be joined, and what a unit owns afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from sqlglot import exp

from deniable.core.algebra.expression import Call, Column, Expression
from deniable.core.algebra.relation import Beside, Grouped, Joined
from deniable.core.errors import InvalidArgumentError, Refused
from deniable.planner.expressions.functions import call
from deniable.planner.expressions.keys import conjuncts
from deniable.planner.parse import position
from deniable.planner.relations.alone import rejects
from deniable.planner.relations.joins.explosions import compares, counting, first_alone, matching
from deniable.planner.relations.rows import MERGED, MOST_WEIGHT, Names, Origin, Side, both
from deniable.planner.relations.scopes import RowScope, condition
from deniable.planner.relations.stacked import settled


@dataclass(frozen=True, slots=True)
class JoinLink:
    """The condition under which rows of the left and of the right belong together."""

    of: Callable[[Origin, Origin], Expression | None]
    using: tuple[str, ...] = ()
    """The columns that are one on both sides, in lower case."""

    def __call__(self, left: Origin, right: Origin) -> Expression | None:
        """The condition; None: every row of the one belongs to every row of the other."""
        return self.of(left, right)


def satisfied(nodes: Iterable[exp.Expression]) -> JoinLink:
    """Rows belong together ON all of these conditions."""
    wanted = tuple(nodes)

    def link(left: Origin, right: Origin) -> Expression | None:
        scope = RowScope(replace(left, names=_side_by_side(left, right, ()), homes={**left.homes, **right.homes}))
        found: Expression | None = None
        for node in wanted:
            found = both(found, condition(node, scope))
        return found

    return JoinLink(link)


def equated(using: tuple[exp.Identifier, ...], node: exp.Expression) -> JoinLink:
    """Rows belong together USING columns of both sides."""

    def link(left: Origin, right: Origin) -> Expression | None:
        found: Expression | None = None
        for name in using:
            column = exp.column(name.copy())
            sides = [RowScope(side).column(column) for side in (left, right)]
            try:
                found = both(found, call("equal", *sides))
            except InvalidArgumentError:
                place = position(name) or position(node)
                hint = f"Write ON a.{name.name} = CAST(b.{name.name} AS TEXT)."
                raise Refused("type-mismatch", f"{name.name!r} is of two kinds.", hint, place) from None
        return found

    return JoinLink(link, tuple(name.name.lower() for name in using))


def opened(origin: Origin) -> Origin:
    """Ready to have something beside it."""
    if isinstance(origin.table, Joined):
        return origin
    return replace(origin.prefixed("0."), table=Joined(origin.table, ()), sides=origin.side(0))


def beside(left: Origin, other: Origin, link: JoinLink, *, outer: bool, node: exp.Expression) -> Origin:
    """The rows of the left, each with the rows of the other that belong to it.

    What a unit owns then: with public rows, as much as before, however many it matches; with its own rows in another
    private table, one for each pair. How many they are is counted in the end, whatever is known before.
    """
    if not isinstance(left.table, Joined):
        raise TypeError("the left of a join must be opened")
    place = len(left.table.others) + 1
    prefix = f"{place}."
    base = settled(other) if outer else other
    right = base.prefixed(prefix)
    if clash := _aliases(left) & _aliases(right):
        reason = f"Two tables are called {min(clash)!r} here."
        raise Refused("unsupported-form", reason, "Give them different aliases.", position(node))
    shown = right.missing() if outer else _merged(left, right, link)
    alone = left.alone | right.alone
    linked = link(left, right)
    if outer and right.private and not left.private:
        alone, outer, right = alone | _named(shown), False, _maybe(right)
    elif linked is not None and left.alone and rejects(linked, left.alone):
        alone = alone | _named(shown) if outer else frozenset()
    units, on = _apart(linked, left, right, prefix, node)
    part = Beside(right.table, units, on, outer)
    whose, public = (left, right) if left.private else (right, left)
    found = _found(left, right, linked)
    matches = matching(linked, left, base, prefix)
    return Origin(
        table=Joined(left.table.first, (*left.table.others, part)),
        where=left.where if outer else both(left.where, right.where),
        unit=whose.unit,
        private=whose.private,
        person=whose.person,
        single=False,
        contribution=_weight(left, right, found, outer=outer),
        keys=max(whose.keys, public.keys),
        names=_side_by_side(left, shown, link.using),
        values={**left.values, **right.values},
        steps={**left.steps, **right.steps},
        most=left.most,
        matches=matches,
        works=(*left.works, *right.works, *counting(left, right, matches), *first_alone(left, right)),
        sides=_sides(left, base.side(place), found, by_right=found is right),
        homes={**left.homes, **right.homes},
        links={**left.links, **right.links},
        key=_key(left, right, found),
        entries={**left.entries, **right.entries},
        alone=alone,
        usual={**left.usual, **right.usual},
    )


def _named(origin: Origin) -> frozenset[str]:
    return frozenset(value.name for value in origin.columns.values() if isinstance(value, Column))


def _maybe(origin: Origin) -> Origin:
    """With a unit that can be NULL, as its column can be where a row stays alone."""
    return origin if origin.unit is None else replace(origin, unit=replace(origin.unit, nullable=True))


def _aliases(origin: Origin) -> set[str]:
    return {alias.lower() for alias in origin.names if alias != MERGED}


def _side_by_side(left: Origin, right: Origin, using: tuple[str, ...]) -> dict[str, Names]:
    """The names of both; a bare name means the left's column where USING made two one, as rows of the left are there.

    What was one column before is two again, if the other side has a column of that name too.
    """
    sides = [{name.lower(): name for names in side.names.values() for name in names} for side in (left, right)]
    before = {**right.names.get(MERGED, {}), **left.names.get(MERGED, {})}
    merged = {name: value for name, value in before.items() if not all(name.lower() in side for side in sides)}
    merged |= {sides[0][name]: RowScope(left).column(exp.column(sides[0][name])) for name in using}
    others = {alias: names for side in (left, right) for alias, names in side.names.items() if alias != MERGED}
    return {MERGED: merged, **others} if merged else others


def _merged(left: Origin, right: Origin, link: JoinLink) -> Origin:
    """Columns that USING names are equal on both sides, so they are one; and so are units that are joined on."""
    using = {name: RowScope(left).column(exp.column(name)) for name in link.using}
    names = {
        alias: {
            name: using[name.lower()] if name.lower() in using else _whose(value, left, right)
            for name, value in found.items()
        }
        for alias, found in right.names.items()
    }
    return replace(right, names=names)


def _whose(value: Expression, left: Origin, right: Origin) -> Expression:
    return left.unit if left.unit is not None and right.unit is not None and value == right.unit else value


def _found(left: Origin, right: Origin, on: Expression | None) -> Origin | None:
    """The side whose rows are found by the key that the policy declares for them; of each, there is one."""
    if not (left.private and right.private):
        return None
    for part in along(on):
        for one, other in (part.arguments, part.arguments[::-1]):
            if right.is_key(one) and _same(other, one, left, right):
                return right
            if left.is_key(one) and _same(one, other, left, right):
                return left
    return None


def _same(one: Expression, other: Expression, left: Origin, right: Origin) -> bool:
    """Whether both lead to the same unit: something on the left and something on the right."""
    return (one, other) == (left.unit, right.unit) or (left.leads(one) or "") == right.leads(other)


def _weight(left: Origin, right: Origin, found: Origin | None, *, outer: bool) -> int:
    """A unit that keeps to both contributions has at most one row for each pair of its rows.

    Beside rows that are found by their key, no row becomes several. Whatever it has in the end, it weighs no more.
    """
    if found is right:
        return left.contribution
    if found is left:
        return min(MOST_WEIGHT, right.contribution + left.contribution * outer)
    return min(MOST_WEIGHT, left.contribution * right.contribution)


def _key(left: Origin, right: Origin, found: Origin | None) -> str | None:
    """What tells the rows apart, if they are no more than those of one side."""
    if left.private and right.private:
        return right.key if found is left else left.key if found is right else None
    return left.key if left.private else right.key if right.private else None


def _sides(left: Origin, right: tuple[Side, ...], found: Origin | None, *, by_right: bool) -> tuple[Side, ...]:
    """The parts in which a unit can have several rows; those whose key is used are marked."""
    if found is left and left.key is not None:
        place = int(left.key.partition(".")[0])
        return (*(replace(side, found=side.found or side.place == place) for side in left.sides), *right)
    return (*left.sides, *(replace(side, found=by_right) for side in right))


def along(on: Expression | None) -> list[Call]:
    """The equalities of a condition, all of which hold."""
    return [part for part in conjuncts(on) if isinstance(part, Call) and part.function == "equal"]


def belonging(equalities: Iterable[Call], left: Origin, right: Origin) -> bool:
    """Whether equal rows are of one unit, by what the policy declares: the units are equal, or keys that lead to them.

    It does not have to be true: the statement compares the units too.
    """
    if left.unit is None or right.unit is None or left.numbered_rows or right.numbered_rows:
        return False
    pair = (left.unit, right.unit)
    return any(part.arguments in (pair, pair[::-1]) or _by_key(part, left, right) for part in equalities)


def _by_key(part: Call, left: Origin, right: Origin) -> bool:
    one, other = part.arguments
    return any(left.leads(a) is not None and left.leads(a) == right.leads(b) for a, b in ((one, other), (other, one)))


def _apart(
    on: Expression | None, left: Origin, right: Origin, prefix: str, node: exp.Expression
) -> tuple[tuple[str, str] | None, Expression | None]:
    """The equality of units, which is checked on what is stored; and the rest of the condition."""
    if not (left.private and right.private):
        if not any(compares(part, prefix) for part in conjuncts(on)) and not _one_row(left) and not _one_row(right):
            reason = "A join needs a condition on columns of both tables."
            raise Refused("unit-join", reason, "Write ON a.x = b.y.", position(node))
        return None, on
    equalities = along(on)
    if left.unit is None or right.unit is None or not belonging(equalities, left, right):
        reason = "Two private tables can only be joined person by person."
        raise Refused("unit-join", reason, "Compare the columns that name the person.", position(node))
    pair = (left.unit, right.unit)
    rest: Expression | None = None
    for part in conjuncts(on):
        same = isinstance(part, Call) and part.function == "equal" and part.arguments in (pair, pair[::-1])
        rest = rest if same else both(rest, part)
    return (left.unit.name, right.unit.name), rest


def _one_row(origin: Origin) -> bool:
    """Whether this is an aggregate of a public table, which has one row."""
    table = origin.table.first if isinstance(origin.table, Joined) and not origin.table.others else origin.table
    return not origin.private and isinstance(table, Grouped) and not table.keys
