"""The filter against the worst analyst there is, for a menu of questions: exact, by searching all adaptive strategies.

Let P and Q be the laws of the transcript under two neighbours. The best set to tell them apart holds the transcripts
with P > e^E Q, and its excess is the sum of (P - e^E Q)+. An adaptive analyst picks the next question (or stops) by the
transcript so far; all that matters of it is what was spent and the likelihood ratio P / Q. So the best strategy is
found backwards: the value of a state is the best over all admitted questions of the expected value after the answer.
The filter is sound for this menu if the value at the start, the largest excess of any analyst, is at most D.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import exp, factorial

import numpy as np
import pytest
from numpy.typing import NDArray

from deniable.accounting import Filter
from deniable.core.cap import Cap
from deniable.core.conversion import delta_from_mu, delta_from_rho
from deniable.core.guarantee import Guarantee
from deniable.core.loss import Loss
from deniable.mechanisms import Gaussian, Laplace, RandomizedResponse


@dataclass(frozen=True)
class Response:
    """Randomized response with odds ratio**steps, that tells the truth outright with probability `leak`."""

    steps: int
    leak: Fraction = Fraction(0)


RATIO = Fraction(10, 9)


def response_loss(response: Response) -> Loss:
    odds = RATIO**response.steps
    pure = RandomizedResponse(keep=odds / (1 + odds)).loss
    return pure if response.leak == 0 or pure.epsilon is None else Loss.approximate(pure.epsilon, response.leak)


def charged(costs: Sequence[Loss], counts: Sequence[int]) -> Loss:
    """So many of each."""
    spent = Loss.zero()
    for cost, count in zip(costs, counts, strict=True):
        spent = spent + cost.times(count) if count else spent
    return spent


def largest_excess(account: Filter, cap: Guarantee, menu: Sequence[Response]) -> Fraction:
    """The largest sum of (P - e^E Q)+ over all adaptive analysts whose questions the account admits."""
    costs = [response_loss(response) for response in menu]
    return largest_excess_where(lambda counts: account.admits(charged(costs, counts)), cap, menu)


def largest_excess_where(
    admits: Callable[[tuple[int, ...]], bool], cap: Guarantee, menu: Sequence[Response]
) -> Fraction:
    """The same, for any rule that says how many of each may be asked; exact, but for e^E, which is rounded down."""
    factor, admitted = exponential_below(cap.epsilon), cache(admits)

    @cache
    def value(counts: tuple[int, ...], height: int) -> Fraction:
        """In units of Q's probability of the transcript so far, when P's is ratio**height times that."""
        best = max(RATIO**height - factor, Fraction(0))
        for position, response in enumerate(menu):
            after = tuple(count + (place == position) for place, count in enumerate(counts))
            if admitted(after):
                odds, rest = RATIO**response.steps, 1 - response.leak
                up = value(after, height + response.steps) / (1 + odds)
                down = value(after, height - response.steps) * odds / (1 + odds)
                best = max(best, rest * (up + down) + response.leak * RATIO**height)
        return best

    return value((0,) * len(menu), 0)


def exponential_below(exponent: Fraction) -> Fraction:
    """A partial sum of the series, all of whose terms are positive."""
    return sum((exponent**power / factorial(power) for power in range(25)), Fraction(0))


@pytest.mark.parametrize(
    ("cap", "shares"),
    [
        (Guarantee(1), {}),
        (Guarantee(1, "0.1"), {}),
        (Guarantee(1, "0.1"), {"gaussian": "0.1", "concentrated": 0}),
        (Guarantee(1, "0.1"), {"gaussian": 0, "concentrated": "0.1"}),
        (Guarantee(1, "0.1"), {"approximate": "0.03"}),
        (Guarantee("0.5", "0.05"), {"approximate": "0.02", "concentrated": "0.02", "gaussian": "0.01"}),
    ],
    ids=str,
)
def test_the_worst_adaptive_analyst_of_responses_stays_within_the_cap(cap: Guarantee, shares: dict[str, str]) -> None:
    menu = (Response(1), Response(3), Response(2, leak=Fraction(1, 100)))
    account = Filter(Cap(cap.epsilon, cap.delta, **shares))
    assert largest_excess(account, cap, menu) <= cap.delta


def test_the_worst_analyst_uses_up_most_of_a_delta() -> None:
    cap = Guarantee(1, "0.1")
    account = Filter(Cap(cap.epsilon, cap.delta, gaussian="0.1", concentrated=0))
    assert largest_excess(account, cap, [Response(1), Response(2)]) >= cap.delta / 3


def test_the_worst_analyst_sees_through_an_account_that_admits_too_much() -> None:
    menu = (Response(1), Response(3), Response(2, leak=Fraction(1, 100)))
    assert largest_excess(Filter(Cap("1.1")), Guarantee(1), menu) > 0
    generous = Filter(Cap(1, "0.4", approximate="0.1"))
    assert largest_excess(generous, Guarantee(1, "0.1"), menu[1:]) > Fraction(1, 10)


def test_the_worst_analyst_sees_through_sums_that_run_over_some_of_the_questions_only() -> None:
    """A tempting rule: charge each question to just one branch. Then the branches' losses pile up."""
    cap, menu = Guarantee(1, "0.01"), [Response(9), Response(1)]
    account, (large, small) = Filter(Cap(cap.epsilon, cap.delta)), [response_loss(response) for response in menu]

    def admits(counts: tuple[int, ...]) -> bool:
        pure, concentrated = charged([large], counts[:1]), charged([small], counts[1:])
        return all(
            account.admits(loss) for loss in (Loss(pure.epsilon, None, None), Loss(None, None, concentrated.mu_squared))
        )

    assert largest_excess_where(admits, cap, menu) > 5 * cap.delta


VARIANCE = 100
UNIT = Fraction(1, 2 * VARIANCE)
"""All logarithms of likelihood ratios are whole multiples of it: of a shift d at outcome x, 2 d x - d^2."""
REACH = 7 * 10
"""Seven standard deviations: beyond lies less than 1e-11 of the law."""


@dataclass(frozen=True)
class Shift:
    """Discrete Gaussian noise on a number that differs by so much between neighbours: steps, and Q's probabilities."""

    distance: int

    @property
    def loss(self) -> Loss:
        mechanism = Gaussian(sensitivity=self.distance, rho=Fraction(self.distance**2, 2 * VARIANCE))
        assert mechanism.variance == VARIANCE
        return mechanism.loss

    @property
    def answers(self) -> dict[int, float]:
        outcomes = np.arange(-REACH, REACH + 1)
        chances = np.exp(-(outcomes**2) / (2 * VARIANCE))
        heights = 2 * self.distance * outcomes - self.distance**2
        return dict(zip(heights.tolist(), (chances / chances.sum()).tolist(), strict=True))


@dataclass(frozen=True)
class Count:
    """Discrete Laplace noise on a count: one more person moves every outcome by the full epsilon, up or down."""

    epsilon: Fraction

    @property
    def loss(self) -> Loss:
        return Laplace(sensitivity=1, epsilon=self.epsilon).loss

    @property
    def answers(self) -> dict[int, float]:
        steps, up = int(self.epsilon / UNIT), 1 / (1 + exp(self.epsilon))
        return {steps: up, -steps: 1 - up}


def largest_lattice_excess(account: Filter, cap: Guarantee, menu: Sequence[Shift | Count]) -> float:
    """The same search, for all likelihood ratios at once, in double precision."""
    reach = 4000
    ends = np.exp(np.arange(-reach, reach + 1) * float(UNIT))
    stop = np.maximum(ends - exp(cap.epsilon), 0)
    costs, answers = [question.loss for question in menu], [question.answers for question in menu]

    @cache
    def values(counts: tuple[int, ...]) -> NDArray[np.float64]:
        best = stop
        for position in range(len(menu)):
            after = tuple(count + (place == position) for place, count in enumerate(counts))
            if account.admits(charged(costs, after)):
                later, expected = values(after), np.zeros_like(stop)
                for height, chance in answers[position].items():
                    expected += chance * np.roll(later, -height)  # what rolls over the edge is out of reach
                best = np.maximum(best, expected)
        return best

    return float(values((0,) * len(menu))[reach])


@pytest.mark.parametrize(
    ("shares", "menu"),
    [
        ({"gaussian": "0.01", "concentrated": 0}, [Shift(2), Shift(3)]),
        ({"gaussian": 0, "concentrated": "0.01"}, [Shift(2), Shift(3)]),
        ({}, [Shift(2), Count(Fraction(1, 4))]),
        ({}, [Shift(3), Count(Fraction(1, 10))]),
        ({}, [Shift(1), Count(Fraction(1, 10))]),
    ],
    ids=str,
)
def test_the_worst_adaptive_analyst_of_gaussian_and_laplace_counts_stays_within_the_cap(
    shares: dict[str, str], menu: list[Shift | Count]
) -> None:
    cap = Guarantee(1, "0.01")
    excess = largest_lattice_excess(Filter(Cap(cap.epsilon, cap.delta, **shares)), cap, menu)
    assert 0 < excess <= cap.delta


def test_the_gaussian_branch_is_nearly_tight() -> None:
    cap = Guarantee(1, "0.01")
    excess = largest_lattice_excess(
        Filter(Cap(cap.epsilon, cap.delta, gaussian="0.01", concentrated=0)), cap, [Shift(1)]
    )
    assert 0.5 * cap.delta <= excess <= cap.delta


@pytest.mark.parametrize("approximate", ["0", "4e-7"])
@pytest.mark.parametrize("concentrated", [None, "1e-8", "5e-7"])
def test_all_conversions_together_spend_no_more_than_delta(approximate: str, concentrated: str | None) -> None:
    """Whoever fills every sum to its limit has used up each part of delta once, and all of them at most once."""
    cap = Cap(1, "1e-6", approximate=approximate, concentrated=concentrated)
    limit = Filter(cap).limit
    spent = delta_from_rho(float(limit.rho), 1.0) + delta_from_mu(limit.mu, 1.0) + float(limit.delta)
    assert spent <= float(cap.delta) * (1 + 1e-6)
