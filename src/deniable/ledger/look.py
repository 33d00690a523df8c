"""What can be read in a ledger, for nothing: answers that were seen, sums, and every entry, each checked."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from deniable.core.loss import Loss
from deniable.files.atomic import write
from deniable.ledger import clock
from deniable.ledger.entries.balances import Standing
from deniable.ledger.entries.canon import canonical
from deniable.ledger.entries.chain import Chain
from deniable.ledger.entries.entry import Entry, Head, Link
from deniable.ledger.entries.records import Records
from deniable.ledger.payment import pay
from deniable.policy import Account


@dataclass(frozen=True, slots=True)
class Balances:
    """Where accounts stand, all of one moment: no two numbers of it contradict each other."""

    spent: Mapping[str, Loss]
    """The exact sum of everything that was ever charged to each."""
    asked: Mapping[str, int]
    """How many charges each has paid today."""
    last: Loss | None
    """What the last of the accounts was last charged; None: nothing, or not for a long time."""
    raises: tuple[str, ...]
    """Every raise of the budget, in words."""


class Reading:
    """The part of a ledger that adds no entry."""

    _chain: Chain

    def find(self, question: str) -> bytes | None:
        """The recorded answer of the same question, byte for byte; None if there is none. Costs nothing."""

        def look(past: Records, _: Standing) -> bytes | None:
            answer = past.find(question)
            return None if answer is None else answer.payload

        return self._chain.read(look)

    def has_seen(self, question: str, account: str) -> bool:
        """Whether the account has paid for an answer to the question, or for being shown one, and there is one."""
        return self._chain.read(lambda past, _: past.find(question) is not None and past.has_seen(account, question))

    def ensure_room(self, questions: Mapping[str, Loss], more: Loss, accounts: Sequence[Account]) -> None:
        """For what begins with these questions, and loses so much more afterwards: accounts can pay all of it, or none.

        Who has seen all the answers may have seen what follows from them, too: that is looked at when it is charged.

        Raises:
            Refused: an account has no room for all of it; nothing is spent.
        """

        def look(past: Records, standing: Standing) -> None:
            for account in accounts:
                seen = {one for one in questions if past.find(one) is not None and past.has_seen(account.name, one)}
                owed = [loss for one, loss in questions.items() if one not in seen]
                if owed:
                    pay(account, standing.spent(account.name), sum(owed, start=more))

        self._chain.read(look)

    def seen(self, beginning: str, accounts: Sequence[str]) -> tuple[str, Loss, bytes] | None:
        """The name, the price and the answer of the last question whose text begins so, if these accounts have seen it.

        Costs nothing: whoever has seen it may see it again. Who has not is not even told that it is there.
        """
        return self._chain.read(lambda past, _: past.last_seen(beginning, accounts))

    def price_of_seen(self, questions: Sequence[str], accounts: Sequence[str]) -> Loss:
        """What those of the questions cost together whose answers each of the accounts has paid for, or seen."""

        def look(past: Records, _: Standing) -> Loss:
            seen = (one for one in questions if all(past.has_seen(account, one) for account in accounts))
            return sum((past.price(one) or Loss.zero() for one in seen), start=Loss.zero())

        return self._chain.read(look)

    def times(self, question: str) -> tuple[datetime, datetime] | None:
        """When the recorded answer of the question was charged, and when it was kept; None: there is none.

        By the clocks of those who wrote it, which may jump.
        """

        def look(past: Records, _: Standing) -> tuple[datetime, datetime] | None:
            if (answer := past.find(question)) is None:
                return None
            kept = json.loads(answer.body)
            return clock.time_of(past.entry(kept["charge"])), clock.time_of(answer)

        return self._chain.read(look)

    def seen_about(self, subject: str, accounts: Sequence[str]) -> list[tuple[str, bytes]]:
        """The earliest questions about a subject whose answers these accounts have seen, in that order; and answers.

        Costs nothing, as `seen` does.
        """
        return self._chain.read(lambda past, _: past.seen_about(subject, accounts))

    def balances(self, accounts: Sequence[str]) -> Balances:
        """Where these accounts stand now; at least one."""

        def look(past: Records, standing: Standing) -> Balances:
            now = clock.now()
            return Balances(
                {name: standing.spent(name) for name in accounts},
                {name: standing.asked(name, now) for name in accounts},
                past.last_price(accounts[-1]),
                tuple(standing.raises),
            )

        return self._chain.read(look)

    def spent(self, account: str) -> Loss:
        """The exact sum of everything that was ever charged to the account."""
        return self._chain.read(lambda _, standing: standing.spent(account))

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
