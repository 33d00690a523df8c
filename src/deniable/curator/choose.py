"""Exact histograms in, cells of quantiles and most common values out: in all groups at once."""

from __future__ import annotations

import numpy as np

from deniable.core.deadline import go_on
from deniable.core.sampling import IntArray
from deniable.mechanisms.ranks import rank_scores
from deniable.planner.choices.around import ends, possible
from deniable.planner.choices.histogram import Mode, Quantile
from deniable.planner.choices.price import Chosen
from deniable.planner.choices.running_counts import Counted

_AT_ONCE = 1 << 22
"""Cells scored at a time: bounds the memory of many groups."""
_OUT = -(1 << 61)
"""The score of a value that has its place already: far below every other."""


def choose(chosen: Chosen | Counted, counts: IntArray) -> dict[str, IntArray]:
    """The chosen cells, by the names under which they are recorded; `counts` has a row for each group."""
    rows = max(1, _AT_ONCE // counts.shape[1])
    pieces = [_piece(chosen, counts[start : start + rows]) for start in range(0, max(1, len(counts)), rows)]
    return {name: np.concatenate([piece[name] for piece in pieces]) for name in pieces[0]}


def _piece(chosen: Chosen | Counted, counts: IntArray) -> dict[str, IntArray]:
    go_on()
    if isinstance(chosen, Counted):
        return _counted(chosen, counts)
    if isinstance(chosen.choice, Mode):
        return _most_common(chosen, chosen.choice, counts)
    return _quantile(chosen, chosen.choice, counts)


def _quantile(chosen: Chosen, choice: Quantile, counts: IntArray) -> dict[str, IntArray]:
    """An extreme is one choice. Any other quantile has a value that is chosen, and ends that follow from counts."""
    if chosen.around is None:
        (side,) = choice.sides
        scores = rank_scores(counts, choice.quantile, side * chosen.offset)
        return {choice.recorded(side): chosen.mechanism.choose_each(scores)}
    value = chosen.mechanism.choose_each(rank_scores(counts, choice.quantile, 0))
    low, high = ends(chosen.around, counts, value)
    return {choice.recorded(0): value, choice.recorded(-1): low, choice.recorded(1): high}


def _counted(counted: Counted, counts: IntArray) -> dict[str, IntArray]:
    """Noise on the sums; all that follows looks at nothing else.

    The value is the first cell whose running count reaches the rank, if counts rise: so many cells end before it. An
    end of the interval is the farthest cell that could still be right, as far as the margins go.
    """
    sums = counted.tree.sums(counts)
    noisy = np.asarray(counted.mechanism.release(sums.reshape(-1)), dtype=np.int64).reshape(sums.shape)
    below, everyone = counted.tree.running(noisy)
    found = {}
    for quantile in counted.quantiles:
        past = quantile.quantile.denominator * below - quantile.quantile.numerator * everyone[:, None]
        found[quantile.recorded(0)] = (past[:, 1:] < 0).sum(axis=1)
        low, high = possible(past, counted.margins(quantile))
        found[quantile.recorded(-1)], found[quantile.recorded(1)] = low, high
    return found


def _most_common(chosen: Chosen, choice: Mode, counts: IntArray) -> dict[str, IntArray]:
    """The first place by counts; then the next, without the values that have a place."""
    scores, everyone = counts.copy(), np.arange(len(counts))
    found = {}
    for place in range(1, choice.places + 1):
        taken = chosen.mechanism.choose_each(scores)
        scores[everyone, taken] = _OUT
        found[choice.recorded(place)] = taken
    return found
