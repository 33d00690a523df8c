"""A t-close table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa

from deniable.attacks.defences.defence import IntArray
from deniable.attacks.defences.publishers.publisher import Publisher, generalised, partition, sensitive_shares


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

    def publish(self, people: pa.Table, order: Sequence[str] = ("zip", "age", "sex")) -> pa.Table:
        """Classes of at least k that are close; one class of all is."""
        shares = sensitive_shares(people)
        overall = shares(np.arange(people.num_rows))

        def close(rows: IntArray) -> bool:
            return rows.size >= self.k and bool(np.abs(shares(rows) - overall).sum() / 2 <= self.t)

        return generalised(people, partition(people, order, close))
