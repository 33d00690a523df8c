"""The tables behind FROM and how they are put side by side, in an order in which equalities tie them together.

Comma, CROSS and inner joins can be taken in any order, and a condition in WHERE that compares two of their tables can
as well stand behind ON. So such tables are joined along these equalities, wherever they are written. An outer join, or
USING, is taken where it stands.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

from sqlglot import exp

from deniable.core.algebra.relation import Joined
from deniable.core.errors import Refused
from deniable.planner.parse import position
from deniable.planner.relations.clauses import parts_of
from deniable.planner.relations.joins.explosions import cut
from deniable.planner.relations.joins.join import JoinLink, along, belonging, beside, equated, opened, satisfied
from deniable.planner.relations.joins.outer import outer
from deniable.planner.relations.rows import MERGED, Origin
from deniable.planner.relations.scopes import RowScope, condition

_KNOWN = frozenset({"this", "side", "kind", "method", "on", "using"})


@dataclass(frozen=True, slots=True)
class Item:
    """One table behind FROM, and how it is joined to those before it."""

    origin: Origin
    node: exp.Expression
    side: str = ""
    """LEFT, RIGHT or FULL, where rows can stay alone."""
    on: tuple[exp.Expression, ...] = ()
    using: tuple[exp.Identifier, ...] = ()
    natural: bool = False

    @classmethod
    def of(cls, origin: Origin, node: exp.Expression, join: exp.Join | None) -> Self:
        """A table that stands first, or behind this join."""
        if join is None:
            return cls(origin, node)
        side, kind, method = (str(join.args.get(name) or "") for name in ("side", "kind", "method"))
        extra = [name for name, value in join.args.items() if value and name not in _KNOWN]
        if extra or method not in ("", "NATURAL") or kind not in ("", "INNER", "OUTER", "CROSS"):
            words = " ".join(part for part in (method, side, kind, "JOIN") if part)
            hint = "Use JOIN, LEFT JOIN, RIGHT JOIN or FULL JOIN."
            raise Refused("unsupported-clause", f"{words} is not answered.", hint, position(join))
        using = tuple(join.args.get("using") or ())
        on = tuple(parts_of(join.args.get("on")))
        if side and not (on or using or method):
            reason = "Every row beside every other is not answered."
            raise Refused("unit-join", reason, "Say ON what they belong together.", position(join))
        return cls(origin, join, side, on, using, natural=bool(method))

    @property
    def plain(self) -> bool:
        """Whether it can be joined in any order."""
        return not (self.side or self.using or self.natural)


def is_comma(join: exp.Join) -> bool:
    """Whether this is a comma, or a JOIN that says nothing else."""
    return not any(value for name, value in join.args.items() if name != "this")


def is_plain(join: exp.Join) -> bool:
    """Whether it can be joined in any order."""
    return not any(join.args.get(name) for name in ("side", "method", "using"))


def closed(items: list[Item]) -> list[Item]:
    """What stands between two commas: as one, where that matters."""
    if len(items) == 1 or all(item.plain or item.side == "LEFT" for item in items):
        return items
    return [replace(items[0], origin=joined(items, [])[0])]


def joined(items: Sequence[Item], where: Sequence[exp.Expression]) -> tuple[Origin, list[exp.Expression]]:
    """All tables side by side; and what is left of WHERE, whose equalities tie them together."""
    first, *others = items
    if not others:
        return first.origin, list(where)
    whole = not any(item.side in ("RIGHT", "FULL") for item in others)
    waiting = _Waiting(tuple(item.origin for item in items), list(where) if whole else [])
    rows = opened(first.origin.numbered())
    plain: list[int] = []
    for place, item in enumerate(others, start=1):
        waiting.on += [(node, place) for node in item.on if item.plain]
        if item.plain:
            plain.append(place)
            continue
        rows = _placed(rows, items, plain, waiting)
        plain = []
        rows = opened(outer(rows, item.origin.numbered(), _linked(rows, item), item.side, item.node))
        waiting.there.add(place)
    rows = _placed(rows, items, plain, waiting)
    for node, _ in waiting.on:
        rows = rows.only(condition(node, RowScope(rows)))
    aliases = [MERGED, *(alias for item in items for alias in item.origin.names if alias != MERGED)]
    ordered = {alias: rows.names[alias] for alias in aliases if alias in rows.names}
    return cut(replace(rows, names=ordered), others[-1].node), waiting.where if whole else list(where)


def _placed(rows: Origin, items: Sequence[Item], places: Iterable[int], waiting: _Waiting) -> Origin:
    """Tables that can be joined in any order: the next is the first that something ties to those before."""
    left = list(places)
    while left:
        place = next((place for place in left if _ties(rows, items[place], place, waiting)), left[0])
        left.remove(place)
        nodes = [*waiting.required(place), *waiting.ties(place)]
        rows = beside(rows, items[place].origin.numbered(), satisfied(nodes), outer=False, node=items[place].node)
        waiting.done(nodes, place)
    return rows


def _ties(rows: Origin, item: Item, place: int, waiting: _Waiting) -> bool:
    """Whether an equality ties it to what is there: of private tables, one of the units, or along a declared key."""
    nodes = [node for node in waiting.required(place) if waiting.is_tie(node, place)] + waiting.ties(place)
    if not nodes or not (rows.private and item.origin.private) or not isinstance(rows.table, Joined):
        return bool(nodes)
    right = item.origin.numbered().prefixed(f"{len(rows.table.others) + 1}.")
    return belonging(along(satisfied(nodes)(rows, right)), rows, right)


def _linked(rows: Origin, item: Item) -> JoinLink:
    """The condition of a join that is taken where it stands."""
    if not item.natural:
        return equated(item.using, item.node) if item.using else satisfied(item.on)
    there = {name.lower() for names in rows.names.values() for name in names}
    shared = [name for name in item.origin.columns if name.lower() in there]
    if not shared:
        raise Refused("unit-join", "The tables have no column in common.", "Say ON what belongs together.")
    return equated(tuple(exp.to_identifier(name) for name in shared), item.node)


def _in_every_branch(node: exp.Expression) -> list[exp.Expression]:
    """The equalities that hold whichever side of an OR does: `(a = b AND c) OR (a = b AND d)` means a = b too."""
    branches = [parts_of(branch) for branch in node.flatten() if isinstance(branch, exp.Expression)]
    return [part for part in branches[0] if isinstance(part, exp.EQ) and all(part in branch for branch in branches[1:])]


@dataclass(slots=True)
class _Waiting:
    """Conditions that wait for their tables, which are known by their places behind FROM."""

    origins: tuple[Origin, ...]
    where: list[exp.Expression]
    """What WHERE puts together with AND; what ties two tables is used up."""
    on: list[tuple[exp.Expression, int]] = field(default_factory=list)
    """What stands behind ON, and of which table; all of it must be used."""
    there: set[int] = field(default_factory=lambda: {0})

    def required(self, place: int) -> list[exp.Expression]:
        """What ON says of this table and those that are there."""
        known = {*self.there, place}
        return [node for node, last in self.on if self._needs(node, last) <= known]

    def ties(self, place: int) -> list[exp.Expression]:
        """The equalities in WHERE that tie this table to those that are there."""
        implied = [found for node in self.where if isinstance(node, exp.Or) for found in _in_every_branch(node)]
        return [node for node in (*self.where, *implied) if self.is_tie(node, place)]

    def is_tie(self, node: exp.Expression, place: int) -> bool:
        """Whether this compares something of the table at this place with something of those that are there."""
        if not isinstance(node, exp.EQ) or node.find(exp.Query) is not None:
            return False
        sides = [self._needs(side, None) for side in (node.this, node.expression)]
        return any(one == {place} and other and other <= self.there for one, other in (sides, sides[::-1]))

    def done(self, nodes: Iterable[exp.Expression], place: int) -> None:
        """The table is there, and these have been used."""
        used = {id(node) for node in nodes}
        self.where = [node for node in self.where if id(node) not in used]
        self.on = [(node, last) for node, last in self.on if id(node) not in used]
        self.there.add(place)

    def _needs(self, node: exp.Expression, last: int | None) -> set[int]:
        """The places of the tables that a condition is about; everything, if it is not clear.

        Behind ON, only tables up to its own can be meant; what is ambiguous there waits until all of them are there.
        """
        needed: set[int] = set()
        for column in node.find_all(exp.Column):
            owners = self._owners(column, len(self.origins) - 1 if last is None else last)
            if len(owners) != 1:
                return set(range(len(self.origins) if last is None else last + 1))
            needed |= owners
        return needed

    def _owners(self, column: exp.Column, last: int) -> set[int]:
        found = set()
        for place, origin in enumerate(self.origins[: last + 1]):
            for alias, names in origin.names.items():
                wanted = not column.table or alias.lower() == column.table.lower()
                if wanted and column.name.lower() in {name.lower() for name in names}:
                    found.add(place)
        return found
