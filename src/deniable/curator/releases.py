"""Whole releases on the one path: workloads, synthetic tables, the private profile.

Each is bought as a question is, by `Buying._buy`, for one charge; values that the policy does not list are selected
first, by questions of their own. What they need is loaded when they are called: questions do without.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar, Unpack

from deniable.core.loss import Loss
from deniable.curator.answers.noisy_answer import NoisyAnswer
from deniable.curator.ask import Asking
from deniable.curator.public.answer import PublicAnswer
from deniable.curator.workloads.planner import assumed, private_values, selected
from deniable.planner import Payment, ReleasePayment, Spend
from deniable.releases import Synthesis, Workload

if TYPE_CHECKING:
    from deniable.releases.linear.release import Release
    from deniable.releases.profile.profile import Profile
    from deniable.releases.synthetic.report.release import SyntheticRelease

_Place = TypeVar("_Place")
"""What a question finds the values of."""


class Releasing(Asking):
    """Many numbers for one charge: all queries of a workload, made-up tables, or what a custodian has to know."""

    __slots__ = ()

    def release(
        self, work: Workload, *, strategy: str = "best", analyst: str | None = None, **payment: Unpack[Payment]
    ) -> Release:
        """Answer all queries of a workload at once, or raise. The same steps as `ask`, in the same order.

        Values that the policy does not list are selected first, by questions of their own, from a tenth of the spend
        and all of `delta`; what they cost is part of the loss that is said.

        Raises:
            Refused: no private row was read and nothing is spent (on the release; if its budget is spent by others
                while values are selected, those stay paid).
            Failed: the engine broke after the charge, which stays spent.
        """
        spend, cells = Spend.of(**payment).alone(), self._releases.cells(work)
        questions, each, rest = private_values(cells, spend, self._releases.limits)
        later = self._releases.plan(work, rest, strategy, assumed(work, cells, questions)).loss if questions else None
        first = self._first(questions, {"epsilon": each.epsilon, "rho": each.rho, "delta": each.delta}, later, analyst)
        values = tuple((name, selected(answer)) for name, answer in first.items())
        plan = self._releases.plan(work, rest, strategy, values)
        recorded, paid = self._buy(plan, analyst)
        return plan.released(recorded, [answer.loss for answer in first.values()], free=paid.free)

    def synthesize(
        self,
        tables: str | Sequence[str] | None = None,
        *,
        columns: Sequence[str] | Mapping[str, Sequence[str]] | None = None,
        rows: int | None = None,
        constraints: Sequence[str] | Mapping[str, Sequence[str]] | None = None,
        analyst: str | None = None,
        told: Callable[[str], None] | None = None,
        **payment: Unpack[ReleasePayment],
    ) -> SyntheticRelease:
        """Made-up tables that look like the private ones, or raise. The same steps as `ask`, in the same order.

        Pay by `rho`, or by `epsilon` and `delta`. Texts that the policy does not list are selected first, by questions
        of their own, from a tenth of the spend. `constraints` are conditions in SQL that no row violates, as the
        custodian knows without looking. `told` is called with the name of each step as it begins: four for each
        table. Raises as `release` does.
        """
        from deniable.curator.synthesis.purchase import plan_synthesis, unlisted_values  # noqa: PLC0415 - same

        wanted = Synthesis(tables, columns, rows, constraints)
        questions, each, rest = unlisted_values(self.policy, wanted, Spend.of(**payment))
        later = plan_synthesis(self.policy, wanted, rest, {}).loss if questions else None
        first = self._first(questions, {"rho": each.rho, "delta": each.delta}, later, analyst)
        values = {place: selected(answer) for place, answer in first.items()}
        plan = plan_synthesis(self.policy, wanted, rest, values, [answer.loss for answer in first.values()])
        recorded, paid = self._buy(plan if told is None else replace(plan, told=told), analyst)
        return plan.released(recorded, free=paid.free)

    def known_profile(self, *, analyst: str | None = None) -> Profile | None:
        """The last profile on record, if the analyst has been shown it; of nobody, the population's. Costs nothing."""
        who = self._who(analyst)
        return self._profiles.of((self.policy.population_account,) if who is None else self.policy.accounts(who))

    def profile(self, *, analyst: str | None = None, **payment: Unpack[Payment]) -> Profile:
        """What is to be known about all private tables before bounds are declared; one charge, for everything in it.

        Rows per person, values of each column in public cells that cover every number, missing values. Pay by `rho`.
        Given a `delta` besides, texts that the policy does not list are found first, by questions of their own, from a
        tenth of the spend. Suggestions for the policy, notes in answers and expected sizes follow from it, and cost
        nothing more. Raises as `release` does.
        """
        from deniable.curator.profiling.purchase import plan_profile, profile_of  # noqa: PLC0415 - same
        from deniable.curator.profiling.texts import FoundTexts, common_texts, unlisted_texts  # noqa: PLC0415 - same

        spend, accounts = Spend.of(**payment).alone(), self.policy.accounts(self._who(analyst))
        questions, each, rest = unlisted_texts(self.policy, spend)
        paying: Payment = {"rho": each.rho, "delta": each.delta, "contribution": 1}
        first = self._first(questions, paying, plan_profile(self.policy, rest).loss, analyst)
        texts = {
            place: FoundTexts(common_texts(answer), self.name(questions[place], analyst=analyst, **paying))
            for place, answer in first.items()
        }
        plan = plan_profile(self.policy, rest, texts)
        recorded, paid = self._buy(plan, analyst)
        self._profiles.forget()
        loss = plan.loss + self._profiles.paid_before(recorded, [account.name for account in accounts])
        return profile_of(recorded, loss, spend.confidence, self._question(plan, self.engine), free=paid.free)

    def _first(
        self, questions: Mapping[_Place, str], paying: Payment, later: Loss | None, analyst: str | None
    ) -> dict[_Place, NoisyAnswer | PublicAnswer]:
        """Which values there are, by questions of their own: none is paid for if there is no room for what follows.

        That has been planned by now, so that what cannot be is refused before anything is paid.
        """
        if later is not None:
            each = {
                self.name(sql, analyst=analyst, **paying): self.explain(sql, analyst=analyst, **paying).loss
                for sql in questions.values()
            }
            self.ledger.ensure_room(each, later, self.policy.accounts(self._who(analyst)))
        return {place: self.ask(sql, analyst=analyst, **paying) for place, sql in questions.items()}
