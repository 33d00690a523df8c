"""Which sets of outcomes tell two neighbours apart, and which of them tells most."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deniable.audit.bounds import FloatArray
from deniable.audit.views import IntArray, Outcomes, View, views


@dataclass(frozen=True, slots=True)
class Suspicion:
    """A set of outcomes, and on which of two inputs it is believed to be likelier."""

    view: View
    cells: IntArray
    likelier: int
    """0 for the first input, 1 for the second."""

    def holds(self, outcomes: Outcomes) -> NDArray[np.bool_]:
        """Whether each outcome lies in the set."""
        return np.isin(self.view.cells(outcomes), self.cells)

    def __str__(self) -> str:
        """The set in words."""
        return self.view.words(self.cells)


Proof = Callable[[FloatArray, FloatArray], FloatArray]
"""(hits on the one input, hits on the other) -> the epsilon that these prove."""


def strongest(outcomes: Outcomes, trials: int, prove: Proof) -> Suspicion:
    """The set and direction that would prove the largest epsilon, if `trials` new outcomes looked like these.

    One half of the outcomes, which have a row per input, says in which order cells are worth a look; the other says
    how far to go. An order that only fits the noise of its own half shows nothing on the other.
    """
    half = outcomes.shape[1] // 2
    ordered_on, scored_on = outcomes[:, :half], outcomes[:, half:]
    candidates = [
        _best_along(view, order, scored_on, trials, prove)
        for view in views(ordered_on)
        for order in _orders(view, ordered_on)
    ]
    _, suspicion = max(candidates, key=lambda candidate: round(candidate[0], 2))  # a tie goes to the simpler view
    return suspicion


def _orders(view: View, outcomes: Outcomes) -> Iterator[IntArray]:
    """Orders of the cells whose beginnings and ends are worth a look.

    Along a line: its tails. By estimated likelihood ratio: the sets that the best tests between two laws use
    (Neyman, Pearson 1933), with half a count added to each cell so that the ratio always exists.
    """
    if len(view.lines) == 1:
        yield np.arange(view.lines[0].size)
    first, second = view.counts(outcomes) + 0.5
    yield np.argsort(second / first, kind="stable")


def _best_along(view: View, order: IntArray, outcomes: Outcomes, trials: int, prove: Proof) -> tuple[float, Suspicion]:
    """The beginning, end or single cell of this order that promises the largest epsilon."""
    places = np.arange(order.size)
    starts = np.concatenate([np.zeros_like(places), places, places])
    stops = np.concatenate([places + 1, np.full_like(places, order.size), places + 1])
    seen = np.cumsum(np.insert(view.counts(outcomes)[:, order], 0, 0, axis=1), axis=1)
    hits = (seen[:, stops] - seen[:, starts]) * (trials / outcomes.shape[1])
    promised = np.stack([prove(hits[side], hits[1 - side]) for side in (0, 1)])
    likelier, best = np.unravel_index(np.argmax(promised), promised.shape)
    return promised[likelier, best], Suspicion(view, order[starts[best] : stops[best]], int(likelier))
