"""One answer, computed from noisy counts, with its interval."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class QueryEstimate:
    """One answer."""

    count: float
    low: float
    high: float
    deviation: float
    """The standard deviation of the noise in it."""
