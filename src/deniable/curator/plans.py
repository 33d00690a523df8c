"""Plans of questions that were priced lately: of a repeat, planning takes longer than anything else."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

from deniable.planner import Plan, Spend

_MOST = 512


class RememberedPlans:
    """A plan follows from the question, the policy and the spend alone, so it may be used again. Refusals are not kept.

    Example:
        >>> plans = RememberedPlans(lambda sql, spend: object())
        >>> spend = Spend.of(epsilon=1)
        >>> plans.plan("SELECT COUNT(*) FROM t", spend) is plans.plan("SELECT COUNT(*) FROM t", spend)
        True
    """

    def __init__(self, make: Callable[[str, Spend], Plan]) -> None:
        self._make = make
        self._lock = Lock()
        self._known: OrderedDict[tuple[str, Spend], Plan] = OrderedDict()

    def plan(self, sql: str, spend: Spend) -> Plan:
        """The plan, made now or earlier."""
        with self._lock:
            if (known := self._known.get((sql, spend))) is not None:
                self._known.move_to_end((sql, spend))
                return known
        made = self._make(sql, spend)
        with self._lock:
            self._known[sql, spend] = made
            while len(self._known) > _MOST:
                self._known.popitem(last=False)
        return made
