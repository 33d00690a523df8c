"""The one path from a question to a noisy answer; `Curator._buy` is its second half, in code, in this order.

    request -> parse -> bind -> price -> find -> check -> charge -> run -> noise -> record -> answer
               planner  planner planner  ledger  engine   ledger    engine mechanism ledger
               -------- a Purchase -----                            - a Round -----

A question, a batch and a whole release are alike: each becomes a purchase, which has one price and one or more rounds.
No other module may hold an engine and a ledger at once; the import rules see to that. The order of the steps is the
safety argument, so it is written once, in a straight line, with no handlers:

- parse, bind and price read the policy and never the data, so a refusal says nothing about anyone;
- check asks the engine whether the queries can be run, by names and types alone, while refusing is still free;
- charge spends on disk before run, so a crash may waste budget but can never overspend it;
- a later round sees the noisy results of earlier ones and no exact number, so one charge pays for all that it asks;
- record keeps the noisy answer before anyone sees it, so a retry gets the same noise, for free.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import TYPE_CHECKING, Self, Unpack, overload

import pyarrow as pa

from deniable.accounting import Filter
from deniable.core.deadline import within
from deniable.core.errors import Failed, InvalidArgumentError, Refused
from deniable.core.number import Number
from deniable.curator.answer import Answer
from deniable.curator.budget import Budget
from deniable.curator.builder import Question
from deniable.curator.plans import RememberedPlans
from deniable.curator.public import PublicAnswer, PublicTables
from deniable.curator.purchase import Purchase, from_bytes, to_bytes
from deniable.curator.questions import PricedQuestions
from deniable.curator.workloads import ReleasePlanner, private_values, selected
from deniable.engines import Engine
from deniable.ledger import Charge, Entry, Ledger
from deniable.planner import Batch, BatchQuote, Payment, Quote, Spend, plan_batch, plan_question
from deniable.policy import Account, Policy
from deniable.releases import Synthesis, Workload

if TYPE_CHECKING:  # strategies are slow to load, and a question does without
    from deniable.releases.linear.quote import ReleaseQuote
    from deniable.releases.linear.release import Release
    from deniable.releases.synthetic.report.quote import SynthesisQuote
    from deniable.releases.synthetic.report.release import SyntheticRelease


@dataclass(frozen=True, slots=True)
class Curator:
    """Stands between analysts and private tables.

    Promise:  everything ever answered about the policy's population loses at most its budget, for all analysts
              together; and for each analyst whom the policy gives a share, at most that share.
    Assumes:  the policy names the unit rightly; the ledger's disk keeps what it is told.
    Outside:  how long an answer takes, and whether the engine fails; see docs/threats.md

    Who asks is `analyst` where a call names nobody; None: whoever it is, which a policy with shares refuses.
    """

    policy: Policy
    engine: Engine
    ledger: Ledger
    analyst: str | None = None
    on_charge: Callable[[str, int], None] = field(default=lambda _question, _entry: None, repr=False, compare=False)
    """Is told the question's name and its entry in the ledger when it has been charged, before a row is read."""
    _releases: ReleasePlanner = field(init=False, repr=False, compare=False)
    _plans: RememberedPlans = field(init=False, repr=False, compare=False)
    _terms: str = field(init=False, repr=False, compare=False)
    _public: PublicTables = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Plans of releases are kept: finding a strategy takes longer than anything else. And the terms in force."""
        object.__setattr__(self, "_releases", ReleasePlanner(self.policy))
        object.__setattr__(self, "_plans", RememberedPlans(plan_question))
        object.__setattr__(self, "_terms", self.ledger.policy)
        object.__setattr__(self, "_public", PublicTables(self.policy))

    @overload
    def explain(self, question: str, *, analyst: str | None = None, **payment: Unpack[Payment]) -> Quote: ...
    @overload
    def explain(
        self, question: Workload, *, strategy: str = "best", analyst: str | None = None, **payment: Unpack[Payment]
    ) -> ReleaseQuote: ...
    @overload
    def explain(
        self, question: Synthesis, *, analyst: str | None = None, **payment: Unpack[Payment]
    ) -> SynthesisQuote: ...

    def explain(
        self,
        question: str | Workload | Synthesis,
        *,
        strategy: str = "best",
        analyst: str | None = None,
        **payment: Unpack[Payment],
    ) -> Quote | ReleaseQuote | SynthesisQuote:
        """What `ask`, `release` or `synthesize` would spend and how far off. Reads no private row, spends nothing."""
        self.policy.accounts(self._who(analyst))
        spend = Spend.of(**payment)
        if isinstance(question, Synthesis):
            from deniable.curator.synthesis.purchase import explained  # noqa: PLC0415 - slow to load, and a question does without

            return explained(self.policy, question, spend)
        if isinstance(question, Workload):
            return self._releases.plan(question, spend, strategy, ()).quote
        return self._plans.plan(question, spend, self._public.policy_for(question)).quote

    def ask(self, sql: str, *, analyst: str | None = None, **payment: Unpack[Payment]) -> Answer | PublicAnswer:
        """Answer the question, or raise. Pay by `epsilon`, `rho` or `accuracy`; `delta` is for private group keys.

        A question about public tables alone is answered exactly, and for nothing.

        `analyst` says whose share pays, besides the population's budget; unless named, the curator's own analyst.

        Raises:
            Refused: no private row was read and nothing is spent.
            Failed: the engine broke after the charge, which stays spent.
        """
        self.policy.accounts(self._who(analyst))
        if (exact := self._public.answer(sql)) is not None:
            return exact
        question = self._priced(sql, payment)
        recorded, free = self._buy(question, analyst)
        (answer,) = question.answers(recorded, self.policy.budget.delta, free=free)
        return answer

    def recorded(self, sql: str, *, analyst: str | None = None, **payment: Unpack[Payment]) -> Answer | None:
        """The answer, if the question was answered before; None if not. Reads no private row, and waits for nobody.

        Raises:
            Refused: as by `ask`, or the analyst's share cannot pay for seeing it; nothing is spent.
        """
        question = self._priced(sql, payment)
        charge, accounts = self._charge(question, analyst)
        if (recorded := self.ledger.show(charge, accounts)) is None:
            return None
        (answer,) = question.answers(from_bytes(recorded), self.policy.budget.delta, free=True)
        return answer

    def name(self, sql: str, **payment: Unpack[Payment]) -> str:
        """What the ledger calls the question: the same for everyone who asks the same of the same data."""
        return self._question(self._priced(sql, payment))

    def explain_all(
        self,
        questions: Sequence[str],
        *,
        analyst: str | None = None,
        shares: Sequence[Number] | None = None,
        **payment: Unpack[Payment],
    ) -> BatchQuote:
        """What `ask_all` would spend. Reads no private row, spends nothing."""
        self.policy.accounts(self._who(analyst))
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
        batch = self._batch(questions, shares, payment)
        priced = PricedQuestions(tuple(questions), batch.plans, batch.loss)
        recorded, free = self._buy(priced, analyst)
        return priced.answers(recorded, self.policy.budget.delta, free=free)

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
        questions, each, rest = private_values(self._releases.cells(work), Spend.of(**payment), self._releases.limits)
        values = tuple(
            (name, selected(self.ask(sql, analyst=analyst, epsilon=each.epsilon, rho=each.rho, delta=each.delta)))
            for name, sql in questions.items()
        )
        plan = self._releases.plan(work, rest, strategy, values)
        recorded, free = self._buy(plan, analyst)
        return plan.released(recorded, free=free)

    def synthesize(
        self,
        tables: str | Sequence[str] | None = None,
        *,
        columns: Sequence[str] | Mapping[str, Sequence[str]] | None = None,
        rows: int | None = None,
        analyst: str | None = None,
        **payment: Unpack[Payment],
    ) -> SyntheticRelease:
        """Made-up tables that look like the private ones, or raise. The same steps as `ask`, in the same order.

        Pay by `rho`, or by `epsilon` and `delta`. Texts that the policy does not list are selected first, by questions
        of their own, from a tenth of the spend. Raises as `release` does.
        """
        from deniable.curator.synthesis.purchase import plan_synthesis, unlisted_values  # noqa: PLC0415 - same

        wanted = Synthesis(tables, columns, rows)
        questions, each, rest = unlisted_values(self.policy, wanted, Spend.of(**payment))
        values = {
            place: selected(self.ask(sql, analyst=analyst, rho=each.rho, delta=each.delta))
            for place, sql in questions.items()
        }
        plan = plan_synthesis(self.policy, wanted, rest, values)
        recorded, free = self._buy(plan, analyst)
        return plan.released(recorded, free=free)

    def table(self, name: str) -> Question:
        """A question about this table, built step by step: the same as in SQL, and recorded as the same."""
        return Question(self, name)

    def budget(self, analyst: str | None = None) -> Budget:
        """What is left: of one analyst's share, or, where neither the call nor the curator names one, of the whole."""
        who = self._who(analyst)
        accounts = (self.policy.population_account,) if who is None else self.policy.accounts(who)
        whole, *shares = [self._balance(account) for account in accounts]
        whole = replace(whole, raised=tuple(self.ledger.raises))
        return replace(shares[0], within=whole) if shares else whole

    def history(self) -> list[Entry]:
        """Everything in the ledger, oldest first."""
        return self.ledger.history()

    def close(self) -> None:
        """Let go of the engines and the ledger."""
        self._public.close()
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

    def _buy(self, purchase: Purchase, analyst: str | None) -> tuple[list[pa.Table], bool]:
        """Find, check, charge, run, noise, record, answer: in this order, for everything that is ever paid for.

        What is answered is always what is recorded, so that two who ask at once see the same; and whether it was free.
        """
        charge, accounts = self._charge(purchase, analyst)
        with self.ledger.turn(charge.question), within(self.policy.engine.seconds):
            if (recorded := self.ledger.show(charge, accounts)) is not None:
                return from_bytes(recorded), True
            for query in purchase.queries:
                self.engine.check(query)
            ticket = self.ledger.charge(charge, accounts)
            self.on_charge(charge.question, ticket.sequence)
            noisy: list[pa.Table] = []
            for step in purchase.rounds(noisy):
                exact = [self.engine.run(query) for query in step.queries]
                noisy.append(step.add_noise(exact))
            self._ensure_same(purchase, charge.question)
            self.ledger.record(ticket, to_bytes(noisy))
            if (recorded := self.ledger.find(charge.question)) is None:
                raise Failed
            return from_bytes(recorded), False

    def _ensure_same(self, purchase: Purchase, question: str) -> None:
        """Whether the data are still those that the question was charged for: no answer is of half one, half another.

        That data have changed is public.
        """
        try:
            same = self._question(purchase) == question
        except Refused:
            same = False
        if not same:
            raise Failed

    def _charge(self, purchase: Purchase, analyst: str | None) -> tuple[Charge, tuple[Account, ...]]:
        """What is to be paid, and by whom."""
        who = self._who(analyst)
        accounts = self.policy.accounts(who)
        question = self._question(purchase)
        return Charge(question, who or "", purchase.text, purchase.events, purchase.loss, self._terms), accounts

    def _question(self, purchase: Purchase) -> str:
        """The name in the ledger: what runs, under which policy, on which version of the data."""
        try:
            versions = [self.engine.version(table) for table in dict.fromkeys(purchase.tables)]
        except InvalidArgumentError as error:
            raise Refused("data-unavailable", f"The data of {error}.", "Ask the custodian.") from None
        facts = self._public.policy_for(purchase.text).digest
        return hashlib.sha256("\n".join([purchase.digest, facts, *versions]).encode()).hexdigest()

    def _priced(self, sql: str, payment: Payment) -> PricedQuestions:
        """One question, parsed, bound and priced."""
        plan = self._plans.plan(sql, Spend.of(**payment), self._public.policy_for(sql))
        return PricedQuestions((sql,), (plan,), plan.quote.loss)

    def _balance(self, account: Account) -> Budget:
        """One account, and what the policy's limits leave of it."""
        asked = (
            None if account.questions_per_day is None else (self.ledger.asked(account.name), account.questions_per_day)
        )
        return Budget(
            account.name, Filter(account.cap), self.ledger.spent(account.name), self._releases.limits, asked=asked
        )

    def _who(self, analyst: str | None) -> str | None:
        """Who asks: the analyst whom a call names, or else the curator's own."""
        return self.analyst if analyst is None else analyst

    def _batch(self, questions: Sequence[str], shares: Sequence[Number] | None, payment: Payment) -> Batch:
        """Parsed, bound, and priced together."""
        if isinstance(questions, str):
            raise InvalidArgumentError("questions", "must be a list of questions; for one, use ask")
        return plan_batch(questions, self._public.policy_for(*questions), Spend.of(**payment), shares)
