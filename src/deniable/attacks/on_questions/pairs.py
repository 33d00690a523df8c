"""A search for two harmless-looking sets that differ in one person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import ClassVar

import numpy as np

from deniable.attacks.attack import AttackOnSums
from deniable.attacks.defences.defence import BoolArray, Guard, IntArray, QuestionKind, Questions
from deniable.attacks.on_questions.blood_sugar import PRIOR, VALUES, blood_sugar, exact_readings
from deniable.attacks.outcome import Outcome
from deniable.attacks.picture import Bars, Mark
from deniable.core.errors import InvalidArgumentError
from deniable.core.number import whole

_MOST_SETS = 200_000


@dataclass(frozen=True, slots=True)
class Pairs(AttackOnSums):
    """Finds, among all conditions on public columns, two large sets that differ in just one person, for each person.

    Target:      an interface without names: conditions such as town = 3 and not job = 5, and a least size.
    Finds:       the values of the people whom such a pair isolates.
    Confidence:  certain against exact answers.
    Cost:        S sets of n people: S n look-ups of 64-bit hashes. A set's hash is the exclusive or of its members'
                 random words, so leaving one out is one operation (Zobrist 1970); hits are checked in full.
    Reference:   Denning, Denning, Schwartz 1979 (the tracker).

    Example:
        >>> sets = np.array([[1, 1, 1, 0], [1, 1, 0, 0], [0, 1, 1, 1]], dtype=bool)
        >>> larger, smaller = find_pairs(sets, least=2)
        >>> larger.tolist(), smaller.tolist()            # only the third person is isolated
        ([-1, -1, 0, -1], [-1, -1, 1, -1])
    """

    name: ClassVar[str] = "pairs"
    title: ClassVar[str] = "Nobody is named, and everybody is found"
    lesson: ClassVar[str] = (
        "Taking names out of the interface does not help: a computer searches all pairs of allowed questions for two "
        "that differ in one person."
    )
    victim: ClassVar[str] = "query-set-size"

    n: int = 120
    width: int = 2
    """How many conditions a question may join with AND."""
    least: int = 10

    def against(self, defence: Guard, chance: np.random.Generator) -> Outcome:
        """People with a town, a decade of birth, a job and a sex, and their blood sugar."""
        table = blood_sugar(self.n, chance)
        public = np.column_stack([chance.integers(0, size, self.n) for size in (6, 7, 12, 2)])
        larger, smaller = find_pairs(menu(public, self.width), self.least)
        isolated = np.flatnonzero(larger >= 0)
        readings = np.full(self.n, np.nan)
        if isolated.size:
            sets = menu(public, self.width)
            asked = sets[np.concatenate([larger[isolated], smaller[isolated]])]
            with defence.guard(table, chance) as responder:
                sums = responder.answers(Questions(QuestionKind.SUM, asked))
            readings[isolated] = sums[: isolated.size] - sums[isolated.size :]
        hits = exact_readings(readings, table.secret[:, 0])
        return self.guessed(
            defence,
            measure="patients read without naming anybody",
            right=int(hits.sum()),
            trials=self.n,
            prior=PRIOR,
            sentence=f"{isolated.size} of {self.n} people are isolated by two sets of at least {self.least}; "
            f"{int(hits.sum())} values are right.",
            pictures=(self._picture(public, defence, float(hits.mean())),),
        )

    def _picture(self, public: IntArray, defence: Guard, value: float) -> Bars:
        """How many people a search with more conditions isolates, and how many values were then right."""
        widths = range(1, self.width + 1)
        found = [float((find_pairs(menu(public, width), self.least)[0] >= 0).mean()) for width in widths]
        names = [f"isolated, {width} condition{'s' * (width > 1)}" for width in widths]
        return Bars(
            f"People isolated by pairs of large sets, and read through: {defence.says}",
            "share of people",
            (*zip(names, found, strict=True), ("values right", value)),
            (Mark(1 / VALUES, "guessing"),),
        )


def menu(public: IntArray, width: int) -> BoolArray:
    """Every set of people that up to `width` conditions (a column is, or is not, some value) describe."""
    columns = [public[:, column] for column in range(public.shape[1])]
    literals = [column == value for column in columns for value in np.unique(column)]
    literals += [~literal for literal in literals]
    widths = range(1, min(whole("width", width), len(literals)) + 1)
    number = sum(comb(len(literals), size) for size in widths)
    if number > _MOST_SETS:
        raise InvalidArgumentError("width", f"makes {number:,} sets; at most {_MOST_SETS:,} are searched")
    base = np.array(literals)
    sets = [np.ones((1, public.shape[0]), dtype=bool)]
    for size in widths:
        chosen = np.array(list(combinations(range(len(literals)), size)))
        sets.append(np.logical_and.reduce(base[chosen], axis=1))
    return np.unique(np.vstack(sets), axis=0)


def find_pairs(sets: BoolArray, least: int) -> tuple[IntArray, IntArray]:
    """For each person a set, and a second one that is the first without them; -1 where there is none.

    Both have at least `least` members.
    """
    allowed = np.flatnonzero(sets.sum(axis=1) >= least)
    usable = sets[allowed]
    words = np.random.default_rng().integers(0, 1 << 63, sets.shape[1], dtype=np.uint64)
    hashes = np.bitwise_xor.reduce(np.where(usable, words, np.uint64(0)), axis=1)
    order = np.argsort(hashes)
    larger, smaller = (np.full(sets.shape[1], -1) for _ in range(2))
    if not allowed.size:
        return larger, smaller
    wanted = hashes[:, None] ^ words
    place = np.minimum(np.searchsorted(hashes[order], wanted), order.size - 1)
    hit = usable & (hashes[order][place] == wanted)
    for one, person in _first_of_each(hit):
        other = order[place[one, person]]
        if (usable[one] ^ usable[other]).sum() == 1:  # a hash may lie once in a blue moon
            larger[person], smaller[person] = allowed[one], allowed[other]
    return larger, smaller


def _first_of_each(hit: BoolArray) -> Sequence[tuple[int, int]]:
    """For each person the first set that has a partner."""
    return [(int(hit[:, person].argmax()), person) for person in np.flatnonzero(hit.any(axis=0)).tolist()]
