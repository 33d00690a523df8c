"""The price of synthetic tables before paying, and the noise of every measurement, from public facts alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import ClassVar

import pyarrow as pa

from deniable.core.loss import Loss
from deniable.display import Sheet, SheetColumn
from deniable.display.sheet import MOST_ROWS
from deniable.releases.quoted import QuotedLines
from deniable.releases.synthetic.measured.portion import FINE
from deniable.releases.synthetic.recipe import SHARES, Recipe


@dataclass(frozen=True, slots=True)
class SynthesisLine:
    """One measurement of one table."""

    table: str
    measured: str
    numbers: int | None
    """How many noisy numbers; None: that depends on what the last measurement gives out."""
    share: float
    """Of the spend for this table."""
    deviation: float
    """The standard deviation of the noise in one number, in rows; of pairs, if all of them are measured alike."""


_LINES = pa.schema(
    [
        ("table", pa.string()),
        ("measured", pa.string()),
        ("numbers", pa.int64()),
        ("share", pa.float64()),
        ("deviation", pa.float64()),
    ]
)


@dataclass(frozen=True, slots=True, repr=False)
class SynthesisQuote(QuotedLines):
    """What synthetic tables would cost. Reads no data, spends nothing."""

    schema: ClassVar[pa.Schema] = _LINES

    loss: Loss
    lines: tuple[SynthesisLine, ...]
    confidence: Fraction
    notes: tuple[str, ...]

    @classmethod
    def of(
        cls, names: Sequence[str], recipes: Sequence[Recipe], loss: Loss, confidence: Fraction, notes: tuple[str, ...]
    ) -> SynthesisQuote:
        """The four measurements of every table."""
        lines = [line for name, recipe in zip(names, recipes, strict=True) for line in _lines(name, recipe)]
        return cls(loss, tuple(lines), confidence, notes)

    def sheet(self) -> Sheet:
        """What is shown of it."""
        lines = self.lines[:MOST_ROWS]
        columns = (
            SheetColumn.texts("table", [line.table for line in lines]),
            SheetColumn.texts("measured", [line.measured for line in lines]),
            SheetColumn.texts("share", [f"{line.share:.0%}" for line in lines]),
            SheetColumn.numbers("noise (deviation, in rows)", [line.deviation for line in lines]),
        )
        return Sheet(columns, f"price {self.loss}", self.notes, "", max(0, len(self.lines) - MOST_ROWS))

    def to_dict(self) -> dict[str, object]:
        """All of it in values that JSON can say, for front ends."""
        return {
            "measurements": [asdict(line) for line in self.lines],
            "confidence": float(self.confidence),
            "loss": self.loss.to_dict(),
            "notes": list(self.notes),
        }


def _lines(name: str, recipe: Recipe) -> list[SynthesisLine]:
    pairs, one_way = len(recipe.pairs), recipe.one_way
    each = max(1, int(FINE / pairs**0.5))
    counts = one_way.portion
    levels = sorted(one_way.weights[:-1])  # the last one is that of the number of all rows
    typical = levels[len(levels) // 2]
    cells = sum(len(starts) for found in one_way.levels for starts in found)
    scores, tables, certificate = recipe.for_scores, recipe.for_tables, recipe.for_certificate
    return [
        SynthesisLine(name, "counts of columns", cells, float(SHARES["counts"]), counts.deviation(typical)),
        SynthesisLine(
            name, "scores of pairs", 2 * pairs, float(SHARES["scores"]), scores.deviation(max(1, int(each / 2**0.5)))
        ),
        SynthesisLine(name, "tables of pairs", None, float(SHARES["tables"]), tables.deviation(each)),
        SynthesisLine(name, "certificate", pairs, float(1 - sum(SHARES.values())), certificate.deviation(each)),
    ]
