"""Who pays when an answer is shown: everybody who is asked to, an analyst's share alone, or nobody."""

from __future__ import annotations

from enum import Enum

from deniable.core.loss import Loss


class Paid(Enum):
    """What was paid just now, and by whom.

    Example:
        >>> Paid.SHARE.words(Loss.pure("0.5"))
        "paid ε 0.5 from the analyst's share alone: the population's budget had paid before"
    """

    NOW = "now"
    """By the population's budget, and by the analyst's share where there is one."""
    SHARE = "share"
    """By the analyst's share alone: it was on record, paid by the population, and this analyst had not seen it."""
    BEFORE = "before"
    """By nobody: it was asked before."""

    @property
    def free(self) -> bool:
        """Whether nobody has paid."""
        return self is Paid.BEFORE

    def words(self, loss: Loss) -> str:
        """For people."""
        if self is Paid.BEFORE:
            return "free, because it was asked before"
        return f"paid {loss}{_ALONE if self is Paid.SHARE else ''}"


_ALONE = " from the analyst's share alone: the population's budget had paid before"
