"""What was charged to somebody, how it was paid, and requests for more: lines of the ledger, as people see them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from deniable.core.loss import Loss

if TYPE_CHECKING:
    from deniable.ledger import Entry

_MOST_DIGITS = 10
RELEASED = ("profile of ", "Synthesis(", "Workload:", "Workload of ")
"""How the texts of releases begin; no question does."""


@dataclass(frozen=True, slots=True)
class Charged:
    """A line of somebody's history: when it was charged, never when it was answered."""

    entry: int
    """Its place in the ledger; of an analyst's own history, which of theirs it is. The ledger has entries of answers,
    too, so by the places of charges one could tell when somebody's answer was recorded, and so how long it ran."""
    written: str
    analyst: str
    question: str
    loss: Loss
    shown: bool
    """Whether only the analyst's share paid, because the answer was recorded already."""

    def to_dict(self) -> dict[str, object]:
        """For front ends."""
        return {
            "entry": self.entry,
            "written": self.written,
            "analyst": self.analyst,
            "question": self.question,
            "loss": self.loss.to_dict(),
            "shown": self.shown,
        }

    @property
    def release(self) -> bool:
        """Whether it was a whole release, and no question."""
        return self.question.startswith(RELEASED)


@dataclass(frozen=True, slots=True)
class Requested:
    """A request for more, and its answer: None as long as there is none."""

    entry: int
    """As of a charge: its place in the ledger, or which of the analyst's own it is."""
    written: str
    analyst: str
    wanted: str
    reason: str
    granted: bool | None
    reply: str


def charges(entries: Sequence[Entry], analyst: str | None) -> list[tuple[Charged, Entry]]:
    """Everybody's, by their places in the ledger; or an analyst's own, which are counted from one."""
    found = [(_charged(one), one) for one in entries if one.kind in {"charged", "shown"}]
    if analyst is None:
        return found
    mine = [(line, entry) for line, entry in found if line.analyst == analyst]
    return [(replace(line, entry=number), entry) for number, (line, entry) in enumerate(mine, 1)]


def requests(entries: Sequence[Entry], analyst: str | None) -> list[Requested]:
    """Requests for more and their answers, the last first: everybody's, by their places; or an analyst's own."""
    replies = {one.details["request"]: one.details for one in entries if one.kind == "replied"}
    asked = [one for one in entries if one.kind == "requested" and analyst in (None, one.analyst)]
    found = [_requested(one, replies.get(one.sequence)) for one in asked]
    if analyst is not None:
        found = [replace(one, entry=number) for number, one in enumerate(found, 1)]
    return found[::-1]


def payments(loss: Loss) -> Iterator[dict[str, Any]]:
    """How a question may have been paid that lost so much: by epsilon, where that is proven, or else by rho.

    Noise is rounded up, so that a question may lose a little less than was paid: the likeliest number is the next one
    of few digits. Whether it was paid like that is seen from the question's name, which no other payment has.
    """
    form = "rho" if loss.epsilon is None else "epsilon"
    exact, rest = getattr(loss, form), {"delta": loss.delta} if loss.delta else {}
    yield {form: exact, **rest}
    for digits in range(1, _MOST_DIGITS):
        rounded = Context(prec=digits, rounding=ROUND_CEILING).divide(Decimal(exact.numerator), exact.denominator)
        yield {form: Fraction(rounded), **rest}


def _requested(entry: Entry, reply: Mapping[str, Any] | None) -> Requested:
    said = entry.details
    answer = (None, "") if reply is None else (bool(reply["granted"]), str(reply["reason"]))
    return Requested(entry.sequence, entry.written, entry.analyst, said["wanted"], said["reason"], *answer)


def _charged(entry: Entry) -> Charged:
    return Charged(entry.sequence, entry.written, entry.analyst, entry.text, entry.loss, shown=entry.kind == "shown")
