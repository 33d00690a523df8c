"""Heavy hitters: the frequent words of a list that nobody has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import ceil, log
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.core.bits import BitSource
from deniable.core.errors import InvalidArgumentError
from deniable.core.number import Number, surety, whole
from deniable.core.sampling import IntArray, bernoulli, uniform
from deniable.local.estimate import Estimate
from deniable.local.families.protocol import Law, Protocol
from deniable.local.geometry import Space, best_space
from deniable.local.intervals import doubt, share_interval
from deniable.local.odds import asked, truth_chance
from deniable.local.reports import Reports

_LARGEST_BASE = 251
_LARGEST_STEP = 1 << 18
_LONGEST = 255
"""So that a level fits into a byte."""


@dataclass(frozen=True, slots=True, init=False)
class HeavyHitters(Protocol):
    """Each respondent sends a noisy hash of the beginning of their word; the collector grows frequent beginnings.

    Input:         words of at most `length` characters of a public alphabet.
    Guarantee:     every report is at most e^epsilon times likelier under one word than under another: how much of
                   the word is hashed does not depend on it, and the hash is sent by local hashing.
    Error:         a word is found if at every level its beginning is among the `kept` most frequent ones, which takes a
                   share of about sqrt(levels log(candidates) / n) times the error factor of local hashing. Words that
                   are returned have intervals that hold for all of them at once; a word that is not returned may exist.
    Message size:  a level, and log2(g) bits for each of about length log_g(characters) digits, in bytes here.
    Cost:          n + kept (n / levels) steps for the collector, and kept small Fourier transforms per level.
    Reference:     Bassily, Nissim, Stemmer, Thakurta 2017; Wang, Li, Jha 2018 (prefix extension).
    Proof:         docs/proofs/local.md

    Example:
        >>> survey = HeavyHitters("abcdefghijklmnopqrstuvwxyz", length=6, epsilon=4)
        >>> words = np.repeat(["sports", "news", "cats"], [6000, 3000, 1000])
        >>> found = survey.estimate(survey.perturb(words))
        >>> "sports" in found.labels, survey.levels
        (True, 3)
    """

    alphabet: str
    length: int
    epsilon: Fraction
    kept: int

    def __init__(self, alphabet: str, length: int, epsilon: Number, kept: int = 32) -> None:
        if not isinstance(alphabet, str) or not alphabet or len(set(alphabet)) < len(alphabet) or "\0" in alphabet:
            raise InvalidArgumentError("alphabet", "must be a text of different characters")
        if whole("length", length) > _LONGEST:
            raise InvalidArgumentError("length", f"must be at most {_LONGEST}, not {length}")
        self._set(
            alphabet=alphabet,
            length=whole("length", length),
            epsilon=asked(epsilon),
            kept=whole("kept", kept),
        )

    @classmethod
    def typical(cls, epsilon: Number) -> Self:
        """Words of two letters of two."""
        return cls("ab", 2, epsilon)

    @property
    def settings(self) -> Mapping[str, Any]:
        """What words are, and epsilon."""
        return {
            "protocol": "HeavyHitters",
            "alphabet": self.alphabet,
            "length": self.length,
            "epsilon": str(self.epsilon),
        }

    @property
    def base(self) -> int:
        """The prime g of the hashes, near e^epsilon + 1."""
        return min(best_space(min(self.epsilon, Fraction(5)), 2, pow, 0).base, _LARGEST_BASE)

    @property
    def digits(self) -> int:
        """Of one character in base g; zero is the end of the word."""
        return next(number for number in range(1, 64) if self.base**number > len(self.alphabet))

    @property
    def step(self) -> int:
        """Characters per level: as many as make a transform that is still small."""
        return max(1, min(self.length, int(log(_LARGEST_STEP) / log(self.base) - 1) // self.digits))

    @property
    def levels(self) -> int:
        """Respondents are spread over so many."""
        return ceil(self.length / self.step)

    @property
    def truth(self) -> Fraction:
        """The chance of the true hash."""
        return truth_chance(self.epsilon, 1, self.base - 1)

    @property
    def lie(self) -> Fraction:
        """The chance of another word's hash, over all hash functions."""
        return Fraction(1, self.base)

    def inputs(self) -> Sequence[str]:
        """All words; only for small alphabets."""
        return ["".join(part) for size in range(self.length + 1) for part in product(self.alphabet, repeat=size)]

    def law(self, value: str) -> Law:
        """Every level and function is as likely; then the hash. Only for small alphabets."""
        word, base, width = self._encode(np.array([value]))[0], self.base, self._width
        law = {}
        for level in range(self.levels):
            used = self._used(level)
            likely = self.truth / self.levels / base**used
            unlikely = (1 - self.truth) / (base - 1) / self.levels / base**used
            for factors in product(range(base), repeat=used):
                true = int(np.dot(factors, word[:used])) % base
                for said in range(base):
                    law[level, said, *factors, *([0] * (width - used))] = likely if said == true else unlikely
        return law

    def estimate(self, reports: Reports, confidence: Number = 0.95) -> Estimate:
        """The words whose share is surely above zero, the most frequent first, from the last level's reports."""
        data = self._read(reports).astype(np.int64)
        alpha = doubt(confidence)
        beginnings = np.zeros((1, 0), dtype=np.int64)
        for level in range(self.levels):
            mine = data[data[:, 0] == level]
            if not len(mine):
                raise InvalidArgumentError("reports", "are too few: a level of the prefix tree has none")
            candidates, support = self._grown(beginnings, mine, level)
            best = np.argsort(-support, kind="stable")[: self.kept]
            beginnings = candidates[best]
        people = len(mine)
        low, high = share_interval(support[best], people, alpha, self.truth, self.lie)
        all_low, all_high = share_interval(support[best], people, alpha / len(support), self.truth, self.lie)
        sure = all_low > 0
        return Estimate(
            value=((support[best] / people - float(self.lie)) / float(self.truth - self.lie))[sure],
            interval=(low[sure], high[sure]),
            simultaneous=(all_low[sure], all_high[sure]),
            confidence=surety(confidence),
            people=people,
            loss=self.loss,
            labels=tuple(self._decode(beginnings[sure])),
            shares=False,
        )

    def check(self, values: ArrayLike) -> None:
        """Each must be a word of the alphabet."""
        self._words(values)

    @property
    def _width(self) -> int:
        """Digits of a whole word, filled up to whole levels."""
        return self.levels * self.step * self.digits

    def _used(self, level: int) -> int:
        return (level + 1) * self.step * self.digits

    def _grown(self, beginnings: IntArray, mine: IntArray, level: int) -> tuple[IntArray, IntArray]:
        """All beginnings with all endings, and how many of this level's reports support each."""
        start, end = self._used(level - 1), self._used(level)
        pairs = Space(self.base, end - start + 1)
        endings = np.array(list(self._endings()), dtype=np.int64)
        columns = pairs.codes(np.concatenate([endings, np.full((len(endings), 1), self.base - 1)], axis=1))
        said, factors = mine[:, 1], mine[:, 2:]
        functions = Space(self.base, end - start).codes(factors[:, start:end])
        candidates, supports = [], []
        for beginning in beginnings:  # at most `kept` of them
            rest = (said - factors[:, :start] @ beginning) % self.base
            counts = np.bincount(functions * self.base + rest, minlength=pairs.size).astype(np.float64)
            ended = start > 0 and not beginning[-self.digits :].any()
            allowed = slice(0, 1) if ended else slice(None)  # after its end a word does not go on
            chosen = endings[allowed]
            candidates.append(np.concatenate([np.tile(beginning, (len(chosen), 1)), chosen], axis=1))
            supports.append(np.rint(pairs.orthogonal_sums(counts, columns[allowed])).astype(np.int64))
        return np.concatenate(candidates), np.concatenate(supports)

    def _endings(self) -> Iterator[list[int]]:
        """The digits of every run of `step` characters, those that end first; the empty one comes first."""
        space = Space(self.base, self.digits)
        codes = space.digits(np.arange(len(self.alphabet) + 1)).tolist()
        for size in range(self.step + 1):
            for run in product(range(1, len(self.alphabet) + 1), repeat=size):
                yield [digit for symbol in (*run, *([0] * (self.step - size))) for digit in codes[symbol]]

    def _encode(self, words: NDArray[Any]) -> IntArray:
        """One row of digits for each word."""
        width = self.levels * self.step
        points = words.astype(f"<U{width}").view("<u4").reshape(-1, width)
        symbols = np.searchsorted(self._sorted[0], points)
        symbols = np.where(points == 0, 0, 1 + self._sorted[1][np.minimum(symbols, len(self.alphabet) - 1)])
        space = Space(self.base, self.digits)
        return space.digits(symbols.ravel().astype(np.int64)).reshape(len(words), -1)

    def _decode(self, rows: IntArray) -> Iterator[str]:
        symbols = Space(self.base, self.digits).codes(rows.reshape(len(rows), self.levels * self.step, self.digits))
        for row in symbols.tolist():
            yield "".join(self.alphabet[symbol - 1] for symbol in row if symbol)

    @property
    def _sorted(self) -> tuple[IntArray, IntArray]:
        """The alphabet's characters in order, and where each stands in the alphabet."""
        points = np.array([ord(character) for character in self.alphabet], dtype=np.int64)
        order = np.argsort(points)
        return points[order], order

    def _words(self, values: ArrayLike) -> NDArray[Any]:
        given = np.atleast_1d(np.asarray(values))
        if given.dtype.kind == "O" and all(isinstance(value, str) for value in given.tolist()):
            given = given.astype(np.str_)
        if given.ndim != 1 or given.size == 0 or given.dtype.kind != "U":
            raise InvalidArgumentError("values", "must be one word, or a list with at least one")
        if np.char.str_len(given).max() > self.length:
            raise InvalidArgumentError("values", f"must have at most {self.length} characters")
        points = given.astype(f"<U{self.length}").view("<u4").reshape(given.size, self.length)
        hole = (points[:, :-1] == 0) & (points[:, 1:] != 0)
        if hole.any() or not np.isin(points[points != 0], self._sorted[0]).all():
            raise InvalidArgumentError("values", "must consist of characters of the alphabet")
        return given

    def _perturb(self, values: ArrayLike, bits: BitSource) -> NDArray[Any]:
        words = self._encode(self._words(values))
        people = len(words)
        levels = uniform(self.levels, people, bits)
        factors = uniform(self.base, words.size, bits).reshape(words.shape)
        factors[np.arange(words.shape[1]) >= (levels[:, None] + 1) * self.step * self.digits] = 0
        lies = np.where(bernoulli(self.truth, people, bits), 0, 1 + uniform(self.base - 1, people, bits))
        said = (np.einsum("ij,ij->i", factors, words) + lies) % self.base
        return np.concatenate([levels[:, None], said[:, None], factors], axis=1).astype(np.uint8)

    def _valid(self, data: NDArray[Any]) -> bool:
        if data.ndim != 2 or data.dtype != np.uint8 or data.shape[1] != 2 + self._width:  # noqa: PLR2004 - rows
            return False
        return bool((data[:, 0] < self.levels).all() and (data[:, 1:] < self.base).all())
