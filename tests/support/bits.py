"""Bits that a test can foresee, and none at all."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

import numpy as np
import pytest


@dataclass(frozen=True)
class SeededBits:
    """Pseudorandom bytes, the same for the same seed."""

    seed: int
    _generator: np.random.Generator = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_generator", np.random.Generator(np.random.PCG64(self.seed)))

    def read(self, count: int) -> bytes:
        return self._generator.bytes(count)


class ScriptedBits:
    """Exactly these bytes; a draw that asks for more than was written fails the test."""

    def __init__(self, data: bytes) -> None:
        self.left = data

    def read(self, count: int) -> bytes:
        if count > len(self.left):
            raise AssertionError(f"the script has {len(self.left)} bytes left, the draw asks for {count}")
        taken, self.left = self.left[:count], self.left[count:]
        return taken


def word(value: int, places: int = 64) -> bytes:
    """A whole number as the machine stores it."""
    return value.to_bytes(places // 8, sys.byteorder)


def written(real: int, words: int) -> bytes:
    """A real in [0, 1), given by its first 64 * words digits, as successive words."""
    return b"".join(word(real >> (64 * (words - 1 - place)) & (2**64 - 1)) for place in range(words))


@pytest.fixture
def no_randomness(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any draw fails the test."""

    def refuse(count: int) -> bytes:
        raise AssertionError(f"drew {count} bytes")

    monkeypatch.setattr("os.urandom", refuse)
