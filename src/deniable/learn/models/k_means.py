"""k-means: a noisy grid says where to begin, noisy steps of Lloyd's algorithm go on."""

from __future__ import annotations

from fractions import Fraction
from math import prod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from deniable.core.errors import InvalidArgumentError
from deniable.core.number import Number, whole
from deniable.core.vectors.design import GRID, Encoding, VectorDesign
from deniable.core.vectors.gram import Gram
from deniable.core.vectors.grid_cells import GridCells
from deniable.core.vectors.nearest_centres import NearestCentres
from deniable.learn.learner import Learner, NoisySum, PaidSum, Training

FloatArray = NDArray[np.float64]

STEPS = 4
"""Of Lloyd's algorithm."""
_BINS = {1: 64, 2: 24, 3: 10, 4: 6}
"""Of each direction, by how many there are."""
_MOST_DIRECTIONS = 4
_TRIES = 50


class KMeans(Learner):
    """Puts rows into groups around centres.

    Input:         rows as vectors no longer than B; neighbours differ in one unit, whose rows weigh at most
                   `contribution` together.
    Guarantee:     rho-zCDP: half on counts over a grid (moved by C) of all columns, or of the four directions in which
                   rows differ most (a fifth of that half pays for X'X, moved by C B^2); an eighth on each of four
                   steps, whose counts and sums are moved by C sqrt(B^2 + q^2), q^2 being a quarter of B^2. Under
                   `replace`, twice that (X'X: sqrt(2) times).
    Not promised:  groups that are smaller than the noise: their centres stay where the grid put them.
    Error:         `inertia` on rows you hold: `score`. At epsilon 1, 1.02 times that of plain k-means or less, for
                   20,000 points around 5 centres.
    Cost:          6 passes over the rows, in the engine's own process.
    Reference:     Su, Cao, Li, Bertino, Jin 2016 (a grid to begin with); Blum, Dwork, McSherry, Nissim 2005 (steps).
    Proof:         docs/proofs/gram.md

    Example:
        >>> import deniable, pyarrow as pa
        >>> points = pa.table({"x": [0.1, 0.9] * 4000, "y": [0.2, 0.7] * 4000})
        >>> curator = deniable.protect(points, epsilon=2, delta=1e-6, bounds={"x": (0, 1), "y": (0, 1)})
        >>> model = KMeans(2).fit(curator, "SELECT x, y FROM data", rho=0.05)
        >>> sorted(model.predict({"x": [0.1, 0.9], "y": [0.2, 0.7]}).tolist())
        [0, 1]
        >>> curator.close()
    """

    encoding: ClassVar[Encoding] = Encoding(centre=Fraction(1, 2), each=Fraction(1, 4), constant=Fraction(0))
    target: ClassVar[str] = ""
    does: ClassVar[str] = "groups around centres"
    spends: ClassVar[str] = "half on a grid, an eighth on each of four steps"

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
        bounds: Any = None,  # noqa: ANN401 - as in Learner
        values: Any = None,  # noqa: ANN401 - same
    ) -> None:
        super().__init__(epsilon=epsilon, delta=delta, rho=rho, bounds=bounds, values=values)
        self.n_clusters = n_clusters

    cluster_centers_: FloatArray
    """In the vectors' own unit: columns are scaled by their bounds, and 0 is their middle."""
    counts_: FloatArray
    """How many rows are nearest to each, with noise."""

    def training(self, design: VectorDesign) -> Training:
        """A grid, then steps."""
        count = whole("n_clusters", self.n_clusters)
        share = Fraction(1, 2)
        directions = np.eye(design.size)
        if design.size > _MOST_DIRECTIONS:
            gram = Gram(design)
            directions = _directions(gram, (yield PaidSum(gram, share / 5)))
            share -= share / 5
        reach = np.abs(directions) @ (np.minimum(design.reaches, design.radius) / GRID)
        grid = _grid(design, directions, reach)
        cells = yield PaidSum(grid, share)
        centres = _clustered(*_points(grid, cells), count) @ directions
        q = max(1, design.radius // 2)
        counts = np.zeros(count)
        for _ in range(STEPS):
            places = tuple(tuple(int(one) for one in row) for row in np.rint(centres * GRID))
            measured = yield PaidSum(NearestCentres(design, places, q), Fraction(1, 2) / STEPS)
            centres, counts = _moved(centres, measured, count)
        return {"cluster_centers_": centres, "counts_": counts}

    def predict(self, X: Any) -> NDArray[np.int64]:  # noqa: ANN401, N803 - scikit-learn's names
        """The number of the nearest centre."""
        return np.asarray(self.transform(X).argmin(axis=1))

    def transform(self, X: Any) -> FloatArray:  # noqa: ANN401, N803 - same
        """The distance from each centre."""
        return np.asarray(np.linalg.norm(self.vectors(X)[:, None] - self.cluster_centers_[None], axis=2))

    def fit_predict(self, X: Any, y: Any = None, **how: Any) -> NDArray[np.int64]:  # noqa: ANN401, N803 - same
        """Only of an array: a curator's rows are never shown."""
        return np.asarray(self.fit_transform(X, y, **how).argmin(axis=1))

    def fit_transform(self, X: Any, y: Any = None, **how: Any) -> FloatArray:  # noqa: ANN401, N803 - same
        """Only of an array: a curator's rows are never shown."""
        if hasattr(X, "train"):
            raise InvalidArgumentError("fit_transform", "would show single rows; use fit, then transform rows you hold")
        return self.fit(X, y, **how).transform(X)

    def score(self, X: Any, y: Any = None) -> float:  # noqa: ANN401, N803 - same
        """Minus the sum of squared distances from the nearest centre."""
        del y
        return -float((self.transform(X).min(axis=1) ** 2).sum())


def _directions(gram: Gram, measured: NoisySum) -> FloatArray:
    """Those in which rows are longest."""
    _, directions = np.linalg.eigh(gram.matrix(measured.values))
    return np.asarray(directions[:, ::-1][:, :_MOST_DIRECTIONS].T)


def _grid(design: VectorDesign, directions: FloatArray, reach: FloatArray) -> GridCells:
    count = len(directions)
    places = tuple(tuple(int(one) for one in row) for row in np.rint(directions * GRID))
    far = tuple(max(1, int(np.ceil(one * GRID))) for one in np.minimum(reach, design.radius / GRID))
    return GridCells(design, places, (_BINS[count],) * count, far)


def _points(grid: GridCells, measured: NoisySum) -> tuple[FloatArray, FloatArray]:
    """The middles of cells that surely hold rows, and how many."""
    axes = [
        (np.arange(bins) + 0.5) / bins * 2 * far / GRID - far / GRID
        for bins, far in zip(grid.bins, grid.reach, strict=True)
    ]
    middles = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(prod(grid.bins), len(axes))
    noise = 3 * float(measured.deviation[0])
    weights = np.where(measured.values > noise, measured.values, 0.0)
    if not bool((weights > 0).any()):
        weights = np.maximum(measured.values, 0) + 1e-9
    return middles, weights


def _clustered(points: FloatArray, weights: FloatArray, count: int) -> FloatArray:
    """Plain k-means on the grid, from two places to begin with, of which the better one is kept; no chance is involved.

    One takes what is farthest from the others, by weight; the other what lessens all distances most.
    """
    apart = ((points[:, None] - points[None]) ** 2).sum(axis=2)
    far, near = [int(weights.argmax())], [int((apart @ weights).argmin())]
    for _ in range(count - 1):
        far.append(int((weights * apart[far].min(axis=0)).argmax()))
        near.append(int((np.minimum(apart, apart[near].min(axis=0)) @ weights).argmin()))
    found = [_settled(points, weights, points[chosen]) for chosen in (far, near)]
    return min(found, key=lambda centres: float(_nearest(points, centres).min(axis=1) @ weights))


def _settled(points: FloatArray, weights: FloatArray, found: FloatArray) -> FloatArray:
    """Every centre at the mean of what is nearest to it."""
    count = len(found)
    for _ in range(_TRIES):
        near = _nearest(points, found).argmin(axis=1)
        total = np.bincount(near, weights=weights, minlength=count)
        sums = np.stack([np.bincount(near, weights=weights * axis, minlength=count) for axis in points.T], axis=1)
        found = np.where(total[:, None] > 0, sums / np.maximum(total, 1e-12)[:, None], found)
    return found


def _nearest(points: FloatArray, centres: FloatArray) -> FloatArray:
    """Squared distances, a column for each centre."""
    return np.asarray(((points[:, None] - centres[None]) ** 2).sum(axis=2))


def _moved(centres: FloatArray, measured: NoisySum, count: int) -> tuple[FloatArray, FloatArray]:
    """Centres at the means of their rows; those with few rows beside the noise stay."""
    table = measured.values.reshape(count, -1)
    rows, sums = table[:, 0], table[:, 1:]
    enough = rows > 8 * float(measured.deviation[0])
    means = sums / np.maximum(rows, 1e-9)[:, None]
    limit = np.abs(centres).max() + 1
    return np.where(enough[:, None], np.clip(means, -limit, limit), centres), rows
