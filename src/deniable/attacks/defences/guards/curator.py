"""The curator of this project, with its budget."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import ClassVar

import numpy as np
import pyarrow as pa

from deniable.attacks.defences.defence import (
    BoolArray,
    FloatArray,
    Guard,
    IntArray,
    QuestionKind,
    Questions,
    Responder,
    SecretTable,
)
from deniable.core.errors import Refused
from deniable.core.number import Number, positive
from deniable.curator import Curator, protect

_PERSON = "person"
_TEXT = 15_000
_STATISTICS = 90
"""A question to the curator may be that long, and ask for that many numbers at once."""
_LOOSE: dict[str, Number] = {"least_spend": Fraction(1, 10**12), "questions_per_day": 10**9}
"""It is the budget that must stop an attack, not that somebody may ask only so often."""


@dataclass(frozen=True, slots=True, init=False)
class CuratorGuard(Guard):
    """Asks the curator in SQL, and divides the whole budget evenly among the questions that come first.

    Guarantee:  everything that is ever answered is epsilon-private for each person, when their row is exchanged
                (or added or removed, with `neighbours="add-remove"`).
    """

    name: ClassVar[str] = "curator"
    says: ClassVar[str] = "this project's curator, with a budget"

    epsilon: Fraction
    neighbours: str

    def __init__(self, epsilon: Number = 1, neighbours: str = "replace") -> None:
        object.__setattr__(self, "epsilon", positive("epsilon", epsilon))
        object.__setattr__(self, "neighbours", neighbours)

    @property
    def promise(self) -> Fraction | None:
        """The budget."""
        return self.epsilon

    def guard(self, table: SecretTable, chance: np.random.Generator) -> Responder:
        """A curator with a fresh budget around the table, in which a person is known by number."""
        del chance  # its noise comes from the operating system
        people, facts = table.secret.shape
        names = [f"fact{number}" for number in range(facts)]
        whole = table.step == 1
        columns = {name: table.secret[:, number] for number, name in enumerate(names)}
        curator = protect(
            pa.table(
                {_PERSON: np.arange(people)}
                | {name: column.astype(np.int64) if whole else column for name, column in columns.items()}
            ),
            epsilon=self.epsilon,
            bounds={_PERSON: (0, people - 1)} | dict.fromkeys(names, (_short(table.low), _short(table.high))),
            steps={} if whole else dict.fromkeys(names, table.step),
            limits=_LOOSE,
            neighbours=self.neighbours,
        )
        return CuratorResponder(curator, "data", _PERSON, np.arange(people), names, self.epsilon, own=True)


@dataclass(slots=True)
class CuratorResponder(Responder):
    """Questions about people, as an analyst would write them: conditions on the column that names a person.

    The first batch decides what each question may cost: `spend`, divided evenly. A repeated question is one question,
    since the curator answers it from its record. Refusals, also for want of budget, are refusals.
    """

    curator: Curator
    table: str
    person: str
    """The column by which people are known."""
    people: IntArray
    """Its values, in the order of the subsets."""
    secrets: Sequence[str]
    """What is summed: a column or an expression, in the order of the questions' columns."""
    spend: Fraction
    own: bool = False
    everyone: bool = True
    """Whether nobody is in the table but these people."""
    analyst: str | None = None
    price: Fraction | None = None

    @property
    def paid(self) -> bool:
        """From the budget."""
        return True

    def answers(self, questions: Questions) -> FloatArray:
        """Each different question once, as many in one SELECT as it takes. A mean is a sum over known people."""
        labels = np.column_stack([questions.column_of_each(), questions.spelling_of_each()]).astype(np.int64)
        packed = np.packbits(questions.subsets, axis=1)
        packed = np.broadcast_to(packed, (len(questions), packed.shape[1]))
        _, first, inverse = np.unique(
            np.hstack([packed, labels.view(np.uint8).reshape(len(questions), -1)]),
            axis=0,
            return_index=True,
            return_inverse=True,
        )
        self.price = self.price or self.spend / max(1, first.size)
        subsets = questions.subset_of_each()
        terms = [self._term(questions.kind, subsets[place], *labels[place].tolist()) for place in first.tolist()]
        sums = np.concatenate([self._ask(batch) for batch in _batches(terms)])[inverse.reshape(-1)]
        return sums if questions.kind is not QuestionKind.MEAN else sums / np.maximum(questions.sizes(), 1)

    def close(self) -> None:
        """A curator that was made for the attack ends with it."""
        if self.own:
            self.curator.close()

    def _ask(self, terms: Sequence[str]) -> FloatArray:
        columns = ", ".join(f"{term} AS q{number}" for number, term in enumerate(terms))
        cost = (self.price or self.spend) * len(terms)
        try:
            answer = self.curator.ask(f"SELECT {columns} FROM {self.table}", epsilon=cost, analyst=self.analyst)  # noqa: S608 - made here
        except Refused:
            return np.full(len(terms), np.nan)
        (row,) = answer.table.to_pylist()
        return np.array([np.nan if value is None else float(value) for value in row.values()])

    def _term(self, kind: QuestionKind, subset: BoolArray, column: int, spelling: int) -> str:
        """One number about one subset."""
        function = "MAX" if kind is QuestionKind.MAX else "SUM"
        condition = self._condition(subset)
        if spelling:  # other words: an alternative that nobody fulfils
            condition = f"({condition or 'TRUE'} OR {self.person} = {int(self.people.max()) + spelling})"
        chosen = f" FILTER (WHERE {condition})" if condition else ""
        return f"{function}({self.secrets[column]}){chosen}"

    def _condition(self, subset: BoolArray) -> str:
        """By number; whoever is left out is named instead, if they are fewer and there is nobody else."""
        if self.everyone and subset.all():
            return ""
        named, word = (~subset, "NOT IN") if self.everyone and subset.sum() > subset.size / 2 else (subset, "IN")
        numbers = ", ".join(str(number) for number in self.people[named].tolist())
        return f"{self.person} {word} ({numbers})" if numbers else "FALSE"


def _batches(terms: Sequence[str]) -> Iterator[list[str]]:
    """As many at a time as one SELECT can hold."""
    left = iter(terms)
    while batch := list(islice(left, 1)):
        room = _TEXT - len(batch[0])
        for term in islice(left, _STATISTICS - 1):
            room -= len(term) + 10
            if room < 0:
                yield batch
                batch, room = [], _TEXT - len(term)
            batch.append(term)
        yield batch


def _short(bound: float) -> int | float:
    """Whole bounds without a point."""
    return int(bound) if bound == int(bound) else bound
