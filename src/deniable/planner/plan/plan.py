"""What will run, with which noise, at which price."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from deniable.core.algebra.query import GroupQuery
from deniable.core.event import Event
from deniable.core.loss import Loss
from deniable.mechanisms import PartitionSelection
from deniable.planner.plan.bound import Bound
from deniable.planner.plan.parts import Noisy, Part
from deniable.planner.plan.quote import Quote


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that is needed to answer, and nothing that depends on the data."""

    bound: Bound
    queries: tuple[GroupQuery, ...]
    noise: tuple[Part, ...]
    selection: PartitionSelection | None
    quote: Quote

    @property
    def losses(self) -> tuple[Loss, ...]:
        """What each part of the noise gives away."""
        chosen = () if self.selection is None else (self.selection.loss,)
        return (*(part.loss for part in self.noise), *chosen)

    @property
    def events(self) -> tuple[Event, ...]:
        """For the ledger."""
        chosen = () if self.selection is None else (self.selection.event,)
        return (*(event for part in self.noise for event in part.events), *chosen)

    @property
    def digest(self) -> str:
        """The same for every spelling of the same question: what runs, with which noise, on which groups."""
        keys = tuple((key.name, key.value, key.domain) for key in self.bound.keys)
        choices = tuple(part for part in self.noise if not isinstance(part, Noisy))
        return hashlib.sha256(repr((self.queries, self.events, keys, choices)).encode()).hexdigest()
