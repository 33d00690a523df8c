"""Principal components and covariances from noisy products."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from deniable.core.errors import InvalidArgumentError
from deniable.core.number import Number
from deniable.core.vectors.column_sums import ColumnSums
from deniable.core.vectors.design import GRID, Encoding, VectorDesign
from deniable.core.vectors.gram import Gram
from deniable.learn.learner import Learner, PaidSum, Training

FloatArray = NDArray[np.float64]

_SHARES = Fraction(4, 5), Fraction(1, 5)


class PCA(Learner):
    """The directions in which rows differ most, and all covariances.

    Input:         rows as vectors no longer than B; neighbours differ in one unit, whose rows weigh at most
                   `contribution` together.
    Guarantee:     rho-zCDP: 80% on X'X (moved by C B^2 in Frobenius norm), 20% on the columns' sums (by C B); under
                   `replace`, sqrt(2) and 2 times that. The rest is post-processing.
    Not promised:  directions whose variance is below the noise: `noise_variance_` says where that is. Rows that were
                   shrunk count less.
    Error:         each covariance is off by about `noise_variance_` (one standard deviation).
    Cost:          one pass over the rows, d (d + 3) / 2 noisy numbers for d coordinates.
    Reference:     Dwork, Talwar, Thakurta, Zhang 2014 (Analyze Gauss).
    Proof:         docs/proofs/gram.md

    Example:
        >>> import deniable, pyarrow as pa
        >>> people = pa.table({"one": [0.2, 0.8] * 9000, "other": [0.2, 0.8] * 9000})
        >>> curator = deniable.protect(people, epsilon=2, delta=1e-6, bounds={"one": (0, 1), "other": (0, 1)})
        >>> model = PCA(n_components=1).fit(curator, "SELECT one, other FROM data", rho=0.05)
        >>> abs(model.components_).round(1).tolist()
        [[0.7, 0.7]]
        >>> curator.close()
    """

    encoding: ClassVar[Encoding] = Encoding(each=Fraction(1, 8))
    target: ClassVar[str] = ""
    does: ClassVar[str] = "principal components and covariances"
    spends: ClassVar[str] = "80% on products of columns, 20% on their sums"

    def __init__(
        self,
        n_components: int | None = None,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
        bounds: Any = None,  # noqa: ANN401 - as in Learner
        values: Any = None,  # noqa: ANN401 - same
    ) -> None:
        super().__init__(epsilon=epsilon, delta=delta, rho=rho, bounds=bounds, values=values)
        self.n_components = n_components

    n_components_: int
    components_: FloatArray
    """A row for each direction, over all coordinates; columns are scaled by their bounds."""
    explained_variance_: FloatArray
    explained_variance_ratio_: FloatArray
    mean_: FloatArray
    covariance_: FloatArray
    """Of all coordinates, in the vectors' own unit."""
    noise_variance_: float
    """The standard deviation of the noise in one covariance."""

    def training(self, design: VectorDesign) -> Training:
        """Two sums."""
        gram = Gram(design)
        products = yield PaidSum(gram, _SHARES[0])
        sums = yield PaidSum(ColumnSums(design), _SHARES[1])
        rows = max(float(sums.values[-1]) * GRID / design.constant, 1.0)
        mean = sums.values[:-1] / rows
        matrix = gram.matrix(products.values)[:-1, :-1] / rows - np.outer(mean, mean)
        return self._components(matrix, mean, float(products.deviation[0]) / rows)

    def transform(self, X: Any) -> FloatArray:  # noqa: ANN401, N803 - scikit-learn's names
        """Rows in the new directions."""
        return np.asarray((self.vectors(X)[:, :-1] - self.mean_) @ self.components_.T)

    def fit_transform(self, X: Any, y: Any = None, **how: Any) -> FloatArray:  # noqa: ANN401, N803 - same
        """Only of an array: a curator's rows are never shown."""
        if hasattr(X, "train"):
            raise InvalidArgumentError("fit_transform", "would show single rows; use fit, then transform rows you hold")
        return self.fit(X, y, **how).transform(X)

    def inverse_transform(self, X: Any) -> FloatArray:  # noqa: ANN401, N803 - same
        """Vectors again, in the coordinates' own unit."""
        self._check_fitted()
        return np.asarray(np.asarray(X) @ self.components_ + self.mean_)

    def _components(self, matrix: FloatArray, mean: FloatArray, noise: float) -> dict[str, Any]:
        variances, directions = np.linalg.eigh((matrix + matrix.T) / 2)
        order = np.argsort(variances)[::-1]
        count = len(order) if self.n_components is None else min(self.n_components, len(order))
        variances, directions = np.maximum(variances[order], 0), directions[:, order].T
        signs = np.sign(directions[np.arange(len(directions)), np.abs(directions).argmax(axis=1)])
        total = max(float(variances.sum()), 1e-300)
        return {
            "components_": (directions * signs[:, None])[:count],
            "explained_variance_": variances[:count],
            "explained_variance_ratio_": variances[:count] / total,
            "mean_": mean,
            "covariance_": matrix,
            "noise_variance_": noise,
            "n_components_": count,
        }
