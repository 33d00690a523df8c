"""One line of the ledger, and the digest that ties it to the line before."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Self

from deniable.core.event import Event
from deniable.core.loss import Loss
from deniable.ledger.entries.canon import canonical, event_from_json, loss_from_json


@dataclass(frozen=True, slots=True)
class Head:
    """How long a ledger is, and the digest of its last entry, which stands for all of them."""

    sequence: int
    digest: str


NOTHING = Head(0, "0" * 64)
"""The head of a ledger without entries."""


@dataclass(frozen=True, slots=True)
class Link:
    """An entry as it is stored. `payload` holds the bytes of an answer; they are noisy, and still shown to nobody here.

    Or those of a checkpoint: the digests since the one before.
    The digest is SHA-256 over five lines: the digest before, sequence, kind, body, and the digest of the payload
    (`-` if there is none). No part that is written here holds a line break, so the lines cannot be divided otherwise.
    """

    sequence: int
    kind: str
    body: str
    payload: bytes | None = field(repr=False)
    previous: str
    digest: str

    @classmethod
    def after(cls, head: Head, kind: str, body: Mapping[str, object], payload: bytes | None = None) -> Self:
        """The next link."""
        sequence, text = head.sequence + 1, canonical(body)
        return cls(sequence, kind, text, payload, head.digest, _digest(head.digest, sequence, kind, text, payload))

    @property
    def head(self) -> Head:
        """The head of the ledger that ends here."""
        return Head(self.sequence, self.digest)

    @property
    def payload_digest(self) -> str:
        """What stands for the answer in the chain."""
        return "-" if self.payload is None else sha256(self.payload).hexdigest()

    def follows(self, head: Head) -> bool:
        """Whether this is the link after `head`, whole and unchanged."""
        return (self.sequence, self.previous) == (head.sequence + 1, head.digest) and self.is_sound()

    def is_sound(self) -> bool:
        """Whether the digest is that of the content."""
        try:
            return self.digest == _digest(self.previous, self.sequence, self.kind, self.body, self.payload)
        except TypeError:  # a payload that is no longer bytes
            return False


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry for people to read. What its kind does not have is empty; an answer's bytes are not in it."""

    sequence: int
    kind: str
    """`created`, `charged`, `answered`, `shown`, `adopted`, `raised`, `requested`, `replied`, `published`,
    `checkpoint`, `moved`."""
    written: str
    """When, by the curator's clock. For people, and for how many questions a day has had: no sum depends on it."""
    question: str
    analyst: str
    text: str
    events: tuple[Event, ...]
    loss: Loss
    totals: Mapping[str, Loss]
    """What each account that was charged had spent, after this charge; of a checkpoint: all accounts."""
    charge: int
    """Of an answer: the sequence of the charge that paid for it; else 0."""
    previous: str
    digest: str
    details: Mapping[str, Any] = field(default_factory=dict)
    """What else its kind says: reason, changes, terms, request."""

    @classmethod
    def read(cls, link: Link) -> Self:
        """What a link says."""
        body = json.loads(link.body)
        return cls(
            sequence=link.sequence,
            kind=link.kind,
            written=body.get("written", ""),
            question=body.get("question", ""),
            analyst=body.get("analyst", ""),
            text=body.get("text", ""),
            events=tuple(event_from_json(event) for event in body.get("events", ())),
            loss=loss_from_json(body["loss"]) if "loss" in body else Loss.zero(),
            totals={name: loss_from_json(total) for name, total in body.get("totals", {}).items()},
            charge=body.get("charge", 0),
            previous=link.previous,
            digest=link.digest,
            details={name: body[name] for name in _DETAILS if name in body},
        )


_DETAILS = ("reason", "changes", "terms", "wanted", "request", "granted", "custodian", "to")


def _digest(previous: str, sequence: int, kind: str, body: str, payload: bytes | None) -> str:
    """What `Link` promises."""
    answer = "-" if payload is None else sha256(payload).hexdigest()
    return sha256(f"{previous}\n{sequence}\n{kind}\n{body}\n{answer}".encode()).hexdigest()
