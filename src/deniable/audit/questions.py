"""Audits of the whole path: one question, asked of made-up neighbours through the curator that ships."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from rich.table import Table

from deniable.audit.auditor import audit
from deniable.audit.made_up import Tables, neighbours
from deniable.audit.verdict import Audit
from deniable.core.algebra.relation import tables
from deniable.core.errors import Failed, Refused
from deniable.core.number import Number, probability
from deniable.curator.answers.answer import Answer
from deniable.curator.curator import Curator
from deniable.curator.factory import rehearse
from deniable.curator.noise import add_noise
from deniable.curator.public.answer import PublicAnswer
from deniable.planner import Payment, Plan, Spend, plan_question
from deniable.policy import Policy

_DELTA = Fraction(1, 10**6)
_PILOT = 200
_MOST_CELLS = 12
_LONGEST = 60

Numbers = dict[Any, float]
Exact = list[pa.Table]
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Sight:
    """Everything that an analyst sees of an answer but the noisy numbers: it must not depend on one unit."""

    status: str
    text: str
    shape: str
    charge: str


@dataclass(frozen=True, slots=True)
class Pair:
    """What two neighbours showed."""

    difference: str
    first: Sight
    second: Sight

    @property
    def alike(self) -> bool:
        """Whether nothing but the noise tells them apart."""
        return self.first == self.second


@dataclass(frozen=True, slots=True)
class QuestionAudit:
    """Status, shape, text and charge of each pair of neighbours, and what the noise gives away at least.

    Guarantee:  `noise.lower_bound` is at most the true epsilon of the question at the audit's delta, except with
                probability alpha. None where the question was not answered.
    Caution:    a pass proves nothing: it says that these made-up neighbours refute nothing.
    """

    pairs: tuple[Pair, ...]
    noise: Audit | None

    @property
    def passed(self) -> bool:
        """Whether neither what is seen nor the noise refutes the claim."""
        return all(pair.alike for pair in self.pairs) and (self.noise is None or self.noise.passed)

    def __rich__(self) -> Table:
        """Both sides of each pair, and the bound beside the claim."""
        colour = "green" if self.passed else "red"
        table = Table(title=f"audit [{colour}]{'passed' if self.passed else 'FAILED'}[/]", title_justify="left")
        for name in ("neighbours differ by", "seen", "first", "second"):
            table.add_column(name, overflow="fold")
        for pair in self.pairs:
            for name in ("status", "shape", "text", "charge"):
                sides = [_short(getattr(side, name)) for side in (pair.first, pair.second)]
                table.add_row(pair.difference if name == "status" else "", name, *sides)
        if self.noise is not None:
            claimed = f"at most {float(self.noise.epsilon):.6g} (delta {float(self.noise.delta):.3g})"
            table.add_row("the noise", "epsilon", f"claimed {claimed}", f"proven at least {self.noise.lower_bound:.4f}")
        return table


def audit_question(
    policy: Policy,
    sql: str,
    *,
    samples: int = 20_000,
    alpha: Number = 1e-6,
    progress: Progress | None = None,
    **payment: Unpack[Payment],
) -> QuestionAudit:
    """Ask one question of made-up neighbours that fit the policy: through `ask`, and then through its noise again.

    Nothing private is read and nothing is charged to the policy's account: tables are made up, ledgers are in memory.
    Status, shape, text and charge come from `Curator.ask`. The bound on epsilon is from `samples` draws of the noise
    that the curator adds, on the pair of neighbours that a pilot tells apart best.
    """
    plan = plan_question(sql, policy, Spend.of(**payment))
    doubt = probability("alpha", alpha)
    (first_table, *_) = [name for name in tables(plan.bound.source.table) if not policy.tables[name].public]
    pairs, exact = [], []
    for difference, worlds in neighbours(policy, first_table).items():
        (one, mine), (other, theirs) = (_ask(policy, plan, sql, world, payment) for world in worlds)
        pairs.append(Pair(difference, one, other))
        if mine is not None and theirs is not None:
            exact.append((mine, theirs))
    noise = _audited(plan, exact, samples, doubt, progress) if exact else None
    return QuestionAudit(tuple(pairs), noise)


def _ask(made_up: Policy, plan: Plan, sql: str, world: Tables, payment: Payment) -> tuple[Sight, Exact | None]:
    """What is seen of the question on one side, and, as the rows are made up, the exact answers."""
    analyst = next(iter(made_up.analysts), None)
    with (
        tempfile.TemporaryDirectory(prefix="deniable-audit-") as folder,
        rehearse(made_up, world, Path(folder), analyst=analyst) as curator,
    ):
        status, text, shape = _seen(curator, sql, payment)
        charge = str(curator.ledger.spent("population"))
        exact = [curator.engine.run(query) for query in plan.queries] if status == "answered" else None
    return Sight(status, text, shape, charge), exact


def _seen(curator: Curator, sql: str, payment: Payment) -> tuple[str, str, str]:
    try:
        answer = curator.ask(sql, **payment)
    except Refused as refusal:
        return "refused", f"{refusal.code}: {refusal.reason} {refusal.hint}", ""
    except Failed as failure:
        return "failed", str(failure), ""
    if isinstance(answer, PublicAnswer):
        return "answered", "; ".join(answer.notes), "nobody is in it"
    plan = answer.plan if isinstance(answer, Answer) else None
    fixed = plan is not None and (plan.selection, plan.bound.having, plan.bound.limit) == (None, None, None)
    rows = "as many rows as are shown" if not fixed else f"{answer.table.num_rows} rows"
    columns = ", ".join(f"{field.name} {field.type}" for field in answer.table.schema)
    return "answered", "; ".join(answer.notes), f"{rows} of {columns}"


def _audited(
    plan: Plan, exact: list[tuple[Exact, Exact]], samples: int, doubt: Fraction, progress: Progress | None
) -> Audit:
    """The pair that a pilot tells apart best, through the number that the pilot suggests."""

    def drawn(side: Exact, count: int) -> list[Numbers]:
        return [_numbers(add_noise(plan, side), plan) for _ in range(count)]

    pilots = [tuple(drawn(side, max(_PILOT, samples // 20)) for side in pair) for pair in exact]
    _, best = max((_Score.of(*pilot).apart, place) for place, pilot in enumerate(pilots))
    score, loss = _Score.of(*pilots[best]), plan.quote.loss
    claim = loss.at(0 if loss.epsilon is not None and not loss.delta else max(2 * loss.delta, _DELTA))

    def outcomes(side: Exact, count: int) -> NDArray[np.float64]:
        return np.array([score(numbers) for numbers in drawn(side, count)])

    return audit(outcomes, exact[best], claim.epsilon, claim.delta, samples, doubt, progress)


def _numbers(noisy: pa.Table, plan: Plan) -> Numbers:
    """Every noisy number by its group and statistic, and that a group is shown at all."""
    names = [key.name for key in plan.bound.keys]
    groups = list(zip(*(noisy[name].to_pylist() for name in names), strict=True)) if names else [()]
    found: Numbers = dict.fromkeys(groups, 1.0) if plan.selection is not None else {}
    for title in noisy.column_names:
        if title not in names:
            found |= {(*group, title): value for group, value in zip(groups, noisy[title].to_pylist(), strict=True)}
    return found | _differences(found)


def _differences(found: Numbers) -> Numbers:
    """Of each number and the next few: noise that two of them share goes away in it."""
    cells = list(found)[:_MOST_CELLS]
    return {(one, other): found[one] - found[other] for place, one in enumerate(cells) for other in cells[place + 1 :]}


@dataclass(frozen=True, slots=True)
class _Score:
    """One number made of many: of those that tell two pilots apart, how much nearer each lies to the second's middle.

    For Laplace noise that is the logarithm of the likelihood ratio, which is the best test there is; for other noise it
    is some function of what was seen, which is all that a proof needs.
    """

    middles: Mapping[object, tuple[float, float, float]]
    """Of each number that counts: the middle of the first pilot, of the second, and how far one pilot spreads."""

    @classmethod
    def of(cls, first: list[Numbers], second: list[Numbers]) -> _Score:
        """From two pilots: the numbers that lie farthest apart, measured by how they spread."""
        found = {}
        for cell in {cell for numbers in (*first, *second) for cell in numbers}:
            one, other = (np.array([numbers.get(cell, 0.0) for numbers in pilot]) for pilot in (first, second))
            spread = max(float(np.abs(one - one.mean()).mean()), float(np.abs(other - other.mean()).mean()), 1e-9)
            found[cell] = (float(one.mean()), float(other.mean()), spread)
        order = sorted(found, key=lambda cell: (-_far(found[cell]), repr(cell)))
        noise = 4 / sqrt(len(first))
        kept = [cell for cell in order[:_MOST_CELLS] if _far(found[cell]) > noise] or order[:1]
        return cls({cell: found[cell] for cell in kept})

    @property
    def apart(self) -> float:
        """How far apart all of it is."""
        return sum(_far(middle) for middle in self.middles.values())

    def __call__(self, numbers: Numbers) -> float:
        """Rounded, so that it has few values."""
        return round(
            sum(
                (abs(numbers.get(cell, 0.0) - one) - abs(numbers.get(cell, 0.0) - other)) / spread
                for cell, (one, other, spread) in self.middles.items()
            ),
            6,
        )


def _far(middle: tuple[float, float, float]) -> float:
    one, other, spread = middle
    return abs(one - other) / spread


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
