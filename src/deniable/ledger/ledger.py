"""The ledger: what was charged and what was answered, for one population.

Here is what spends, and what is kept of it. Its other parts: terms (what the numbers mean), requests (for more), look
(what can be read).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from secrets import token_bytes, token_hex
from typing import Self

from deniable.core.errors import Failed, InvalidArgumentError, NotYet
from deniable.core.loss import Loss
from deniable.core.paid import Paid
from deniable.ledger import clock, refusals
from deniable.ledger.charge import Charge, Ticket
from deniable.ledger.entries.balances import Standing
from deniable.ledger.entries.chain import Chain, attempt
from deniable.ledger.entries.entry import NOTHING, Head, Link
from deniable.ledger.entries.records import Records
from deniable.ledger.look import Reading
from deniable.ledger.payment import pay
from deniable.ledger.refusals import Unusable
from deniable.ledger.requests import Requests
from deniable.ledger.storage.storages import store_at
from deniable.ledger.terms import Agreement
from deniable.policy import Account, Terms

KEY = 32
"""Bytes of a secret."""
_curator_log = logging.getLogger("deniable.curator")


class Ledger(Agreement, Requests, Reading):
    """Spends first and remembers every answer, whatever else crashes, races or runs full.

    Promise:  a ticket is given only for a charge that is on disk, and only if the filter of every account's cap
              admits the exact sum of all charges ever made to it; an answer is kept only for a ticket, before anyone
              sees it.
    Assumes:  the disk keeps what it says it has flushed; whoever can write to the ledger's folder is trusted not to
              replace the ledger and its anchor together (compare `head` with one that was kept elsewhere).
    Proof:    docs/proofs/ledger.md

    Example:
        >>> from deniable.core.cap import Cap
        >>> ledger = Ledger.memory("clinic")
        >>> everyone = Account("clinic", Cap(1))
        >>> ticket = ledger.charge(Charge("7f", "alice", "SELECT ...", (), Loss.pure("0.6")), [everyone])
        >>> ledger.record(ticket, b"41")
        >>> ledger.find("7f"), ledger.spent("clinic").epsilon
        (b'41', Fraction(3, 5))
        >>> ledger.charge(Charge("80", "bob", "SELECT ...", (), Loss.pure("0.6")), [everyone])
        Traceback (most recent call last):
        deniable.core.errors.Refused: The account 'clinic' has epsilon 0.4 left; this question loses epsilon 0.6, ...
    """

    def __init__(self, chain: Chain, population: str) -> None:
        self._chain = chain
        self._population = population

    @classmethod
    def create(
        cls, url: str, population: str, terms: Terms | None = None, reason: str = "", key: bytes | None = None
    ) -> Self:
        """A new ledger with nothing spent, whose numbers mean `terms`; refused if there is anything in its place.

        `reason` is why there is one, if the same data has another: the first entry keeps it. `key` is the secret under
        which data are told apart by whoever uses a ledger on a server; a file has that of its folder.
        """
        store = store_at(url, population)
        first = first_entry(population, terms, reason)
        return cls(Chain.create(store, population, first, key or token_bytes(KEY)), population)

    @classmethod
    def open(cls, url: str, population: str) -> Self:
        """The ledger that is there; refused if it is missing, edited, cut short, or another population's.

        Entries from the last checkpoint on are checked now, those before it when they are read, or by `verify`.
        """
        return cls(Chain.open(store_at(url, population), population), population)

    @classmethod
    def memory(cls, population: str, terms: Terms | None = None) -> Self:
        """A ledger for a notebook: it ends with the process, and forgets."""
        return cls(Chain.memory(population, first_entry(population, terms)), population)

    @classmethod
    def key(cls, url: str, population: str) -> bytes | None:
        """The secret under which everybody who uses the ledger tells data apart; None: there is none yet."""
        with closing(store_at(url, population)) as store:
            return attempt(store.secret)

    @classmethod
    def reanchor(cls, url: str, population: str, head: Head | str) -> None:
        """Make an anchor on this machine that is lost, or never was; refused if the ledger does not go through `head`.

        That was kept elsewhere, or is what another machine says: a head, or its digest alone.
        """
        Chain.reanchor(store_at(url, population), population, head)

    def charge(self, charge: Charge, accounts: Sequence[Account]) -> Ticket:
        """Spend the charge from every account at once, on disk, before data is read.

        Raises:
            Refused: an account's filter does not admit it, it has paid for as many questions today as it may, or the
                ledger cannot be used; nothing is spent.
            Failed: the disk broke in such a moment that it may have been spent, and so it counts as spent.
        """
        if not accounts:
            raise InvalidArgumentError("accounts", "must name at least one that pays")

        def compose(_: Records, standing: Standing) -> Link:
            if standing.policy != charge.policy:
                raise refusals.policy_moved_on()
            return Link.after(standing.head, "charged", charge.body(*_paid(standing, accounts, charge.loss)))

        link = self._chain.append(compose)
        return Ticket(link.sequence, charge.question, link.digest)

    def record(self, ticket: Ticket, answer: bytes, about: Sequence[str] = ()) -> None:
        """Keep the noisy answer, before anyone sees it. The same answer again changes nothing; another one is refused.

        Under each of the subjects that it is about, which are public, it can be found again.

        Raises:
            Failed: it could not be kept, so nobody may see it; the charge stays spent.
        """

        def compose(past: Records, standing: Standing) -> Link | None:
            if (earlier := past.answer_to(ticket)) is not None:
                if earlier.payload == answer:
                    return None
                raise refusals.already_answered()
            if not standing.is_open(ticket):
                raise InvalidArgumentError("ticket", "is not of this ledger")
            body = {"charge": ticket.sequence, "question": ticket.question, "written": clock.now()}
            return Link.after(
                standing.head, "answered", body | ({"about": sorted(set(about))} if about else {}), answer
            )

        try:
            self._chain.append(compose)
        except Unusable:
            _curator_log.exception("an answer could not be recorded")
        else:
            return
        raise Failed

    @contextmanager
    def turn(self, question: str) -> Iterator[None]:
        """Alone with the question: whoever asks it meanwhile, in any thread or process, waits, and then finds it.

        Raises:
            Refused: the ledger cannot be used; nothing is spent.
        """
        with ExitStack() as stack:
            attempt(lambda: stack.enter_context(self._chain.turn(question)))
            yield

    def show(
        self, charge: Charge, accounts: Sequence[Account], may_show: Callable[[str], bool] = lambda _question: True
    ) -> tuple[bytes, Paid] | None:
        """The recorded answer of the same question, byte for byte, and who paid to see it; None if there is none.

        An account that has paid for it, or was shown it, sees it for nothing. Any other pays what it cost: what an
        analyst's share bounds is what this analyst has seen, whoever asked first. The population's has always paid.

        Raises:
            Refused: an account cannot pay; nothing is spent, and nothing is shown.
            NotYet: it may not be shown now. No account is looked at, so that none tells that there is an answer.
        """

        def owing(past: Records) -> list[Account]:
            return [account for account in accounts if not past.has_seen(account.name, charge.question)]

        def look(past: Records, _: Standing) -> tuple[bytes | None, bool]:
            answer = past.find(charge.question)
            return (None, False) if answer is None else (answer.payload, bool(owing(past)))

        def compose(past: Records, standing: Standing) -> Link | None:
            if standing.policy != charge.policy:
                raise refusals.policy_moved_on()
            loss, payers = past.price(charge.question), owing(past)
            if loss is None or not payers:
                return None
            body = replace(charge, loss=loss, events=()).body(*_paid(standing, payers, loss))
            return Link.after(standing.head, "shown", body)

        recorded, owed = self._chain.read(look)
        if recorded is None:
            return None
        if not may_show(charge.question):
            raise NotYet(charge.question)
        paid = owed and self._chain.append(compose) is not None
        return recorded, Paid.SHARE if paid else Paid.BEFORE

    def close(self) -> None:
        """Let go of the files. What was charged stays charged."""
        self._chain.close()

    def __repr__(self) -> str:
        """Whose ledger it is."""
        return f"<Ledger of {self._population!r}>"


def first_entry(population: str, terms: Terms | None, reason: str = "") -> Link:
    """The first entry: whose ledger it is, and what its numbers mean. Its random mark tells two ledgers apart."""
    body: dict[str, object] = {"mark": token_hex(16), "population": population, "written": clock.now()}
    body |= {} if terms is None else {"terms": terms}
    return Link.after(NOTHING, "created", body | ({"reason": reason} if reason else {}))


def _paid(standing: Standing, accounts: Sequence[Account], loss: Loss) -> tuple[dict[str, Loss], str]:
    """What each account has spent once the loss is charged to it, and when that was; refused if one of them cannot.

    Composed while nobody else can add an entry, so the last question of a day is given to one analyst only, as the last
    of the budget is.
    """
    written = clock.now()
    for account in accounts:
        most = account.questions_per_day
        if most is not None and standing.asked(account.name, written) >= most:
            raise refusals.too_many_today(account.name, most)
    return {account.name: pay(account, standing.spent(account.name), loss) for account in accounts}, written
