"""Whether a bound that should hold with some probability held often enough."""

from __future__ import annotations

from scipy.stats import binom


def covers(hits: int, trials: int, confidence: float, rate: float = 1e-6) -> bool:
    """False if so few hits would happen with probability below `rate`, were each trial a hit with `confidence`."""
    return bool(binom.cdf(hits, trials, confidence) >= rate)
