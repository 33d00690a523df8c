"""Where the accounts stand, as far as the chain of entries has been checked."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from deniable.core.loss import Loss
from deniable.ledger import refusals
from deniable.ledger.canon import MALFORMED, loss_from_json, loss_to_json
from deniable.ledger.charge import Ticket
from deniable.ledger.entry import NOTHING, Head, Link
from deniable.ledger.sums import plus
from deniable.policy import Terms, digest_of


class Standing:
    """What follows from the entries that were followed so far, and from nothing else.

    It is never told that something was written; it learns that by reading it back. So what one process believes is what
    every process can read, and an entry that was changed since, or that does not follow, is noticed where it stands.
    """

    def __init__(self, population: str) -> None:
        self.population = population
        self.head = NOTHING
        self._totals: dict[str, Loss] = {}
        self._unanswered: dict[int, Ticket] = {}
        self._answers: dict[int, Head] = {}
        self._first: dict[str, Head] = {}
        self._price: dict[str, Loss] = {}
        self._seen: set[tuple[str, str]] = set()
        self.terms: list[Terms] = []
        """What the numbers meant, from the first entry on; the last are in force. None: a ledger that never said."""
        self.raises: list[str] = []

    def spent(self, account: str) -> Loss:
        """The exact sum of what was charged to the account."""
        return self._totals.get(account, Loss.zero())

    def is_open(self, ticket: Ticket) -> bool:
        """Whether the charge was made here, and no answer is on record for it."""
        return self._unanswered.get(ticket.sequence) == ticket

    def answer_to(self, charge: int) -> Head | None:
        """Where the answer is that the charge paid for."""
        return self._answers.get(charge)

    def find(self, question: str) -> Head | None:
        """Where the first answer to the question is. Later ones were paid for, too, but a repeat gets the first."""
        return self._first.get(question)

    def price(self, question: str) -> Loss:
        """What the first answer to the question cost when it was charged."""
        return self._price[question]

    def has_seen(self, account: str, question: str) -> bool:
        """Whether the account has paid for an answer to the question, or for being shown one."""
        return (account, question) in self._seen

    def follow(self, links: Iterable[Link]) -> None:
        """Take in the links from the head on: first the head itself, again, then those that were added since."""
        rest = iter(links)
        if self.head != NOTHING:
            again = next(rest, None)
            if again is None:
                raise refusals.rolled_back()
            if again.head != self.head or not again.is_sound():
                raise refusals.edited(self.head.sequence)
        for link in rest:
            self.step(link)

    def step(self, link: Link) -> None:
        """One link further, if it fits in every respect; otherwise nothing changes."""
        sequence = self.head.sequence + 1
        if not link.follows(self.head):
            raise refusals.edited(sequence)
        try:
            fits = self._take(link, json.loads(link.body))
        except MALFORMED:
            fits = False
        if not fits:
            raise refusals.edited(sequence)
        self.head = link.head

    def _take(self, link: Link, body: dict[str, Any]) -> bool:
        """What the entry changes, by its kind."""
        if link.kind == "created":
            return link.sequence == 1 and self._created(body)
        if link.kind == "charged":
            return link.sequence > 1 and self._charged(link, body)
        if link.kind == "shown":
            return self._shown(body)
        if link.kind in {"adopted", "raised"}:
            return self._accepted(link, body)
        return link.kind == "answered" and self._answered(link, body)

    def _created(self, body: dict[str, Any]) -> bool:
        """The first entry says whose ledger this is."""
        if body["population"] != self.population:
            raise refusals.other_population(body["population"], self.population)
        self.terms += [body["terms"]] if "terms" in body else []
        return True

    def _accepted(self, link: Link, body: dict[str, Any]) -> bool:
        """Terms that the custodian has changed, and said why."""
        self.terms.append(body["terms"])
        if link.kind == "raised":
            self.raises.append(f"{body['written'][:10]}: {'; '.join(body['changes'])} ({body['reason']})")
        return bool(body["reason"]) and body["terms"]["population"] == self.population

    @property
    def policy(self) -> str:
        """The digest of the terms in force; empty if the ledger never said what its numbers mean."""
        return digest_of(self.terms[-1]) if self.terms else ""

    @property
    def has_spent(self) -> bool:
        """Whether anything was ever charged."""
        return bool(self._totals)

    def _charged(self, link: Link, body: dict[str, Any]) -> bool:
        """Each total in it must be the one before plus the loss."""
        loss = loss_from_json(body["loss"])
        if not self._paid(loss, body):
            return False
        self._price.setdefault(body["question"], loss)
        self._unanswered[link.sequence] = Ticket(link.sequence, body["question"], link.digest)
        return True

    def _shown(self, body: dict[str, Any]) -> bool:
        """Only an answer that is on record can be shown, and at the price of its charge."""
        question, loss = body["question"], loss_from_json(body["loss"])
        return question in self._first and loss == self._price[question] and self._paid(loss, body)

    def _paid(self, loss: Loss, body: dict[str, Any]) -> bool:
        """Take in the totals, if there are any and each is the one before plus the loss."""
        totals = {name: plus(self.spent(name), loss) for name in body["totals"]}
        if not totals or any(loss_to_json(total) != body["totals"][name] for name, total in totals.items()):
            return False
        self._totals.update(totals)
        self._seen.update((name, body["question"]) for name in totals)
        return True

    def _answered(self, link: Link, body: dict[str, Any]) -> bool:
        """Every answer was paid for by one charge of the same question, and no charge pays twice."""
        paid = self._unanswered.get(body["charge"])
        if paid is None or link.payload is None or paid.question != body["question"]:
            return False
        del self._unanswered[paid.sequence]
        self._answers[paid.sequence] = link.head
        self._first.setdefault(paid.question, link.head)
        return True
