"""An l-diverse table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa

from deniable.attacks.defences.publishers.publisher import Publisher, generalised, partition, sensitive_shares


@dataclass(frozen=True, slots=True)
class LDiverse(Publisher):
    """Divides people into classes of at least k in which at least l different sensitive values occur.

    No class is all of one disease; it may still be mostly of one (Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam
    2007; Li, Li, Venkatasubramanian 2007).
    """

    name: ClassVar[str] = "l-diverse"
    says: ClassVar[str] = "l values in every class"

    l: int = 3  # noqa: E741 - the name of the idea
    k: int = 3

    def publish(self, people: pa.Table, order: Sequence[str] = ("zip", "age", "sex")) -> pa.Table:
        """Classes of at least k in which at least l values occur."""
        shares = sensitive_shares(people)
        return generalised(
            people, partition(people, order, lambda rows: rows.size >= self.k and (shares(rows) > 0).sum() >= self.l)
        )
