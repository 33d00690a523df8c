"""A model's score on private rows, as a purchase: one sum, paid for as any question."""

from __future__ import annotations

from functools import partial

from deniable.core.errors import Refused
from deniable.curator.training.purchase import TrainingPlan, paid_rho
from deniable.learn.learner import Learner
from deniable.learn.score import kernel_of, scoring
from deniable.planner import Spend
from deniable.planner.vectors import plan_vectors
from deniable.policy import Policy


def plan_score(policy: Policy, learner: Learner, sql: str | None, spend: Spend) -> TrainingPlan:
    """Rows of the SELECT, or of the one that the model was trained on, which must have the model's columns."""
    known = learner.design
    vectors = plan_vectors(sql or learner.trained_.sql, learner.trained_.target, policy, learner.encoding)
    design = vectors.design
    if (design.features, design.target, design.square) != (known.features, known.target, known.square):
        names = ", ".join(feature.name for feature in known.features)
        raise Refused("other-features", "These are not the columns that the model was trained on.", f"SELECT {names}.")
    kernel = kernel_of(learner, design)
    name, settings = f"score of {type(learner).__name__}", repr(kernel)
    train = partial(scoring, kernel, spend.confidence)
    return TrainingPlan(name, vectors, train, settings, paid_rho(policy, spend), policy, spend.confidence)
