"""An additive model of boosted stumps on private histograms: a step function of every column, added up."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from deniable.core.vectors.design import Encoding, VectorDesign
from deniable.learn.learner import Training
from deniable.learn.models.margins import MarginClassifier
from deniable.learn.models.newton import descended

FloatArray = NDArray[np.float64]


class BoostedStumps(MarginClassifier):
    """Tells classes apart by a sum of step functions, one of each column, which can be looked at one by one.

    Every round asks, for all columns at once, for a histogram of what the model so far gets wrong: the residuals of
    the rows in each bin. What is added to each bin follows from these and from how many rows each pair of bins shares,
    which is asked for once.

    Input:         rows as one value, or one of 16 bins, for each of f columns; neighbours differ in one unit, whose
                   rows weigh at most `contribution` together.
    Guarantee:     rho-zCDP: 20% on counts of all pairs of bins (moved by C B^2 in Frobenius norm, B^2 = f + 1/4), 5%
                   on each of 16 rounds of histograms, of which a row's is turned and clipped to B / 2 (so moved by
                   C B / 2); under `replace`, sqrt(2) and 2 times that.
    Not promised:  that chances are true ones; steps that follow from few rows are mostly noise.
    Error:         AUC on rows that were not trained on, at epsilon 1 and delta 1/n^2: `python -m benchmarks.learn`.
    Cost:          17 passes over the rows, in the engine's own process.
    Reference:     Nori, Caruana, Bu, Shen, Kulkarni 2021 (DP-EBM); Boehning, Lindsay 1988 (bounded Hessian).
    Proof:         docs/proofs/gram.md

    Example:
        >>> import deniable, pyarrow as pa
        >>> people = pa.table({"age": [10, 40, 60, 90] * 2000, "works": [False, True, True, False] * 2000})
        >>> curator = deniable.protect(people, epsilon=2, delta=1e-6, bounds={"age": (0, 100)})
        >>> model = BoostedStumps().fit(curator, "SELECT age, works FROM data", target="works", rho=0.05)
        >>> model.predict({"age": [10, 60, 90]}).tolist()
        [False, True, False]
        >>> curator.close()
    """

    encoding: ClassVar[Encoding] = Encoding(bins=16, most_bins=160, classes=True)
    does: ClassVar[str] = "classes by a sum of step functions of single columns"
    spends: ClassVar[str] = "20% on counts of pairs, 5% on each of 16 rounds of histograms"

    def training(self, design: VectorDesign) -> Training:
        """Pairs, then rounds."""
        classes = design.classes.values
        weights = yield from descended(design, 1 if len(classes) == 2 else len(classes))  # noqa: PLR2004 - two classes
        return {"weights_": weights, "classes_": np.array(classes)}

    @property
    def terms_(self) -> dict[str, dict[str, list[float]]]:
        """The step function of every column: what each of its bins or values adds to each margin."""
        found, at = {}, 0
        for feature in self.design.features:
            part = self.weights_[:, at : at + len(feature.names)]
            found[feature.name] = {name: part[:, place].tolist() for place, name in enumerate(feature.names)}
            at += len(feature.names)
        return found
