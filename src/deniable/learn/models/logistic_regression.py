"""Logistic regression, of two classes or several, by Newton's method on noisy sums."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from deniable.core.vectors.design import GRID, Encoding, NumberFeature, VectorDesign
from deniable.learn.learner import Training
from deniable.learn.models.margins import MarginClassifier
from deniable.learn.models.newton import descended

FloatArray = NDArray[np.float64]


class LogisticRegression(MarginClassifier):
    """Tells classes apart by a weighted sum of columns, and says how likely each is.

    Input:         rows as vectors no longer than B; neighbours differ in one unit, whose rows weigh at most
                   `contribution` together.
    Guarantee:     rho-zCDP: 20% on X'X (moved by C B^2 in Frobenius norm), 5% on each of 16 gradients, of which a row's
                   is clipped to B / 2 after it is turned by a public matrix (so moved by C B / 2); under `replace`,
                   sqrt(2) and 2 times that. Later gradients depend on earlier ones, and the matrix on X'X, through
                   their noisy values alone.
    Not promised:  that chances are true ones: noise and clipping draw them towards the middle. No standard errors.
    Error:         accuracy on rows that were not trained on: `python -m benchmarks.learn`.
    Cost:          17 passes over the rows, in the engine's own process; d (d + 1) / 2 + 16 d noisy numbers for d
                   coordinates (times the classes, if there are more than two).
    Reference:     Boehning, Lindsay 1988 (bounded Hessian); Abadi and others 2016 (clipped gradients); Bun, Steinke
                   2016 (zCDP).
    Proof:         docs/proofs/gram.md

    Example:
        >>> import deniable, pyarrow as pa
        >>> people = pa.table({"age": [20, 30, 60, 70] * 2000, "ill": [False, False, True, True] * 2000})
        >>> curator = deniable.protect(people, epsilon=2, delta=1e-6, bounds={"age": (0, 100)})
        >>> model = LogisticRegression().fit(curator, "SELECT age, ill FROM data", target="ill", rho=0.05)
        >>> model.predict({"age": [25, 65]}).tolist()
        [False, True]
        >>> curator.close()
    """

    encoding: ClassVar[Encoding] = Encoding(classes=True)
    does: ClassVar[str] = "classes by a weighted sum of columns"
    spends: ClassVar[str] = "20% on products of columns, 5% on each of 16 gradients"

    coef_: FloatArray
    """The weights in the columns' own units, without the constant."""
    intercept_: FloatArray

    def training(self, design: VectorDesign) -> Training:
        """One matrix, sixteen gradients."""
        classes = design.classes.values
        weights = yield from descended(design, 1 if len(classes) == 2 else len(classes))  # noqa: PLR2004 - two classes
        return {"weights_": weights, "classes_": np.array(classes), **_in_units(design, weights)}


def _in_units(design: VectorDesign, weights: FloatArray) -> dict[str, FloatArray]:
    """Coefficients for values as they are, of rows that are not shrunk."""
    numbers = [one if isinstance(one, NumberFeature) else None for one in design.features for _ in one.names]
    scales = np.array([1.0 if one is None else 1 / float(one.width) for one in numbers])
    origins = np.array([0.0 if one is None else float(one.origin) for one in numbers])
    coefficients = weights[:, :-1] * scales
    return {"coef_": coefficients, "intercept_": weights[:, -1] * design.constant / GRID - coefficients @ origins}
