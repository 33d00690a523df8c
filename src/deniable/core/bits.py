"""Where randomness comes from: the operating system, and nowhere else."""

from __future__ import annotations

import os
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class BitSource(Protocol):
    """Uniform, independent bits."""

    def read(self, count: int) -> bytes:
        """The next `count` bytes."""


class OperatingSystem:
    """The kernel's cryptographic generator, one read per request.

    Nothing is kept between reads, so a forked or restored process never repeats a bit.
    """

    def read(self, count: int) -> bytes:
        """Fresh bytes from the kernel."""
        return os.urandom(count)


def words(bits: BitSource, count: int) -> NDArray[np.uint64]:
    """`count` uniform 64-bit words."""
    return np.frombuffer(bits.read(8 * count), dtype=np.uint64)
