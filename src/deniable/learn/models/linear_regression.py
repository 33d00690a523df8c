"""Linear regression from noisy products, with standard errors for sampling and noise together."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deniable.core.distributions.quantiles import student_radius
from deniable.core.number import Number, surety
from deniable.core.vectors.design import GRID, CategoryFeature, Encoding, NumberFeature, VectorDesign
from deniable.core.vectors.gram import DIAGONAL, OTHERS, Gram
from deniable.core.vectors.target_products import TargetProducts, TargetSquares
from deniable.learn.inputs import vectors_of
from deniable.learn.learner import Learner, NoisySum, PaidSum, Training

FloatArray = NDArray[np.float64]

_SHARES = Fraction(9, 20), Fraction(9, 20), Fraction(1, 10)


class Bands(NamedTuple):
    """From low to high, for each coefficient or each row."""

    low: FloatArray
    high: FloatArray


class LinearRegression(Learner):
    """Least squares under a budget: coefficients with intervals that cover sampling and noise.

    Input:         rows as vectors no longer than B, a target within B_y of the middle of its bounds; neighbours differ
                   in one unit, whose rows weigh at most `contribution` together.
    Guarantee:     rho-zCDP: 45% on X'X (moved by C B^2 in Frobenius norm), 45% on X'y (by C B B_y), 10% on y'y (by
                   C B_y^2); under `replace`, sqrt(2), 2 and sqrt(2) times that. The rest is post-processing.
    Not promised:  that the model is true. Rows that were shrunk count less, as in weighted least squares; rows of one
                   person are taken as independent.
    Error:         `stderr_` for each coefficient; intervals of 95% cover at 93% to 97% with 20,000 rows and 5 columns.
                   Where the noise is as large as the least eigenvalue of X'X, a ridge is added, and `biased_` says so.
    Cost:          one pass over the rows, d (d + 3) / 2 + 1 noisy numbers for d coordinates.
    Reference:     Wang 2018 (AdaSSP); here the least eigenvalue comes from the noisy matrix itself, by Weyl's
                   inequality, and costs nothing.
    Proof:         docs/proofs/gram.md

    Example:
        >>> import deniable, pyarrow as pa
        >>> people = pa.table({"age": [20, 30, 40, 50] * 5000, "cost": [100.0, 150.0, 200.0, 250.0] * 5000})
        >>> curator = deniable.protect(people, epsilon=2, delta=1e-6, bounds={"age": (0, 100), "cost": (0, 500)})
        >>> model = LinearRegression().fit(curator, "SELECT age, cost FROM data", target="cost", rho=0.05)
        >>> 4.5 < float(model.coef_[0]) < 5.5, model.biased_
        (True, False)
        >>> curator.close()
    """

    encoding: ClassVar[Encoding] = Encoding()
    target: ClassVar[str] = "number"
    does: ClassVar[str] = "least squares with standard errors"
    spends: ClassVar[str] = "45% on products of columns, 45% on products with the target, 10% on the target's squares"

    coef_: FloatArray
    """One for each coordinate but the constant, in the target's unit over the column's; of a category, against its
    first value, which is 0."""
    intercept_: float
    stderr_: FloatArray
    """The standard errors of `coef_`, of sampling and noise together."""
    biased_: bool
    """Whether a ridge draws coefficients towards 0, which no interval covers."""

    def __init__(
        self,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
        bounds: Any = None,  # noqa: ANN401 - as in Learner
        values: Any = None,  # noqa: ANN401 - same
        target_bounds: tuple[float, float] | None = None,
    ) -> None:
        """`target_bounds` are those of an array's target."""
        super().__init__(epsilon=epsilon, delta=delta, rho=rho, bounds=bounds, values=values)
        self.target_bounds = target_bounds

    def training(self, design: VectorDesign) -> Training:
        """Three sums."""
        gram = Gram(design)
        products = yield PaidSum(gram, _SHARES[0])
        cross = yield PaidSum(TargetProducts(design), _SHARES[1])
        squares = yield PaidSum(TargetSquares(design), _SHARES[2])
        return _solved(design, gram, products, cross, squares)

    def predict(self, X: Any) -> FloatArray:  # noqa: ANN401, N803 - scikit-learn's names
        """What the model expects for each row; values beyond a column's bounds count as the bounds."""
        target = _target(self.design)
        return np.asarray(self._rows(X) @ self.weights_ * float(target.width) + float(target.origin))

    def predict_interval(self, X: Any, confidence: Number = 0.95) -> Bands:  # noqa: ANN401, N803 - same
        """Where the target of a new row lies, so surely: what is not known of the model, and how far rows scatter."""
        rows, middle = self._rows(X), self.predict(X)
        variance = np.einsum("ij,jk,ik->i", rows, self.covariance_, rows) + self.residual_**2 + self.doubt_
        far = self._quantile(confidence) * np.sqrt(variance) * float(_target(self.design).width)
        return Bands(middle - far, middle + far)

    def intervals(self, confidence: Number = 0.95) -> Bands:
        """Where each coefficient lies, so surely."""
        self._check_fitted()
        far = self._quantile(confidence) * self.stderr_
        return Bands(self.coef_ - far, self.coef_ + far)

    def score(self, X: Any, y: Any = None, **how: Any) -> Any:  # noqa: ANN401, N803 - same
        """The part of the target's variance that is explained; on a curator's rows, a paid question."""
        if hasattr(X, "train"):
            return X.score(self, y, **how)
        actual = np.asarray(y, dtype=np.float64)
        return 1 - float(((actual - self.predict(X)) ** 2).sum() / max(((actual - actual.mean()) ** 2).sum(), 1e-300))

    weights_: FloatArray
    """The coefficients of all coordinates, in the vectors' own unit."""
    covariance_: FloatArray
    """Of `weights_`."""
    residual_: float
    """How far rows scatter around the model, in the target's grid."""
    doubt_: float
    """By how much noise may have made the square of `residual_` too small: two of its standard deviations."""
    freedom_: float
    """About how many rows there are, less the coefficients."""

    def _rows(self, rows: Any) -> FloatArray:  # noqa: ANN401 - same
        """Rows in full length: shrinking is for training."""
        return vectors_of(replace(self.design, square=self.design.longest), rows, type(self).__name__)

    def _quantile(self, confidence: Number) -> float:
        return student_radius(float(1 - surety(confidence)), self.freedom_)


def _target(design: VectorDesign) -> NumberFeature:
    if not isinstance(design.target, NumberFeature):
        raise TypeError("the target is no number")
    return design.target


def _kept(design: VectorDesign) -> NDArray[np.int64]:
    """The coordinates that have a coefficient: of a category, all values but the first, against which they are."""
    places: list[int] = []
    at = 0
    for feature in design.features:
        skipped = 1 if isinstance(feature, CategoryFeature) else 0
        places += range(at + skipped, at + len(feature.names))
        at += len(feature.names)
    return np.array([*places, *range(at, design.size)], dtype=np.int64)


def _solved(design: VectorDesign, gram: Gram, products: NoisySum, cross: NoisySum, squares: NoisySum) -> dict[str, Any]:
    """The coefficients, and what is known of their errors: everything from noisy numbers."""
    kept = _kept(design)
    matrix = gram.matrix(products.values)[np.ix_(kept, kept)]
    along = cross.values[kept]
    diagonal = float(products.deviation[0])
    others = diagonal * DIAGONAL / OTHERS
    ridge = _ridge(matrix, others)
    inverse = np.linalg.inv(matrix + ridge * np.eye(len(kept)))
    found = inverse @ along
    rows = max(float(matrix[-1, -1]) / (design.constant / GRID) ** 2, 1.0)  # the constant's squares: all rows, weighed
    freedom = max(rows - len(kept), 1.0)
    left = float(squares.values[0]) - 2 * float(found @ along) + float(found @ matrix @ found)
    residual = max(left, 0.0) / freedom
    noise = _noise(found, diagonal, others, float(cross.deviation[0]))
    covariance = inverse @ (residual * matrix + noise) @ inverse
    return {
        **_named(design, kept, found, (covariance + covariance.T) / 2),
        "residual_": float(np.sqrt(residual)),
        "doubt_": 2 * _scatter(found, diagonal, others, cross, squares) / freedom,
        "freedom_": freedom,
        "biased_": ridge > 0,
    }


def _ridge(matrix: FloatArray, others: float) -> float:
    """What makes the least eigenvalue surely larger than the noise.

    By Weyl's inequality the exact matrix has an eigenvalue no smaller than the noisy one's less the noise's norm, which
    is about 2 sigma sqrt(d), sigma being the noise off the diagonal.
    """
    norm = 2 * others * np.sqrt(len(matrix))
    least = float(np.linalg.eigvalsh(matrix)[0])
    return float(max(0.0, 2 * norm - least)) if least < 2 * norm else 0.0


def _noise(found: FloatArray, diagonal: float, others: float, cross: float) -> FloatArray:
    """The covariance of (noise of X'y) - (noise of X'X) w: entries of a symmetric matrix meet two coordinates."""
    square = float(found @ found)
    whole = np.outer(found, found) * others**2
    np.fill_diagonal(whole, cross**2 + others**2 * (square - found**2) + diagonal**2 * found**2)
    return np.asarray(whole)


def _scatter(found: FloatArray, diagonal: float, others: float, cross: NoisySum, squares: NoisySum) -> float:
    """The standard deviation that noise gives to y'y - 2 w'X'y + w'X'X w."""
    own = found**2
    pairs = (float(own.sum()) ** 2 - float((own**2).sum())) / 2
    matrix = diagonal**2 * float((own**2).sum()) + 4 * others**2 * pairs
    variance = float(squares.deviation[0]) ** 2 + 4 * float(cross.deviation[0]) ** 2 * float(own.sum()) + matrix
    return float(np.sqrt(variance))


def _named(design: VectorDesign, kept: NDArray[np.int64], found: FloatArray, covariance: FloatArray) -> dict[str, Any]:
    """In the columns' own units; coordinates without a coefficient have 0."""
    weights, spread = np.zeros(design.size), np.zeros((design.size, design.size))
    weights[kept], spread[np.ix_(kept, kept)] = found, covariance
    target, scales = _target(design), _scales(design)
    unit = float(target.width)
    origins = np.array([0.0 if one is None else float(one.origin) / float(one.width) for one in _numbers(design)])
    constant = design.constant / GRID
    return {
        "weights_": weights,
        "covariance_": spread,
        "coef_": weights[:-1] * scales * unit,
        "stderr_": np.sqrt(np.maximum(np.diag(spread)[:-1], 0)) * scales * unit,
        "intercept_": float(target.origin) + unit * float(weights[-1] * constant - weights[:-1] @ origins),
    }


def _numbers(design: VectorDesign) -> list[NumberFeature | None]:
    """For each coordinate but the constant, the number that it is."""
    return [one if isinstance(one, NumberFeature) else None for one in design.features for _ in one.names]


def _scales(design: VectorDesign) -> FloatArray:
    """What a step of one in the vectors' unit is, in each column's own."""
    return np.array([1.0 if one is None else 1 / float(one.width) for one in _numbers(design)])
