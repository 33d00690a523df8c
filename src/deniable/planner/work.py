"""How much planning a question may take: counted in steps, never timed, so that the same question meets the same fate.

A short text can mean a lot: names stand for whole expressions, keys for all their values, an accuracy for a search.
Whatever takes steps says so here, and what takes too many is refused, before anything is charged or read.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from deniable.core.errors import Refused

MOST_STEPS = 40_000
"""Of binding a question, and again of pricing it: a few hundred milliseconds."""
VALUES_A_STEP = 128
"""How many values of a key are listed while a part of an expression is understood."""


@dataclass(slots=True)
class Steps:
    """How many are left."""

    left: int

    def spend(self, steps: int) -> None:
        """So many less. Once none are left, everything is refused: a refusal that somebody caught comes again."""
        self.left -= steps
        if self.left < 0:
            reason = "This question takes too much planning."
            raise Refused("too-complex", reason, "Ask for less at once, with shorter expressions and fewer keys.")


_current: ContextVar[Steps | None] = ContextVar("work", default=None)


@contextmanager
def counted(most: int = MOST_STEPS) -> Iterator[Steps]:
    """Everything inside together takes at most so many steps."""
    work = Steps(most)
    before = _current.set(work)
    try:
        yield work
        work.spend(0)
    finally:
        _current.reset(before)


def spend(steps: int = 1) -> None:
    """Steps that are taken here. Where nobody counts (an answer that is shown), they are free."""
    work = _current.get()
    if work is not None:
        work.spend(steps)
