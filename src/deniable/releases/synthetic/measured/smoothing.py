"""What the counts of a column most likely are, behind their noise: values of one column speak for each other.

With little to spend, the noise of a count is as large as most counts. But counts are not just any numbers: many are
alike, many are nothing, a few are large, and of an ordered column neighbours are mostly alike. All that is learned from
the noisy counts themselves, so it costs nothing; and where counts rise far above the noise it changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

_Floats = NDArray[np.float64]

_ENOUGH = 16
"""From so many values on something is learned from them; fewer stay as they were measured."""
_MOST = 1 << 14
"""Beyond so many they stay as well: each takes as many numbers as there are levels."""
_LEAST, _STEP = 0.02, 1.23
"""Levels that counts may have, beside the mean count: nothing, and from the least one on by steps of this factor."""
_WIDE = 0.1
"""How wide a level is, as a part of it: about half a step. So with little noise a count is what was measured."""
_STEPS = 30
_RARE = 1e-6
"""No level is impossible."""
_JUMPS = (0.3, 0.1, 0.03, 0.01)
"""How often the next value of an ordered column has nothing to do with the last."""
_DRIFTS = (0.05, 0.5)
"""How often it is a level higher or lower, otherwise."""


def smoothed(noisy: _Floats, deviation: float, mean: float, *, ordered: bool) -> _Floats:
    """The mean of each count, given all of them: empirical Bayes.

    Counts are drawn from an unknown law on levels, which is the most likely one (by expectation-maximization). Those of
    an ordered column may also form a chain, which stays, drifts to the next level or jumps; how often, is the likeliest
    of a few choices, one of which is no chain. Then the mean, given all, is exact (by the forward-backward algorithm).

    Reference: Kiefer, Wolfowitz 1956 (the law); Baum, Petrie, Soules, Weiss 1970 (the chain).

    Example:
        >>> noise = np.random.default_rng(1).normal(0, 50, 200)
        >>> found = smoothed(100 + noise, 50.0, 100.0, ordered=True)
        >>> bool(np.abs(found - 100).mean() < 10 < np.abs(noise).mean())
        True
    """
    if not _ENOUGH <= noisy.size <= _MOST:
        return noisy
    steps = np.arange(1 + np.ceil(np.log(noisy.size / _LEAST) / np.log(_STEP)))
    means = mean * np.append(0.0, _LEAST * _STEP**steps)
    own, noise = (_WIDE * means) ** 2, deviation**2
    logs = -0.5 * ((noisy[:, None] - means) ** 2 / (own + noise) + np.log1p(own / noise))
    odds = np.exp(logs - logs.max(axis=1, keepdims=True))
    law = _law(odds)
    chance = _chained(odds, law) if ordered else odds * law
    chance /= chance.sum(axis=1, keepdims=True)
    likely = means + own / (own + noise) * (noisy[:, None] - means)
    return np.asarray((chance * likely).sum(axis=1), dtype=np.float64)


def _law(odds: _Floats) -> _Floats:
    """How common each level is."""
    law = np.full(odds.shape[1], 1 / odds.shape[1])
    for _ in range(_STEPS):
        law = law * (odds.T @ (1 / (odds @ law))) / len(odds)
    law = np.maximum(law, _RARE)
    return np.asarray(law / law.sum(), dtype=np.float64)


def _chained(odds: _Floats, law: _Floats) -> _Floats:
    """How likely each level is for each value, given all values: by the likeliest chain, or by none."""
    chains = [MarkovChain(jump, drift, odds, law) for jump, drift in product(_JUMPS, _DRIFTS)]
    best = max(chains, key=lambda chain: chain.likelihood)
    alone = float(np.log(odds @ law).sum())
    return odds * law if alone + 1 > best.likelihood else best.levels()  # a chain has two numbers more to choose


@dataclass
class MarkovChain:
    """A chain of levels, as far as the values before each say; then, as all of them do."""

    jump: float
    drift: float
    odds: _Floats
    law: _Floats

    def __post_init__(self) -> None:
        """Forwards."""
        levels = np.arange(self.law.size)
        near = np.where(levels == levels[:, None], 1 - self.drift, 0.0)
        near[np.abs(levels - levels[:, None]) == 1] = self.drift / 2
        self._near = near / near.sum(axis=1, keepdims=True)
        self._before, self._scale = np.empty_like(self.odds), np.empty(len(self.odds))
        prior = self.law
        for place, odds in enumerate(self.odds):
            here = odds * prior
            self._scale[place] = here.sum()
            self._before[place] = here / self._scale[place]
            prior = (1 - self.jump) * (self._before[place] @ self._near) + self.jump * self.law
        self.likelihood = float(np.log(self._scale).sum())

    def levels(self) -> _Floats:
        """Backwards."""
        found, after = self._before.copy(), np.ones_like(self.law)
        for place in range(len(self.odds) - 2, -1, -1):
            ahead = self.odds[place + 1] * after / self._scale[place + 1]
            after = (1 - self.jump) * (self._near @ ahead) + self.jump * float(self.law @ ahead)
            found[place] *= after
        return found
