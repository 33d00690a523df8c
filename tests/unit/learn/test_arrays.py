"""Arrays through a curator of their own; scikit-learn's own checks, with every exemption and its reason."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from deniable.core.errors import InvalidArgumentError
from deniable.learn import PCA, KMeans, LinearRegression, LogisticRegression, NaiveBayes

sklearn = pytest.importorskip("sklearn")

PUBLIC = "classes and bounds are said, never read from data, and this check's data has others"
NOISE = "results are random, as noise is"
EXEMPT = {
    "check_classifier_data_not_an_array": NOISE,
    "check_classifiers_classes": PUBLIC,
    "check_classifiers_train": PUBLIC,
    "check_decision_proba_consistency": PUBLIC,
    "check_fit_idempotent": NOISE,
    "check_regressor_data_not_an_array": NOISE,
    "check_regressors_int": NOISE,
    "check_supervised_y_2d": NOISE,
}
"""Of scikit-learn's checks, those that a model with noise and public bounds cannot pass, and why."""
QUICK = {
    "check_no_attributes_set_in_init",
    "check_get_params_invariance",
    "check_set_params",
    "check_estimator_repr",
    "check_estimator_cloneable",
    "check_estimators_unfitted",
    "check_complex_data",
    "check_fit1d",
    "check_valid_tag_types",
}
"""Those that train nothing."""


def rows(count: int = 400) -> tuple[np.ndarray, np.ndarray]:
    chance = np.random.default_rng(2)
    found = chance.uniform(-1, 1, (count, 2))
    return found, found[:, 0] - found[:, 1] > 0


def test_classes_of_any_kind() -> None:
    table, y = rows()
    target = np.array(["no", "yes"])[y.astype(int)]
    model = LogisticRegression(rho=50, bounds=(-1, 1), classes=["no", "yes"]).fit(table, target)
    assert model.classes_.tolist() == ["no", "yes"]
    assert model.score(table, target) > 0.9


def test_frames_have_names() -> None:
    table, y = rows()
    frame = pd.DataFrame(table, columns=["up", "down"])
    model = NaiveBayes(rho=50, bounds={"up": (-1, 1), "down": (-1, 1)}, classes=[False, True]).fit(frame, y)
    assert model.feature_names_in_.tolist() == ["up", "down"]
    assert model.score(frame[["down", "up"]], y) > 0.8


def test_a_pipeline() -> None:
    from sklearn.pipeline import make_pipeline  # noqa: PLC0415 - optional

    table, y = rows()
    model = make_pipeline(PCA(2, rho=50, bounds=(-1, 1)), LogisticRegression(rho=50, bounds=(-3, 3), classes=[0, 1]))
    assert model.fit(table, y.astype(int)).score(table, y.astype(int)) > 0.8


@pytest.mark.parametrize(
    ("model", "argument"),
    [
        (LogisticRegression(bounds=(-1, 1), classes=[0, 1]), "epsilon"),
        (LogisticRegression(epsilon=1, bounds=(-1, 1), classes=[0, 1]), "delta"),
        (LogisticRegression(rho=1, classes=[0, 1]), "bounds"),
        (LogisticRegression(rho=1, bounds=(-1, 1)), "classes"),
        (LinearRegression(rho=1, bounds=(-1, 1)), "target_bounds"),
        (KMeans(3, rho=1), "bounds"),
    ],
)
def test_nothing_is_guessed(model, argument: str) -> None:
    table, y = rows(20)
    with pytest.raises(InvalidArgumentError) as error:
        model.fit(table, y.astype(int))
    assert error.value.argument == argument


MODELS = [
    LogisticRegression(rho=50, bounds=(-100, 100), classes=[0, 1, 2]),
    PCA(2, rho=50, bounds=(-100, 100)),
    KMeans(2, rho=50, bounds=(-100, 100)),
    LinearRegression(rho=50, bounds=(-100, 100), target_bounds=(-200, 200)),
]
every_model = pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)


@every_model
@pytest.mark.filterwarnings("ignore:.*does not inherit from:UserWarning")
def test_scikit_learns_checks_that_train_nothing(model) -> None:
    from sklearn.utils.estimator_checks import estimator_checks_generator  # noqa: PLC0415 - optional

    found = {check.func.__name__: check for _, check in estimator_checks_generator(model)}
    assert set(found) >= QUICK
    for name in sorted(QUICK):
        found[name](model)


@pytest.mark.deep
@every_model
@pytest.mark.filterwarnings("ignore")
def test_scikit_learns_own_checks(model) -> None:
    from sklearn.utils.estimator_checks import check_estimator  # noqa: PLC0415 - optional

    results = check_estimator(model, expected_failed_checks=EXEMPT, on_fail=None, on_skip=None)
    failed = [result["check_name"] for result in results if result["status"] == "failed"]
    assert failed == []
