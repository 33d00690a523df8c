from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np
import pytest

from deniable.core.bits import BitSource, OperatingSystem, words
from tests.support.bits import ScriptedBits, SeededBits, word, written


@dataclass
class KeptBits:
    """What no source may do: read ahead and keep the rest."""

    kept: bytes = b""

    def read(self, count: int) -> bytes:
        if len(self.kept) < count:
            self.kept = os.urandom(4096)
        taken, self.kept = self.kept[:count], self.kept[count:]
        return taken


def reads_after_forks(bits: BitSource) -> set[bytes]:
    """Sixteen bytes as two children and their parent see them, all after the parent has read before."""
    bits.read(1)
    seen = set()
    for _ in range(2):
        source, sink = os.pipe()
        if (child := os.fork()) == 0:
            os.write(sink, bits.read(16))
            os._exit(0)
        os.waitpid(child, 0)
        seen.add(os.read(source, 16))
        os.close(source)
        os.close(sink)
    return seen | {bits.read(16)}


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_forked_processes_draw_different_bits() -> None:
    # 128 bits: a collision by chance has probability below 1e-37
    assert len(reads_after_forks(OperatingSystem())) == 3


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_source_that_reads_ahead_would_be_found_out() -> None:
    assert len(reads_after_forks(KeptBits())) == 1


@pytest.mark.parametrize("count", [0, 1, 7, 8, 100_000])
def test_operating_system_gives_as_many_bytes_as_asked(count: int) -> None:
    assert len(OperatingSystem().read(count)) == count


def test_words_are_the_bytes_in_their_order() -> None:
    drawn = words(ScriptedBits(word(1) + word(2**63) + word(2**64 - 1)), 3)
    assert drawn.dtype == np.uint64
    assert drawn.tolist() == [1, 2**63, 2**64 - 1]


def test_words_of_nothing() -> None:
    assert words(OperatingSystem(), 0).size == 0


def test_seeded_bits_repeat_and_differ_by_seed() -> None:
    assert SeededBits(1).read(64) == SeededBits(1).read(64)
    assert SeededBits(1).read(64) != SeededBits(2).read(64)


def test_scripted_bits_end() -> None:
    bits = ScriptedBits(written(2**64 + 5, 2))
    assert words(bits, 2).tolist() == [1, 5]
    with pytest.raises(AssertionError, match="asks for 1"):
        bits.read(1)


def test_no_word_comes_twice() -> None:
    """Of 4,096 words two are equal with chance 5e-13: what repeats itself is found, however short its period."""
    drawn = words(OperatingSystem(), 4096)
    assert len(set(drawn.tolist())) == drawn.size
