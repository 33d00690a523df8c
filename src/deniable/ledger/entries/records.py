"""Earlier entries, found by what they are about, and checked as if they had been read in their order."""

from __future__ import annotations

import json
from collections.abc import Sequence

from deniable.core.loss import Loss
from deniable.ledger import refusals
from deniable.ledger.charge import Ticket
from deniable.ledger.entries.balances import Standing
from deniable.ledger.entries.canon import loss_from_json
from deniable.ledger.entries.checkpoint import Checkpoint
from deniable.ledger.entries.entry import NOTHING, Head, Link
from deniable.ledger.storage import places, table
from deniable.ledger.storage.database import Connection

_LATELY = 50
"""So many entries back, the last question is looked for."""
_UNTIMELY = frozenset({"answered", "checkpoint"})
"""Entries that are written when an answer is there, or after so many others: they are not counted."""
_MOST_ABOUT = 64
"""So many answers about one subject are looked at: the earliest, so that they stay the same ones."""
Marks = dict[Head, Head]
"""Checkpoints that were checked, each with the one before it. A head names its content, so this stays true."""


class Records:
    """The entries on disk, as far as those go that a standing has followed.

    Promise:  an entry that it gives is the one that stood there when the standing's head was computed.

    The digests since the last checkpoint are the standing's own. A checkpoint holds those of the entries between the
    checkpoint before and itself, and the head of that one; so from the last one back, each is known by its digest
    before it is read, and an entry of any age costs one look, not a walk through all since.
    """

    def __init__(self, connection: Connection, standing: Standing, marks: Marks) -> None:
        self._connection = connection
        self._standing = standing
        self._marks = marks

    def find(self, question: str) -> Link | None:
        """The first answer to the question. Later ones were paid for, too, but a repeat gets the first."""
        return self._first(places.answered(question))

    def answer_to(self, ticket: Ticket) -> Link | None:
        """The answer that the charge paid for."""
        return self._first(places.answer_to(ticket.question, ticket.sequence))

    def price(self, question: str) -> Loss | None:
        """What the question cost when it was first charged; None if no answer is on record."""
        charge = self._first(places.charged(question))
        if charge is None or self.find(question) is None:
            return None
        return loss_from_json(json.loads(charge.body)["loss"])

    def has_seen(self, account: str, question: str) -> bool:
        """Whether the account has paid for an answer to the question, or for being shown one."""
        return self._first(places.seen(question, account)) is not None

    def last_price(self, account: str) -> Loss | None:
        """What the account was last charged for a question, if that is not long ago.

        How long is counted without answers: when one was recorded says how long its question ran.
        """
        lately = 0
        for sequence in range(self._standing.head.sequence, 0, -1):
            link = self.entry(sequence)
            if link.kind == "charged" and account in (body := json.loads(link.body))["totals"]:
                return loss_from_json(body["loss"])
            lately += link.kind not in _UNTIMELY
            if lately == _LATELY:
                return None
        return None

    def last_seen(self, beginning: str, accounts: Sequence[str]) -> tuple[str, Loss, bytes] | None:
        """The last answer whose question's text begins so, with its price, if each account has paid for it or seen it.

        An entry that is hidden from the search is not found; one that is found is what it was.
        """
        for sequence in table.charges(self._connection, f'"text":"{beginning}'):
            if sequence > self._standing.head.sequence:
                continue
            body = json.loads(self.entry(sequence).body)
            question, answer = body["question"], self.find(body["question"])
            if not body["text"].startswith(beginning) or answer is None or answer.payload is None:
                continue
            if all(self.has_seen(account, question) for account in accounts):
                return question, loss_from_json(body["loss"]), answer.payload
        return None

    def seen_about(self, subject: str, accounts: Sequence[str]) -> list[tuple[str, bytes]]:
        """The earliest questions about a subject with their answers, if each account has paid for or seen them.

        In the order in which they came to see them.
        """
        found: list[tuple[int, str, bytes]] = []
        key = places.about(subject)
        for sequence in table.under(self._connection, key, _MOST_ABOUT):
            if sequence > self._standing.head.sequence:
                continue
            link = self.entry(sequence)
            if key not in places.keys(link):
                raise refusals.edited(sequence)
            question = json.loads(link.body)["question"]
            seen = [self._first(places.seen(question, account)) for account in accounts]
            shown = [one.sequence for one in seen if one is not None]
            if len(shown) == len(accounts) and link.payload is not None and self.find(question) == link:
                found.append((max(shown, default=0), question, link.payload))
        return [(question, payload) for _, question, payload in sorted(found)]

    def entry(self, sequence: int) -> Link:
        """The entry, if it still is what it was."""
        link = table.link(self._connection, sequence)
        if link is None or link.digest != self._digest(sequence) or not link.is_sound():
            raise refusals.edited(sequence)
        return link

    def _first(self, key: str) -> Link | None:
        """The first entry under the key. A place that leads to an entry of other keys was made up."""
        sequence = table.first(self._connection, key)
        if sequence is None or sequence > self._standing.head.sequence:
            return None
        link = self.entry(sequence)
        if key not in places.keys(link):
            raise refusals.edited(sequence)
        return link

    def _digest(self, sequence: int) -> str | None:
        """What the digest at this place must be."""
        mark = self._standing.mark
        if sequence > mark.sequence:
            return self._standing.digest(sequence)
        while (before := self._before(mark)).sequence >= sequence > NOTHING.sequence:
            mark = before
        return mark.digest if sequence == mark.sequence else self._checkpoint(mark).digest(sequence)

    def _before(self, mark: Head) -> Head:
        """The checkpoint before this one, or nothing."""
        if mark not in self._marks:
            self._marks[mark] = self._checkpoint(mark).previous
        return self._marks[mark]

    def _checkpoint(self, mark: Head) -> Checkpoint:
        """The checkpoint at this head, which is known to be right."""
        link = table.link(self._connection, mark.sequence)
        if link is None or link.head != mark or not link.is_sound():
            raise refusals.edited(mark.sequence)
        return Checkpoint.read(link)
