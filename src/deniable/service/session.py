"""What one person may do, and what it costs them. Every door has the same sessions, so that no door decides."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa

from deniable.core.algebra.expression import Kind
from deniable.core.errors import InvalidArgumentError, NotYet, Refused
from deniable.curator import Budget, NoisyAnswer, PublicAnswer
from deniable.planner import OutputColumn, Quote
from deniable.policy import Policy
from deniable.service.ending import Ending
from deniable.service.hints import SPENDS
from deniable.service.history import Charged, Requested, charges, payments, requests
from deniable.service.log import request_id
from deniable.service.population import ServedPopulation
from deniable.service.schedule import Job
from deniable.service.tokens import Role, Token

if TYPE_CHECKING:
    from deniable.releases import Workload
    from deniable.releases.linear.release import Release
    from deniable.releases.profile.profile import Profile

_LONGEST_REASON = 2_000
_NOMINAL: dict[str, Any] = {"epsilon": 1}
"""For what does not depend on the spend."""
Result = TypeVar("Result")
Answer = NoisyAnswer | PublicAnswer
Stage = Callable[[str], None]
Spending = Mapping[str, Any]
"""How a question is paid: epsilon, rho or accuracy; delta; confidence. As people write numbers."""


@dataclass(frozen=True, slots=True)
class Session:
    """Somebody who was let in.

    Promise:  answers leave on the population's schedule; prices, refusals and what was answered before leave at once
              (the latter two a deadline later, where it takes a look at rows to know which state of the data it is).
              An analyst sees no other analyst's history, and nobody but a custodian or reviewer sees the ledger.
    """

    population: ServedPopulation
    token: Token
    request: str = field(default_factory=request_id)

    @property
    def policy(self) -> Policy:
        """What is public about the population."""
        return self.population.curator.policy

    @property
    def who(self) -> str:
        """The name on the token."""
        return self.token.name

    async def explain(self, sql: str, spending: Spending) -> Quote:
        """The price, with what it would do to the account. Reads no private row, costs nothing."""

        def work() -> Quote:
            quote = self.population.curator.explain(sql, analyst=self.payer, **self._settled(spending, sql))
            return quote.with_notes(self.population.curator.budget(self.payer).warns(quote.loss))

        return await self.free("explain", work)

    async def describe(self, sql: str, spending: Spending) -> tuple[OutputColumn, ...]:
        """The columns that an answer would have. Reads no private row, costs nothing."""

        def work() -> tuple[OutputColumn, ...]:
            if (exact := self.population.curator.exact(sql)) is not None:
                return tuple(OutputColumn(one.name, _kind(one.type), noisy=False) for one in exact.table.schema)
            payment = {key: value for key, value in spending.items() if value is not None}
            named = payment if any(key in payment for key in SPENDS) else {**payment, **_NOMINAL}
            return self.population.curator.columns(sql, **named)

        return await self.free("describe", work)

    async def ask(self, sql: str, spending: Spending, told: Stage = lambda _stage: None) -> Answer:
        """The answer: at once if it was recorded earlier or has no price, else when its deadline comes.

        Raises:
            Refused: nothing was read or spent.
            Failed: the charge stays spent.
        """
        return await self.asked(sql, spending, _complete, told)

    async def asked(
        self, sql: str, spending: Spending, make: Callable[[Answer], Result], told: Stage = lambda _stage: None
    ) -> Result:
        """What is made of the answer, in a thread, and before its deadline: then there is nothing to do but to send it.

        Raises as `ask`.
        """
        self.admit()
        self.may_ask()
        curator, schedule = self.population.curator, self.population.schedule

        def find() -> tuple[str, list[Result]]:
            """The question's name, if somebody is waiting for its answer right now; or what is made of it, if there.

            Seeing it is paid from a share, perhaps after a long wait: the token must still be valid.
            """
            self._still()
            if (exact := curator.exact(sql)) is not None:
                return "", [make(exact)]
            try:
                name, recorded = curator.found(sql, analyst=self.who, **self._settled(spending, sql))
            except NotYet as early:
                return early.question, []
            waiting = recorded is None and schedule.expects(name)
            return name if waiting else "", [] if recorded is None else [make(_complete(recorded))]

        def buy() -> Result:
            return make(_complete(curator.ask(sql, analyst=self.who, **self._settled(spending))))

        name, made = await self._found(find)
        while name:
            await schedule.settled(name)
            name, made = await self._found(find)
        return made[0] if made else await self.paid("ask", buy, told)

    async def asked_all(
        self,
        questions: Sequence[str],
        spending: Spending,
        make: Callable[[Sequence[NoisyAnswer]], Result],
        told: Stage = lambda _stage: None,
    ) -> Result:
        """What is made, as of one question, of the answers to questions that are fixed in advance, for one spend."""
        self.admit()
        self.may_ask()
        curator = self.population.curator

        def buy() -> Result:
            found = curator.ask_all(questions, analyst=self.who, **self._settled(spending))
            for answer in found:
                _complete(answer)
            return make(found)

        return await self.paid("batch", buy, told)

    async def released(
        self, work: Workload, spending: Spending, make: Callable[[Release], Result], told: Stage = lambda _stage: None
    ) -> Result:
        """What is made, as of one question, of all queries of a workload, for one spend."""
        self.admit()
        self.may_ask()
        curator = self.population.curator

        def buy() -> Result:
            return make(curator.release(work, analyst=self.who, **self._settled(spending)))

        return await self.paid("release", buy, told)

    async def has_seen(self, sql: str, spending: Spending) -> bool:
        """Whether the analyst has this answer already, so that to see it again is free. Costs nothing.

        Until its deadline nobody has it: else one could see in a price when the engine was done. Where it takes a look
        at rows to know the data, prices do not wait for one: then nobody is told.
        """

        def work() -> bool:
            curator = self.population.curator
            if self._looks:
                return False
            accounts = self.policy.accounts(self.payer)
            name = curator.name(sql, analyst=self.who, **self._settled(spending, sql))
            return self.population.schedule.is_settled(name) and curator.ledger.has_seen(name, accounts[-1].name)

        self.may_ask()
        return await self.free("find", work)

    async def reopened(self, entry: int) -> tuple[Charged, dict[str, Any], NoisyAnswer | None]:
        """A charge of the analyst's own, how it was paid, and its answer: for free, and not before its deadline.

        The answer is None where it cannot be had for nothing: the data or the policy have changed since, a share has
        not paid for it yet, several questions were asked at once, or it failed.

        Raises:
            Refused: there is no such charge of theirs.
        """
        self.may_ask()
        curator = self.population.curator

        def find() -> tuple[Charged, str, dict[str, Any] | None]:
            mine = {line.entry: (line, one) for line, one in charges(curator.history(), self.who)}
            if entry not in mine:
                raise Refused("unknown-entry", "There is no such question of yours.", "See your history.")
            line, found = mine[entry]
            with suppress(Refused, InvalidArgumentError):  # asked under another policy, or many at once
                for payment in payments(found.loss):
                    if curator.name(found.text, analyst=self.who, **payment) == found.question:
                        return line, found.question, payment
            return line, found.question, None

        self.admit()
        line, question, payment = await self._found(find)
        if payment is None:
            return line, next(payments(line.loss)), None
        await self.population.schedule.settled(question)

        def look() -> NoisyAnswer | None:
            self._still()
            if not curator.ledger.has_seen(question, curator.policy.accounts(self.who)[-1].name):
                return None
            answer = curator.recorded(line.question, analyst=self.who, **payment)
            if answer is not None:
                _complete(answer)
            return answer

        return line, payment, await self._found(look)

    async def budget(self) -> Budget:
        """The analyst's own account; a custodian's or reviewer's is the population's."""
        return await self.free("budget", self.account)

    def account(self) -> Budget:
        """The same, for whoever makes something of an answer in a thread."""
        return self.population.curator.budget(self.payer)

    async def budgets(self) -> list[Budget]:
        """Every account, for custodians and reviewers; an analyst's own."""

        def work() -> list[Budget]:
            curator = self.population.curator
            if self.token.role is Role.ANALYST:
                return [curator.budget(self.payer)]
            return [curator.budget(), *(curator.budget(name) for name in self.policy.analysts)]

        return await self.free("budget", work)

    async def history(self, after: int = 0, most: int = 1_000) -> list[Charged]:
        """Charges after one of them, oldest first: an analyst's own, or everybody's for the other roles."""

        def work() -> list[Charged]:
            found = charges(self.population.curator.history(), self.payer)
            return [line for line, _ in found if line.entry > after][:most]

        return await self.free("history", work)

    async def titles(self) -> dict[int, str]:
        """What the analyst calls their own questions, by which of theirs it is."""
        self.may_ask()
        return await self.free("titles", lambda: self.population.titles.of(self.who))

    async def name(self, entry: int, title: str) -> None:
        """Call a question of one's own so; an empty name takes it away.

        Raises:
            Refused: there is no such charge of theirs, or the name is too long.
        """
        self.may_ask()

        def work() -> None:
            mine = {line.entry for line, _ in charges(self.population.curator.history(), self.who)}
            if entry not in mine:
                raise Refused("unknown-entry", "There is no such question of yours.", "See your history.")
            self.population.titles.name(self.who, entry, title)

        await self.free("name", work)

    async def profile(self) -> Profile | None:
        """The private profile, if the analyst has been shown it; for the other roles, if there is one. Free."""
        return await self.free("profile", lambda: self.population.curator.known_profile(analyst=self.payer))

    async def ask_for_more(self, wanted: str, reason: str) -> None:
        """Ask the custodian for a larger share, with a reason; both are in the ledger, and so will be the answer."""
        self.may_ask()
        if not reason.strip() or max(len(wanted), len(reason)) > _LONGEST_REASON:
            raise Refused("no-reason", "A request needs a reason, in a few sentences.", "Say what it is for.")
        await self.free("request", lambda: self.population.curator.ledger.request(self.who, wanted, reason))

    async def requests(self) -> list[Requested]:
        """Requests for more and their answers, the last first: an analyst's own, or everybody's for other roles."""
        return await self.free("requests", lambda: requests(self.population.curator.history(), self.payer))

    def admit(self) -> None:
        """Count a request; refused if there are too many, or if the token was revoked or has expired meanwhile."""
        self.population.admit(self.who)
        self._still()

    def _still(self) -> None:
        """Refuses whoever's token is no longer valid."""
        if not self.population.tokens.still(self.token):
            raise Refused("token-ended", "The token is no longer valid.", "Ask the custodian for another.")

    def may_ask(self) -> None:
        """Refuses whoever has another role."""
        if self.token.role is not Role.ANALYST:
            raise Refused("wrong-role", "Only analysts ask questions.", "Ask with the token of an analyst.")

    @property
    def payer(self) -> str | None:
        """Whose share pays; None: of whom the population's account is shown."""
        return self.who if self.token.role is Role.ANALYST else None

    def _settled(self, spending: Spending, sql: str | None = None) -> dict[str, Any]:
        """The spend that was named, or else the analyst's usual one. What else is wrong with a question comes first."""
        payment = {key: value for key, value in spending.items() if value is not None}
        if any(key in payment for key in SPENDS):
            return payment
        usual = self.policy.per_question.get(self.who)
        if usual is None:
            if sql is not None:
                self.population.curator.explain(sql, analyst=self.payer, **_NOMINAL)
            raise Refused(
                "bad-spend",
                "The question does not say what to spend.",
                "Say it: SELECT /*+ epsilon=0.1 */ ..., or SET deniable.epsilon = 0.1, or ask the custodian for a "
                "usual spend (per_question in the policy).",
            )
        return {**payment, "epsilon": usual}

    async def free(self, kind: str, work: Callable[[], Result]) -> Result:
        """A request that costs nothing and asks nothing about private rows: counted, limited, and in a thread."""
        self.admit()
        return await self._free(kind, work)

    async def _free(self, kind: str, work: Callable[[], Result]) -> Result:
        """In a thread, because the planner and the ledger take their time; never longer because of anyone's data."""
        with self._ending(kind):
            return await self.aside(work)

    async def aside(self, work: Callable[[], Result]) -> Result:
        """What takes a while and is about nothing private, in a thread: nobody else waits for it. Raises as it does."""
        async with self.population.at_once(self.who):
            return await asyncio.get_running_loop().run_in_executor(None, work)

    async def _found(self, find: Callable[[], Result]) -> Result:
        """What was recorded, if anything.

        Where that takes a look at rows, it is said when a deadline comes, and nothing that waits for it starts sooner.
        """
        if not self._looks:
            return await self._free("find", find)
        with self._ending("find"):
            async with self.population.at_once(self.who, looking=True):
                loop = asyncio.get_running_loop()
                start = loop.time()
                try:
                    return await loop.run_in_executor(None, find)
                finally:
                    await self.population.schedule.held(start)

    def _ending(self, kind: str, job: Job | None = None) -> Ending:
        return Ending(self.population, self.who, self.request, kind, job)

    @property
    def _looks(self) -> bool:
        """Whether it takes a look at rows to know which state of the data it is."""
        return self.population.curator.engine.looks

    async def paid(self, kind: str, work: Callable[[], Result], told: Stage) -> Result:
        """A request that is charged: in its turn, and what comes of it leaves when its deadline comes.

        The token must be valid when the turn comes: one that was revoked meanwhile spends nothing.
        """
        job = Job(told, looks=self._looks)

        def begun() -> Result:
            self._still()
            return work()

        with self._ending(kind, job):
            return await self.population.paid(self.who, job, begun)


def _complete(answer: Answer) -> Answer:
    """Worked out before its deadline."""
    _ = answer.table, answer.intervals
    return answer


def _kind(stored: pa.DataType) -> Kind:
    """What a column of an exact answer holds; whatever is not listed is shown as text."""
    tests = {
        Kind.BOOLEAN: pa.types.is_boolean,
        Kind.INTEGER: pa.types.is_integer,
        Kind.DATE: pa.types.is_date,
        Kind.TIMESTAMP: pa.types.is_timestamp,
        Kind.TIME: pa.types.is_time,
        Kind.NUMBER: lambda found: pa.types.is_floating(found) or pa.types.is_decimal(found),
    }
    return next((kind for kind, holds in tests.items() if holds(stored)), Kind.TEXT)
