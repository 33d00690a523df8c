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
from typing import TYPE_CHECKING, Self, TypeVar, Unpack, overload

import pyarrow as pa

from deniable.accounting import Filter
from deniable.core.deadline import within
from deniable.core.errors import Failed, InvalidArgumentError, Refused
from deniable.core.number import Number
from deniable.curator.budget import Budget
from deniable.curator.builder import Question
from deniable.curator.known import PROFILE, KnownProfiles, expected_sizes, noted
from deniable.curator.noisy_answer import NoisyAnswer
from deniable.curator.outer import OuterQueries
from deniable.curator.plans import RememberedPlans
from deniable.curator.public import PublicAnswer, PublicTables
from deniable.curator.purchase import Purchase, from_bytes, to_bytes
from deniable.curator.questions import PricedQuestions
from deniable.curator.workloads import ReleasePlanner, private_values, selected
from deniable.engines import Engine
from deniable.ledger import Charge, Entry, Ledger
from deniable.planner import (
    Batch,
    BatchQuote,
    OutputColumn,
    Payment,
    PricedStatements,
    Quote,
    ReleasePayment,
    Spend,
    plan_listing,
    plan_statement,
    plan_statements,
)
from deniable.planner.statements import PricedStatement
from deniable.planner.wording.parameters import Parameters, filled, filled_all
from deniable.policy import Account, Policy
from deniable.releases import Synthesis, Workload

if TYPE_CHECKING:  # strategies are slow to load, and a question does without
    from deniable.curator.training.external import TrainingReceipt
    from deniable.learn.learner import Learner
    from deniable.learn.quote import TrainingQuote
    from deniable.learn.score import PaidScore
    from deniable.releases.linear.quote import ReleaseQuote
    from deniable.releases.linear.release import Release
    from deniable.releases.profile.profile import Profile
    from deniable.releases.synthetic.report.quote import SynthesisQuote
    from deniable.releases.synthetic.report.release import SyntheticRelease


Trains = TypeVar("Trains", bound="Learner")


_MANY_ROWS = 10**6
"""Of a group, before it is known how many to expect."""


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
    on_repeat: Callable[[str], None] = field(default=lambda _question: None, repr=False, compare=False)
    """Is told the question's name when its answer is on record already."""
    _releases: ReleasePlanner = field(init=False, repr=False, compare=False)
    _plans: RememberedPlans = field(init=False, repr=False, compare=False)
    _terms: str = field(init=False, repr=False, compare=False)
    _public: PublicTables = field(init=False, repr=False, compare=False)
    _profiles: KnownProfiles = field(init=False, repr=False, compare=False)
    _outer: OuterQueries = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Plans of releases are kept: finding a strategy takes longer than anything else. And the terms in force."""
        object.__setattr__(self, "_releases", ReleasePlanner(self.policy))
        object.__setattr__(self, "_plans", RememberedPlans(self._planned))
        object.__setattr__(self, "_terms", self.ledger.policy)
        object.__setattr__(self, "_public", PublicTables(self.policy, self.engine))
        object.__setattr__(self, "_profiles", KnownProfiles(self.ledger))
        object.__setattr__(self, "_outer", OuterQueries(self.policy, self._public))

    @overload
    def explain(
        self, question: str, *, params: Parameters | None = None, analyst: str | None = None, **payment: Unpack[Payment]
    ) -> Quote: ...
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
        params: Parameters | None = None,
        strategy: str = "best",
        analyst: str | None = None,
        **payment: Unpack[Payment],
    ) -> Quote | ReleaseQuote | SynthesisQuote:
        """What `ask`, `release` or `synthesize` would spend and how far off. Reads no private row, spends nothing."""
        accounts = self.policy.accounts(self._who(analyst))
        spend = Spend.of(**payment)
        if isinstance(question, Synthesis):
            from deniable.curator.synthesis.purchase import explained  # noqa: PLC0415 - slow to load, and a question does without

            return explained(self.policy, question, spend.alone())
        if isinstance(question, Workload):
            return self._releases.plan(question, spend.alone(), strategy, ()).quote
        sql = filled(question, params).text
        (asked,) = self._plan(sql, spend, accounts).asked
        return asked.quote

    def columns(self, sql: str, **payment: Unpack[Payment]) -> tuple[OutputColumn, ...]:
        """The columns that an answer would have. Reads no private row, spends nothing."""
        (asked,) = self._plan(sql, Spend.of(**payment)).asked
        return asked.columns

    def ask(
        self, sql: str, *, params: Parameters | None = None, analyst: str | None = None, **payment: Unpack[Payment]
    ) -> NoisyAnswer | PublicAnswer:
        """Answer the question, or raise. Pay by `epsilon`, `rho` or `accuracy`; `delta` is for private group keys.

        A question about public tables alone is answered exactly, and for nothing; so is one for declared values.

        `params` are the values of `?`, `$1` or `:name` in the question: a list, or a mapping of names.
        `analyst` says whose share pays, besides the population's budget; unless named, the curator's own analyst.

        Raises:
            Refused: no private row was read and nothing is spent.
            Failed: the engine broke after the charge, which stays spent.
        """
        accounts = self.policy.accounts(self._who(analyst))
        sql = filled(sql, params).text
        if (exact := self.exact(sql)) is not None:
            return exact
        question = self._priced(sql, payment, accounts)
        recorded, free = self._buy(question, analyst)
        (answer,) = question.answers(recorded, self._outer, self.policy.budget.delta, free=free)
        return answer

    def exact(self, sql: str, *, params: Parameters | None = None) -> NoisyAnswer | PublicAnswer | None:
        """The answer to a question that has no price, because nothing private is asked; None if it has one.

        It is about public tables alone, or asks which values the policy declares: `SELECT DISTINCT region FROM visits`.
        """
        sql = filled(sql, params).text
        if (public := self._public.answer(sql)) is not None:
            return public
        plan = plan_listing(sql, self._public.policy_for(sql))
        if plan is None:
            return None
        listed = PricedStatements((PricedStatement((plan,), (0,)),), Batch((plan,), plan.quote.loss, "basic"))
        (answer,) = PricedQuestions((sql,), listed).listed(self._outer, self.policy.budget.delta)
        return answer

    def recorded(
        self, sql: str, *, params: Parameters | None = None, analyst: str | None = None, **payment: Unpack[Payment]
    ) -> NoisyAnswer | None:
        """The answer, if the question was answered before; None if not. Reads no private row, and waits for nobody.

        Raises:
            Refused: as by `ask`, or the analyst's share cannot pay for seeing it; nothing is spent.
        """
        question = self._priced(filled(sql, params).text, payment, self.policy.accounts(self._who(analyst)))
        charge, accounts = self._charge(question, analyst, self.engine)
        if (recorded := self.ledger.show(charge, accounts)) is None:
            return None
        (answer,) = question.answers(from_bytes(recorded), self._outer, self.policy.budget.delta, free=True)
        return answer

    def name(
        self, sql: str, *, params: Parameters | None = None, analyst: str | None = None, **payment: Unpack[Payment]
    ) -> str:
        """What the ledger calls the question: the same for everyone who asks the same of the same data.

        What an accuracy costs can follow from the private profile: then, for everyone who has been shown it.
        """
        accounts = () if (who := self._who(analyst)) is None else self.policy.accounts(who)
        return self._question(self._priced(filled(sql, params).text, payment, accounts), self.engine)

    def statements(self, sql: str, *, params: Parameters | None = None, **payment: Unpack[Payment]) -> list[str]:
        """What the engine would be asked, in its own words; for custodians. Reads no private row, spends nothing."""
        question = self._priced(filled(sql, params).text, payment)
        with self.engine.session() as engine:
            return [engine.emit(query) for query in question.queries]

    def explain_all(
        self,
        questions: Sequence[str],
        *,
        params: Sequence[Parameters | None] | None = None,
        analyst: str | None = None,
        shares: Sequence[Number] | None = None,
        **payment: Unpack[Payment],
    ) -> BatchQuote:
        """What `ask_all` would spend. Reads no private row, spends nothing."""
        self.policy.accounts(self._who(analyst))
        together = self._together(filled_all(questions, params), shares, payment)
        quotes = tuple(asked.quote for asked in together.asked)
        return BatchQuote(together.batch.loss, together.batch.method, quotes)

    def ask_all(
        self,
        questions: Sequence[str],
        *,
        params: Sequence[Parameters | None] | None = None,
        analyst: str | None = None,
        shares: Sequence[Number] | None = None,
        **payment: Unpack[Payment],
    ) -> list[NoisyAnswer]:
        """Answer questions that are fixed in advance, for one spend: all of them, charged once, or none.

        The spend is divided evenly, or by `shares`. With `epsilon` and `delta`, the batch is accounted as a whole,
        which leaves more for each question. `params` has the values of each question's parameters. Raises as `ask`.
        """
        texts = filled_all(questions, params)
        together = self._together(texts, shares, payment)
        priced = PricedQuestions(texts, together)
        if not priced.queries:
            return priced.listed(self._outer, self.policy.budget.delta)
        recorded, free = self._buy(priced, analyst)
        return priced.answers(recorded, self._outer, self.policy.budget.delta, free=free)

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
        questions, each, rest = private_values(
            self._releases.cells(work), Spend.of(**payment).alone(), self._releases.limits
        )
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
        constraints: Sequence[str] | Mapping[str, Sequence[str]] | None = None,
        analyst: str | None = None,
        **payment: Unpack[ReleasePayment],
    ) -> SyntheticRelease:
        """Made-up tables that look like the private ones, or raise. The same steps as `ask`, in the same order.

        Pay by `rho`, or by `epsilon` and `delta`. Texts that the policy does not list are selected first, by questions
        of their own, from a tenth of the spend. `constraints` are conditions in SQL that no row violates, as the
        custodian knows without looking. Raises as `release` does.
        """
        from deniable.curator.synthesis.purchase import plan_synthesis, unlisted_values  # noqa: PLC0415 - same

        wanted = Synthesis(tables, columns, rows, constraints)
        questions, each, rest = unlisted_values(self.policy, wanted, Spend.of(**payment))
        values = {
            place: selected(self.ask(sql, analyst=analyst, rho=each.rho, delta=each.delta))
            for place, sql in questions.items()
        }
        plan = plan_synthesis(self.policy, wanted, rest, values)
        recorded, free = self._buy(plan, analyst)
        return plan.released(recorded, free=free)

    def profile(self, *, analyst: str | None = None, **payment: Unpack[Payment]) -> Profile:
        """What is to be known about all private tables before bounds are declared; one charge, for everything in it.

        Rows per person, values of each column in public cells that cover every number, missing values. Pay by `rho`.
        Suggestions for the policy, notes in answers and expected sizes follow from it, and cost nothing more. Raises as
        `release` does.
        """
        from deniable.curator.profiling import plan_profile, profile_of  # noqa: PLC0415 - same

        spend = Spend.of(**payment).alone()
        plan = plan_profile(self.policy, spend)
        recorded, free = self._buy(plan, analyst)
        self._profiles.forget()
        return profile_of(recorded, plan.loss, spend.confidence, self._question(plan, self.engine), free=free)

    def train(
        self,
        learner: Trains,
        sql: str | None = None,
        *,
        target: str | None = None,
        analyst: str | None = None,
        **payment: Unpack[Payment],
    ) -> Trains:
        """Train a model of `deniable.learn` on the rows of a SELECT, or raise. The same steps as `ask`, in order.

        Pay by `rho`, or by `epsilon` and `delta`. Raises as `ask` does.
        """
        from deniable.curator.training.purchase import plan_training  # noqa: PLC0415 - same

        spend = Spend.of(**payment).alone()
        plan = plan_training(self._weighed(spend, sql or ""), learner, sql, target, spend)
        recorded, free = self._buy(plan, analyst)
        return plan.made(recorded, lambda found: learner.learned(plan.trained(free=free), found))

    def explain_training(
        self,
        learner: Learner,
        sql: str | None = None,
        *,
        target: str | None = None,
        analyst: str | None = None,
        **payment: Unpack[Payment],
    ) -> TrainingQuote:
        """What `train` would spend. Reads no private row, spends nothing."""
        from deniable.curator.training.purchase import plan_training  # noqa: PLC0415 - same

        self.policy.accounts(self._who(analyst))
        spend = Spend.of(**payment).alone()
        return plan_training(self._weighed(spend, sql or ""), learner, sql, target, spend).quote

    def score(
        self, learner: Learner, sql: str | None = None, *, analyst: str | None = None, **payment: Unpack[Payment]
    ) -> PaidScore:
        """How well a model does on the rows of a SELECT, or of the one it was trained on: a paid question."""
        from deniable.curator.training.scoring import plan_score  # noqa: PLC0415 - same
        from deniable.learn.score import PaidScore  # noqa: PLC0415 - same

        spend = Spend.of(**payment).alone()
        plan = plan_score(self._weighed(spend, sql or learner.trained_.sql), learner, sql, spend)
        recorded, free = self._buy(plan, analyst)
        return plan.made(recorded, lambda found: PaidScore(**found, loss=plan.loss.to_dict(), free=free))

    def charge_training(
        self, steps: Sequence[tuple[Number, Number, int]], *, delta: Number | None = None, text: str
    ) -> TrainingReceipt:
        """Charge a training by another library before it starts: steps of DP-SGD, by the custodian alone.

        `steps` are what Opacus's accountant keeps: noise multiplier, sampling rate, number. What is charged stays
        charged, and every call charges again. The receipt says what is trusted.
        """
        from deniable.curator.training.external import charged  # noqa: PLC0415 - same

        if self.analyst is not None:
            raise Refused("custodian-only", "Only the custodian can charge for other libraries.", "Ask the custodian.")
        return charged(self.ledger, self.policy, self._terms, steps, delta=delta, text=text)

    def table(self, name: str) -> Question:
        """A question about this table, built step by step: the same as in SQL, and recorded as the same."""
        return Question(self, name)

    def budget(self, analyst: str | None = None) -> Budget:
        """What is left: of one analyst's share, or, where neither the call nor the curator names one, of the whole."""
        who = self._who(analyst)
        accounts = (self.policy.population_account,) if who is None else self.policy.accounts(who)
        whole, *shares = [self._balance(account) for account in accounts]
        whole = replace(whole, raised=tuple(self.ledger.raises))
        last = self.ledger.last_price(accounts[-1].name)
        return replace(shares[0], within=whole, last=last) if shares else replace(whole, last=last)

    def history(self) -> list[Entry]:
        """Everything in the ledger, oldest first."""
        return self.ledger.history()

    def close(self) -> None:
        """Let go of the engines and the ledger."""
        self._outer.close()
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
        All of it is within one session of the engine: the state of the data that names the question is the one that is
        read.
        """
        with self.engine.session() as engine:
            charge, accounts = self._charge(purchase, analyst, engine)
            with self.ledger.turn(charge.question), within(self.policy.engine.seconds):
                if (recorded := self.ledger.show(charge, accounts)) is not None:
                    self.on_repeat(charge.question)
                    return from_bytes(recorded), True
                for query in purchase.queries:
                    engine.check(query)
                ticket = self.ledger.charge(charge, accounts)
                self.on_charge(charge.question, ticket.sequence)
                noisy: list[pa.Table] = []
                for step in purchase.rounds(noisy):
                    exact = [engine.run(query) for query in step.queries]
                    noisy.append(step.add_noise(exact))
                self._ensure_same(purchase, charge.question, engine)
                self.ledger.record(ticket, to_bytes(noisy))
                if (recorded := self.ledger.find(charge.question)) is None:
                    raise Failed
                return from_bytes(recorded), False

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

    def _priced(self, sql: str, payment: Payment, accounts: Sequence[Account] = ()) -> PricedQuestions:
        """One question, parsed, bound and priced."""
        return PricedQuestions((sql,), self._plan(sql, Spend.of(**payment), accounts))

    def _plan(self, sql: str, spend: Spend, accounts: Sequence[Account] = ()) -> PricedStatements:
        """The plan, with what the private profile says about it, if all of these accounts have been shown one."""
        weighed = self._weighed(spend, sql)
        profile = self._profiles.of(accounts) if accounts else None
        if profile is None:
            return self._plans.plan(sql, spend, weighed)
        if spend.rows is None:  # an accuracy of averages needs a size: with this one, its questions are at least known
            known = self._plans.plan(sql, spend if spend.accuracy is None else replace(spend, rows=_MANY_ROWS), weighed)
            if sizes := expected_sizes(known, profile):
                spend = replace(spend, rows=sizes[1], sizes=sizes if sizes[0] < sizes[-1] else ())
        return noted(self._plans.plan(sql, spend, weighed), profile)

    def _planned(self, sql: str, policy: Policy, spend: Spend) -> PricedStatements:
        """The plan, and what is around its questions checked while refusing is still free."""
        return self._checked(plan_statement(sql, policy, spend))

    def _checked(self, together: PricedStatements) -> PricedStatements:
        return replace(together, asked=tuple(self._outer.checked(asked) for asked in together.asked))

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

    def _together(
        self, questions: Sequence[str], shares: Sequence[Number] | None, payment: Payment
    ) -> PricedStatements:
        """Parsed, bound, and priced together."""
        spend = Spend.of(**payment)
        return self._checked(plan_statements(questions, self._weighed(spend, *questions), spend, shares))

    def _weighed(self, spend: Spend, *questions: str) -> Policy:
        """The policy for these questions, in which people weigh what the spend says, if that is less."""
        policy = self._public.policy_for(*questions)
        return policy if spend.contribution is None else policy.weighing(spend.contribution)
