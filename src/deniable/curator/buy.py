"""The second half of the one path: from a price to an answer on record. `Buying._buy` is it, in code, in this order.

    find -> check -> charge -> run -> noise -> record
    ledger  engine   ledger    engine mechanism ledger
                               - a Round -----

No other module may hold an engine and a ledger at once; the import rules see to that. The order of the steps is the
safety argument, so it is written once, in a straight line, with no handlers:

- check asks the engine whether the queries can be run, by names and types alone, while refusing is still free; of a
  file of texts also whether all its lines are rows, which is one fact about each version of it, whatever is asked;
- charge spends on disk before run, so a crash may waste budget but can never overspend it;
- a later round sees the noisy results of earlier ones and no exact number, so one charge pays for all that it asks;
- record keeps the noisy answer before anyone sees it, so a retry gets the same noise, for free.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field

import pyarrow as pa

from deniable.core.deadline import within
from deniable.core.errors import Failed, InvalidArgumentError, Refused
from deniable.core.paid import Paid
from deniable.curator.counted import subjects
from deniable.curator.profiling.known import PROFILE
from deniable.curator.public.tables import PublicTables
from deniable.curator.purchase import Purchase, from_bytes, to_bytes
from deniable.curator.questions import PricedQuestions
from deniable.engines import Engine
from deniable.ledger import Charge, Ledger
from deniable.policy import Account, Policy


@dataclass(frozen=True, slots=True)
class Buying:
    """Pays for a purchase and runs it: the one place where rows and budgets are held together.

    Who asks is `analyst` where a call names nobody; None: whoever it is, which a policy with shares refuses.
    """

    policy: Policy
    engine: Engine
    ledger: Ledger
    analyst: str | None = None
    on_charge: Callable[[str, int], None] = field(default=lambda _question, _entry: None, repr=False, compare=False)
    """Is told the question's name and its entry in the ledger when it has been charged, before a row is read."""
    may_show: Callable[[str], bool] = field(default=lambda _question: True, repr=False, compare=False)
    """Whether what is on record under this name may be seen now: not before the deadline of whoever paid for it."""
    _terms: str = field(init=False, repr=False, compare=False)
    _public: PublicTables = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """The terms in force, and what is public."""
        object.__setattr__(self, "_terms", self.ledger.policy)
        object.__setattr__(self, "_public", PublicTables(self.policy, self.engine))

    def _buy(self, purchase: Purchase, analyst: str | None) -> tuple[list[pa.Table], Paid]:
        """Find, check, charge, run, noise, record, answer: in this order, for everything that is ever paid for.

        What is answered is always what is recorded, so that two who ask at once see the same; and who has paid.
        All of it is within one session of the engine: the state of the data that names the question is the one that is
        read.
        """
        with self.engine.session() as engine:
            charge, accounts = self._charge(purchase, analyst, engine)
            with self.ledger.turn(charge.question), within(self.policy.engine.seconds):
                if (shown := self.ledger.show(charge, accounts, self.may_show)) is not None:
                    return from_bytes(shown[0]), shown[1]
                for query in purchase.queries:
                    engine.check(query)
                for table in dict.fromkeys(purchase.tables):
                    engine.ensure_rows(table)
                ticket = self.ledger.charge(charge, accounts)
                self.on_charge(charge.question, ticket.sequence)
                noisy: list[pa.Table] = []
                for step in purchase.rounds(noisy):
                    exact = [step.kept(engine.run(query)) for query in step.queries]
                    noisy.append(step.add_noise(exact))
                self._ensure_same(purchase, charge.question, engine)
                self.ledger.record(ticket, to_bytes(noisy), subjects(noisy))
                if (recorded := self.ledger.find(charge.question)) is None:
                    raise Failed
                return from_bytes(recorded), Paid.NOW

    def _ensure_same(self, purchase: Purchase, question: str, engine: Engine) -> None:
        """Whether the data that were read are those that the question was charged for.

        No answer is of half one state, half another. That data have changed is public.
        """
        try:
            same = self._question(purchase, engine) == question
        except Refused:
            same = False
        if not same:
            raise Failed

    def _charge(self, purchase: Purchase, analyst: str | None, engine: Engine) -> tuple[Charge, tuple[Account, ...]]:
        """What is to be paid, and by whom."""
        who = self._who(analyst)
        accounts = self.policy.accounts(who)
        question = self._question(purchase, engine)
        return Charge(question, who or "", purchase.text, purchase.events, purchase.loss, self._terms), accounts

    def _question(self, purchase: Purchase, engine: Engine) -> str:
        """The name in the ledger: what runs, how its tables are read, and which version of the data it is.

        What a question or a profile makes of bounds, values and contributions stands in its queries, noise and keys,
        so in its digest: a change of what it does not use leaves its name, and its recorded answer, as they are. Of
        releases, whose later queries follow from more than that, all facts of the policy are part of the name.
        """
        try:
            versions = [engine.version(table) for table in dict.fromkeys(purchase.tables)]
        except InvalidArgumentError as error:
            raise Refused("data-unavailable", f"The data of {error}.", "Ask the custodian.") from None
        policy = self._public.policy_of(purchase.tables)
        own = isinstance(purchase, PricedQuestions) or purchase.text.startswith(PROFILE)
        facts = policy.reading(dict.fromkeys(purchase.tables)) if own else policy.digest
        return hashlib.sha256("\n".join([purchase.digest, facts, *versions]).encode()).hexdigest()

    def _who(self, analyst: str | None) -> str | None:
        """Who asks: the analyst whom a call names, or else the curator's own."""
        return self.analyst if analyst is None else analyst
