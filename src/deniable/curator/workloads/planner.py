"""A workload's way to its plan.

    workload -> cells -> values -> task -> strategy -> price;   from find to answer: curator/buy.py

Everything up to the price follows from the policy and the workload alone, and is worked out once for both `explain`
and `release`. Strategies (from task on: plan.py) are loaded with the first workload: questions do without.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from deniable.core.algebra.expression import Kind
from deniable.core.errors import InvalidArgumentError, Refused
from deniable.display import Tabular
from deniable.planner import ChargeLimits, Spend
from deniable.planner.expressions.keys import Value
from deniable.planner.release_cells import ReleaseCells
from deniable.policy import Policy
from deniable.releases.linear.workload import Conditions, Workload

if TYPE_CHECKING:
    from deniable.curator.workloads.purchase import ReleasePlan

_REMEMBERED = 4
"""Plans that are kept; one can be some ten megabytes."""
_FOR_VALUES = Fraction(1, 10)
"""The part of the spend that finds values which the policy does not list."""
_SOME = 20
"""How many values are assumed before they are found."""

Values = tuple[tuple[str, tuple[Value, ...]], ...]
"""Attributes whose values the policy does not list, with those that were selected privately."""


class ReleasePlanner:
    """Plans the releases of one policy, each once: what `explain` has worked out, `release` pays for and runs."""

    plan: Callable[[Workload, Spend, str, Values], ReleasePlan]
    """Of a workload, for a spend, by a strategy, with values that were selected."""

    def __init__(self, policy: Policy) -> None:
        self.limits = ChargeLimits.of(policy)
        self.cells = lru_cache(maxsize=_REMEMBERED)(partial(cells_of, policy))
        self.plan = lru_cache(maxsize=_REMEMBERED)(self._plan)

    def _plan(self, work: Workload, spend: Spend, strategy: str, values: Values) -> ReleasePlan:
        from deniable.curator.workloads.plan import plan_release  # noqa: PLC0415 - see above

        spend.check_contribution("a workload")
        admitted = self.limits.admit(spend)
        plan = plan_release(work, self.cells(work), admitted, strategy, values)
        self.limits.check_size(plan.quote.numbers)
        self.limits.check_accuracy(admitted, plan.loss)
        return plan


def cells_of(policy: Policy, work: Workload) -> ReleaseCells:
    """The cells that a workload is about; conditions name their own columns."""
    try:
        work.check()
    except InvalidArgumentError as error:
        raise Refused(
            "bad-workload", f"{error}.".capitalize(), "Use Workload.ranges, .marginals, .histogram."
        ) from None
    plain = ReleaseCells.of(policy, work.table, work.attributes, work.where)
    columns = [column for condition in _conditions(work) for column in plain.columns(condition)]
    together = tuple(dict.fromkeys([*work.attributes, *columns]))
    return plain if together == work.attributes else ReleaseCells.of(policy, work.table, together, work.where)


def private_values(cells: ReleaseCells, spend: Spend, limits: ChargeLimits) -> tuple[dict[str, str], Spend, Spend]:
    """For each attribute whose values only the data knows, a question that selects them; its spend, and the rest."""
    spend.check_contribution("a workload")
    unknown = {name: key for name, key in zip(cells.attributes, cells.bound.keys, strict=True) if key.domain is None}
    if not unknown:
        return {}, spend, spend
    if spend.delta is None or spend.accuracy is not None:
        raise Refused(
            "private-keys",
            f"The policy does not list the values of {', '.join(unknown)}, and revealing them costs a delta.",
            "Release with epsilon (or rho) and delta, or list them: workload.on(table, \"column IN ('a', 'b')\").",
        )
    share = _FOR_VALUES / len(unknown)
    limits.admit(spend, share)
    each = _part(spend, share, spend.delta / len(unknown))
    rest = _part(spend, 1 - _FOR_VALUES, None)
    return {name: cells.values_question(name) for name in unknown}, each, rest


def assumed(work: Workload, cells: ReleaseCells, questions: Collection[str]) -> Values:
    """In the place of values that are not found yet, for a price: twenty of each attribute's kind.

    Those that conditions name are among them, and their neighbours: of a condition that no value satisfies, the answer
    would be known, and the price would say so.
    """
    keys = dict(zip(cells.attributes, cells.bound.keys, strict=True))
    compared = [cells.compared(condition) for condition in _conditions(work)] if questions else []
    found = {name: frozenset[str | int]().union(*(one.get(name, ()) for one in compared)) for name in questions}
    return tuple((name, _some(named, keys[name].value.kind)) for name, named in found.items())


def _some(named: Collection[str | int], kind: Kind) -> tuple[Value, ...]:
    if kind is Kind.TEXT:
        return tuple(sorted([*named, *(str(place) for place in range(_SOME) if str(place) not in named)][:_SOME]))
    near = [place + aside for place in named if isinstance(place, int) for aside in (0, -1, 1)]
    return tuple(sorted([*dict.fromkeys([*near, *range(_SOME)])][:_SOME]))


def _conditions(work: Workload) -> Iterator[str]:
    for part in work.parts:
        yield from part.conditions if isinstance(part, Conditions) else ()


def selected(answer: Tabular) -> tuple[Value, ...]:
    """The values that such a question lets through; missing ones last."""
    shown = answer.table.column(0).to_pylist()
    return tuple(sorted(value for value in shown if value is not None)) + ((None,) if None in shown else ())


def _part(spend: Spend, share: Fraction, delta: Fraction | None) -> Spend:
    """A share of the spend."""
    epsilon = None if spend.epsilon is None else spend.epsilon * share
    rho = None if spend.rho is None else spend.rho * share
    return replace(spend, epsilon=epsilon, rho=rho, delta=delta)
