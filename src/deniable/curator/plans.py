"""Plans of questions that were priced lately, and what was made of recorded answers by them.

Of a repeat, both take longer than anything else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from deniable.core.paid import Paid
from deniable.core.recent import Recent
from deniable.curator.answers.noisy_answer import NoisyAnswer
from deniable.curator.answers.outer import OuterQueries
from deniable.curator.purchase import from_bytes
from deniable.curator.questions import PricedQuestions
from deniable.planner import PricedStatements, Spend
from deniable.policy import Policy

_MOST = 512
_LARGE = 1 << 18
"""Bytes of an answer that is too large to be kept."""


class RememberedPlans:
    """A plan follows from the question, the spend and the policy, so it may be used again. Refusals are not kept.

    The policy's digest changes with what its public tables hold. A question that reads the clock is planned each time.
    """

    def __init__(self, make: Callable[[str, Policy, Spend], PricedStatements]) -> None:
        self._make = make
        self._known: Recent[tuple[str, Spend, str], PricedStatements] = Recent(_MOST)

    def plan(self, sql: str, spend: Spend, policy: Policy) -> PricedStatements:
        """The plan, made now or earlier: as long as it is known, the same object."""
        key = sql, spend, policy.digest
        if (known := self._known.get(key)) is not None:
            return known
        made = self._make(sql, policy, spend)
        if not any(asked.clock for asked in made.asked):
            self._known.keep(key, made)
        return made


class RememberedAnswers:
    """What a plan makes of recorded bytes: it follows from these two, so whoever may see the bytes may see it.

    Whether somebody may, the ledger says each time, and gives the bytes: nothing is found here without them. A plan has
    the notes of whoever asks, and is told apart by identity: what is kept holds on to it, so that nothing else has it.
    """

    def __init__(self, outer: OuterQueries, delta: Fraction) -> None:
        self._outer, self._delta = outer, delta
        self._known: Recent[tuple[int, bytes], tuple[PricedStatements, NoisyAnswer]] = Recent(_MOST)

    def answer(self, question: PricedQuestions, recorded: bytes, paid: Paid) -> NoisyAnswer:
        """To one question, whoever has paid for it; with its table and intervals worked out."""
        key = id(question.together), recorded
        known = self._known.get(key) if len(recorded) <= _LARGE else None
        answer = self._made(question, key) if known is None else known[1]
        if paid.free:
            return answer
        return replace(answer, free=False, share=paid is Paid.SHARE)  # type: ignore[type-var]  # every kind is a dataclass

    def _made(self, question: PricedQuestions, key: tuple[int, bytes]) -> NoisyAnswer:
        """As if it were seen again, for nothing. Rows of public tables change, so what reads them is not kept."""
        _, recorded = key
        (answer,) = question.answers(from_bytes(recorded), self._outer, self._delta, paid=Paid.BEFORE)
        changing = any(asked.outer is not None and asked.outer.public for asked in question.together.asked)
        if not changing and len(recorded) + answer.table.nbytes + answer.intervals.nbytes <= _LARGE:
            self._known.keep(key, (question.together, answer))
        return answer
