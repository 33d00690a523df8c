"""Questions that are priced and ready to be paid: one, or several for one charge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import pyarrow as pa

from deniable.core.algebra.query import ExactQuery
from deniable.core.algebra.relation import tables
from deniable.core.event import Event
from deniable.core.loss import Loss
from deniable.curator.answer import Answer
from deniable.curator.noise import add_noise
from deniable.curator.purchase import Round
from deniable.planner import Plan


@dataclass(frozen=True, slots=True)
class PricedQuestions:
    """What was written, how each is answered, and what all of them lose together. A round for each."""

    texts: tuple[str, ...]
    plans: tuple[Plan, ...]
    loss: Loss

    @property
    def text(self) -> str:
        """As they were written."""
        return ";\n".join(self.texts)

    @property
    def digest(self) -> str:
        """Those of the plans: however the questions were spelled."""
        return "\n".join(plan.digest for plan in self.plans)

    @property
    def tables(self) -> tuple[str, ...]:
        """Those of the plans."""
        return tuple(name for plan in self.plans for name in tables(plan.bound.source.table))

    @property
    def queries(self) -> tuple[ExactQuery, ...]:
        """All of them: no question depends on the answer to another."""
        return tuple(query for plan in self.plans for query in plan.queries)

    @property
    def events(self) -> tuple[Event, ...]:
        """Those of the plans."""
        return tuple(event for plan in self.plans for event in plan.events)

    def rounds(self, noisy: Sequence[pa.Table]) -> Iterator[Round]:
        """Question after question, whatever the noise was."""
        del noisy
        for plan in self.plans:
            yield Round(plan.queries, partial(add_noise, plan))

    def answers(self, recorded: Sequence[pa.Table], delta: Fraction, *, free: bool) -> list[Answer]:
        """What is made of the recorded tables; `delta` is the policy's."""
        return [
            Answer(plan, table, plan.quote.loss, free, delta) for plan, table in zip(self.plans, recorded, strict=True)
        ]
