"""The best strategy: the one whose expected error is least. Public facts decide, never the data."""

from __future__ import annotations

from importlib.util import find_spec

from deniable.core.errors import InvalidArgumentError, Refused
from deniable.releases.linear.design import Design
from deniable.releases.linear.measurement import Noise
from deniable.releases.linear.strategies.alone import Alone
from deniable.releases.linear.strategies.hierarchical import HierarchicalSums
from deniable.releases.linear.strategies.identity import Identity
from deniable.releases.linear.strategies.marginals import MarginalCounts
from deniable.releases.linear.strategies.matrix import Matrix
from deniable.releases.linear.strategies.mwem import Mwem
from deniable.releases.linear.strategies.residual import Residual
from deniable.releases.linear.strategies.strategy import Strategy
from deniable.releases.linear.task import Task

STRATEGIES: dict[str, Strategy] = {
    strategy.name: strategy
    for strategy in (Alone(), Identity(), HierarchicalSums(), Matrix(), Residual(), MarginalCounts(), Mwem())
}


def choose(name: str, task: Task, noise: Noise) -> Design:
    """The design of the named strategy; of the one with the least expected error, for 'best'."""
    if name in ("best", MarginalCounts.name) or (name == Matrix.name and noise.pure):
        _require_descent()
    if name != "best":
        return _named(name, task, noise)
    able = [strategy for strategy in STRATEGIES.values() if strategy.refusal(task) is None]
    designs = []
    for strategy in able:
        try:
            designs.append(strategy.design(task, noise))
        except InvalidArgumentError:  # numbers too large for this one
            continue
    if not designs:
        raise _beyond(task)
    return min(designs, key=lambda design: design.total)


def _named(name: str, task: Task, noise: Noise) -> Design:
    if name not in STRATEGIES:
        known = ", ".join(["best", *STRATEGIES])
        raise Refused("unknown-strategy", f"There is no strategy {name!r}.", f"There are: {known}.")
    strategy = STRATEGIES[name]
    if (reason := strategy.refusal(task)) is not None:
        raise Refused("strategy", f"{name} does not fit: {reason}.", "Choose best, or coarser attributes.")
    try:
        return strategy.design(task, noise)
    except InvalidArgumentError as error:
        raise Refused("bad-spend", f"{name} does not fit: {error}.", "Spend more, or choose another.") from None


def _require_descent() -> None:
    """Without it, the best would silently be another."""
    if find_spec("scipy") is None:
        hint = "Install it: pip install 'deniable[scipy]'; or choose identity, hierarchical or residual."
        raise Refused("needs-extra", "This strategy is found by SciPy, which is not installed here.", hint)


def _beyond(task: Task) -> Refused:
    return Refused(
        "too-many-cells",
        f"There would be {task.domain.cells:,} cells.",
        "Ask for marginals of fewer attributes, or use coarser ones, such as age // 5.",
    )
