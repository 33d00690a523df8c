"""Models on the one path: their training, their price, their score; and what other libraries train.

What they need is loaded when they are called: questions do without.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar, Unpack

from deniable.core.errors import Refused
from deniable.core.number import Number
from deniable.curator.ask import Asking
from deniable.planner import Payment, Spend

if TYPE_CHECKING:
    from deniable.curator.training.external import TrainingReceipt
    from deniable.learn.learner import Learner
    from deniable.learn.quote import TrainingQuote
    from deniable.learn.score import PaidScore

Trains = TypeVar("Trains", bound="Learner")


class Modelling(Asking):
    """Models that are trained on private rows, for one charge each."""

    __slots__ = ()

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
        from threadpoolctl import threadpool_limits  # noqa: PLC0415 - same

        from deniable.curator.training.purchase import plan_training  # noqa: PLC0415 - same

        spend = Spend.of(**payment).alone()
        with threadpool_limits(1):  # threads that wait for each other take longer than a step's small matrices
            plan = plan_training(self._pricing.weighed(spend, sql or ""), learner, sql, target, spend)
            recorded, paid = self._buy(plan, analyst)
            return plan.made(recorded, lambda found: learner.learned(plan.trained(free=paid.free), found))

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
        return plan_training(self._pricing.weighed(spend, sql or ""), learner, sql, target, spend).quote

    def score(
        self, learner: Learner, sql: str | None = None, *, analyst: str | None = None, **payment: Unpack[Payment]
    ) -> PaidScore:
        """How well a model does on the rows of a SELECT, or of the one it was trained on: a paid question."""
        from deniable.curator.training.scoring import plan_score  # noqa: PLC0415 - same
        from deniable.learn.score import PaidScore  # noqa: PLC0415 - same

        spend = Spend.of(**payment).alone()
        plan = plan_score(self._pricing.weighed(spend, sql or learner.trained_.sql), learner, sql, spend)
        recorded, paid = self._buy(plan, analyst)
        return plan.made(recorded, lambda found: PaidScore(**found, loss=plan.loss.to_dict(), free=paid.free))

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
