"""All that follows from the entries so far, in one entry: whoever opens the ledger begins there."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

from deniable.core.loss import Loss
from deniable.ledger import refusals
from deniable.ledger.charge import Ticket
from deniable.ledger.entries.canon import MALFORMED, loss_from_json, loss_to_json
from deniable.ledger.entries.entry import Head, Link
from deniable.policy import Terms

EVERY = 512
"""So many entries after the last checkpoint comes the next one."""

_SIZE = 32
"""Bytes of a digest."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What the entries before it lead to. It says nothing new, so it has no time of its own, and anyone can compute it.

    `digests` are those of the entries after `previous`, the checkpoint before (or nothing), up to this one. They make
    it a list that can be read backwards: a checkpoint whose digest is known vouches for the entries between the two,
    and for the checkpoint before, which vouches for those before it.
    """

    population: str
    totals: Mapping[str, Loss]
    unanswered: Sequence[Ticket]
    terms: Sequence[Terms]
    raises: Sequence[str]
    day: str
    """The day of the last charge."""
    asked: Mapping[str, int]
    """How many charges each account has paid on that day."""
    previous: Head
    digests: bytes
    requests: Mapping[int, str] = field(default_factory=dict)
    """Requests for more that nobody has answered, and whose they are."""

    @classmethod
    def read(cls, link: Link) -> Self:
        """What a link says; refused if it is no checkpoint."""
        try:
            body = json.loads(link.body)
            if link.kind == "checkpoint":
                return cls(
                    population=body["population"],
                    totals={name: loss_from_json(total) for name, total in body["totals"].items()},
                    unanswered=[Ticket(*ticket) for ticket in body["unanswered"]],
                    terms=body["terms"],
                    raises=body["raises"],
                    day=body["day"],
                    asked=body["asked"],
                    previous=Head(*body["previous"]),
                    digests=link.payload or b"",
                    requests=dict(body.get("requests", [])),
                )
        except MALFORMED:
            pass
        raise refusals.edited(link.sequence)

    def link(self, head: Head) -> Link:
        """The entry that says so, after `head`."""
        body: dict[str, object] = {
            "asked": self.asked,
            "day": self.day,
            "population": self.population,
            "previous": [self.previous.sequence, self.previous.digest],
            "raises": self.raises,
            "terms": self.terms,
            "totals": {name: loss_to_json(total) for name, total in self.totals.items()},
            "unanswered": [[ticket.sequence, ticket.question, ticket.digest] for ticket in self.unanswered],
        }
        if self.requests:
            body["requests"] = [[entry, analyst] for entry, analyst in self.requests.items()]
        return Link.after(head, "checkpoint", body, self.digests)

    def digest(self, sequence: int) -> str | None:
        """That of an entry between the checkpoint before and this one."""
        return digest_at(self.digests, sequence - self.previous.sequence)


def digest_at(digests: bytes | bytearray, place: int) -> str | None:
    """The digest at a place, counted from one; None where there is none."""
    start = (place - 1) * _SIZE
    return digests[start : start + _SIZE].hex() if 0 <= start < len(digests) else None
