"""Batches cost what was asked for: no part of the spend is used twice, and what is charged covers what runs."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from deniable.accounting import compose
from deniable.planner import Spend, plan_statements
from tests.support.tables import policy

COUNT = "SELECT COUNT(*) AS n FROM visits WHERE age > {}"
PRIVATE = "SELECT reason, COUNT(*) AS n FROM visits WHERE age > {} GROUP BY reason"


@pytest.mark.parametrize("private", [1, 2, 5])
def test_private_keys_of_all_questions_share_half_of_delta(private: int) -> None:
    rules = policy(Path("nowhere"), contribution=2)
    questions = [*(PRIVATE.format(age) for age in range(private)), COUNT.format(3)]
    batch = plan_statements(questions, rules, Spend.of(epsilon=1, delta="1e-7")).batch
    spent = sum((plan.selection.delta for plan in batch.plans if plan.selection is not None), Fraction(0))
    assert spent == Fraction(1, 2 * 10**7)
    assert batch.loss.delta <= Fraction(1, 10**7)


@pytest.mark.parametrize("questions", [2, 20, 100])
def test_a_batch_with_a_delta_is_charged_what_its_parts_lose_together(questions: int) -> None:
    rules = policy(Path("nowhere"), contribution=2)
    counts = [COUNT.format(age) for age in range(questions)]
    batch = plan_statements(counts, rules, Spend.of(epsilon=1, delta="1e-7")).batch
    parts = [loss for plan in batch.plans for loss in plan.losses]
    assert compose(parts, batch.loss.delta).guarantee.epsilon <= batch.loss.epsilon <= 1
