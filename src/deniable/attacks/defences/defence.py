"""What a defence is, and what may be asked of one that answers questions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from types import TracebackType
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from deniable.core.errors import InvalidArgumentError

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int64]


class Defence(ABC):
    """Settings of something that stands between private data and an attacker."""

    name: ClassVar[str]
    says: ClassVar[str]
    """What it does, in a few words."""

    @property
    def promise(self) -> Fraction | None:
        """The epsilon that it keeps, if it keeps one."""
        return None


@dataclass(frozen=True, slots=True)
class SecretTable:
    """Private numbers: a row for each person, a column for each fact, all within public bounds on a public grid."""

    secret: FloatArray
    low: float
    high: float
    step: float

    def __post_init__(self) -> None:
        """There must be somebody to protect."""
        if self.secret.ndim != 2 or not self.secret.size:  # noqa: PLR2004 - rows and columns
            raise InvalidArgumentError("table", "must have at least one row and one column")

    @property
    def width(self) -> float:
        """How far one person can move a sum."""
        return self.high - self.low


class QuestionKind(Enum):
    """What is asked about a subset of the people."""

    COUNT = "count"
    """How many of them have the trait: the sum of secrets that are 0 or 1."""
    SUM = "sum"
    MEAN = "mean"
    MAX = "max"


@dataclass(frozen=True, slots=True)
class Questions:
    """Questions of one kind, asked one after the other: each is about a subset of the people, and one column.

    `spellings` tells apart different texts of the same question: the same number is the same text.
    """

    kind: QuestionKind
    subsets: BoolArray
    columns: IntArray = field(default_factory=lambda: np.zeros(1, dtype=np.int64))
    spellings: IntArray = field(default_factory=lambda: np.zeros(1, dtype=np.int64))

    def __len__(self) -> int:
        """How many."""
        return int(max(self.subsets.shape[0], self.columns.size, self.spellings.size))

    def sizes(self) -> IntArray:
        """How many people each is about."""
        return np.broadcast_to(self.subsets.sum(axis=1), len(self))

    def column_of_each(self) -> IntArray:
        """Its column."""
        return np.broadcast_to(self.columns, len(self))

    def subset_of_each(self) -> BoolArray:
        """Its subset, as a view."""
        return np.broadcast_to(self.subsets, (len(self), self.subsets.shape[1]))

    def spelling_of_each(self) -> IntArray:
        """Its text."""
        return np.broadcast_to(self.spellings, len(self))


class Responder(ABC):
    """A defence at work on a table: answers questions, or refuses to."""

    @abstractmethod
    def answers(self, questions: Questions) -> FloatArray:
        """One number for each question, in order; NaN where it was refused."""

    @property
    def paid(self) -> bool:
        """Whether answers are paid for, so that each further question makes all of them noisier."""
        return False

    def close(self) -> None:  # noqa: B027 - most hold nothing
        """Let go of whatever is held."""

    def __enter__(self) -> Self:
        """For `with`."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close whatever happened."""
        self.close()


class Guard(Defence):
    """A defence that answers questions."""

    @abstractmethod
    def guard(self, table: SecretTable, chance: np.random.Generator) -> Responder:
        """At work on this table. `chance` is simulated randomness: only the project's curator is more careful."""


def exact_sums(table: SecretTable, questions: Questions) -> FloatArray:
    """What counts, sums and means rest on."""
    secret = table.secret
    if questions.columns.size == 1:
        column = secret[:, questions.columns[0]]
        return np.broadcast_to(questions.subsets @ column, len(questions))
    if questions.subsets.shape[0] == 1:
        return np.asarray(secret[:, questions.columns].T @ questions.subsets[0], dtype=np.float64)
    return np.asarray(np.einsum("mn,nm->m", questions.subsets, secret[:, questions.columns]))


def exact_answers(table: SecretTable, questions: Questions) -> FloatArray:
    """The truth; nothing has no mean and no maximum."""
    sizes = questions.sizes()
    if questions.kind is QuestionKind.MAX:
        shown = np.where(questions.subset_of_each(), table.secret[:, questions.column_of_each()].T, -np.inf)
        return np.where(sizes > 0, shown.max(axis=1), np.nan)
    sums = exact_sums(table, questions)
    return sums if questions.kind is not QuestionKind.MEAN else sums / np.where(sizes > 0, sizes, np.nan)
