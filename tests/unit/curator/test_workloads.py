"""Workloads through the curator: charged first, recorded, free again; and refused for nothing."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import deniable
from deniable.core.algebra.query import MarginalSums, Sums
from deniable.core.errors import InvalidArgumentError, Refused
from deniable.curator.workloads.plan import plan_release
from deniable.curator.workloads.planner import cells_of
from deniable.planner import Spend
from deniable.releases import Workload
from tests.support.curators import curator, silence
from tests.support.tables import policy, visits

ROWS = 600
WORK = (
    Workload.ranges("age // 10")
    | Workload.marginals(["region", "urgent", "age // 10"], order=2)
    | Workload.conditions(["age // 10 >= 3 and not region = 'north'", "region is null", "urgent"])
)
PLAIN = {
    "age // 10 >= 3 and not region = 'north'": "age // 10 >= 3 AND NOT region = 'north'",
    "region is null": "region IS NULL",
    "urgent": "urgent",
}


@pytest.fixture(params=[None, 3], ids=["rows", "units"])
def asked(request, tmp_path):
    with curator(tmp_path, visits(ROWS, seed=7), policy(tmp_path, contribution=request.param)) as opened:
        yield opened


@pytest.mark.parametrize("strategy", ["best", "alone", "identity", "hierarchical", "matrix"])
def test_without_noise_the_answers_are_those_of_plain_questions(asked, strategy, monkeypatch):
    silence(monkeypatch)
    tolerance = 1e-3 if asked.policy.tables["visits"].unit is None else 0.501  # counts of weighed rows are rounded
    release = asked.release(WORK, strategy=strategy, rho=1)
    by_region = {
        (row["region"], row["urgent"]): row["n"]
        for row in asked.ask(
            "SELECT region, urgent, COUNT(*) + 0.0 AS n FROM visits GROUP BY 1, 2", rho=1
        ).table.to_pylist()
    }
    rows = release.table.to_pylist()
    for row in rows:
        if row["part"] == "region x urgent":
            assert row["count"] == pytest.approx(by_region[row["region"], row["urgent"]], abs=tolerance)
        if row["part"] == "ranges of age // 10" and row["age // 10_from"] in (0, 4):
            where = f"age // 10 BETWEEN {row['age // 10_from']} AND {row['age // 10_to']}"
            sql = f"SELECT COUNT(*) FILTER (WHERE {where}) + 0.0 AS n FROM visits"
            assert row["count"] == pytest.approx(asked.ask(sql, rho=1).table["n"][0].as_py(), abs=tolerance)
        if row["part"].startswith("conditions"):
            sql = f"SELECT COUNT(*) FILTER (WHERE {PLAIN[row['condition']]}) + 0.0 AS n FROM visits"
            assert row["count"] == pytest.approx(asked.ask(sql, rho=1).table["n"][0].as_py(), abs=tolerance)


def test_grouping_sets_and_all_cells_give_the_same(asked, monkeypatch):
    silence(monkeypatch)
    work = Workload.marginals(["region", "urgent", "age // 10", "day"], order=2)
    release = asked.release(work, strategy="residual", rho=1)
    monkeypatch.setattr("deniable.curator.workloads.purchase.MOST_GROUPS", 10)
    plan = plan_release(work, cells_of(asked.policy, work), Spend.of(rho=1), "residual")
    assert isinstance(plan.query, MarginalSums)
    again = replace(asked).release(work, strategy="residual", rho=1)  # a curator that has planned nothing yet
    assert not again.free
    assert again.table.equals(release.table)


def test_explaining_reads_nothing_and_says_what_is_spent(asked, monkeypatch):
    monkeypatch.setattr(asked.engine, "run", None)
    quote = asked.explain(WORK, rho="0.05")
    assert quote.loss.rho == deniable.core.number.exact("rho", "0.05")
    assert [line.queries for line in quote.lines] == [78, 10, 60, 24, 1, 1, 1]
    assert all(line.error > 0 for line in quote.lines)
    assert quote.plain > 1
    assert asked.budget().spent.rho == 0


def test_what_explain_has_worked_out_is_not_worked_out_again(asked, monkeypatch):
    quotes = [asked.explain(WORK, rho="0.05"), asked.explain(Workload.histogram("region"), accuracy=20)]
    for name in ("planner.ReleaseCells", "plan.Task", "plan.choose"):
        monkeypatch.setattr(f"deniable.curator.workloads.{name}", None)
    assert asked.release(WORK, rho="0.05").loss == quotes[0].loss
    assert asked.release(Workload.histogram("region"), accuracy=20).loss == quotes[1].loss
    assert asked.explain(WORK, rho="0.05") is quotes[0]


def test_another_spend_strategy_or_workload_is_another_plan(asked):
    work = Workload.histogram("region")
    plain = asked.explain(work, rho="0.05", strategy="identity")
    assert asked.explain(work, rho="0.06", strategy="identity").loss != plain.loss
    assert asked.explain(work, rho="0.05", strategy="identity", confidence="0.9").confidence != plain.confidence
    assert asked.explain(work, rho="0.05", strategy="alone").strategy == "alone"
    assert asked.explain(work.on("visits", "age > 3"), rho="0.05", strategy="identity") is not plain


def test_a_release_is_charged_recorded_and_free_again(asked):
    first = asked.release(WORK, rho="0.05")
    spent = asked.budget().spent
    again = asked.release(WORK, rho="0.05")
    assert (first.free, again.free) == (False, True)
    assert asked.budget().spent == spent == first.loss
    assert first.table.equals(again.table)
    assert first.errors.equals(again.errors)
    other = asked.release(WORK, rho="0.06")
    assert not other.free
    assert not other.table.equals(first.table)


def test_the_charge_is_on_disk_before_a_row_is_read(asked, monkeypatch):
    def broken(_query):
        raise deniable.core.errors.Failed

    monkeypatch.setattr(asked.engine, "run", broken)
    with pytest.raises(deniable.core.errors.Failed):
        asked.release(WORK, rho="0.05")
    assert asked.budget().spent.rho == deniable.core.number.exact("rho", "0.05")


def test_further_queries_have_their_own_interval(asked, monkeypatch):
    release = asked.release(Workload.histogram("age // 10", "region"), epsilon=1)
    narrow = release.query("age // 10 = 3 and region = 'north'")
    wide = release.query("age // 10 between 2 and 7")
    surer = release.query("age // 10 between 2 and 7", confidence=0.999)
    assert narrow.low < narrow.count < narrow.high
    assert narrow.deviation < wide.deviation
    assert surer.high - surer.low > wide.high - wide.low
    assert wide.count == pytest.approx(
        sum(row["count"] for row in release.table.to_pylist() if row["age // 10"] in range(2, 8))
    )
    for condition, code in {
        "age > 30": "no-cells",
        "urgent": "no-cells",
        "nothing = 1": "unknown-column",
        "region": "type-mismatch",
        "region = ": "syntax",
    }.items():
        with pytest.raises(Refused) as caught:
            release.query(condition)
        assert caught.value.code == code
    silence(monkeypatch)
    alone = asked.release(Workload.histogram("region"), epsilon="0.5", strategy="alone")
    with pytest.raises(Refused):
        alone.query("region = 'north'")


def test_tidy_answers_are_whole_and_agree(asked):
    work = Workload.marginals(["region", "age // 10"], order=1) | Workload.histogram("region", "age // 10")
    release = asked.release(work, rho="0.01")
    rows = release.tidy().to_pylist()
    assert all(isinstance(row["count"], int) and row["count"] >= 0 for row in rows)
    totals = {part: sum(row["count"] for row in rows if row["part"] == part) for part in {row["part"] for row in rows}}
    assert len(set(totals.values())) == 1


def test_values_that_nobody_listed_are_selected_privately(asked):
    work = Workload.marginals(["region", "reason"], order=2)
    for spend, code in (({"epsilon": 1}, "private-keys"), ({"accuracy": 10, "delta": "1e-7"}, "private-keys")):
        with pytest.raises(Refused) as caught:
            asked.release(work, **spend)
        assert caught.value.code == code
    quote = asked.explain(work, epsilon=100, delta="1e-7")
    assert any("values of reason are found first" in note for note in quote.notes)
    assert asked.budget().spent.epsilon == 0
    release = asked.release(work, epsilon=100, delta="1e-7")
    assert set(release.table["reason"].to_pylist()) == {"checkup", "injury", "heart"}
    spent = asked.budget().spent
    assert (spent.epsilon, spent.delta) == (100, deniable.core.number.exact("delta", "1e-7"))
    again = asked.release(work, epsilon=100, delta="1e-7")
    assert again.free
    assert quote.loss == release.loss == again.loss == asked.budget().spent == spent


@pytest.mark.parametrize("spend", [{"epsilon": 100}, {"rho": 100}], ids=["epsilon", "rho"])
def test_conditions_are_about_values_that_are_found_first(asked, spend):
    """Also where no value that is found satisfies any: they cost the same."""
    for condition in ("reason = 'heart'", "reason = 'x' AND NOT urgent"):
        work = Workload.conditions([condition])
        quote = asked.explain(work, delta="1e-7", **spend)
        release = asked.release(work, delta="1e-7", **spend)
        assert quote.error > 0
        assert quote.loss == release.loss
        assert release.table.num_rows == 1


@pytest.mark.parametrize("strategy", ["best", "alone", "identity", "matrix", "mwem"])
@pytest.mark.parametrize("spend", [{"epsilon": 1}, {"rho": 1}], ids=["epsilon", "rho"])
def test_conditions_that_no_value_satisfies_are_priced_and_answered(asked, strategy, spend):
    work = Workload.conditions(["age > 200"])
    quote = asked.explain(work, strategy=strategy, **spend)
    assert quote.loss == asked.release(work, strategy=strategy, **spend).loss


@pytest.mark.parametrize("spend", [{"epsilon": 90}, {"rho": 90}], ids=["epsilon", "rho"])
@pytest.mark.parametrize("work", [Workload.ranges("age"), Workload.prefixes("age")], ids=["ranges", "prefixes"])
def test_where_only_missing_values_are_found_there_are_no_ranges(work, spend):
    frame = pa.table({"age": pa.nulls(500, pa.int64())})
    with deniable.protect(frame, epsilon=1000, delta=1e-3) as opened:
        with pytest.raises(Refused) as caught:
            opened.release(work, delta=1e-4, **spend)
        assert caught.value.code == "no-values"
        release = opened.release(Workload.histogram("age"), delta=1e-4, **spend)
        assert release.table["age"].to_pylist() == [None]


def test_what_cannot_be_released_is_refused_before_values_are_paid_for(asked):
    work = Workload.histogram("reason")
    for wrong in ({"strategy": "luck"}, {"strategy": "residual", "weights": {"reason": 2}}):
        with pytest.raises(Refused):
            asked.release(work, epsilon=100, delta="1e-7", **wrong)
    assert len(asked.history()) == 1


def test_listed_values_need_no_delta(asked):
    work = Workload.histogram("reason").on("visits", "reason IN ('checkup', 'heart')")
    assert asked.release(work, epsilon=1).table["reason"].to_pylist() == ["checkup", "heart"]


def test_numbers_are_told_apart_by_their_steps(monkeypatch):
    silence(monkeypatch)
    frame = pa.table({"cost": [0.0, 4.9, 5.0, 14.99, 20.0, 20.0]})
    with deniable.protect(frame, epsilon=9, bounds={"cost": (0, 20)}, steps={"cost": 10}) as opened:
        release = opened.release(Workload.histogram("cost") | Workload.ranges("cost"), epsilon=1)
        counts = {row["cost"]: row["count"] for row in release.table.to_pylist() if row["part"] == "cost"}
        assert {cost: count for cost, count in counts.items() if count > 0.5} == pytest.approx({0: 2, 10: 2, 20: 2})
        assert release.query("cost >= 10").count == pytest.approx(4)


def test_an_accuracy_finds_its_spend(asked):
    quote = asked.explain(Workload.histogram("region"), accuracy=20)
    release = asked.release(Workload.histogram("region"), accuracy=20)
    widths = [row["high"] - row["low"] for row in release.errors.to_pylist()]
    assert 2 * 20 * 0.99 <= max(widths) <= 2 * 20 * 1.0001
    assert release.loss == quote.loss


@pytest.mark.parametrize(
    ("work", "spend", "code"),
    [
        (Workload(), {"epsilon": 1}, "bad-workload"),
        (Workload.ranges("score"), {"epsilon": 1}, "real-key"),
        (Workload.ranges("patient_id"), {"epsilon": 1}, "private-keys"),
        (Workload.ranges("region"), {"epsilon": 1}, "no-order"),
        (Workload.ranges("nothing"), {"epsilon": 1}, "unknown-column"),
        (Workload.ranges("age").on("nowhere"), {"epsilon": 1}, "unknown-table"),
        (Workload.ranges("age").on("visits", "agee > 3"), {"epsilon": 1}, "unknown-column"),
        (Workload.histogram("age, region"), {"epsilon": 1}, "syntax"),
        (Workload.histogram("age) FROM visits --"), {"epsilon": 1}, "syntax"),
        (Workload.histogram("COUNT(*)"), {"epsilon": 1}, "bad-attribute"),
        (Workload.histogram("1"), {"epsilon": 1}, "bad-attribute"),
        (Workload.histogram("age", "cost", "day", "age // 2"), {"epsilon": 1}, "too-many-queries"),
        (Workload.conditions(["age > 1 and cost > 2 and day > '2025-03-01'"]), {"epsilon": 1}, "too-many-cells"),
        (Workload.conditions(["age + 1"]), {"epsilon": 1}, "type-mismatch"),
        (Workload.conditions(["random() > 0.5"]), {"epsilon": 1}, "unknown-function"),
        (Workload.ranges("age"), {}, "bad-spend"),
        (Workload.ranges("age"), {"epsilon": 0}, "bad-spend"),
        (Workload.ranges("age"), {"epsilon": "1e-80"}, "bad-spend"),
        (Workload.ranges("age"), {"epsilon": 1, "weights": {"age": 2}}, "bad-spend"),
        (Workload.ranges("age"), {"epsilon": "1e7"}, "over-budget"),
        (Workload.ranges("age"), {"rho": "1e7"}, "over-budget"),
        (Workload.ranges("age"), {"epsilon": 1, "strategy": "luck"}, "unknown-strategy"),
        (Workload.ranges("age"), {"epsilon": 1, "strategy": "marginals"}, "strategy"),
        (Workload.ranges("age // 10"), {"accuracy": 5, "strategy": "mwem"}, "strategy"),
    ],
)
def test_what_cannot_be_released_costs_nothing(asked, work, spend, code):
    with pytest.raises(Refused) as caught:
        asked.release(work, **spend)
    people = asked.policy.tables["visits"].unit is not None  # groups of one person are never shown, whatever is paid
    assert caught.value.code == ("rows" if code == "private-keys" and people else code), caught.value.show()
    assert caught.value.hint
    assert asked.budget().spent.epsilon == 0
    assert len(asked.history()) == 1


def test_a_trillion_cells_are_refused_or_not_needed():
    columns = {f"x{place}": [1, 2] for place in range(12)}
    bounds = dict.fromkeys(columns, (0, 9))
    with deniable.protect(pa.table(columns), epsilon=9, delta=1e-6, bounds=bounds) as opened:
        with pytest.raises(Refused) as caught:
            opened.release(Workload.histogram(*columns), epsilon=1)
        assert caught.value.code == "too-many-queries"
        with pytest.raises(Refused) as caught:
            opened.release(Workload.conditions([" and ".join(f"{name} > 1" for name in columns)]), epsilon=1)
        assert caught.value.code == "too-many-cells"
        assert opened.budget().spent.epsilon == 0
        release = opened.release(Workload.marginals(list(columns), order=2), rho="0.1")
        assert release.task.domain.cells > 10**12
        assert release.query("x3 = 1 and x7 > 4").deviation > 0
        with pytest.raises(Refused):
            release.query("x1 = 1 and x2 = 1 and x3 = 1")
        with pytest.raises(Refused):
            release.tidy()


def test_analysts_pay_from_their_share(tmp_path):
    rules = policy(tmp_path, contribution=None)
    with curator(tmp_path, visits(50, seed=1), rules) as opened, pytest.raises(InvalidArgumentError):
        opened.release(Workload.histogram("region"), epsilon=1).errors_at(2)


def test_events_bring_back_the_loss(asked):
    plan = plan_release(WORK, cells_of(asked.policy, WORK), Spend.of(rho="0.05"), "best")
    assert isinstance(plan.query, Sums)
    losses = [deniable.mechanisms.Mechanism.recall(event).loss for event in plan.events]
    assert sum(loss.rho for loss in losses) == plan.loss.rho
    assert sum(loss.mu_squared for loss in losses) <= plan.loss.mu_squared


@pytest.mark.parametrize(
    "spend", [{"epsilon": 100_000}, {"epsilon": "0.000001"}, {"rho": "0.000001"}, {"rho": 100_000}]
)
def test_spends_far_out_work_or_are_refused_before_the_charge(asked, spend):
    """Noise finer or wider than numbers can be must not fail after the charge."""
    work = Workload.ranges("age // 10") | Workload.histogram("age // 10", "region")
    for strategy in ("best", "alone", "identity", "hierarchical", "matrix", "residual", "mwem"):
        entries = len(asked.history())
        try:
            release = asked.release(work, strategy=strategy, **spend)
        except Refused as refusal:
            assert refusal.code in ("bad-spend", "over-budget")  # noqa: PT017 - either way is fine
            assert len(asked.history()) == entries
        else:
            assert release.table.num_rows == 78 + 60


def test_private_multiplicative_weights_through_the_curator(asked):
    release = asked.release(Workload.ranges("age // 10"), strategy="mwem", epsilon=5)
    again = asked.release(Workload.ranges("age // 10"), strategy="mwem", epsilon=5)
    assert again.free
    assert again.table.equals(release.table)
    assert release.errors["deviation"].null_count == 78
    widths = {round(row["high"] - row["low"], 6) for row in release.errors.to_pylist()}
    assert len(widths) == 1
    assert release.query("age // 10 > 3").high == float("inf")  # nothing is promised for other queries
    assert asked.explain(Workload.ranges("age // 10"), strategy="mwem", epsilon=5).plain is None


def test_columns_that_are_called_like_answers_keep_their_own(monkeypatch):
    silence(monkeypatch)
    frame = pa.table({"count": [1, 2, 2], "low": [0, 0, 1]})
    bounds = {"count": (1, 2), "low": (0, 1)}
    with deniable.protect(frame, epsilon=9, bounds=bounds) as opened:
        release = opened.release(Workload.histogram("count", "low"), epsilon=1)
        assert release.table.column_names == ["count_", "low_", "count"]
        found = {(row["count_"], row["low_"]): row["count"] for row in release.table.to_pylist()}
        assert found[2, 1] == pytest.approx(1)


def test_no_interval_is_sure(asked):
    with pytest.raises(Refused, match="at most 1 - 1e-12"):
        asked.release(Workload.histogram("region"), epsilon=1, confidence=1 - deniable.core.number.exact("x", "1e-20"))
    release = asked.release(Workload.histogram("region"), epsilon=1, confidence="0.999999999")
    assert release.errors.num_rows == 5
    with pytest.raises(InvalidArgumentError, match="confidence"):
        release.query("region = 'north'", confidence=1 - deniable.core.number.exact("x", "1e-20"))


def test_a_planted_strategy_that_cannot_be_read_costs_nothing(asked, tmp_path, monkeypatch):
    monkeypatch.setenv("DENIABLE_CACHE", str(tmp_path / "cache"))
    asked.explain(Workload.ranges("age // 10"), rho=1, strategy="matrix")
    (file,) = (tmp_path / "cache" / "strategies").iterdir()
    np.savez(file, matrix=np.full((12, 12), 0.5), bound=np.full((1, 1), 0.5))
    with pytest.raises(Refused, match="apart"):
        replace(asked).release(Workload.ranges("age // 10"), rho=1, strategy="matrix")
    assert len(asked.history()) == 1
