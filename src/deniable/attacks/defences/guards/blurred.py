"""What defences that change the answer have in common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from deniable.attacks.defences.defence import (
    FloatArray,
    QuestionKind,
    Questions,
    Responder,
    SecretTable,
    exact_answers,
    exact_sums,
)

Blur = Callable[[FloatArray, Questions], FloatArray]
"""Exact answers in, changed answers out."""


@dataclass(frozen=True, slots=True)
class Blurred(Responder):
    """Changes counts, sums and maxima; a mean is a changed sum divided by the true size."""

    table: SecretTable
    blur: Blur

    def answers(self, questions: Questions) -> FloatArray:
        """Never refused."""
        if questions.kind is QuestionKind.MAX:
            return self.blur(exact_answers(self.table, questions), questions)
        sums = self.blur(exact_sums(self.table, questions), questions)
        sizes = questions.sizes()
        return sums if questions.kind is not QuestionKind.MEAN else sums / np.where(sizes > 0, sizes, np.nan)
