"""Plans of questions that were priced lately: of a repeat, planning takes longer than anything else."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

from deniable.planner import Plan, Spend, plan_question
from deniable.policy import Policy

_MOST = 512


class RememberedPlans:
    """A plan follows from the question, the policy and the spend alone, so it may be used again. Refusals are not kept.

    Example:
        >>> from pathlib import Path
        >>> tables = {"t": {"columns": {"age": {"type": "integer", "bounds": [0, 110]}}}}
        >>> data = {"population": {"name": "p"}, "budget": {"epsilon": 3}, "tables": tables}
        >>> plans = RememberedPlans(Policy.from_mapping(data, origin="notebook", folder=Path()))
        >>> spend = Spend.of(epsilon=1)
        >>> plans.plan("SELECT COUNT(*) FROM t", spend) is plans.plan("SELECT COUNT(*) FROM t", spend)
        True
    """

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._lock = Lock()
        self._known: OrderedDict[tuple[str, Spend], Plan] = OrderedDict()

    def plan(self, sql: str, spend: Spend) -> Plan:
        """The plan, made now or earlier."""
        with self._lock:
            if (known := self._known.get((sql, spend))) is not None:
                self._known.move_to_end((sql, spend))
                return known
        made = plan_question(sql, self._policy, spend)
        with self._lock:
            self._known[sql, spend] = made
            while len(self._known) > _MOST:
                self._known.popitem(last=False)
        return made
