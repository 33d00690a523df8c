"""Every query for itself: the textbook's baseline."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from deniable.releases.linear.design import LinearDesign
from deniable.releases.linear.matrices.integer_matrix import Whole
from deniable.releases.linear.measurement import Block, Noise, shares
from deniable.releases.linear.reader import PlainReader
from deniable.releases.linear.strategies.strategy import WHOLE, Strategy
from deniable.releases.linear.task import Factors, Piece, Task


class Alone(Strategy):
    """Adds noise to each answer; a row that counts in k queries makes all of them k times as noisy (l1).

    Input:      any workload.
    Guarantee:  that of Laplace or Gaussian noise, for the l1 or l2 norm of the column of the queries' matrix.
    Error:      the noise itself, the same for every query of a part.
    Cost:       one draw for each query.
    Reference:  Dwork, McSherry, Nissim, Smith 2006.
    """

    name: ClassVar[str] = "alone"

    def refusal(self, task: Task) -> str | None:
        """It always can."""
        del task
        return None

    def design(self, task: Task, noise: Noise) -> LinearDesign:
        """A block for each part, with more of the spend where there is more to err."""
        blocks = [_block(piece) for piece in task.pieces]
        alone = [noise.measured(block, WHOLE) for block in blocks]
        sizes = [
            (piece.weight * one.deviation) ** 2 * piece.rows for piece, one in zip(task.pieces, alone, strict=True)
        ]
        parts = shares(sizes, pure=noise.pure)
        measured = tuple(noise.measured(block, part) for block, part in zip(blocks, parts, strict=True))
        reader = PlainReader(task.pieces, tuple(one.deviation for one in measured))
        return LinearDesign(self.name, task, measured, reader)


def _block(piece: Piece) -> Block:
    """The queries themselves."""
    if isinstance(piece, Factors):
        return Block(piece.axes, tuple(piece.factors[axis] for axis in piece.axes))
    return Block(piece.axes, (Whole(piece.matrix.reshape(piece.rows, -1).astype(np.int64)),))
