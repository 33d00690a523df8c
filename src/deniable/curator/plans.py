"""Plans of questions that were priced lately: of a repeat, planning takes longer than anything else."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

from deniable.planner import PricedStatements, Spend
from deniable.policy import Policy

_MOST = 512


class RememberedPlans:
    """A plan follows from the question, the spend and the policy, so it may be used again. Refusals are not kept.

    The policy's digest changes with what its public tables hold. A question that reads the clock is planned each time.
    """

    def __init__(self, make: Callable[[str, Policy, Spend], PricedStatements]) -> None:
        self._make = make
        self._lock = Lock()
        self._known: OrderedDict[tuple[str, Spend, str], PricedStatements] = OrderedDict()

    def plan(self, sql: str, spend: Spend, policy: Policy) -> PricedStatements:
        """The plan, made now or earlier."""
        key = sql, spend, policy.digest
        with self._lock:
            if (known := self._known.get(key)) is not None:
                self._known.move_to_end(key)
                return known
        made = self._make(sql, policy, spend)
        if any(asked.clock for asked in made.asked):
            return made
        with self._lock:
            self._known[key] = made
            while len(self._known) > _MOST:
                self._known.popitem(last=False)
        return made
