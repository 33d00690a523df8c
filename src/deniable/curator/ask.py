"""The one path from a question to a noisy answer.

    request -> parse -> bind -> price -> charge -> run -> noise -> record -> answer

No other module may hold an engine and a ledger at once; the import rules see to that. The order of the steps is the
safety argument, so it is written once, in a straight line, with no handlers:

- parse, bind and price read the policy and never the data, so a refusal says nothing about anyone;
- charge spends on disk before run, so a crash may waste budget but can never overspend it;
- record keeps the noisy answer before anyone sees it, so a retry gets the same noise, for free.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from textwrap import shorten
from types import TracebackType
from typing import TYPE_CHECKING, Self, Unpack, overload

import pyarrow as pa

from deniable.accounting import Filter
from deniable.core.errors import Failed, InvalidArgumentError, Refused
from deniable.core.number import Number
from deniable.core.relation import tables
from deniable.curator.answer import Answer
from deniable.curator.budget import Budget
from deniable.curator.builder import Question
from deniable.curator.noise import add_noise
from deniable.engines import Engine
from deniable.ledger import Account, Charge, Entry, Ledger
from deniable.planner import Batch, BatchQuote, Payment, Plan, Quote, Spend, bind, parse, price, price_all
from deniable.planner.expressions.keys import Value
from deniable.policy import Policy
from deniable.releases import Workload

if TYPE_CHECKING:  # strategies are slow to load, and a question does without
    from deniable.curator.release import ReleasePlan
    from deniable.releases.linear.quote import ReleaseQuote
    from deniable.releases.linear.release import Release

_LONGEST = 2_000
"""What the ledger keeps of a workload's text, in characters."""


@dataclass(frozen=True, slots=True)
class Curator:
    """Stands between analysts and private tables.

    Promise:  everything ever answered about the policy's population loses at most its budget, for all analysts
              together; and for each analyst whom the policy gives a share, at most that share.
    Assumes:  the policy names the unit rightly; the ledger's disk keeps what it is told.
    Outside:  how long an answer takes, and whether the engine fails; see docs/threats.md
    """

    policy: Policy
    engine: Engine
    ledger: Ledger

    @overload
    def explain(self, question: str, *, analyst: str | None = None, **payment: Unpack[Payment]) -> Quote: ...
    @overload
    def explain(
        self, question: Workload, *, strategy: str = "best", analyst: str | None = None, **payment: Unpack[Payment]
    ) -> ReleaseQuote: ...

    def explain(
        self,
        question: str | Workload,
        *,
        strategy: str = "best",
        analyst: str | None = None,
        **payment: Unpack[Payment],
    ) -> Quote | ReleaseQuote:
        """What `ask` or `release` would spend and how far off it would be. Reads no private row, spends nothing."""
        self.policy.accounts(analyst)
        spend = Spend.of(**payment)
        if isinstance(question, Workload):
            from deniable.curator.release import plan_release  # noqa: PLC0415 - see above

            return plan_release(question, self.policy, spend, strategy, {}).quote
        return price(bind(parse(question), self.policy), spend).quote

    def ask(self, sql: str, *, analyst: str | None = None, **payment: Unpack[Payment]) -> Answer:
        """Answer the question, or raise. Pay by `epsilon`, `rho` or `accuracy`; `delta` is for private group keys.

        Raises:
            Refused: no private row was read and nothing is spent.
            Failed: the engine broke after the charge, which stays spent.
        """
        plan = price(bind(parse(sql), self.policy), Spend.of(**payment))
        return self._answered([sql], Batch((plan,), plan.quote.loss, "basic"), analyst)[0]

    def explain_all(
        self,
        questions: Sequence[str],
        *,
        analyst: str | None = None,
        shares: Sequence[Number] | None = None,
        **payment: Unpack[Payment],
    ) -> BatchQuote:
        """What `ask_all` would spend. Reads no private row, spends nothing."""
        self.policy.accounts(analyst)
        return self._batch(questions, shares, payment).quote

    def ask_all(
        self,
        questions: Sequence[str],
        *,
        analyst: str | None = None,
        shares: Sequence[Number] | None = None,
        **payment: Unpack[Payment],
    ) -> list[Answer]:
        """Answer questions that are fixed in advance, for one spend: all of them, charged once, or none.

        The spend is divided evenly, or by `shares`. With `epsilon` and `delta`, the batch is accounted as a whole,
        which leaves more for each question. Raises as `ask` does.
        """
        return self._answered(questions, self._batch(questions, shares, payment), analyst)

    def release(
        self, work: Workload, *, strategy: str = "best", analyst: str | None = None, **payment: Unpack[Payment]
    ) -> Release:
        """Answer all queries of a workload at once, or raise. The same steps as `ask`, in the same order.

        Values that the policy does not list are selected first, by questions of their own, from a tenth of the spend
        and all of `delta`.

        Raises:
            Refused: no private row was read and nothing is spent (on the release; selected values stay paid).
            Failed: the engine broke after the charge, which stays spent.
        """
        from deniable.curator.release import cells_of, plan_release, private_values  # noqa: PLC0415 - see above
        from deniable.releases.linear.release import Release  # noqa: PLC0415 - same

        questions, each, spend = private_values(cells_of(work, self.policy), Spend.of(**payment))
        values = {name: self._values(sql, each, analyst) for name, sql in questions.items()}
        plan = plan_release(work, self.policy, spend, strategy, values)
        self.engine.check(plan.query)
        text = shorten(repr(work), _LONGEST)
        charge = Charge(self._question(plan), analyst or "", text, plan.events, plan.loss)
        (noisy,), free = self._paid(charge, lambda: [self._measured(plan)])
        return Release(plan.design, noisy["noisy"].to_numpy(), plan.resolve, plan.loss, free, spend.confidence)

    def table(self, name: str) -> Question:
        """A question about this table, built step by step: the same as in SQL, and recorded as the same."""
        return Question(self, name)

    def budget(self, analyst: str | None = None) -> Budget:
        """What is left: of the population's budget, or of one analyst's share."""
        accounts = self._accounts(analyst) if analyst is not None else self._accounts_of_everyone()
        account = accounts[-1]
        return Budget(account.name, account.filter, self.ledger.spent(account.name))

    def history(self) -> list[Entry]:
        """Everything in the ledger, oldest first."""
        return self.ledger.history()

    def close(self) -> None:
        """Let go of the engine and the ledger."""
        self.engine.close()
        self.ledger.close()

    def __enter__(self) -> Self:
        """For `with`."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close whatever happened."""
        self.close()

    def _batch(self, questions: Sequence[str], shares: Sequence[Number] | None, payment: Payment) -> Batch:
        if isinstance(questions, str):
            raise InvalidArgumentError("questions", "must be a list of questions; for one, use ask")
        return price_all([bind(parse(sql), self.policy) for sql in questions], Spend.of(**payment), shares)

    def _answered(self, texts: Sequence[str], batch: Batch, analyst: str | None) -> list[Answer]:
        """The answers to all questions of a batch."""
        for plan in batch.plans:
            for query in plan.queries:
                self.engine.check(query)
        events = tuple(event for plan in batch.plans for event in plan.events)
        charge = Charge(self._question(*batch.plans), analyst or "", ";\n".join(texts), events, batch.loss)
        noisy, free = self._paid(charge, lambda: [self._noisy(plan) for plan in batch.plans])
        delta = self.policy.budget.delta
        return [
            Answer(plan, table, plan.quote.loss, free, delta) for plan, table in zip(batch.plans, noisy, strict=True)
        ]

    def _paid(self, charge: Charge, look: Callable[[], list[pa.Table]]) -> tuple[list[pa.Table], bool]:
        """Charge, run, noise, record, answer: in this order, and nothing in between. `look` runs and adds noise.

        What is answered is always what is recorded, so that two who ask at once see the same; and whether it was free.
        """
        accounts = self._accounts(charge.analyst or None)
        if (recorded := self.ledger.find(charge.question)) is not None:
            return _from_bytes(recorded), True
        ticket = self.ledger.charge(charge, accounts)
        self.ledger.record(ticket, _to_bytes(look()))
        recorded = self.ledger.find(charge.question)
        if recorded is None:
            raise Failed
        return _from_bytes(recorded), False

    def _noisy(self, plan: Plan) -> pa.Table:
        """The exact answers to a question's queries, with noise."""
        return add_noise(plan, [self.engine.run(query) for query in plan.queries])

    def _measured(self, plan: ReleasePlan) -> pa.Table:
        """The exact counts of a release, as its strategy measures them, with noise."""
        return pa.table({"noisy": plan.design.release(plan.exact(self.engine.run(plan.query)))})

    def _values(self, sql: str, spend: Spend, analyst: str | None) -> tuple[Value, ...]:
        """The values that a question lets through; missing ones last."""
        answer = self.ask(sql, analyst=analyst, epsilon=spend.epsilon, rho=spend.rho, delta=spend.delta)
        shown = answer.table.column(0).to_pylist()
        return tuple(sorted(value for value in shown if value is not None)) + ((None,) if None in shown else ())

    def _question(self, *plans: Plan | ReleasePlan) -> str:
        """The name in the ledger: what runs, under which policy, on which version of the data."""
        read = [table for plan in plans for table in tables(plan.bound.source.table)]
        try:
            versions = [self.engine.version(table) for table in dict.fromkeys(read)]
        except InvalidArgumentError as error:
            raise Refused("data-unavailable", f"The data of {error}.", "Ask the custodian.") from None
        digests = [plan.digest for plan in plans]
        return hashlib.sha256("\n".join([*digests, self.policy.digest, *versions]).encode()).hexdigest()

    def _accounts(self, analyst: str | None) -> tuple[Account, ...]:
        """What a question is charged to; refuses strangers where the policy names its analysts."""
        return tuple(
            Account(
                account.name,
                Filter(
                    account.cap,
                    concentrated=account.concentrated,
                    gaussian=account.gaussian,
                    approximate=account.approximate,
                ),
            )
            for account in self.policy.accounts(analyst)
        )

    def _accounts_of_everyone(self) -> tuple[Account, ...]:
        """The population's own account, for whoever wants to know what is left of it."""
        anyone = next(iter(self.policy.analysts), None)
        return self._accounts(anyone)[:1]


def _to_bytes(answers: Sequence[pa.Table]) -> bytes:
    """Arrow's stream format, one stream after the other: the same bytes for the same answers."""
    sink = pa.BufferOutputStream()
    for table in answers:
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
    return bytes(sink.getvalue().to_pybytes())


def _from_bytes(streams: bytes) -> list[pa.Table]:
    source, found = pa.BufferReader(streams), []
    while source.tell() < len(streams):
        found.append(pa.ipc.open_stream(source).read_all())
    return found
