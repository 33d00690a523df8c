"""What scikit-learn asks about a model; needs scikit-learn, which alone asks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from deniable.learn.learner import Learner


def tags(learner: Learner) -> Any:  # noqa: ANN401 - scikit-learn has no types
    """As scikit-learn's own estimators say it. Results are random, as noise is."""
    from sklearn.utils import ClassifierTags, InputTags, RegressorTags, Tags, TargetTags, TransformerTags  # noqa: PLC0415

    kind = {"classes": "classifier", "number": "regressor"}.get(learner.target)
    if kind is None and hasattr(learner, "n_clusters"):
        kind = "clusterer"
    return Tags(
        estimator_type=kind,
        target_tags=TargetTags(required=learner.target != ""),
        classifier_tags=ClassifierTags(poor_score=True) if kind == "classifier" else None,
        regressor_tags=RegressorTags(poor_score=True) if kind == "regressor" else None,
        transformer_tags=TransformerTags() if hasattr(learner, "transform") else None,
        input_tags=InputTags(allow_nan=True),
        non_deterministic=True,
    )
