"""Naive Bayes from one noisy histogram of every column, by class."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from deniable.core.vectors.design import Encoding, VectorDesign
from deniable.core.vectors.target_products import ClassSums
from deniable.learn.learner import Classifier, PaidSum, Training
from deniable.learn.models.margins import chances

FloatArray = NDArray[np.float64]

_PRIOR = 4.0
"""How many deviations of the noise the histogram of all classes together counts as, beside each class's own."""


class NaiveBayes(Classifier):
    """Tells classes apart by how often each value occurs in them, as if columns had nothing to do with each other.

    Input:         rows as one value, or one of 8 bins, for each of f columns; neighbours differ in one unit, whose rows
                   weigh at most `contribution` together.
    Guarantee:     rho-zCDP, all of it on one histogram: how many rows there are of each class, and of each value in
                   each class, which a row moves by sqrt(f + 1); under `replace`, twice that.
    Not promised:  that chances are true ones: columns do depend on each other. Rare values are drawn towards what they
                   are in all classes together.
    Error:         each count is off by the noise's deviation, sqrt((f + 1) / (2 rho)) times `contribution`.
    Cost:          one pass over the rows.
    Reference:     Vaidya, Shafiq, Basu, Hong 2013.
    Proof:         docs/proofs/gram.md

    Example:
        >>> import deniable, pyarrow as pa
        >>> people = pa.table({"age": [20, 30, 60, 70] * 2000, "ill": [False, False, True, True] * 2000})
        >>> curator = deniable.protect(people, epsilon=2, delta=1e-6, bounds={"age": (0, 100)})
        >>> model = NaiveBayes().fit(curator, "SELECT age, ill FROM data", target="ill", rho=0.05)
        >>> model.predict({"age": [25, 65]}).tolist()
        [False, True]
        >>> curator.close()
    """

    encoding: ClassVar[Encoding] = Encoding(constant=Fraction(1), bins=8, classes=True)
    does: ClassVar[str] = "classes by how often each value occurs in them"
    spends: ClassVar[str] = "all of it on one histogram"

    feature_log_prob_: FloatArray
    """For each class and each coordinate, the logarithm of how often it occurs there."""
    class_log_prior_: FloatArray
    class_count_: FloatArray
    """Noisy."""

    def training(self, design: VectorDesign) -> Training:
        """One sum."""
        classes = design.classes.values
        measured = yield PaidSum(ClassSums(design), Fraction(1))
        counts = np.maximum(measured.values.reshape(len(classes), design.size), 0)
        noise = float(measured.deviation[0])
        rows = np.maximum(counts[:, -1], noise + 1)
        logs = np.zeros((len(classes), design.size - 1))
        at = 0
        for feature in design.features:
            part = counts[:, at : at + len(feature.names)]
            logs[:, at : at + len(feature.names)] = np.log(_chances(part, noise))
            at += len(feature.names)
        return {
            "classes_": np.array(classes),
            "feature_log_prob_": logs,
            "class_log_prior_": np.log(rows / rows.sum()),
            "class_count_": counts[:, -1],
        }

    @property
    def margins_(self) -> FloatArray:
        """Logarithms: of how often each value occurs in a class, and of the class itself."""
        return np.asarray(np.c_[self.feature_log_prob_, self.class_log_prior_])

    def predict_proba(self, X: Any) -> FloatArray:  # noqa: ANN401, N803 - scikit-learn's names
        """The chance of each class."""
        return chances(self.vectors(X)[:, :-1] @ self.feature_log_prob_.T + self.class_log_prior_)


def _chances(counts: FloatArray, noise: float) -> FloatArray:
    """How often each value occurs in each class; where counts are no larger than noise, as in all classes together."""
    pool = counts.sum(axis=0) + 1e-3 * (counts.sum() + 1)
    pool = pool / pool.sum()
    prior = _PRIOR * noise + 1
    return np.asarray((counts + prior * pool) / (counts.sum(axis=1, keepdims=True) + prior))
