"""The first half of the one path: from a question's text to its price, by public facts alone.

    request -> parse -> bind -> price
               planner  planner planner

Nothing here reads a private row, so a refusal says nothing about anyone. What an analyst was shown of the private
profile is on record, and was paid for: it makes the notes of a plan, and the sizes that an accuracy is priced for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from deniable.core.errors import Refused
from deniable.core.number import Number
from deniable.core.recent import Recent
from deniable.curator.answers.outer import OuterQueries
from deniable.curator.plans import RememberedPlans
from deniable.curator.profiling.expected import ExpectedSizes, expected_sizes
from deniable.curator.profiling.known import KnownProfiles, noted
from deniable.curator.public.tables import PublicTables
from deniable.curator.questions import PricedQuestions
from deniable.planner import ChargeLimits, Payment, PricedStatements, Spend, plan_statement, plan_statements
from deniable.policy import Account, Policy
from deniable.releases.profile.profile import Profile

_MOST_NOTED = 512


class Pricing:
    """Plans of questions: each is parsed, bound, priced, and what is around it checked."""

    def __init__(self, public: PublicTables, outer: OuterQueries, profiles: KnownProfiles) -> None:
        self._public, self._outer, self._profiles = public, outer, profiles
        self._plans = RememberedPlans(self._planned)
        self._noted: Recent[
            tuple[int, ExpectedSizes | None, int], tuple[PricedStatements, PricedStatements, Profile | None]
        ] = Recent(_MOST_NOTED)

    def priced(self, sql: str, payment: Payment, accounts: Sequence[Account] = ()) -> PricedQuestions:
        """One question, parsed, bound and priced."""
        return PricedQuestions((sql,), self.plan(sql, Spend.of(**payment), accounts))

    def plan(self, sql: str, spend: Spend, accounts: Sequence[Account] = ()) -> PricedStatements:
        """The plan, with what the private profile and earlier answers say about it, as far as all accounts saw them."""
        weighed = self.weighed(spend, sql)
        profile = self._profiles.of(accounts) if accounts else None
        expected = self._expected(sql, spend, weighed, accounts) if accounts and spend.rows is None else None
        found = self._plans.plan(sql, spend if expected is None else expected.assumed(spend), weighed)
        if expected is None and profile is None:
            return found
        return self._told(found, expected, profile, weighed if spend.contribution is None else self._unweighed(sql))

    def _told(
        self, found: PricedStatements, expected: ExpectedSizes | None, profile: Profile | None, policy: Policy
    ) -> PricedStatements:
        """With the sizes and the notes that somebody is told: the same object for the same, while it is known."""
        key = id(found), expected, id(profile)
        if (known := self._noted.get(key)) is not None:
            return known[0]
        told = found if expected is None else expected.told(found)
        told = told if profile is None else noted(told, profile, policy)
        self._noted.keep(key, (told, found, profile))  # which holds on to them: nothing else has their identity
        return told

    def _expected(self, sql: str, spend: Spend, weighed: Policy, accounts: Sequence[Account]) -> ExpectedSizes | None:
        """The sizes of groups, where anything depends on them: an error to be told, or an accuracy to be paid."""
        known, profile = None, self._profiles.of(accounts)
        try:
            known = self._plans.plan(sql, spend, weighed)
        except Refused as refused:
            if refused.code != "accuracy":
                raise
        if known is not None and profile is None and not any(plan.quote.sizes for plan in known.batch.plans):
            return None
        if known is None:  # an accuracy of averages needs a size: for any spend, its questions are at least known
            limits = ChargeLimits.of(weighed)
            some = max(
                limits.least.get("epsilon", Fraction(0)), min(Fraction(1), limits.most.get("epsilon", Fraction(1)))
            )
            known = self._plans.plan(sql, replace(spend, accuracy=None, relative=False, epsilon=some), weighed)
        return expected_sizes(known, profile, lambda rows: self._profiles.about(rows, accounts))

    def together(self, questions: Sequence[str], shares: Sequence[Number] | None, payment: Payment) -> PricedStatements:
        """Parsed, bound, and priced together."""
        spend = Spend.of(**payment)
        return self._checked(plan_statements(questions, self.weighed(spend, *questions), spend, shares))

    def weighed(self, spend: Spend, *questions: str) -> Policy:
        """The policy for these questions, in which people weigh what the spend says, if that is less."""
        policy = self._unweighed(*questions)
        return policy if spend.contribution is None else policy.weighing(spend.contribution)

    def _unweighed(self, *questions: str) -> Policy:
        return self._public.policy_for(*questions)

    def _planned(self, sql: str, policy: Policy, spend: Spend) -> PricedStatements:
        """The plan, and what is around its questions checked while refusing is still free."""
        return self._checked(plan_statement(sql, policy, spend))

    def _checked(self, together: PricedStatements) -> PricedStatements:
        return replace(together, asked=tuple(self._outer.checked(asked) for asked in together.asked))
