"""Every cell, and sums of cells for everything else."""

from __future__ import annotations

from typing import ClassVar

from deniable.releases.linear.design import LinearDesign
from deniable.releases.linear.matrices.factors import Factor, Shape
from deniable.releases.linear.measurement import Block, Noise
from deniable.releases.linear.reader import CellReader
from deniable.releases.linear.strategies.strategy import WHOLE, Strategy, too_many_cells
from deniable.releases.linear.task import Task


class Identity(Strategy):
    """Measures the histogram of all cells. A row is in one cell, so the noise is that of a single count.

    Input:      any workload on few cells.
    Guarantee:  that of Laplace or Gaussian noise of sensitivity 1 (in units' weight).
    Error:      a sum of m cells has the root of m times the error of one.
    Cost:       one draw for each cell.
    Reference:  Dwork, McSherry, Nissim, Smith 2006.
    """

    name: ClassVar[str] = "identity"

    def refusal(self, task: Task) -> str | None:
        """Cells must be few."""
        return too_many_cells(task)

    def design(self, task: Task, noise: Noise) -> LinearDesign:
        """One block."""
        maps = tuple(Factor(Shape.VALUES, one.size, one.present) for one in task.domain.attributes)
        measured = noise.measured(Block(tuple(range(len(maps))), maps), WHOLE)
        reader = CellReader(task.domain.shape, maps, measured.deviation)
        return LinearDesign(self.name, task, (measured,), reader)
