"""An l-diverse table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa

from deniable.attacks.defences.publishers.publisher import Publisher, anonymized


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

    def publish(self, people: pa.Table) -> pa.Table:
        """Classes of at least k in which at least l values occur."""
        return anonymized(people, self.k, l=self.l)
