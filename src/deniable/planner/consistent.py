"""Totals and their parts in one statement, made to agree after the noise: which questions they are, and what changes.

Only where the exact numbers agree: the same rows with the same weights are added up, and every row lies in a group of
every set, by public facts. Anything else is refused. Why the rest is right stands in docs/proofs/consistent.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import frexp

import numpy as np
import pyarrow as pa

from deniable.core.algebra.expression import Call, Column, Expression, Kind, Literal
from deniable.core.errors import Refused
from deniable.planner import work
from deniable.planner.aggregates.statistics import Statistic
from deniable.planner.expressions.evaluate import unrounded
from deniable.planner.expressions.keys import GroupKey, domain
from deniable.planner.intervals.added import AddedNoise
from deniable.planner.intervals.combined import CombinedNoise
from deniable.planner.intervals.forms import Affine, Forms, finite
from deniable.planner.plan import Bound, Noisy, Output, Plan, singly
from deniable.planner.reconcile import Crossing, FloatArray

_MOST_KEYS, _MOST_MEETS = 8, 64
_FINE = 40
"""Of numbers that are not whole, steps are 2^-40 of what the noise is wide, unless doubles are coarser."""
_ROOM = 50
"""A double counts 2^53 steps."""
_HINT = "Ask for totals and their parts in one question, such as GROUP BY ROLLUP (region), or leave out 'consistent'."


@dataclass(frozen=True, slots=True)
class Changed:
    """What an answer rests on after it was reconciled with others."""

    values: Mapping[str, FloatArray]
    """Of the statistics that add up, in the answer's unit, for all groups."""
    noises: Mapping[str, CombinedNoise]
    shown: Mapping[str, FloatArray]
    """Of the columns that add up: what is shown of them, whose sums agree exactly."""


@dataclass(frozen=True)
class Totals:
    """Questions about the same rows, by several sets of keys."""

    plans: tuple[Plan, ...]

    @classmethod
    def of(cls, plans: Sequence[Plan]) -> Totals:
        """These questions, if their exact answers are totals and parts of each other.

        Raises:
            Refused: they are not, or nobody can know.
        """
        found = cls(tuple({plan.bound: plan for plan in plans}.values()))
        with work.counted():
            found._check()
        return found

    @property
    def left(self) -> tuple[str, ...]:
        """The noisy columns that stay as they are: what they count is no sum of parts."""
        bounds = [plan.bound for plan in self.plans]
        others = frozenset[str]().union(*(_others(bound) for bound in bounds))
        names = (output.name for bound in bounds for output in bound.outputs if others & output.rests_on)
        return tuple(dict.fromkeys(names))

    def reconciled(self, tables: Mapping[Bound, pa.Table]) -> dict[Bound, Changed]:
        """What becomes of each question's recorded answer."""
        names = sorted(self._added)
        values, noises = {}, {}
        for name in names:
            each = [self._noises(plan)[name] for plan in self.plans]
            widths = [noise.step * noise.scale for noise in each]
            laid = [
                self._crossing.laid_out(_recorded(tables[plan.bound], name, noise), order)
                for plan, noise, order in zip(self.plans, each, self._orders, strict=True)
            ]
            noises[name] = [
                CombinedNoise.of(
                    each[place].worth,
                    [
                        (noise, factor, times)
                        for noise, pairs in zip(each, self._crossing.factors(place, widths), strict=True)
                        for factor, times in pairs
                    ],
                )
                for place in range(len(self.plans))
            ]
            made = self._crossing.reconciled(laid, widths)
            step = _step(made, min(noise.scale for noise in noises[name]))
            values[name] = [np.rint(table / step) * step for table in made]  # what is nothing is no speck of dust
        shown = self._shown(values, noises)
        return {
            plan.bound: Changed(
                {name: self._crossing.column(values[name][place], self._orders[place]) for name in names},
                {name: noises[name][place] for name in names},
                shown[place],
            )
            for place, plan in enumerate(self.plans)
        }

    def _shown(
        self, values: Mapping[str, list[FloatArray]], noises: Mapping[str, list[CombinedNoise]]
    ) -> list[dict[str, FloatArray]]:
        """Columns that add up, rounded so that their sums do, too."""
        found: list[dict[str, FloatArray]] = [{} for _ in self.plans]
        known: list[tuple[Affine, bool, list[FloatArray]]] = []
        for place, plan in enumerate(self.plans):
            for output in plan.bound.outputs:
                form = _total(output, plan.bound)
                if form is None or not form.multiples.keys() <= values.keys():
                    continue
                whole = output.value.kind is Kind.INTEGER
                tables = next((made for one, kind, made in known if one == form and kind == whole), None)
                if tables is None:
                    tables = self._rounded(form, values, noises, whole=whole)
                    known.append((form, whole, tables))
                found[place][output.name] = self._crossing.column(tables[place], self._orders[place])
        return found

    def _rounded(
        self,
        form: Affine,
        values: Mapping[str, list[FloatArray]],
        noises: Mapping[str, list[CombinedNoise]],
        *,
        whole: bool,
    ) -> list[FloatArray]:
        tables = [
            np.asarray(sum(finite(factor) * values[name][place] for name, factor in form.multiples.items()))
            for place in range(len(self.plans))
        ]
        narrowest = min(
            abs(finite(factor)) * noise.scale for name, factor in form.multiples.items() for noise in noises[name]
        )
        return self._crossing.rounded(tables, 1.0 if whole else _step(tables, narrowest))

    @cached_property
    def _keys(self) -> list[GroupKey]:
        """Of all sets, each once."""
        found: dict[Expression, GroupKey] = {}
        for plan in self.plans:
            for key in plan.bound.keys:
                found.setdefault(key.value, key)
        return list(found.values())

    @cached_property
    def _orders(self) -> list[tuple[int, ...]]:
        """Which keys each question has, in its own order."""
        places = {key.value: place for place, key in enumerate(self._keys)}
        return [tuple(places[key.value] for key in plan.bound.keys) for plan in self.plans]

    @cached_property
    def _crossing(self) -> Crossing:
        sizes = tuple(len(key.domain or ()) for key in self._keys)
        return Crossing(sizes, tuple(frozenset(order) for order in self._orders))

    @property
    def _added(self) -> frozenset[str]:
        """The statistics that add up."""
        return _sums(self.plans[0].bound)

    def _noises(self, plan: Plan) -> dict[str, AddedNoise]:
        return {part.statistic.name: part.noise for part in singly(plan.noise) if isinstance(part, Noisy)}

    def _check(self) -> None:
        first, *others = (plan.bound for plan in self.plans)
        if not others:
            raise Refused("bad-spend", "Nothing here is a total of something else.", _HINT)
        if any(bound.source != first.source or bound.alone for bound in (first, *others)):
            raise Refused(
                "bad-spend", "These answers are not about the same rows, so none is a total of another.", _HINT
            )
        if len({frozenset(order) for order in self._orders}) < len(self.plans):
            raise Refused(
                "bad-spend", "The same groups are asked for twice.", "Ask for all columns of a group at once."
            )
        if any(_sums(bound) != _sums(first) for bound in others):
            reason = "These answers do not count and add up the same, so they cannot be made consistent."
            raise Refused("bad-spend", reason, "Ask for the same counts and sums by each set of keys.")
        if not _sums(first):
            reason = "Different values and people, medians and most common values are no sums of those of parts."
            raise Refused("bad-spend", reason, "Ask for COUNT(*), SUM or AVG, or leave out 'consistent'.")
        for bound in (first, *others):
            _check_groups(bound)
        if 0 in self._crossing.sizes:
            reason = "The conditions leave no value of a key, so there are no groups."
            raise Refused("bad-spend", reason, "Check the conditions, or leave out 'consistent'.")
        if any(key != other for key in self._all for other in self._all if key[0] == other[0]):
            raise Refused("bad-spend", "A key has other values in one set than in another.", _HINT)
        if len(self._keys) > _MOST_KEYS or len(self._crossing.meets) > _MOST_MEETS:
            reason = f"At most {_MOST_KEYS} keys, in few sets, can be made consistent."
            raise Refused("too-complex", reason, "Group by fewer keys, or leave out 'consistent'.")

    @property
    def _all(self) -> set[tuple[Expression, object]]:
        return {(key.value, key.domain) for plan in self.plans for key in plan.bound.keys}


def _check_groups(bound: Bound) -> None:
    """Whether every row is in a group that is shown."""
    if bound.private_keys:
        reason = "Small groups of private keys are not shown, so what is shown does not add up to its total."
        raise Refused("private-keys", reason, "Group by known keys: WHERE key IN (...), or leave out 'consistent'.")
    exact = [output for output in bound.outputs if not _noisy(bound) & output.rests_on]
    if bound.possible or any(not isinstance(output.value, Column | Literal) for output in exact):
        reason = "Columns of a public table follow from each other here, so these groups are no parts of each other."
        raise Refused("bad-spend", reason, "Group by one column of each public table, or leave out 'consistent'.")
    for key in bound.keys:
        if not _covers(key, bound):
            raise _uncovered(key)


def _covers(key: GroupKey, bound: Bound) -> bool:
    """Whether every row has one of the key's values: by its kind, its bounds and the question's conditions.

    Declared values are no such fact: rows with others are in no group, and yet in the total.
    """
    try:
        found = domain(key.value, bound.source.where, {})
    except Refused:
        return False
    return found is not None and set(found) <= set(key.domain or ())


def _uncovered(key: GroupKey) -> Refused:
    there = [value for value in key.domain or () if value is not None]
    shown = ", ".join(f"'{value}'" if isinstance(value, str) else str(value) for value in there[:3])
    name = key.value.name.rpartition(".")[2] if isinstance(key.value, Column) else "key"
    listed = shown + ", ..." * (len(there) > 3)  # noqa: PLR2004 - as many as are shown
    reason = "Rows with values that the policy does not declare are in the total and in no group."
    return Refused("bad-spend", reason, f"Leave them out everywhere: WHERE {name} IN ({listed}).")


def _sums(bound: Bound) -> frozenset[str]:
    """The statistics that add rows up, each with a weight that no key has a say in."""
    return frozenset(base.name for base in bound.statistics if isinstance(base, Statistic) and base.total is not None)


def _noisy(bound: Bound) -> frozenset[str]:
    return frozenset[str]().union(*(base.names for base in bound.statistics))


def _others(bound: Bound) -> frozenset[str]:
    return _noisy(bound) - _sums(bound)


def _total(output: Output, bound: Bound) -> Affine | None:
    """A count or a sum, or what these add up to, without a constant; of whole numbers, before they are rounded."""
    value = output.value
    if isinstance(value, Call) and value.function == "round" and value.kind is Kind.INTEGER:
        value = value.arguments[0]
    found = Forms(dict.fromkeys(_sums(bound), False)).of(unrounded(value))
    plain = isinstance(found, Affine) and found.multiples and not found.constant and not found.slack
    return found if isinstance(found, Affine) and plain else None


def _step(tables: Sequence[FloatArray], narrowest: float) -> float:
    """Of the grid on which numbers are shown, beside noise that is no narrower than this."""
    largest = max(float(np.abs(table).sum()) for table in tables)
    return float(2.0 ** max(frexp(narrowest)[1] - _FINE, frexp(largest)[1] - _ROOM))


def _recorded(table: pa.Table, name: str, noise: AddedNoise) -> FloatArray:
    """The noisy numbers, in the answer's unit."""
    found: FloatArray = table[name].to_numpy().astype(np.float64) * float(noise.worth)
    return found
