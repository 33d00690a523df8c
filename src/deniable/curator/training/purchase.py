"""A training on the one path: all its sums are priced before the first, and charged once.

    plan vectors -> rehearse -> [charge] -> sum, noise -> the model's next step -> sum, noise -> ... -> record

Which sums a model asks for, and what each is paid, follows from public facts: it is found by a rehearsal with zeros in
the place of noisy sums. What a later sum is about (coefficients, centres) follows from the noisy sums before it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache, partial
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from deniable.core.algebra.query import ExactQuery, VectorSums
from deniable.core.algebra.relation import tables
from deniable.core.conversion import budget_for_mu_squared, budget_for_rho
from deniable.core.errors import Failed, Refused
from deniable.core.event import Event
from deniable.core.grid import IntArray
from deniable.core.loss import Loss
from deniable.core.vectors.kernel import Kernel
from deniable.curator.purchase import Round
from deniable.engines.engine import TOTAL
from deniable.learn.learner import Learner, NoisySum, PaidSum, Training
from deniable.learn.quote import TrainingQuote
from deniable.learn.trained import Trained, TrainedStep
from deniable.mechanisms import Gaussian
from deniable.planner import ChargeLimits, Spend
from deniable.planner.vectors import PlannedVectors, plan_vectors
from deniable.policy import Policy
from deniable.releases.linear.measurement import together

_NOISY = "noisy"
_VERSION = "training, 2"
"""Of what is made of the noisy numbers: another method is another model."""
_WAY_BACK = Fraction(1, 10**9)
"""Left unspent, for what whole-numbered noise loses more than continuous noise."""
_MOST_STEPS = 200

Made = TypeVar("Made")


@dataclass(frozen=True)
class TrainingPlan:
    """Everything that is needed to train, and nothing that depends on the data."""

    name: str
    vectors: PlannedVectors
    train: Callable[[], Training]
    """Begins the training anew; the same noisy sums lead to the same model."""
    settings: str
    """What besides the rows the model depends on."""
    rho: Fraction
    policy: Policy
    confidence: Fraction

    @property
    def text(self) -> str:
        """For people who read the ledger."""
        return f"{self.name} on {self.vectors.sql}"

    @property
    def tables(self) -> tuple[str, ...]:
        """Those that are read."""
        return tables(self.vectors.source.table)

    @property
    def queries(self) -> tuple[ExactQuery, ...]:
        """The first sum; the others are over the same rows."""
        return (self._query(self.measures[0].kernel),)

    @cached_property
    def measures(self) -> tuple[PaidSum, ...]:
        """All sums, from a rehearsal in which every sum is 0."""
        training, found = self.train(), list[PaidSum]()
        try:
            measure = next(training)
            while True:
                found.append(measure)
                if len(found) > _MOST_STEPS:
                    raise ValueError("a training asks for too many sums")
                measure = training.send(self.measured(measure, np.zeros(measure.kernel.size, dtype=np.int64)))
        except StopIteration:
            pass
        if sum(measure.share for measure in found) > 1:
            raise ValueError("a training spends more than there is")
        return tuple(found)

    @cached_property
    def mechanisms(self) -> tuple[Gaussian, ...]:
        """The noise of each sum."""
        return tuple(self.mechanism(measure) for measure in self.measures)

    @property
    def events(self) -> tuple[Event, ...]:
        """One for each sum, fixed before the first."""
        return tuple(mechanism.event for mechanism in self.mechanisms)

    @property
    def loss(self) -> Loss:
        """Of all of them."""
        return together(mechanism.loss for mechanism in self.mechanisms)

    @property
    def digest(self) -> str:
        """What runs, with which noise, and what is made of it."""
        said = (_VERSION, self.name, self.settings, self.vectors.source, self.vectors.fields, self.vectors.design)
        return hashlib.sha256(repr((said, self.events)).encode()).hexdigest()

    @cached_property
    def quote(self) -> TrainingQuote:
        """The price before paying."""
        return TrainingQuote(self.loss, self.steps, self._deviations, self.vectors.design, self.confidence, self._notes)

    @cached_property
    def steps(self) -> tuple[TrainedStep, ...]:
        """What is paid for, for people."""
        return tuple(
            TrainedStep(type(one.kernel).__name__, one.kernel.size, one.kernel.sensitivity, float(noise.rho))
            for one, noise in zip(self.measures, self.mechanisms, strict=True)
        )

    def mechanism(self, measure: PaidSum) -> Gaussian:
        """The noise of one sum: its sensitivity is the kernel's theorem, its price the model's share."""
        return _noise(measure.kernel.sensitivity, self.rho * measure.share)

    def measured(self, measure: PaidSum, noisy: IntArray) -> NoisySum:
        """Noisy whole numbers in the vectors' own unit."""
        worth = measure.kernel.worth
        return NoisySum(noisy * worth, self.mechanism(measure).sigma * worth)

    def rounds(self, noisy: Sequence[pa.Table]) -> Iterator[Round]:
        """Sum after sum, each with a draw of its own. A training that asks for what was not paid for fails."""
        training, paid = self.train(), iter(zip(self.measures, self.mechanisms, strict=True))
        try:
            measure = next(training)
            while True:
                planned, mechanism = next(paid)
                _check_paid(measure, planned)
                yield Round((self._query(measure.kernel),), partial(_with_noise, mechanism))
                measure = training.send(self.measured(measure, _numbers(noisy[-1])))
        except StopIteration:
            return

    def made(self, recorded: Sequence[pa.Table], finish: Callable[[Any], Made]) -> Made:
        """What the training makes of the recorded sums."""
        training = self.train()
        try:
            measure = next(training)
            for table in recorded:
                measure = training.send(self.measured(measure, _numbers(table)))
        except StopIteration as end:
            return finish(end.value)
        raise Failed

    def trained(self, *, free: bool) -> Trained:
        """What is known of the training, for the model's card."""
        unit = self.vectors.source.unit if self.vectors.person else None
        target = self.vectors.design.target
        return Trained(
            self.policy.population,
            unit or "each row",
            self.vectors.sql,
            None if target is None else target.name,
            self.vectors.design,
            self.loss.to_dict(),
            self.steps,
            free,
        )

    @property
    def _deviations(self) -> tuple[float, ...]:
        """Of the noise in the first number of each sum, in the vectors' own unit."""
        pairs = zip(self.measures, self.mechanisms, strict=True)
        return tuple(float(noise.sigma * one.kernel.worth[0]) for one, noise in pairs)

    @property
    def _notes(self) -> tuple[str, ...]:
        """What the model leaves out besides noise."""
        design, found = self.vectors.design, []
        if design.longest > design.square:
            found.append("rows whose values lie far from the middle of their bounds are shrunk, and count less")
        if design.weighed:
            found.append(f"people with more than {design.contribution} rows count as {design.contribution}")
        found.append("missing values count as the middle of a column's range, or as no category")
        return tuple(found)

    def _query(self, kernel: Kernel) -> VectorSums:
        return VectorSums(self.vectors.source, self.vectors.fields, kernel)


def plan_training(policy: Policy, learner: Learner, sql: str | None, target: str | None, spend: Spend) -> TrainingPlan:
    """The plan for this spend, or a refusal."""
    paid = paid_rho(policy, spend)
    if (learner.target == "") != (target is None):
        needs = "no target" if learner.target == "" else f"a target that is a {learner.target.removesuffix('es')}"
        hint = "Leave target out." if learner.target == "" else "Give target='column'."
        raise Refused("needs-target", f"{type(learner).__name__} needs {needs}.", hint)
    vectors = plan_vectors(sql or all_columns(policy), target, policy, learner.encoding)
    name, settings = type(learner).__name__, repr(sorted(learner.get_params().items()))
    train = partial(learner.training, vectors.design)
    plan = TrainingPlan(name, vectors, train, settings, paid, policy, spend.confidence)
    ChargeLimits.of(policy).check_size(sum(measure.kernel.size for measure in plan.measures))
    return plan


def all_columns(policy: Policy) -> str:
    """Every column of the only private table, but the one that names people."""
    private = [table for table in policy.tables.values() if not table.public]
    if len(private) != 1:
        names = ", ".join(table.name for table in private)
        hint = f"Write a SELECT about one of them: {names}."
        raise Refused("unknown-table", "There are several tables to train on.", hint)
    (table,) = private
    columns = ", ".join(_quoted(name) for name in table.columns if name != table.unit)
    return f"SELECT {columns} FROM {_quoted(table.name)}"  # noqa: S608 - names of the policy, quoted; parsed as any question


def paid_rho(policy: Policy, spend: Spend) -> Fraction:
    """What may be spent, as rho: from epsilon and delta, the largest that is (epsilon, delta)-private."""
    if spend.accuracy is not None or spend.weights or (spend.rho is None and spend.delta is None):
        raise Refused("bad-spend", "Models are paid for in rho, or in epsilon and delta.", "Give rho=0.1.")
    if spend.rho is not None:
        if spend.delta is not None:
            raise Refused("bad-spend", "A model has no use for delta beside rho.", "Give rho alone.")
        return ChargeLimits.of(policy).admit(spend).rho or Fraction(0)
    epsilon, delta = (spend.epsilon or Fraction(0)) * (1 - _WAY_BACK), spend.delta or Fraction(0)
    rho = max(budget_for_mu_squared(epsilon, delta) / 2, budget_for_rho(epsilon, delta)) * (1 - _WAY_BACK)
    if rho <= 0:
        raise Refused("bad-spend", "So small an epsilon needs noise beyond all bounds.", "Spend more.")
    return ChargeLimits.of(policy).admit(Spend(rho=rho)).rho or Fraction(0)


def _check_paid(measure: PaidSum, planned: PaidSum) -> None:
    """The sum that is asked for costs what was charged: its sensitivity and its share are those of the rehearsal."""
    same = type(measure.kernel) is type(planned.kernel) and measure.share == planned.share
    if (
        not same
        or measure.kernel.sensitivity != planned.kernel.sensitivity
        or measure.kernel.size != planned.kernel.size
    ):
        raise Failed


@lru_cache(maxsize=256)
def _noise(sensitivity: int, rho: Fraction) -> Gaussian:
    """Sums of one kind have the same, and a training asks for it again and again."""
    return Gaussian(sensitivity=sensitivity, rho=rho)


def _with_noise(mechanism: Gaussian, exact: Sequence[pa.Table]) -> pa.Table:
    """One vectorised draw."""
    return pa.table({_NOISY: np.asarray(mechanism.release(_exact(exact[0])), dtype=np.int64)})


def _exact(table: pa.Table) -> IntArray:
    return np.asarray(table[TOTAL].to_numpy())


def _numbers(table: pa.Table) -> IntArray:
    return np.asarray(table[_NOISY].to_numpy())


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
