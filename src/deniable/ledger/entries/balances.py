"""Where the accounts stand, as far as the chain of entries has been checked."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any, Protocol, Self

from deniable.core.loss import Loss
from deniable.ledger import refusals
from deniable.ledger.charge import Ticket
from deniable.ledger.entries.canon import MALFORMED, loss_from_json, loss_to_json
from deniable.ledger.entries.checkpoint import Checkpoint, digest_at
from deniable.ledger.entries.entry import NOTHING, Link
from deniable.ledger.sums import plus
from deniable.policy import Terms, digest_of

_DATE = len("2025-12-31")


class Past(Protocol):
    """What a new entry may refer to."""

    def price(self, question: str) -> Loss | None:
        """What the question cost when it was first charged; None if no answer is on record."""


class Standing:
    """What follows from the entries that were followed so far, and from nothing else.

    It is never told that something was written; it learns that by reading it back. So what one process believes is what
    every process can read, and an entry that was changed since, or that does not follow, is noticed where it stands.
    """

    def __init__(self, population: str) -> None:
        self.population = population
        self.head = NOTHING
        self.mark = NOTHING
        """The last checkpoint."""
        self._totals: dict[str, Loss] = {}
        self._unanswered: dict[int, Ticket] = {}
        self._digests = bytearray()
        self.terms: list[Terms] = []
        """What the numbers meant, from the first entry on; the last are in force. None: a ledger that never said."""
        self.raises: list[str] = []
        self.requests: dict[int, str] = {}
        """Requests for more that nobody has answered, and whose they are."""
        self.moved = ""
        """Where the account goes on; nothing follows here."""
        self._day = ""
        self._asked: dict[str, int] = {}

    @classmethod
    def at(cls, population: str, link: Link) -> Self:
        """Where a checkpoint says that the entries lead, if it is whole; it is as true as its digest."""
        said, standing = Checkpoint.read(link), cls(population)
        if not link.is_sound():
            raise refusals.edited(link.sequence)
        standing._created({"population": said.population})
        standing._totals = dict(said.totals)
        standing._unanswered = {ticket.sequence: ticket for ticket in said.unanswered}
        standing.terms, standing.raises = list(said.terms), list(said.raises)
        standing._day, standing._asked = said.day, dict(said.asked)
        standing.requests = dict(said.requests)
        standing.head = standing.mark = link.head
        return standing

    def after(self, link: Link, past: Past | None = None) -> Self:
        """Where the link leads; this one stays where it is."""
        ahead = deepcopy(self)
        ahead.step(link, past)
        return ahead

    def checkpoint(self) -> Link:
        """The entry that says where the entries lead."""
        said = Checkpoint(
            population=self.population,
            totals=self._totals,
            unanswered=list(self._unanswered.values()),
            terms=self.terms,
            raises=self.raises,
            day=self._day,
            asked=self._asked,
            previous=self.mark,
            digests=bytes(self._digests),
            requests=self.requests,
        )
        return said.link(self.head)

    def spent(self, account: str) -> Loss:
        """The exact sum of what was charged to the account."""
        return self._totals.get(account, Loss.zero())

    def asked(self, account: str, now: str) -> int:
        """How many charges the account has paid today, if that is the day of the last charge."""
        return self._asked.get(account, 0) if now[:_DATE] == self._day else 0

    def is_open(self, ticket: Ticket) -> bool:
        """Whether the charge was made here, and no answer is on record for it."""
        return self._unanswered.get(ticket.sequence) == ticket

    def digest(self, sequence: int) -> str | None:
        """That of an entry since the last checkpoint."""
        return digest_at(self._digests, sequence - self.mark.sequence)

    def follow(self, links: Iterable[Link], past: Past | None = None) -> None:
        """Take in the links from the head on: first the head itself, again, then those that were added since."""
        rest = iter(links)
        if self.head != NOTHING:
            again = next(rest, None)
            if again is None:
                raise refusals.rolled_back()
            if again.head != self.head or not again.is_sound():
                raise refusals.edited(self.head.sequence)
        for link in rest:
            self.step(link, past)

    def step(self, link: Link, past: Past | None = None) -> None:
        """One link further, if it fits in every respect; otherwise nothing changes."""
        sequence = self.head.sequence + 1
        if not link.follows(self.head):
            raise refusals.edited(sequence)
        try:
            fits = self._take(link, json.loads(link.body), past)
        except MALFORMED:
            fits = False
        if not fits:
            raise refusals.edited(sequence)
        self.head = link.head
        if link.kind == "checkpoint":
            self.mark, self._digests = link.head, bytearray()
        else:
            self._digests += bytes.fromhex(link.digest)

    def _take(self, link: Link, body: dict[str, Any], past: Past | None) -> bool:
        """What the entry changes, by its kind. A checkpoint changes nothing: it must say what is known."""
        kinds: dict[str, Callable[[], bool]] = {
            "created": lambda: link.sequence == 1 and self._created(body),
            "charged": lambda: link.sequence > 1 and self._charged(link, body),
            "answered": lambda: self._answered(link, body),
            "shown": lambda: past is not None and self._shown(body, past),
            "adopted": lambda: self._accepted(link, body),
            "raised": lambda: self._accepted(link, body),
            "requested": lambda: link.sequence > 1 and self._requested(link, body),
            "replied": lambda: self._replied(body),
            "published": lambda: link.sequence > 1 and bool(body["text"]) and bool(body["reason"]),
            "checkpoint": lambda: link == self.checkpoint(),
            "moved": lambda: link.sequence > 1 and self._moved(body),
        }
        return not self.moved and kinds[link.kind]()

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

    def _requested(self, link: Link, body: dict[str, Any]) -> bool:
        """An analyst asks for more, and says why. No sum changes."""
        self.requests[link.sequence] = str(body["analyst"])
        return bool(body["analyst"]) and bool(body["reason"])

    def _replied(self, body: dict[str, Any]) -> bool:
        """The custodian answers a request that is open, once, and says why."""
        return self.requests.pop(body["request"], None) is not None and bool(body["reason"])

    def _moved(self, body: dict[str, Any]) -> bool:
        """The account goes on elsewhere."""
        self.moved = str(body["to"])
        return bool(self.moved)

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
        if not self._paid(loss_from_json(body["loss"]), body):
            return False
        self._unanswered[link.sequence] = Ticket(link.sequence, body["question"], link.digest)
        return True

    def _shown(self, body: dict[str, Any], past: Past) -> bool:
        """Only an answer that is on record can be shown, and at the price of its charge."""
        loss = loss_from_json(body["loss"])
        return loss == past.price(body["question"]) and self._paid(loss, body)

    def _paid(self, loss: Loss, body: dict[str, Any]) -> bool:
        """Take in the totals, if there are any and each is the one before plus the loss."""
        totals = {name: plus(self.spent(name), loss) for name in body["totals"]}
        if not totals or any(loss_to_json(total) != body["totals"][name] for name, total in totals.items()):
            return False
        self._totals.update(totals)
        self._count(body["written"][:_DATE], totals)
        return True

    def _count(self, day: str, accounts: Iterable[str]) -> None:
        """One charge more on this day; with another day, counting begins anew."""
        if day != self._day:
            self._day, self._asked = day, {}
        for account in accounts:
            self._asked[account] = self._asked.get(account, 0) + 1

    def _answered(self, link: Link, body: dict[str, Any]) -> bool:
        """Every answer was paid for by one charge of the same question, and no charge pays twice."""
        paid = self._unanswered.get(body["charge"])
        if paid is None or link.payload is None or paid.question != body["question"]:
            return False
        del self._unanswered[paid.sequence]
        return True
