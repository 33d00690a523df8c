"""A table without names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa

from deniable.attacks.defences.publishers.publisher import Publisher


@dataclass(frozen=True, slots=True)
class Deidentified(Publisher):
    """Takes the names away and leaves everything else as it is.

    Zip code, date of birth and sex name most people all the same (Sweeney 2000; Golle 2006).
    """

    name: ClassVar[str] = "deidentified"
    says: ClassVar[str] = "names taken away"

    def publish(self, people: pa.Table) -> pa.Table:
        """All columns but the name."""
        return people.drop_columns(["name"])
