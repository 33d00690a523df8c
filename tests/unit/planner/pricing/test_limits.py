"""What one charge may cost and how large its answer may be, decided from the policy and the question alone."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from deniable.accounting import Filter
from deniable.core.errors import Refused
from deniable.core.loss import Loss
from deniable.planner import ChargeLimits, Plan, Spend, plan_question, plan_statements
from deniable.policy import Policy

COUNT = "SELECT COUNT(*) AS n FROM visits"
BY_AGE = "SELECT age, COUNT(*) AS n, SUM(cost) AS c FROM visits GROUP BY age"


def rules(limits: dict[str, object] | None = None, **budget: object) -> Policy:
    return Policy.from_mapping(
        {
            "population": {"name": "clinic"},
            "budget": {"epsilon": 2, "delta": 1e-6, **budget},
            "limits": limits or {},
            "tables": {
                "visits": {
                    "source": "visits.csv",
                    "columns": {
                        "age": {"type": "integer", "bounds": [0, 99], "nulls": False},
                        "cost": {"type": "integer", "bounds": [0, 500], "nulls": False},
                        "name": {"type": "text"},
                    },
                }
            },
            "analysts": {"alice": {"epsilon": 0.1}},
        },
        origin="clinic",
        folder=Path(),
    )


def plan(sql: str, policy: Policy, **payment: object) -> Plan:
    return plan_question(sql, policy, Spend.of(**payment))


def refused(sql: str, policy: Policy, **payment: object) -> Refused:
    with pytest.raises(Refused) as caught:
        plan(sql, policy, **payment)
    return caught.value


def test_the_least_is_a_ten_thousandth_of_the_cap_and_not_of_a_share():
    assert plan(COUNT, rules(), epsilon="0.0002").quote.loss.epsilon == Fraction(2, 10_000)
    found = refused(COUNT, rules(), epsilon="0.00019999")
    assert (found.code, found.hint) == ("least-spend", "Spend at least epsilon 0.0002.")


def test_the_least_rho_is_of_the_sum_that_has_most_room():
    limit = Filter(rules().cap).limit
    whole = max(limit.rho or 0, (limit.mu_squared or 0) / 2)
    assert plan(COUNT, rules(), rho=whole / 9_999)
    found = refused(COUNT, rules(), rho=whole / 10_001)
    assert found.code == "least-spend"
    assert plan(COUNT, rules(), rho=found.hint.removesuffix(".").rpartition(" ")[2])


@pytest.mark.parametrize("part", ["delta_for_zcdp", "delta_for_gdp"])
def test_one_part_of_delta_is_enough_for_a_least_rho(part):
    only = rules(**{"delta_for_keys": 0, "delta_for_zcdp": 0, "delta_for_gdp": 0, part: 1e-6})
    assert refused(COUNT, only, rho="1e-9").code == "least-spend"


def test_where_there_is_no_rho_its_price_is_the_account_s_affair():
    assert plan(COUNT, rules(delta=0), rho="1e-9")


@pytest.mark.parametrize(("payment", "most"), [({"epsilon": 1}, "epsilon 0.5"), ({"rho": 1}, "rho 0.02")])
def test_the_most_that_a_question_may_cost(payment, most):
    found = refused(COUNT, rules({"most_spend": 0.25}), **payment)
    assert found.code == "most-spend"
    assert most in found.hint
    form, written = found.hint.removeprefix("Spend at most ").removesuffix(".").split()
    assert plan(COUNT, rules({"most_spend": 0.25}), **{form: written})
    assert plan(COUNT, rules(), **payment), "by default a question may cost everything"


def test_an_accuracy_costs_at_least_the_least_and_says_so():
    cheap, dear = plan(COUNT, rules(), accuracy=10**6), plan(COUNT, rules(), accuracy=10)
    assert cheap.quote.loss.epsilon == Fraction(2, 10_000)
    assert cheap.quote.lines[0].error < 10**6
    (note,) = cheap.quote.notes
    assert note.startswith("costs ε 0.0002, the least that may be spent; ε ")
    assert dear.quote.notes == ()
    assert plan(COUNT, rules(), epsilon="0.0002").digest == cheap.digest


def test_an_accuracy_that_costs_too_much_is_refused_by_its_price():
    policy = rules({"most_spend": 0.25})
    assert refused(COUNT, policy, accuracy=1).hint == "Spend at most epsilon 0.5."
    assert plan(COUNT, policy, accuracy=10)


def test_a_batch_is_one_charge():
    batch = [COUNT, f"{COUNT} WHERE age > 3"]
    with pytest.raises(Refused, match="least-spend"):
        plan_statements(batch, rules(), Spend.of(epsilon="0.0001"))
    assert plan_statements(batch, rules(), Spend.of(epsilon="0.0002")).batch.loss.epsilon == Fraction(2, 10_000)
    wide = plan_statements(batch, rules(), Spend.of(accuracy=10**6)).batch
    assert wide.loss.epsilon == Fraction(2, 10_000)
    assert any("the least" in note for note in wide.quote.notes)
    with pytest.raises(Refused, match="most-spend"):
        plan_statements(batch, rules({"most_spend": 0.1}), Spend.of(accuracy=15))


@pytest.mark.parametrize(("most", "fits"), [(199, False), (200, True)])
def test_the_size_of_an_answer_is_its_groups_times_its_noisy_columns(most, fits):
    policy = rules({"answer_size": most})
    if fits:
        assert plan(BY_AGE, policy, epsilon=1).quote.groups == 100
    else:
        found = refused(BY_AGE, policy, epsilon=1)
        assert found.code == "answer-size"
        assert "200 noisy numbers" in found.reason


def test_the_size_of_a_batch_is_that_of_all_its_answers():
    with pytest.raises(Refused, match="answer-size"):
        plan_statements([BY_AGE, BY_AGE], rules({"answer_size": 399}), Spend.of(epsilon=1))
    assert plan_statements([BY_AGE, BY_AGE], rules({"answer_size": 400}), Spend.of(epsilon=1))


def test_a_million_groups_for_next_to_nothing_are_refused_for_the_price():
    policy = rules()
    million = "SELECT age, age + cost * 0 AS b, cost, COUNT(*) AS n FROM visits GROUP BY 1, 2, 3"
    assert refused(million, policy, epsilon="1e-11").code == "least-spend"
    assert refused(million, policy, epsilon=1).code in {"answer-size", "too-many-groups"}


def test_of_private_keys_only_the_columns_are_known():
    sql = "SELECT name, COUNT(*) AS n, SUM(cost) AS c FROM visits GROUP BY name"
    policy = rules({"answer_size": 2}, delta_for_keys=1e-7)
    assert plan(sql, policy, epsilon=1, delta="1e-8").quote.groups is None


def test_in_words():
    limits = ChargeLimits.of(rules({"most_spend": 0.25}))
    assert limits.words[0].startswith("A question costs at least ε 0.0002 or ρ ")
    assert ", and at most ε 0.5 or ρ " in limits.words[0]
    assert limits.words[1] == "An answer has at most 1,000,000 noisy numbers."
    assert "at most" not in ChargeLimits.of(rules()).words[0]


def test_only_an_accuracy_is_priced_before_its_most_is_known():
    limits = ChargeLimits.of(rules({"most_spend": 0.25}))
    limits.check_accuracy(Spend.of(rho="0.001"), Loss.pure(1))
