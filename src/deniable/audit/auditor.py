"""The auditor: asks a black box the same two questions again and again, and counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.audit.bounds import FloatArray, proven_epsilon
from deniable.audit.events import strongest
from deniable.audit.verdict import Audit
from deniable.audit.views import Outcomes
from deniable.core.errors import InvalidArgumentError
from deniable.core.guarantee import Guarantee
from deniable.core.number import Number, probability, whole
from deniable.mechanisms import Mechanism

BlackBox = Callable[[Any, int], NDArray[Any]]
"""(input, count) -> the outcomes of `count` independent uses on this input."""

_FEWEST = 1_000
_PIECE = 1 << 16
"""Outcomes drawn between two reports of progress."""


def audit(  # noqa: PLR0917 - in the order in which one says it: this box, these inputs, this claim
    mechanism: Mechanism | BlackBox,
    inputs: tuple[Any, Any] | None = None,
    epsilon: Number | None = None,
    delta: Number = 0,
    samples: int = 100_000,
    alpha: Number = 1e-6,
    progress: Callable[[int, int], None] | None = None,
) -> Audit:
    """What the mechanism loses at least, shown by an event that one of two neighbouring inputs makes likelier.

    Input:      a mechanism, or any function (input, count) -> array of outcomes, or any object with such a `sample`;
                two neighbouring inputs; the claim. A mechanism of this house has `neighbours()` and a `loss`, from
                which inputs and epsilon follow if they are left out. `samples` are drawn on each input.
    Guarantee:  `lower_bound` is at most the true epsilon at `delta`, except with probability `alpha`, if uses are
                independent. Event and direction are chosen on one half of the samples, the bound is computed on the
                other; alpha is divided between the two probabilities.
    Caution:    a pass proves nothing: it says that these inputs and these events refute nothing.
    Reference:  Clopper, Pearson 1934 (bounds); Ding, Wang, Wang, Zhang, Kifer 2018 (events chosen on held-out samples);
                Jagielski, Ullman, Oprea 2020 (lower bounds on epsilon); Bichsel, Steffen, Bogunovic, Vechev 2021
                (events by likelihood ratio); Mironov 2012 (lowest bits).

    Example:
        >>> from deniable.mechanisms import Laplace
        >>> honest = Laplace(sensitivity=1, epsilon=1)
        >>> audit(honest, samples=20_000).passed
        True
        >>> audit(honest.sample, inputs=(0, 2), epsilon=1, samples=20_000).passed
        False
    """
    box = _box(mechanism)
    pair = _pair(mechanism, inputs)
    claim = _claim(mechanism, epsilon, delta)
    doubt = probability("alpha", alpha)
    count = whole("samples", samples, least=_FEWEST)

    outcomes = _outcomes(box, pair, count, progress)
    chosen_on, proven_on = outcomes[:, : count // 2], outcomes[:, count // 2 :]
    trials = proven_on.shape[1]

    def prove(likely: ArrayLike, unlikely: ArrayLike) -> FloatArray:
        return proven_epsilon(likely, unlikely, trials, float(claim.delta), float(doubt))

    suspicion = strongest(chosen_on, trials, prove)
    hits = suspicion.holds(proven_on).sum(axis=1)
    return Audit(
        lower_bound=float(prove(hits[suspicion.likelier], hits[1 - suspicion.likelier])),
        epsilon=claim.epsilon,
        delta=claim.delta,
        alpha=doubt,
        event=str(suspicion),
        likelier=("first", "second")[suspicion.likelier],
        frequencies=(float(hits[0] / trials), float(hits[1] / trials)),
        trials=trials,
    )


def _box(mechanism: object) -> BlackBox:
    """How to draw from it."""
    box = getattr(mechanism, "sample", mechanism)
    if not callable(box):
        raise InvalidArgumentError("mechanism", "must be a function (input, count) -> outcomes, or have such a sample")
    return box


def _pair(mechanism: object, inputs: tuple[Any, Any] | None) -> tuple[Any, Any]:
    """The two inputs; the mechanism's own neighbours if none are given."""
    if inputs is None and not isinstance(mechanism, Mechanism):
        raise InvalidArgumentError("inputs", "must be given: only a mechanism of this house names its own neighbours")
    pair = mechanism.neighbours() if inputs is None and isinstance(mechanism, Mechanism) else inputs
    try:
        first, second = pair  # type: ignore[misc]
    except (TypeError, ValueError):
        raise InvalidArgumentError("inputs", "must be two neighbouring inputs") from None
    return first, second


def _claim(mechanism: object, epsilon: Number | None, delta: Number) -> Guarantee:
    """The guarantee on trial; the mechanism's own loss at this delta if no epsilon is given."""
    if epsilon is not None:
        return Guarantee(epsilon, delta)
    if not isinstance(mechanism, Mechanism):
        raise InvalidArgumentError("epsilon", "must be given: only a mechanism of this house states its own loss")
    return mechanism.loss.at(delta)


def _outcomes(
    box: BlackBox, pair: tuple[Any, Any], count: int, progress: Callable[[int, int], None] | None
) -> Outcomes:
    """`count` outcomes of each input, one row per input, drawn in pieces."""
    rows: tuple[list[Outcomes], list[Outcomes]] = ([], [])
    done = 0
    for row, data in zip(rows, pair, strict=True):
        for start in range(0, count, _PIECE):
            size = min(_PIECE, count - start)
            row.append(_numbers(box(data, size), size))
            done += size
            if progress is not None:
                progress(done, 2 * count)
    return np.stack([np.concatenate(row) for row in rows])


def _numbers(outcomes: object, count: int) -> Outcomes:
    """The outcomes as a vector of 64-bit numbers."""
    numbers = np.asarray(outcomes)
    if numbers.shape != (count,):
        raise InvalidArgumentError("mechanism", f"must return {count} outcomes when asked, not shape {numbers.shape}")
    if numbers.dtype.kind in "bui":
        return numbers.astype(np.int64)
    if numbers.dtype.kind != "f":
        raise InvalidArgumentError("mechanism", f"must return numbers or truth values, not {numbers.dtype}")
    if np.isnan(numbers).any():
        raise InvalidArgumentError("mechanism", "returned NaN, which is no outcome")
    return numbers.astype(np.float64)
