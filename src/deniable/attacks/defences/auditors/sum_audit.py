"""Query auditing for sums of real numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from deniable.attacks.defences.defence import (
    FloatArray,
    Guard,
    IntArray,
    QuestionKind,
    Questions,
    Responder,
    SecretTable,
    exact_answers,
)
from deniable.core.bits import OperatingSystem
from deniable.core.sampling import uniform


@dataclass(frozen=True, slots=True)
class SumAudit(Guard):
    """Answers exactly, unless the answers so far and this one would fix somebody's value by linear algebra.

    A value x_i follows from sums of real numbers exactly if the unit vector e_i is in the span of the questions (Chin,
    Ozsoyoglu 1982). The decision looks at the questions and never at the data, so it is simulatable: a refusal says
    nothing (Kenthapadi, Mishra, Nissim 2005). But the rule holds for arbitrary real numbers only. For bits, a sum of
    0 discloses everybody in it, and nearly n sums rebuild the table.
    """

    name: ClassVar[str] = "sum-audit"
    says: ClassVar[str] = "query auditing of sums"

    def guard(self, table: SecretTable, chance: np.random.Generator) -> Responder:
        """With no question answered yet."""
        del chance
        people, facts = table.secret.shape
        return _Audited(table, {column: Span(people) for column in range(facts)})


@dataclass(frozen=True, slots=True)
class _Audited(Responder):
    table: SecretTable
    spans: dict[int, Span]

    def answers(self, questions: Questions) -> FloatArray:
        """One after the other: each answer changes what the next would disclose. No maximum is answered."""
        if questions.kind is QuestionKind.MAX:
            return np.full(len(questions), np.nan)
        asked = zip(questions.column_of_each().tolist(), questions.subset_of_each(), strict=True)
        safe = np.array([self.spans[column].admit(subset.astype(np.int64)) for column, subset in asked], dtype=bool)
        return np.where(safe, exact_answers(self.table, questions), np.nan)


@dataclass(slots=True)
class Span:
    """The span of the questions that were answered, as rows in reduced echelon form modulo a random prime.

    A unit vector is in the span exactly if it is one of the rows: its only entry has to be at a pivot, and a pivot
    is 0 in every other row. Arithmetic modulo a prime of 31 bits is exact in 64 bits, and agrees with the rational
    numbers unless the prime divides one of the determinants (of zeros and ones) that decide. Such a determinant of
    order n is at most n^(n/2), so fewer than n log2(n) / 60 primes of that size divide it, of the 51 million from 2^30
    to 2^31: with a random one, wrong with probability below one in a million per determinant, up to n = 300.
    """

    people: int
    prime: int = field(default_factory=lambda: random_prime())
    rows: IntArray = field(init=False)
    pivots: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Nothing spans nothing."""
        self.rows = np.zeros((0, self.people), dtype=np.int64)

    def admit(self, question: IntArray) -> bool:
        """Whether it may be answered; if so, it is in the span from now on."""
        rest = question % self.prime
        for row, pivot in zip(self.rows, self.pivots, strict=True):
            rest = (rest - rest[pivot] * row) % self.prime
        places = np.flatnonzero(rest)
        if not places.size:
            return True  # it follows from what was said
        pivot = int(places[0])
        rest = rest * pow(int(rest[pivot]), -1, self.prime) % self.prime
        rows = np.vstack([(self.rows - self.rows[:, [pivot]] * rest) % self.prime, rest])
        if (np.count_nonzero(rows, axis=1) == 1).any():
            return False
        self.rows, self.pivots = rows, [*self.pivots, pivot]
        return True


def random_prime() -> int:
    """One of the primes from 2^30 to 2^31, all equally likely."""
    bits = OperatingSystem()
    while True:
        candidate = (1 << 30) + int(uniform(1 << 30, 1, bits)[0])
        if is_prime(candidate):
            return candidate


def is_prime(number: int) -> bool:
    """By Miller and Rabin; with these bases there is no exception below 3,215,031,751 (Jaeschke 1993).

    Example:
        >>> [number for number in range(40) if is_prime(number)]
        [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37]
    """
    bases = (2, 3, 5, 7)
    if number < 11 or any(number % base == 0 for base in bases):  # noqa: PLR2004 - the prime after the bases
        return number in bases
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    return all(
        (power := pow(base, odd, number)) == 1
        or any(pow(power, 1 << square, number) == number - 1 for square in range(twos))
        for base in bases
    )
