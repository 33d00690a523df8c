"""A k-anonymous table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa

from deniable.attacks.defences.publishers.publisher import Publisher, generalised, partition


@dataclass(frozen=True, slots=True)
class KAnonymous(Publisher):
    """Divides people into classes of at least k, and shows ranges of zip codes and ages, and a sex or a star.

    Everybody is hidden among at least k; their sensitive values are not hidden at all (Sweeney 2002).
    """

    name: ClassVar[str] = "k-anonymous"
    says: ClassVar[str] = "everybody hidden among k"

    k: int = 3

    def publish(self, people: pa.Table, order: Sequence[str] = ("zip", "age", "sex")) -> pa.Table:
        """Classes of at least k."""
        return generalised(people, partition(people, order, lambda rows: rows.size >= self.k))
