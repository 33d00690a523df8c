"""What is asked of a ledger before data is read, and what it gives in return."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from deniable.core.errors import InvalidArgumentError
from deniable.core.event import Event
from deniable.core.loss import Loss
from deniable.ledger import refusals
from deniable.ledger.entries.canon import loss_to_json
from deniable.ledger.sums import short, too_long


@dataclass(frozen=True, slots=True)
class Charge:
    """What a question is about to give away, and who asks it.

    `question` is the digest of its canonical form, the policy and the data's version: equal for equal questions.
    `text` is what the analyst wrote, for people to read. `events` are everything the loss follows from.

    Rounding:   rho and mu squared, which follow from a scale and not from what somebody chose to pay, up to a multiple
                of 2^-80, unless they are decimals. Else each new scale would bring a new denominator, and the totals,
                which every entry repeats, would become longer with each. Epsilon and delta stay as they were asked.
    """

    question: str
    analyst: str
    text: str
    events: tuple[Event, ...]
    loss: Loss
    policy: str = ""
    """The digest of the terms under which it is asked; empty on a ledger that was never told any."""

    def __post_init__(self) -> None:
        """A loss below zero would give budget back; a number without end would fill the disk."""
        if not self.question:
            raise InvalidArgumentError("question", "must not be empty")
        if any(form < 0 for form in _forms(self.loss)):
            raise InvalidArgumentError("loss", "must not be negative")
        if any(too_long(number) for number in self._numbers()):
            raise refusals.too_many_digits()
        object.__setattr__(self, "loss", short(self.loss))

    def body(self, totals: Mapping[str, Loss], written: str) -> dict[str, object]:
        """What the ledger keeps of it; `totals` is what each account has spent once this is charged."""
        return {
            "analyst": self.analyst,
            "events": [event.to_json() for event in self.events],
            "loss": loss_to_json(self.loss),
            "policy": self.policy,
            "question": self.question,
            "text": self.text,
            "totals": {name: loss_to_json(total) for name, total in totals.items()},
            "written": written,
        }

    def _numbers(self) -> Iterator[Fraction]:
        """Every number that would be stored."""
        yield from _forms(self.loss)
        for event in self.events:
            yield from event.settings.values()


@dataclass(frozen=True, slots=True)
class Ticket:
    """A charge that is on disk: the right to look, and to record one answer."""

    sequence: int
    question: str
    digest: str


def _forms(loss: Loss) -> list[Fraction]:
    """The forms that are proven."""
    return [form for form in (loss.epsilon, loss.rho, loss.mu_squared, loss.delta) if form is not None]
