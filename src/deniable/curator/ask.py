"""The one path from a question to a noisy answer: its price, its purchase, and what is made of what was recorded.

    request -> parse -> bind -> price -> find -> check -> charge -> run -> noise -> record -> answer
               ------- price.py -----    ---------------------- buy.py --------------------

A question, a batch and a whole release are alike: each becomes a purchase, which has one price and one or more rounds.
The two halves stand in the two files, each in a straight line, with what its order protects.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Unpack, overload

from deniable.core.number import Number
from deniable.core.recent import Recent
from deniable.curator.answers.noisy_answer import NoisyAnswer
from deniable.curator.answers.outer import OuterQueries
from deniable.curator.buy import Buying
from deniable.curator.plans import RememberedAnswers
from deniable.curator.price import Pricing
from deniable.curator.profiling.known import KnownProfiles
from deniable.curator.public.answer import PublicAnswer
from deniable.curator.questions import PricedQuestions
from deniable.curator.workloads.planner import ReleasePlanner, assumed, private_values
from deniable.planner import Batch, BatchQuote, OutputColumn, Payment, PricedStatements, Quote, Spend, plan_listing
from deniable.planner.statements import PricedStatement
from deniable.planner.wording.parameters import Parameters, filled, filled_all
from deniable.releases import Synthesis, Workload

if TYPE_CHECKING:  # strategies are slow to load, and a question does without
    from deniable.releases.linear.quote import ReleaseQuote
    from deniable.releases.synthetic.report.quote import SynthesisQuote

_MOST, _SHORT = 16_384, 4_096
"""Texts of questions that are remembered, and how long one of them may be: people choose what is in them."""


@dataclass(frozen=True, slots=True)
class Asking(Buying):
    """Questions, one or several: what they would cost, and their answers."""

    _outer: OuterQueries = field(init=False, repr=False, compare=False)
    _profiles: KnownProfiles = field(init=False, repr=False, compare=False)
    _pricing: Pricing = field(init=False, repr=False, compare=False)
    _releases: ReleasePlanner = field(init=False, repr=False, compare=False)
    _answers: RememberedAnswers = field(init=False, repr=False, compare=False)
    _priced: Recent[tuple[str, str], bool] = field(init=False, repr=False, compare=False)
    """Questions that have a price, by their text and by what is public."""

    def __post_init__(self) -> None:
        """Plans are kept: those of releases above all, as finding a strategy takes longer than anything else."""
        Buying.__post_init__(self)
        object.__setattr__(self, "_outer", OuterQueries(self.policy, self._public))
        object.__setattr__(self, "_profiles", KnownProfiles(self.ledger, self.may_show))
        object.__setattr__(self, "_pricing", Pricing(self._public, self._outer, self._profiles))
        object.__setattr__(self, "_releases", ReleasePlanner(self.policy))
        object.__setattr__(self, "_answers", RememberedAnswers(self._outer, self.policy.budget.delta))
        object.__setattr__(self, "_priced", Recent(_MOST))

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
            return self._explain_synthesis(question, analyst, spend.alone())
        if isinstance(question, Workload):
            return self._explain_workload(question, strategy, analyst, spend.alone())
        sql = filled(question, params).text
        (asked,) = self._pricing.plan(sql, spend, accounts).asked
        return asked.quote

    def _explain_synthesis(self, wanted: Synthesis, analyst: str | None, spend: Spend) -> SynthesisQuote:
        """With the price of the questions that find values first; as if each found twenty."""
        from deniable.curator.synthesis.purchase import plan_synthesis, unlisted_values  # noqa: PLC0415 - slow to load, and a question does without

        questions, each, rest = unlisted_values(self.policy, wanted, spend)
        first = [self.explain(sql, analyst=analyst, rho=each.rho, delta=each.delta) for sql in questions.values()]
        return plan_synthesis(self.policy, wanted, rest, {}, [quote.loss for quote in first]).quote

    def _explain_workload(self, work: Workload, strategy: str, analyst: str | None, spend: Spend) -> ReleaseQuote:
        """With the price of the questions that find values first; as if each found twenty."""
        cells = self._releases.cells(work)
        questions, each, rest = private_values(cells, spend, self._releases.limits)
        first: Payment = {"epsilon": each.epsilon, "rho": each.rho, "delta": each.delta}
        losses = [self.explain(sql, analyst=analyst, **first).loss for sql in questions.values()]
        return self._releases.plan(work, rest, strategy, assumed(work, cells, questions)).quote.after(losses)

    def columns(self, sql: str, **payment: Unpack[Payment]) -> tuple[OutputColumn, ...]:
        """The columns that an answer would have. Reads no private row, spends nothing."""
        (asked,) = self._pricing.plan(sql, Spend.of(**payment)).asked
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
        question = self._pricing.priced(sql, payment, accounts)
        recorded, paid = self._buy(question, analyst)
        (answer,) = question.answers(recorded, self._outer, self.policy.budget.delta, paid=paid)
        return answer

    def exact(self, sql: str, *, params: Parameters | None = None) -> NoisyAnswer | PublicAnswer | None:
        """The answer to a question that has no price, because nothing private is asked; None if it has one.

        It is about public tables alone, or asks which values the policy declares: `SELECT DISTINCT region FROM visits`.
        """
        sql = filled(sql, params).text
        if (public := self._public.answer(sql)) is not None:
            return public
        policy = self._public.policy_for(sql)
        if self._priced.get((sql, policy.digest)):
            return None
        plan = plan_listing(sql, policy)
        if plan is None:
            if len(sql) <= _SHORT:
                self._priced.keep((sql, policy.digest), value=True)
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
        return self.found(sql, params=params, analyst=analyst, **payment)[1]

    def found(
        self, sql: str, *, params: Parameters | None = None, analyst: str | None = None, **payment: Unpack[Payment]
    ) -> tuple[str, NoisyAnswer | None]:
        """What `name` and `recorded` say, of one look at the question, at its data's version and at the ledger.

        Whether it is on record, and whether this analyst has paid or pays now, the ledger is asked each time; what is
        made of the same recorded bytes is worked out once.

        Raises:
            NotYet: it is on record, and not to be seen yet; nothing is spent.
        """
        question = self._pricing.priced(filled(sql, params).text, payment, self.policy.accounts(self._who(analyst)))
        charge, accounts = self._charge(question, analyst, self.engine)
        shown = self.ledger.show(charge, accounts, self.may_show)
        return charge.question, None if shown is None else self._answers.answer(question, *shown)

    def name(
        self, sql: str, *, params: Parameters | None = None, analyst: str | None = None, **payment: Unpack[Payment]
    ) -> str:
        """What the ledger calls the question: the same for everyone who asks the same of the same data.

        What an accuracy costs can follow from the private profile: then, for everyone who has been shown it.
        """
        accounts = () if (who := self._who(analyst)) is None else self.policy.accounts(who)
        return self._question(self._pricing.priced(filled(sql, params).text, payment, accounts), self.engine)

    def statements(self, sql: str, *, params: Parameters | None = None, **payment: Unpack[Payment]) -> list[str]:
        """What the engine would be asked, in its own words; for custodians. Reads no private row, spends nothing."""
        question = self._pricing.priced(filled(sql, params).text, payment)
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
        together = self._pricing.together(filled_all(questions, params), shares, payment)
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
        together = self._pricing.together(texts, shares, payment)
        priced = PricedQuestions(texts, together)
        if not priced.queries:
            return priced.listed(self._outer, self.policy.budget.delta)
        recorded, paid = self._buy(priced, analyst)
        return priced.answers(recorded, self._outer, self.policy.budget.delta, paid=paid)
