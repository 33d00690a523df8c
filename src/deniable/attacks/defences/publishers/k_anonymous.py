"""A k-anonymous table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa

from deniable.attacks.defences.publishers.publisher import Publisher, anonymized


@dataclass(frozen=True, slots=True)
class KAnonymous(Publisher):
    """Divides people into classes of at least k, and shows their zip codes and sexes as sets, their ages as ranges.

    Everybody is hidden among at least k; their sensitive values are not hidden at all (Sweeney 2002).
    """

    name: ClassVar[str] = "k-anonymous"
    says: ClassVar[str] = "everybody hidden among k"

    k: int = 3

    def publish(self, people: pa.Table) -> pa.Table:
        """Classes of at least k."""
        return anonymized(people, self.k)
