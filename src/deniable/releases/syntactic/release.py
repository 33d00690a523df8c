"""A published table, with all that is known about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import pyarrow as pa

from deniable.releases.syntactic.cells import Cells
from deniable.releases.syntactic.check import Checked
from deniable.releases.syntactic.demands import Demands
from deniable.releases.syntactic.hierarchy import Hierarchy
from deniable.releases.syntactic.optimum import Optimum
from deniable.releases.syntactic.recoding import Recoding


@dataclass(frozen=True)
class Release:
    """The table, what it was asked to be, and how it was made."""

    table: pa.Table = field(repr=False)
    demands: Demands
    method: str
    loss: str
    hierarchies: Mapping[str, Hierarchy]
    cells: Cells = field(repr=False)
    recoding: Recoding = field(repr=False)
    optimum: Optimum | None
    checked: Checked
    kept: tuple[str, ...]
    dropped: tuple[str, ...]
