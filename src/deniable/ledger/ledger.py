"""The ledger: what was charged and what was answered, for one population."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_bytes, token_hex
from typing import Self

from deniable.core.errors import Failed, InvalidArgumentError
from deniable.core.loss import Loss
from deniable.files.atomic import write
from deniable.ledger import refusals
from deniable.ledger.balances import Standing
from deniable.ledger.canon import canonical
from deniable.ledger.chain import Chain, attempt
from deniable.ledger.charge import Charge, Ticket
from deniable.ledger.entry import NOTHING, Entry, Head, Link
from deniable.ledger.payment import pay
from deniable.ledger.records import Records
from deniable.ledger.refusals import Unusable
from deniable.ledger.storage.storages import store_at
from deniable.policy import Account, Change, Terms, Weight, changes, reunited

_curator_log = logging.getLogger("deniable.curator")


class Ledger:
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

    def require(self, terms: Terms) -> None:
        """Refuse a policy whose terms are not those that the ledger's numbers mean."""

        def look(_: Records, standing: Standing) -> None:
            if standing.moved:
                raise refusals.moved(standing.moved)
            if not standing.terms:
                raise refusals.not_adopted()
            if found := changes(standing.terms[-1], terms):
                raise refusals.policy_changed("; ".join(change.words for change in found[:_MOST_NAMED]))

        self._chain.read(look)

    def accept(self, terms: Terms, reason: str, *, confirmed: bool = False, raising: bool = False) -> list[str]:
        """From now on the numbers mean `terms`; what that changes is an entry, with the reason. Returns it in words.

        Raises:
            Refused: the change needs a confirmation, is a raise and not said to be one, or is impossible because
                something was spent: unit, neighbours and the division of delta are what the sums so far were kept for.
        """
        words: list[str] = []

        def compose(_: Records, standing: Standing) -> Link | None:
            found = changes(standing.terms[-1], terms) if standing.terms else []
            found = [*reunited(standing.terms, terms), *found] if standing.has_spent else found
            words[:] = dict.fromkeys(change.words for change in found)
            if standing.terms and not found:
                return None
            _check(found, spent=standing.has_spent, confirmed=confirmed, raising=raising)
            kind = "raised" if any(change.weight is Weight.RAISE for change in found) else "adopted"
            body = {"changes": words, "reason": reason, "terms": terms, "written": _now()}
            return Link.after(standing.head, kind, body)

        if not reason.strip():
            raise InvalidArgumentError("reason", "must say why")
        self._chain.append(compose)
        return words

    def request(self, analyst: str, wanted: str, reason: str) -> int:
        """An analyst asks for more, and says why. Changes no sum; the entry under which it can be answered.

        Raises:
            Refused: too many of the analyst's requests wait for an answer.
        """
        if not reason.strip():
            raise InvalidArgumentError("reason", "must say why")

        def compose(_: Records, standing: Standing) -> Link:
            if list(standing.requests.values()).count(analyst) >= _MOST_REQUESTS:
                raise refusals.too_many_requests(_MOST_REQUESTS)
            body = {"analyst": analyst, "reason": reason, "wanted": wanted, "written": _now()}
            return Link.after(standing.head, "requested", body)

        return self._chain.append(compose).sequence

    def reply(self, request: int, custodian: str, reason: str, *, granted: bool) -> None:
        """The custodian's answer to a request, with its reason. What is granted is in the policy, not here.

        Raises:
            Refused: no such request waits for an answer.
        """
        if not reason.strip():
            raise InvalidArgumentError("reason", "must say why")

        def compose(_: Records, standing: Standing) -> Link:
            if request not in standing.requests:
                raise refusals.unknown_request(request)
            said = {"custodian": custodian, "granted": granted, "reason": reason, "request": request}
            body = {**said, "analyst": standing.requests[request], "written": _now()}
            return Link.after(standing.head, "replied", body)

        self._chain.append(compose)

    @property
    def policy(self) -> str:
        """The digest of the terms in force."""
        return self._chain.read(lambda _, standing: standing.policy)

    @property
    def raises(self) -> list[str]:
        """Every raise of the budget, in words; whoever asks what is left is told."""
        return self._chain.read(lambda _, standing: list(standing.raises))

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
                raise refusals.policy_changed("It was changed while this question was on its way")
            return Link.after(standing.head, "charged", charge.body(*_paid(standing, accounts, charge.loss)))

        link = self._chain.append(compose)
        return Ticket(link.sequence, charge.question, link.digest)

    def record(self, ticket: Ticket, answer: bytes) -> None:
        """Keep the noisy answer, before anyone sees it. The same answer again changes nothing; another one is refused.

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
            body = {"charge": ticket.sequence, "question": ticket.question, "written": _now()}
            return Link.after(standing.head, "answered", body, answer)

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

    def show(self, charge: Charge, accounts: Sequence[Account]) -> bytes | None:
        """The recorded answer of the same question, byte for byte; None if there is none.

        An account that has paid for it, or was shown it, sees it for nothing. Any other pays what it cost: what an
        analyst's share bounds is what this analyst has seen, whoever asked first. The population's has always paid.

        Raises:
            Refused: an account cannot pay; nothing is spent, and nothing is shown.
        """

        def owing(past: Records) -> list[Account]:
            return [account for account in accounts if not past.has_seen(account.name, charge.question)]

        def look(past: Records, _: Standing) -> tuple[bytes | None, bool]:
            answer = past.find(charge.question)
            return (None, False) if answer is None else (answer.payload, bool(owing(past)))

        def compose(past: Records, standing: Standing) -> Link | None:
            if standing.policy != charge.policy:
                raise refusals.policy_changed("It was changed while this question was on its way")
            loss, payers = past.price(charge.question), owing(past)
            if loss is None or not payers:
                return None
            body = replace(charge, loss=loss, events=()).body(*_paid(standing, payers, loss))
            return Link.after(standing.head, "shown", body)

        recorded, owed = self._chain.read(look)
        if owed:
            self._chain.append(compose)
        return recorded

    def last_price(self, account: str) -> Loss | None:
        """What the account was last charged; None: nothing, or not for a long time."""
        return self._chain.read(lambda past, _: past.last_price(account))

    def seen(self, beginning: str, accounts: Sequence[str]) -> tuple[str, Loss, bytes] | None:
        """The name, the price and the answer of the last question whose text begins so, if these accounts have seen it.

        Costs nothing: whoever has seen it may see it again. Who has not is not even told that it is there.
        """
        return self._chain.read(lambda past, _: past.last_seen(beginning, accounts))

    def find(self, question: str) -> bytes | None:
        """The recorded answer of the same question, byte for byte; None if there is none. Costs nothing."""

        def look(past: Records, _: Standing) -> bytes | None:
            answer = past.find(question)
            return None if answer is None else answer.payload

        return self._chain.read(look)

    def has_seen(self, question: str, account: str) -> bool:
        """Whether the account has paid for an answer to the question, or for being shown one, and there is one."""
        return self._chain.read(lambda past, _: past.find(question) is not None and past.has_seen(account, question))

    def times(self, question: str) -> tuple[datetime, datetime] | None:
        """When the recorded answer of the question was charged, and when it was kept; None: there is none.

        By the clocks of those who wrote it, which may jump.
        """

        def look(past: Records, _: Standing) -> tuple[datetime, datetime] | None:
            if (answer := past.find(question)) is None:
                return None
            kept = json.loads(answer.body)
            return _time(past.entry(kept["charge"])), _time(answer)

        return self._chain.read(look)

    def spent(self, account: str) -> Loss:
        """The exact sum of everything that was ever charged to the account."""
        return self._chain.read(lambda _, standing: standing.spent(account))

    def asked(self, account: str) -> int:
        """How many charges the account has paid today."""
        return self._chain.read(lambda _, standing: standing.asked(account, _now()))

    @property
    def head(self) -> Head:
        """How long the ledger is, and the digest that stands for all of it. Keep it elsewhere, to compare later."""
        return self._chain.read(lambda _, standing: standing.head)

    def history(self) -> list[Entry]:
        """Every entry, oldest first, each checked."""
        return self._chain.walk(Entry.read)

    def verify(self, progress: Callable[[int, int], None] = lambda _checked, _of: None) -> int:
        """How many entries there are, all of them checked; refused at the first that does not fit.

        Every sum is computed again from the first entry on, and compared with every checkpoint. `progress` is told how
        many entries are checked, and of how many.
        """
        of = self.head.sequence
        return len(self._chain.walk(lambda link: progress(link.sequence, max(of, link.sequence))))

    def export(self, path: str | Path) -> None:
        """Every entry as a line of JSON, then the head: enough to compute every digest again, without the answers."""
        lines = self._chain.walk(_exported)
        last = json.loads(lines[-1])
        head = {"head": {"digest": last["digest"], "sequence": last["sequence"]}}
        write(path, "".join(f"{line}\n" for line in (*lines, canonical(head))))

    def close(self) -> None:
        """Let go of the files. What was charged stays charged."""
        self._chain.close()

    def __repr__(self) -> str:
        """Whose ledger it is."""
        return f"<Ledger of {self._population!r}>"


KEY = 32
"""Bytes of a secret."""
_MOST_REQUESTS = 5
"""Of one analyst, that wait for an answer."""
_MOST_NAMED = 5
"""Differences that a refusal lists."""


def first_entry(population: str, terms: Terms | None, reason: str = "") -> Link:
    """The first entry: whose ledger it is, and what its numbers mean. Its random mark tells two ledgers apart."""
    body: dict[str, object] = {"mark": token_hex(16), "population": population, "written": _now()}
    body |= {} if terms is None else {"terms": terms}
    return Link.after(NOTHING, "created", body | ({"reason": reason} if reason else {}))


def _check(found: Sequence[Change], *, spent: bool, confirmed: bool, raising: bool) -> None:
    """What each change takes, which the weightiest one decides."""
    for change in found:
        if change.weight is Weight.NEVER and spent:
            raise refusals.cannot_change(change.words)
        if change.weight is Weight.CONFIRMED and not confirmed:
            raise refusals.unconfirmed(change.words)
        if change.weight is Weight.RAISE and spent and not raising:
            raise refusals.is_a_raise(change.words)


def _paid(standing: Standing, accounts: Sequence[Account], loss: Loss) -> tuple[dict[str, Loss], str]:
    """What each account has spent once the loss is charged to it, and when that was; refused if one of them cannot.

    Composed while nobody else can add an entry, so the last question of a day is given to one analyst only, as the last
    of the budget is.
    """
    written = _now()
    for account in accounts:
        most = account.questions_per_day
        if most is not None and standing.asked(account.name, written) >= most:
            raise refusals.too_many_today(account.name, most)
    return {account.name: pay(account, standing.spent(account.name), loss) for account in accounts}, written


def _exported(link: Link) -> str:
    """One line; the body stands in it as it was digested."""
    return canonical(
        {
            "body": json.loads(link.body),
            "digest": link.digest,
            "kind": link.kind,
            "payload": link.payload_digest,
            "previous": link.previous,
            "sequence": link.sequence,
        }
    )


def _now() -> str:
    """For people to read, and to count the questions of a day: no sum depends on the clock."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _time(link: Link) -> datetime:
    """When it was written; long ago, if that cannot be read."""
    try:
        written = datetime.fromisoformat(json.loads(link.body)["written"])
    except (KeyError, ValueError):
        return datetime.min.replace(tzinfo=UTC)
    return written if written.tzinfo is not None else written.replace(tzinfo=UTC)
