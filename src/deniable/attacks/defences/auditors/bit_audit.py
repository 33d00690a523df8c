"""Query auditing for sums of bits: with a refusal that looks at the data, and with one that does not."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from deniable.attacks.defences.defence import (
    BoolArray,
    FloatArray,
    Guard,
    IntArray,
    QuestionKind,
    Questions,
    Responder,
    SecretTable,
    exact_answers,
)
from deniable.core.errors import InvalidArgumentError

MOST = 20
"""People: all tables that agree with the answers are listed. Auditing bits is coNP-hard in general."""


@dataclass(frozen=True, slots=True)
class OfflineBitAudit(Guard):
    """Answers a count exactly, unless the answer would fix somebody's bit.

    Perfect in what it answers; but it looks at the answer to decide, so a refusal is an answer too (Kenthapadi, Mishra,
    Nissim 2005). Deciding it is coNP-hard (Kleinberg, Papadimitriou, Raghavan 2000); here all tables are listed.
    """

    name: ClassVar[str] = "bit-audit"
    says: ClassVar[str] = "auditing of counts, refusing by the true answer"

    def guard(self, table: SecretTable, chance: np.random.Generator) -> Responder:
        """With no question answered yet."""
        del chance
        return _Offline(table, _Possible.of(table))


@dataclass(frozen=True, slots=True)
class SimulatableBitAudit(Guard):
    """Answers a count exactly, unless some answer that is still possible would fix somebody's bit.

    Anybody could have predicted each refusal, so refusals say nothing (Kenthapadi, Mishra, Nissim 2005). The price:
    nearly everything is refused, as a count might always be 0.
    """

    name: ClassVar[str] = "bit-audit-simulatable"
    says: ClassVar[str] = "auditing of counts, refusing by possible answers"

    def guard(self, table: SecretTable, chance: np.random.Generator) -> Responder:
        """With no question answered yet."""
        del chance
        return _Simulatable(table, _Possible.of(table))


@dataclass(slots=True)
class _Possible:
    """The tables that agree with all answers so far, one per row."""

    tables: BoolArray = field(repr=False)

    @classmethod
    def of(cls, table: SecretTable) -> _Possible:
        people = table.secret.shape[0]
        if people > MOST:
            raise InvalidArgumentError("n", f"must be at most {MOST} for an audit of bits, not {people}: it lists 2^n")
        return cls((np.arange(1 << people)[:, None] >> np.arange(people)) & 1 == 1)

    def counts(self, subset: BoolArray) -> IntArray:
        """The answer in each of them."""
        return np.asarray(self.tables[:, subset].sum(axis=1), dtype=np.int64)

    def discloses(self, agreeing: BoolArray) -> bool:
        """Whether all of these tables have the same bit for somebody."""
        left = self.tables[agreeing]
        return bool((left.all(axis=0) | ~left.any(axis=0)).any())


@dataclass(frozen=True, slots=True)
class _Audited(Responder):
    table: SecretTable
    possible: _Possible

    def answers(self, questions: Questions) -> FloatArray:
        """One after the other: each answer changes what the next would disclose. Only counts and sums are answered."""
        if questions.kind not in (QuestionKind.COUNT, QuestionKind.SUM):
            return np.full(len(questions), np.nan)
        truth = exact_answers(self.table, questions)
        return np.array([self._answer(*asked) for asked in zip(questions.subset_of_each(), truth, strict=True)])

    def _answer(self, subset: BoolArray, truth: float) -> float:
        counts = self.possible.counts(subset)
        if self._refuses(counts, round(truth)):
            return np.nan
        self.possible.tables = self.possible.tables[counts == round(truth)]
        return truth

    @abstractmethod
    def _refuses(self, counts: IntArray, truth: int) -> bool:
        """Given the answer in each table that is still possible, and in the true one."""


@dataclass(frozen=True, slots=True)
class _Offline(_Audited):
    def _refuses(self, counts: IntArray, truth: int) -> bool:
        return self.possible.discloses(counts == truth)


@dataclass(frozen=True, slots=True)
class _Simulatable(_Audited):
    def _refuses(self, counts: IntArray, truth: int) -> bool:
        del truth
        return any(self.possible.discloses(counts == count) for count in np.unique(counts))
