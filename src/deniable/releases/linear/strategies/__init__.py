"""What to measure: one strategy per file, and the choice between them."""

from deniable.releases.linear.strategies.best import STRATEGIES, choose

__all__ = ["STRATEGIES", "choose"]
