"""How long a question may take in all: its queries and its noise share the time that the policy allows.

Whatever takes long looks here before it goes on, so that it stops by itself; a query that does not look is killed.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf

from deniable.core.errors import Failed

_ends: ContextVar[float] = ContextVar("deadline", default=inf)


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Everything inside together takes at most so many seconds; less, if what is around has less left.

    Example:
        >>> with within(60):
        ...     59 < left() <= 60
        True
    """
    before = _ends.set(min(_ends.get(), time.monotonic() + seconds))
    try:
        yield
    finally:
        _ends.reset(before)


@contextmanager
def uncounted() -> Iterator[None]:
    """What is inside takes as long as it takes: it follows from noisy numbers alone, and asks nobody's rows.

    Example:
        >>> with within(60):
        ...     before = left()
        ...     with uncounted():
        ...         time.sleep(0.01)
        ...     before - left() < 0.01
        True
    """
    began = time.monotonic()
    try:
        yield
    finally:
        _ends.set(_ends.get() + time.monotonic() - began)


def left() -> float:
    """The seconds that are left; infinity, where nobody counts."""
    return _ends.get() - time.monotonic()


def go_on() -> None:
    """Nothing, while there is time.

    Raises:
        Failed: there is none left.
    """
    if left() <= 0:
        raise Failed
