"""Many choices in many groups: refused before the charge, by public facts alone."""

import pytest

from deniable.core.errors import Refused
from deniable.planner import Spend, plan_question
from deniable.planner.pricing.effort import MOST_DRAWN
from tests.support.world import policy

GROUPED = "FROM visits GROUP BY age, day"


@pytest.fixture(scope="module")
def rules(tmp_path_factory):
    return policy(tmp_path_factory.mktemp("effort"), contribution=3)


@pytest.mark.parametrize("spend", [{"epsilon": 1}, {"rho": 1}], ids=["epsilon", "rho"])
def test_fifteen_medians_in_forty_thousand_groups_are_too_many(rules, spend):
    medians = ", ".join(f"MEDIAN(cost + {number} * score) AS m{number}" for number in range(15))
    with pytest.raises(Refused, match="draws") as caught:
        plan_question(f"SELECT age, day, {medians} {GROUPED}", rules, Spend.of(**spend))
    assert caught.value.code == "too-many-groups"


def test_a_few_are_not(rules):
    plan = plan_question(f"SELECT age, day, MEDIAN(cost) AS m, COUNT(*) AS n {GROUPED}", rules, Spend.of(epsilon=1))
    assert plan.quote.groups == 111 * 365
    assert plan.quote.groups * sum(getattr(part, "choice", None) is not None for part in plan.noise) < MOST_DRAWN
