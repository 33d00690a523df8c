"""The price of a model before paying, and how large the noise in its sums is, from public facts alone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from itertools import groupby
from typing import Self

import numpy as np
import pyarrow as pa

from deniable.core.loss import Loss
from deniable.core.vectors.design import GRID, NumberFeature, VectorDesign
from deniable.display import Sheet, SheetColumn, Tabular
from deniable.display.sheet import MOST_ROWS
from deniable.learn.trained import TrainedStep

_ROWS = 10_000
"""Of how many rows the expected errors speak."""

WORDS = {
    "Gram": "products of columns",
    "TargetProducts": "products with the target",
    "TargetSquares": "squares of the target",
    "ColumnSums": "sums of columns",
    "ClassSums": "counts by class",
    "Residuals": "gradient",
    "NearestCentres": "rows by the nearest centre",
    "GridCells": "rows on a grid",
    "Hits": "rows that are predicted rightly",
    "SquaredErrors": "squared errors",
}


@dataclass(frozen=True, slots=True)
class TrainingLine:
    """Sums of one kind."""

    measured: str
    times: int
    numbers: int
    rho: float
    deviation: float
    """Of the noise in one number, in rows whose coordinate is one."""


@dataclass(frozen=True, slots=True, repr=False)
class TrainingQuote(Tabular):
    """What a model would cost. Reads no data, spends nothing."""

    loss: Loss
    steps: tuple[TrainedStep, ...]
    deviations: tuple[float, ...]
    design: VectorDesign
    confidence: Fraction
    notes: tuple[str, ...]

    @property
    def lines(self) -> tuple[TrainingLine, ...]:
        """The sums, those of one kind together."""
        found = []
        for measured, group in groupby(
            zip(self.steps, self.deviations, strict=True), key=lambda pair: pair[0].measured
        ):
            pairs = list(group)
            step, deviation = pairs[0]
            rho = sum(one.rho for one, _ in pairs)
            found.append(TrainingLine(WORDS.get(measured, measured), len(pairs), step.numbers, rho, deviation))
        return tuple(found)

    @property
    def error(self) -> float | None:
        """How far noise alone moves a coefficient, with 10,000 rows that fill their bounds evenly.

        In the vectors' unit: of columns as wide as their bounds, and of a target as wide as its own. None: there are
        no coefficients.
        """
        names = {step.measured: deviation for step, deviation in zip(self.steps, self.deviations, strict=True)}
        cross = names.get("TargetProducts", names.get("Residuals"))
        if cross is None:
            return None
        variances = [
            1 / 12 if isinstance(one, NumberFeature) else 1 / (len(one.names) + 1) for one in self.design.features
        ]
        curvature = 0.25 if "Residuals" in names else 1.0
        shrunk = min(1.0, self.design.square / GRID**2 / (sum(variances) + (self.design.constant / GRID) ** 2))
        return float(cross / (_ROWS * float(np.mean(variances)) * curvature * shrunk))

    @property
    def table(self) -> pa.Table:
        """A row for each kind of sum."""
        return pa.Table.from_pylist([asdict(line) for line in self.lines], schema=_LINES)

    def with_notes(self, notes: Iterable[str]) -> Self:
        """The same quote, with more to be said: what the account makes of it."""
        return replace(self, notes=(*self.notes, *notes))

    def sheet(self) -> Sheet:
        """What is shown of it."""
        lines = self.lines[:MOST_ROWS]
        columns = (
            SheetColumn.texts("measured", [line.measured for line in lines]),
            SheetColumn.numbers("times", [line.times for line in lines]),
            SheetColumn.numbers("numbers", [line.numbers for line in lines]),
            SheetColumn.numbers("rho", [line.rho for line in lines]),
            SheetColumn.numbers("noise (deviation, in rows)", [line.deviation for line in lines]),
        )
        return Sheet(
            columns, f"price {self.loss}", (*self._expected, *self.notes), "", max(0, len(self.lines) - MOST_ROWS)
        )

    def to_dict(self) -> dict[str, object]:
        """All of it in values that JSON can say, for front ends."""
        return {
            "measurements": [asdict(line) for line in self.lines],
            "coefficient_error": self.error,
            "confidence": float(self.confidence),
            "loss": self.loss.to_dict(),
            "notes": list(self.notes),
        }

    @property
    def _expected(self) -> tuple[str, ...]:
        if self.error is None:
            return ()
        rows = f"with {_ROWS:,} rows that fill their bounds evenly"
        return (f"{rows}, noise moves a coefficient by about {self.error:.2g} (columns and target as wide as bounds)",)


_LINES = pa.schema(
    [
        ("measured", pa.string()),
        ("times", pa.int64()),
        ("numbers", pa.int64()),
        ("rho", pa.float64()),
        ("deviation", pa.float64()),
    ]
)
