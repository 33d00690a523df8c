"""Private selection among models: each is trained and scored under the budget, and the best score wins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from deniable.core.errors import InvalidArgumentError
from deniable.core.number import Number, positive
from deniable.learn.learner import Learner
from deniable.learn.score import PaidScore

_FOR_SCORES = Fraction(1, 5)


@dataclass(frozen=True, slots=True)
class ChosenModel:
    """The best of several models, with the noisy score of each."""

    best: Learner
    scores: tuple[PaidScore, ...]


def choose(
    candidates: Sequence[Learner],
    curator: Any,  # noqa: ANN401 - a curator
    *,
    train: str,
    holdout: str,
    target: str,
    rho: Number,
    analyst: str | None = None,
) -> ChosenModel:
    """Train every candidate on one SELECT, score it on another, and keep the one with the best noisy score.

    All of it is charged: a fifth of `rho` for scores and the rest for trainings, divided evenly between candidates.
    Choosing by noisy scores is post-processing, and costs nothing more. The two SELECTs should be about different
    people, or the score is of rows that were learned by heart.
    """
    if not candidates:
        raise InvalidArgumentError("candidates", "must not be empty")
    each = positive("rho", rho) / len(candidates)
    scores = []
    for candidate in candidates:
        candidate.fit(curator, train, target=target, rho=each * (1 - _FOR_SCORES), analyst=analyst)
        scores.append(curator.score(candidate, holdout, rho=each * _FOR_SCORES, analyst=analyst))
    best = max(range(len(scores)), key=lambda place: scores[place].value)
    return ChosenModel(candidates[best], tuple(scores))
