"""The noise on one statistic."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from deniable.mechanisms import Gaussian, Laplace


@dataclass(frozen=True, slots=True)
class AddedNoise:
    """The noise on one statistic, and what a step of its grid is worth in the answer's unit."""

    mechanism: Laplace | Gaussian
    worth: Fraction

    @property
    def step(self) -> float:
        """In the answer's unit."""
        return float(self.worth * self.mechanism.step)

    @property
    def scale(self) -> float:
        """Of Laplace noise, or the standard deviation of Gaussian noise, in steps."""
        return _scale(self.mechanism)

    @property
    def gaussian(self) -> bool:
        """Or Laplace."""
        return isinstance(self.mechanism, Gaussian)

    def radius(self, doubt: Fraction) -> float:
        """What this noise alone exceeds with probability at most `doubt`: by its exact, discrete law."""
        return float(self.mechanism.error(1 - doubt) * self.worth)


@lru_cache(maxsize=1024)
def _scale(mechanism: Laplace | Gaussian) -> float:
    """Worked out once: a square root of a fraction takes long, and intervals ask for it again and again."""
    return float(mechanism.scale) if isinstance(mechanism, Laplace) else mechanism.sigma / float(mechanism.step)
