"""A t-close table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa

from deniable.attacks.defences.publishers.publisher import Publisher, anonymized


@dataclass(frozen=True, slots=True)
class TClose(Publisher):
    """Divides people into classes in which the sensitive values are distributed almost as among all people.

    The distance is half the sum of absolute differences: the earth mover's distance where all values are equally far
    apart (Li, Li, Venkatasubramanian 2007). A share in a class exceeds the share in all by at most t.
    """

    name: ClassVar[str] = "t-close"
    says: ClassVar[str] = "every class distributed like all"

    t: float = 0.15
    k: int = 3

    def publish(self, people: pa.Table) -> pa.Table:
        """Classes of at least k that are close; one class of all is."""
        return anonymized(people, self.k, t=self.t)
