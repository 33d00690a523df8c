"""Who stands between analysts and private tables: all that can be asked, what is left, and what was asked."""

from __future__ import annotations

from dataclasses import replace
from types import TracebackType
from typing import Self

from deniable.accounting import Filter
from deniable.core.shown import printable
from deniable.curator.budget import Budget
from deniable.curator.builder import Question
from deniable.curator.models import Modelling
from deniable.curator.releases import Releasing
from deniable.ledger import Balances, Entry
from deniable.policy import Account


class Curator(Releasing, Modelling):
    """Stands between analysts and private tables.

    Promise:  everything ever answered about the policy's population loses at most its budget, for all analysts
              together; and for each analyst whom the policy gives a share, at most that share.
    Assumes:  the policy names the unit rightly; the ledger's disk keeps what it is told.
    Outside:  how long an answer takes, and whether the engine fails; see docs/threats.md

    Who asks is `analyst` where a call names nobody; None: whoever it is, which a policy with shares refuses.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        """Whose it is, and what can be asked of it; what is left is `budget`'s to say."""
        cap = self.policy.cap
        who = f", asked by {self.analyst}" if self.analyst is not None else ""
        names = ", ".join(self.policy.tables)
        whose = f"Curator of {self.policy.population}: tables {names}; budget epsilon {float(cap.epsilon):g}{who}"
        return f"<{printable(whose)}>"

    def table(self, name: str) -> Question:
        """A question about this table, built step by step: the same as in SQL, and recorded as the same."""
        return Question(self, name)

    def budget(self, analyst: str | None = None) -> Budget:
        """What is left: of one analyst's share, or, where neither the call nor the curator names one, of the whole."""
        who = self._who(analyst)
        accounts = (self.policy.population_account,) if who is None else self.policy.accounts(who)
        stand = self.ledger.balances([account.name for account in accounts])
        whole, *shares = [self._balance(account, stand) for account in accounts]
        whole = replace(whole, raised=stand.raises)
        private = next((table for table in self.policy.tables.values() if not (table.public or table.unweighed)), None)
        counted = None if private is None else (private.name, private.contribution)
        asked = replace(shares[0], within=whole) if shares else whole
        return replace(asked, last=stand.last, counted=counted)

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

    def _balance(self, account: Account, stand: Balances) -> Budget:
        """One account, and what the policy's limits leave of it."""
        most = account.questions_per_day
        asked = None if most is None else (stand.asked[account.name], most)
        return Budget(account.name, Filter(account.cap), stand.spent[account.name], self._releases.limits, asked=asked)
