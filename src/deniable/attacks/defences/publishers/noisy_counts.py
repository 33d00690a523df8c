"""A table of counts from the curator of this project."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from deniable.attacks.classes import WEIGHT
from deniable.attacks.defences.publishers.publisher import Publisher
from deniable.attacks.population import OLDEST, SENSITIVE, YOUNGEST
from deniable.core.number import Number, positive
from deniable.curator import protect

_COUNTS = f"SELECT zip, FLOOR(age / 10) AS decade, {SENSITIVE}, COUNT(*) AS n FROM data GROUP BY 1, 2, 3"  # noqa: S608 - a constant


@dataclass(frozen=True, slots=True, init=False)
class NoisyCounts(Publisher):
    """Asks the curator once how many people have each disease, by zip code and decade of age.

    Guarantee:  epsilon-private for each person, when their row is exchanged.
    """

    name: ClassVar[str] = "curator"
    says: ClassVar[str] = "this project's curator, noisy counts"

    epsilon: Fraction
    values: tuple[str, ...]
    """The sensitive values; the list is public."""
    zips: tuple[str, ...]

    def __init__(self, epsilon: Number, values: Sequence[str], zips: Sequence[str]) -> None:
        object.__setattr__(self, "epsilon", positive("epsilon", epsilon))
        object.__setattr__(self, "values", tuple(values))
        object.__setattr__(self, "zips", tuple(zips))

    @property
    def promise(self) -> Fraction | None:
        """The whole budget, spent on one table."""
        return self.epsilon

    def publish(self, people: pa.Table) -> pa.Table:
        """Every combination, whether anybody is in it or not."""
        private = pa.table({"zip": people["zip"], "age": people["age"].cast(pa.int64()), SENSITIVE: people[SENSITIVE]})
        with protect(
            private,
            epsilon=self.epsilon,
            bounds={"age": (YOUNGEST, OLDEST)},
            values={"zip": self.zips, SENSITIVE: self.values},
            neighbours="replace",
        ) as curator:
            counts = curator.ask(_COUNTS, epsilon=self.epsilon).table.drop_null()
        decade = pc.cast(counts["decade"], pa.int64()).to_numpy() * 10
        return pa.table(
            {
                "zip": counts["zip"],
                "age": np.char.add(np.char.add(decade.astype(str), "-"), (decade + 9).astype(str)),
                SENSITIVE: counts[SENSITIVE],
                WEIGHT: counts["n"],
            }
        )
