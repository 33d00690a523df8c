"""The price of a release before paying, from public facts alone."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isinf

from deniable.core.loss import Loss
from deniable.releases.linear.design import Design
from deniable.releases.linear.measurement import Noise
from deniable.releases.linear.strategies import choose
from deniable.releases.linear.tables import title


@dataclass(frozen=True, slots=True)
class ReleaseLine:
    """One part of a workload."""

    part: str
    queries: int
    error: float
    """The expected root-mean-square error of its queries, in rows."""
    plain: float
    """The same, had each query been answered alone for the same spend."""


@dataclass(frozen=True, slots=True)
class ReleaseQuote:
    """What a release would cost and how far off it would be. Reads no data, spends nothing."""

    strategy: str
    loss: Loss
    lines: tuple[ReleaseLine, ...]
    error: float
    """The expected root-mean-square error of all queries, by weight."""
    bound: float | None
    """No strategy with this kind of noise has a smaller one; None: not known."""
    plain: float | None
    """How many times this spend the queries would cost, each answered alone, for the same error; None: not known."""
    cells: int
    numbers: int
    """How many noisy numbers everything is read from."""
    confidence: Fraction
    cautions: tuple[str, ...]

    @classmethod
    def of(cls, design: Design, noise: Noise, confidence: Fraction, cautions: tuple[str, ...]) -> ReleaseQuote:
        """Beside the textbook's baseline."""
        task = design.task
        alone = choose("alone", task, noise)
        ratio = alone.total / design.total
        return cls(
            strategy=design.name,
            loss=design.loss,
            lines=tuple(
                ReleaseLine(title(task, piece), piece.rows, design.error(piece), alone.error(piece))
                for piece in task.pieces
            ),
            error=design.total,
            bound=design.bound,
            plain=None if isinf(design.total) else ratio if noise.pure else ratio**2,
            cells=task.domain.cells,
            numbers=design.numbers,
            confidence=confidence,
            cautions=cautions,
        )
