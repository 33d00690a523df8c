"""Laplace noise that remembers what it said."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from deniable.attacks.defences.defence import FloatArray, Guard, IntArray, Questions, Responder, SecretTable
from deniable.attacks.defences.guards.blurred import Blurred


@dataclass(frozen=True, slots=True)
class RememberingTexts(Guard):
    """The same text gets the same noise; other words for the same question get fresh noise.

    Whether two texts mean the same cannot be decided in a rich language, so somebody finds other words.
    """

    name: ClassVar[str] = "laplace-text"
    says: ClassVar[str] = "Laplace noise, the same for the same text"

    scale: float = 1.0

    def guard(self, table: SecretTable, chance: np.random.Generator) -> Responder:
        """Remembered by text: the subset as it was spelled."""
        memory = _Memory(self.scale * table.width, chance)
        return Blurred(table, lambda exact, asked: exact + memory.noise(asked, asked.spelling_of_each()))


@dataclass(frozen=True, slots=True)
class RememberingSets(Guard):
    """The same set of people gets the same noise, whatever the words; there are other sets with the same difference."""

    name: ClassVar[str] = "laplace-set"
    says: ClassVar[str] = "Laplace noise, the same for the same set"

    scale: float = 1.0

    def guard(self, table: SecretTable, chance: np.random.Generator) -> Responder:
        """Remembered by meaning: the subset, however it was spelled."""
        memory = _Memory(self.scale * table.width, chance)
        same = np.zeros(1, dtype=np.int64)
        return Blurred(table, lambda exact, asked: exact + memory.noise(asked, np.broadcast_to(same, len(asked))))


@dataclass(frozen=True, slots=True)
class _Memory:
    scale: float
    chance: np.random.Generator
    said: dict[bytes, float] = field(default_factory=dict)

    def noise(self, asked: Questions, spellings: IntArray) -> FloatArray:
        """What was drawn for each question when it was first asked."""
        packed = np.packbits(asked.subsets, axis=1)
        packed = np.broadcast_to(packed, (len(asked), packed.shape[1]))
        labels = np.column_stack([asked.column_of_each(), spellings]).astype(np.int64)
        keys = [subset.tobytes() + label.tobytes() for subset, label in zip(packed, labels, strict=True)]
        fresh = self.chance.laplace(0, self.scale, len(keys))
        return np.array([self.said.setdefault(key, draw) for key, draw in zip(keys, fresh, strict=True)])
