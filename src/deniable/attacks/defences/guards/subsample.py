"""Answers from a random sample of the people."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from deniable.attacks.defences.defence import (
    BoolArray,
    FloatArray,
    Guard,
    Questions,
    Responder,
    SecretTable,
    exact_answers,
)


@dataclass(frozen=True, slots=True)
class Subsample(Guard):
    """Draws a sample once, and answers exactly about those in it.

    Most people are safe, and those in the sample have no protection at all (Dwork, Roth 2014, section 1.1).
    """

    name: ClassVar[str] = "subsample"
    says: ClassVar[str] = "a random sample, answered exactly"

    rate: float = 0.3

    def guard(self, table: SecretTable, chance: np.random.Generator) -> Responder:
        """Who is in the sample is decided here, once."""
        return _Sampled(table, np.asarray(chance.random(table.secret.shape[0]) < self.rate))


@dataclass(frozen=True, slots=True)
class _Sampled(Responder):
    table: SecretTable
    sampled: BoolArray

    def answers(self, questions: Questions) -> FloatArray:
        """The same question, about those of the subset who are in the sample."""
        return exact_answers(self.table, replace(questions, subsets=questions.subsets & self.sampled))
