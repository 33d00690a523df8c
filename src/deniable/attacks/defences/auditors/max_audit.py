"""Query auditing for the largest value: with a refusal that looks at the data, and with one that does not."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from deniable.attacks.defences.defence import (
    BoolArray,
    FloatArray,
    Guard,
    QuestionKind,
    Questions,
    Responder,
    SecretTable,
    exact_answers,
)


@dataclass(frozen=True, slots=True)
class OfflineMaxAudit(Guard):
    """Answers a maximum exactly, unless the answer would fix somebody's value.

    It looks at the answer to decide, so a refusal tells who holds the maximum: an eighth of all values follow from
    refusals alone (Kenthapadi, Mishra, Nissim 2005).
    """

    name: ClassVar[str] = "max-audit"
    says: ClassVar[str] = "auditing of maxima, refusing by the true answer"

    def guard(self, table: SecretTable, chance: np.random.Generator) -> Responder:
        """With no question answered yet."""
        del chance
        return _Offline(table)


@dataclass(frozen=True, slots=True)
class SimulatableMaxAudit(Guard):
    """Answers a maximum exactly, unless some answer that is still possible would fix somebody's value.

    The possible answers are tried at the earlier answers, between each two of them, and beyond both ends: in between,
    nothing that matters changes (Kenthapadi, Mishra, Nissim 2005).
    """

    name: ClassVar[str] = "max-audit-simulatable"
    says: ClassVar[str] = "auditing of maxima, refusing by possible answers"

    def guard(self, table: SecretTable, chance: np.random.Generator) -> Responder:
        """With no question answered yet."""
        del chance
        return _Simulatable(table)


@dataclass(slots=True)
class Maxima:
    """Answered maxima: which subsets, and how large."""

    subsets: BoolArray
    answers: FloatArray

    def extreme(self) -> BoolArray:
        """Who can hold each maximum: those whose least upper bound it is.

        Somebody's value is fixed exactly if they are alone in a row; answers contradict each other exactly if a row
        is empty (Chin 1986; Kenthapadi, Mishra, Nissim 2005, theorem 2).
        """
        bounds = np.where(self.subsets, self.answers[:, None], np.inf).min(axis=0)
        return np.asarray(self.subsets & (bounds == self.answers[:, None]))

    def discloses(self) -> bool:
        """Whether these answers can all be true, and fix somebody's value."""
        holders = self.extreme().sum(axis=1)
        return bool((holders > 0).all() and (holders == 1).any())

    def with_answer(self, subset: BoolArray, answer: float) -> Maxima:
        """One more."""
        return Maxima(np.vstack([self.subsets, subset]), np.append(self.answers, answer))


@dataclass(slots=True)
class _Audited(Responder):
    table: SecretTable
    said: dict[int, Maxima] = field(default_factory=dict)

    def answers(self, questions: Questions) -> FloatArray:
        """One after the other: each answer changes what the next would disclose. Only maxima are answered."""
        if questions.kind is not QuestionKind.MAX:
            return np.full(len(questions), np.nan)
        truth = exact_answers(self.table, questions)
        asked = zip(questions.column_of_each().tolist(), questions.subset_of_each(), truth, strict=True)
        return np.array([self._answer(*one) for one in asked])

    def _answer(self, column: int, subset: BoolArray, truth: float) -> float:
        people = self.table.secret.shape[0]
        said = self.said.setdefault(column, Maxima(np.zeros((0, people), dtype=bool), np.zeros(0)))
        if not subset.any() or self._refuses(said, subset, truth):
            return np.nan
        self.said[column] = said.with_answer(subset, truth)
        return truth

    @abstractmethod
    def _refuses(self, said: Maxima, subset: BoolArray, truth: float) -> bool:
        """Given what was said before."""


@dataclass(slots=True)
class _Offline(_Audited):
    def _refuses(self, said: Maxima, subset: BoolArray, truth: float) -> bool:
        return said.with_answer(subset, truth).discloses()


@dataclass(slots=True)
class _Simulatable(_Audited):
    def _refuses(self, said: Maxima, subset: BoolArray, truth: float) -> bool:
        del truth
        answers = np.unique(said.answers)
        ends = np.array([answers[0] - 1, answers[-1] + 1]) if answers.size else np.zeros(1)
        between = (answers[1:] + answers[:-1]) / 2
        return any(said.with_answer(subset, answer).discloses() for answer in np.concatenate([answers, between, ends]))
