"""What an answer leaves out is said exactly where it is left out."""

from pathlib import Path

import pytest

from deniable.planner import Spend, plan_question
from tests.support.tables import policy

PEOPLE, ROWS = (policy(Path("nowhere"), contribution=contribution) for contribution in (3, None))


def _cautions(columns: str, rules=PEOPLE, **spend: object) -> tuple[str, ...]:
    return plan_question(f"SELECT {columns}", rules, Spend.of(**spend or {"epsilon": 1})).quote.notes


def test_a_count_of_rows_that_are_units_leaves_nothing_out():
    assert _cautions("COUNT(*) FROM visits", ROWS) == ()


@pytest.mark.parametrize(
    ("columns", "rules", "said"),
    [
        ("COUNT(*) FROM visits", PEOPLE, ["3 rows"]),
        ("SUM(cost) FROM visits", ROWS, ["bounds"]),
        ("SUM(cost) FROM visits", PEOPLE, ["3 rows", "bounds"]),
        ("COUNT(DISTINCT patient_id) FROM visits", PEOPLE, []),
        ("COUNT(DISTINCT day) FROM visits", PEOPLE, ["3 different values"]),
        ("MODE(region) FROM visits", ROWS, ["more common"]),
        ("MAX(age) FROM visits", ROWS, ["bounds", "from that end"]),
        ("MEDIAN(score) FROM visits", ROWS, ["bounds", "steps of"]),
        ("SUM(score) FROM visits", ROWS, ["bounds", "without a step"]),
        ("SUM(score), COUNT(*) FROM visits", ROWS, ["bounds"]),
        ("AVG(score) FROM visits", ROWS, ["bounds"]),
    ],
)
def test_each_loss_is_named_once(columns, rules, said):
    found = _cautions(columns, rules)
    assert len(found) == len(said)
    assert all(words in caution for words, caution in zip(said, found, strict=True))


def test_private_keys_say_in_how_many_groups_a_unit_counts():
    found = _cautions("reason, COUNT(*) FROM visits GROUP BY reason", epsilon=1, delta=1e-7)
    assert any("at most 3 groups" in caution for caution in found)
