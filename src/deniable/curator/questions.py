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
from deniable.core.paid import Paid
from deniable.curator.answers.answer import Answer
from deniable.curator.answers.noisy_answer import NoisyAnswer
from deniable.curator.answers.outer import OuterQueries
from deniable.curator.noise import add_noise
from deniable.curator.purchase import Round
from deniable.planner import Plan, PricedStatements


@dataclass(frozen=True, slots=True)
class PricedQuestions:
    """What was written, how each is answered, and what all of them lose together. A round for each question inside."""

    texts: tuple[str, ...]
    together: PricedStatements

    @property
    def plans(self) -> tuple[Plan, ...]:
        """Of the questions that are asked, each once."""
        return self.together.batch.plans

    @property
    def loss(self) -> Loss:
        """Of all of them."""
        return self.together.batch.loss

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

    def listed(self, outer: OuterQueries, delta: Fraction) -> list[NoisyAnswer]:
        """Of questions that ask for declared values alone: those values. Nothing is run, and nothing is paid."""
        return self.answers([add_noise(plan, ()) for plan in self.plans], outer, delta, paid=Paid.BEFORE)

    def answers(
        self, recorded: Sequence[pa.Table], outer: OuterQueries, delta: Fraction, *, paid: Paid
    ) -> list[NoisyAnswer]:
        """What is made of the recorded tables; `delta` is the policy's."""
        found = []
        for asked in self.together.asked:
            inner = [
                Answer(plan, recorded[place], plan.quote.loss, paid.free, delta, share=paid is Paid.SHARE)
                for plan, place in zip(asked.plans, asked.places, strict=True)
            ]
            found.append(outer.answer(asked, inner, paid=paid, delta=delta))
        return found
