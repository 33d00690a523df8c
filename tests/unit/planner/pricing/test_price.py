"""Statistics are shared, spends are divided, distances are the textbook's, and spelling does not matter."""

from fractions import Fraction
from pathlib import Path

import pytest

from deniable.core.errors import Refused
from deniable.mechanisms import Gaussian, Laplace, Mechanism
from deniable.planner import Spend, plan_question
from deniable.planner.plan import singly
from tests.support.tables import policy


def _plan(sql: str, *, contribution: int | None = None, neighbours: str = "add-remove", **spend: object):
    rules = policy(Path("nowhere"), contribution=contribution, neighbours=neighbours)
    return plan_question(sql, rules, Spend.of(**spend or {"epsilon": 1}))


@pytest.mark.parametrize(
    ("columns", "statistics"),
    [
        ("COUNT(*)", 1),
        ("SUM(cost)", 1),
        ("COUNT(*), SUM(cost), AVG(cost)", 1),
        ("COUNT(*), COUNT(cost), AVG(cost)", 1),
        ("AVG(cost), AVG(cost) * 2, SUM(cost) + 1", 1),
        ("COUNT(*), AVG(score)", 2),
        ("AVG(cost), AVG(age)", 2),
        ("VARIANCE(cost), STDDEV(cost), AVG(cost), COUNT(*)", 3),
        ("COVAR_POP(cost, age), AVG(cost), AVG(age), COUNT(*)", 4),
        ("CORR(cost, age), REGR_SLOPE(cost, age), VARIANCE(age)", 1),
        ("COUNT(*), COUNT(*) FILTER (WHERE urgent)", 2),
        ("COUNT(*) FILTER (WHERE urgent), AVG(cost) FILTER (WHERE urgent)", 1),
    ],
)
def test_base_statistics_are_shared(columns, statistics):
    assert len(_plan(f"SELECT {columns} FROM visits").noise) == statistics


def test_the_whole_spend_is_used_and_no_more():
    for spend in ({"epsilon": "0.7"}, {"rho": "0.03"}):
        loss = _plan("SELECT COUNT(*), AVG(cost), VARIANCE(age) FROM visits", **spend).quote.loss
        assert getattr(loss, next(iter(spend))) == Fraction(next(iter(spend.values())))


def test_private_keys_are_paid_from_the_same_spend():
    plan = _plan("SELECT reason, COUNT(*) FROM visits GROUP BY reason", contribution=4, epsilon=1, delta="1e-8")
    assert (plan.quote.loss.epsilon, plan.quote.loss.delta) == (1, Fraction(1, 10**8))
    assert plan.selection is not None
    assert plan.selection.partitions == 4
    concentrated = _plan("SELECT reason, COUNT(*) FROM visits GROUP BY reason", contribution=4, rho="0.5", delta="1e-8")
    assert Fraction("0.499") < concentrated.quote.loss.rho <= Fraction("0.5")


def test_weights_divide_the_spend():
    plan = _plan("SELECT COUNT(*) AS n, SUM(score) AS s FROM visits", epsilon=1, weights={"n": 3})
    assert sorted(noisy.mechanism.epsilon for noisy in plan.noise) == [Fraction(1, 4), Fraction(3, 4)]


@pytest.mark.parametrize(
    ("sql", "neighbours", "distance"),
    [
        ("SELECT COUNT(*) FROM visits", "add-remove", 1),
        ("SELECT COUNT(*) FROM visits", "replace", 1),
        ("SELECT region, COUNT(*) FROM visits GROUP BY region", "add-remove", 1),
        ("SELECT region, COUNT(*) FROM visits GROUP BY region", "replace", 2),
        ("SELECT SUM(age) FROM visits", "add-remove", 110),
        ("SELECT SUM(LEAST(GREATEST(score, -100), 100)) FROM visits", "add-remove", 100),
    ],
)
def test_distances_are_the_textbooks(sql, neighbours, distance):
    (noisy,) = _plan(sql, neighbours=neighbours).noise
    assert float(noisy.mechanism.sensitivity * noisy.statistic.worth) == pytest.approx(distance)


def test_the_sum_of_an_average_reaches_half_the_width_and_all_of_it_under_replace():
    """Beside a deviation, whose interval rests on count and sum; alone, they are divided between both bounds."""
    for neighbours, distance in (("add-remove", 250), ("replace", 500)):
        plan = _plan("SELECT AVG(cost), STDDEV(cost) FROM visits", neighbours=neighbours)
        (noisy,) = [noisy for noisy in plan.noise if noisy.statistic.label == "sum"]
        assert float(noisy.mechanism.sensitivity * noisy.statistic.worth) == pytest.approx(distance)


def test_units_weigh_their_contribution():
    (noisy,) = _plan("SELECT COUNT(*) FROM visits", contribution=7).noise
    assert noisy.mechanism.sensitivity * noisy.statistic.worth == 7
    (units,) = _plan("SELECT COUNT(DISTINCT patient_id) FROM visits", contribution=7).noise
    assert units.mechanism.sensitivity * units.statistic.worth == 1


def test_accuracy_finds_the_least_spend():
    plan = _plan("SELECT COUNT(*) AS n FROM visits", accuracy=10)
    assert plan.quote.lines[0].error <= 10
    less = _plan("SELECT COUNT(*) AS n FROM visits", epsilon=plan.quote.loss.epsilon * Fraction(99, 100))
    assert less.quote.lines[0].error > 10


def test_spelling_does_not_matter():
    spellings = [
        "SELECT region, COUNT(*) AS n, AVG(cost) AS c FROM visits WHERE age > 17 GROUP BY region",
        "select  Region ,avg(COST) as mean, count( * ) from VISITS v where v.age>17 group by 1 order by 2 desc limit 3",
        "SELECT AVG(visits.cost) AS x FROM visits WHERE (age > 17) GROUP BY region HAVING COUNT(*) > 5 -- all of them",
    ]
    assert len({_plan(sql).digest for sql in spellings}) == 1


def test_another_question_has_another_name():
    questions = [
        {"sql": "SELECT COUNT(*) FROM visits"},
        {"sql": "SELECT COUNT(*) FROM visits", "epsilon": 2},
        {"sql": "SELECT COUNT(*) FROM visits", "rho": 1},
        {"sql": "SELECT COUNT(*) FROM visits WHERE age > 3"},
        {"sql": "SELECT COUNT(*) FROM visits WHERE age > 4"},
        {"sql": "SELECT COUNT(*) FROM visits GROUP BY region"},
        {"sql": "SELECT COUNT(*) FROM visits WHERE region IN ('north') GROUP BY region"},
        {"sql": "SELECT COUNT(score) FROM visits"},
    ]
    assert len({_plan(**question).digest for question in questions}) == len(questions)


def test_how_sure_an_interval_is_belongs_to_a_choice_and_to_nothing_else():
    """A median's interval is drawn at its confidence; a count is noisy once, at whatever confidence it is shown."""
    median, count = "SELECT MEDIAN(age) FROM visits", "SELECT COUNT(*) FROM visits"
    assert _plan(median).digest != _plan(median, epsilon=1, confidence="0.9").digest
    assert _plan(count).digest == _plan(count, epsilon=1, confidence="0.9").digest


def test_events_bring_back_the_loss():
    plan = _plan("SELECT COUNT(*), AVG(cost) FROM visits", rho="0.1")
    parts = [Mechanism.recall(event).loss for event in plan.events]
    assert sum(parts[1:], start=parts[0]) == plan.quote.loss
    assert {type(noisy.mechanism) for noisy in singly(plan.noise)} == {Gaussian}
    assert {type(noisy.mechanism) for noisy in _plan("SELECT COUNT(*) FROM visits").noise} == {Laplace}


@pytest.mark.parametrize(
    ("key", "groups"),
    [
        ("region", 5),
        ("urgent", 2),
        ("age", 111),
        ("FLOOR(age / 10)", 12),
        ("FLOOR(age / 10) * 10", 12),
        ("day", 365),
        ("DATE_TRUNC('month', day)", 12),
        ("DATE_TRUNC('quarter', day)", 4),
        ("EXTRACT(month FROM day)", 12),
        ("CASE WHEN age < 18 THEN 'young' ELSE 'old' END", 2),
        ("CASE WHEN age < 18 THEN 'young' END", 2),
        ("age > 40", 2),
        ("score > 0", 3),
    ],
)
def test_known_keys_are_listed(key, groups):
    assert _plan(f"SELECT COUNT(*) FROM visits GROUP BY {key}").quote.groups == groups


@pytest.mark.parametrize(
    ("where", "key", "groups"),
    [
        ("age BETWEEN 30 AND 39", "age", 10),
        ("age > 30 AND age < 40", "age", 9),
        ("day >= '2025-12-01'", "day", 31),
        ("region IN ('north', 'south')", "region", 2),
        ("reason IN ('a', 'b') AND reason = 'b'", "reason", 1),
        ("region IS NOT NULL", "region", 4),
    ],
)
def test_conditions_narrow_the_keys(where, key, groups):
    sql = f"SELECT COUNT(*) FROM visits WHERE {where} GROUP BY {key}"
    assert _plan(sql).quote.groups == groups


def _told(sql, **payment):
    from pathlib import Path  # noqa: PLC0415 - beside its use

    from deniable.planner import plan_question  # noqa: PLC0415 - same
    from tests.support.tables import policy as rules  # noqa: PLC0415 - same

    return plan_question(sql, rules(Path("nowhere"), contribution=None), Spend.of(**payment)).quote


def test_the_error_of_an_average_falls_with_the_rows_of_a_group():
    few, many = (
        _told("SELECT AVG(cost) AS m FROM visits", epsilon=1, rows=rows).lines[0].error for rows in (1000, 10**5)
    )
    assert few / many == pytest.approx(100, rel=0.05)
    told = _told("SELECT AVG(cost) AS m, COUNT(*) AS n FROM visits", epsilon=1)
    assert [text.partition(":")[0] for text in told.sizes] == [
        "error of m in groups of 100, 1,000, 10,000, 100,000 rows"
    ]
    assert _told("SELECT COUNT(*) AS n FROM visits", epsilon=1).sizes == ()
    seen = {(one.column, one.rows): one for one in told.previews}
    assert [seen["n", rows].value for rows in (100, 1_000, 10_000, 100_000)] == [100, 1_000, 10_000, 100_000]
    assert len({seen["n", rows].error for rows in (100, 100_000)}) == 1
    assert seen["m", 10_000].error / seen["m", 100_000].error == pytest.approx(10, rel=0.05)


def test_what_stands_beside_a_count_does_not_grow_with_the_rows_of_a_group():
    told = _told("SELECT 2 * COUNT(*) AS n, COUNT(*) + 500 AS m, 2 * AVG(cost) AS a FROM visits", epsilon=1)
    seen = {(one.column, one.rows): one for one in told.previews}
    for rows in (100, 100_000):
        assert [seen[name, rows].value for name in "nma"] == pytest.approx([2 * rows, rows + 500, 2 * 250])
        assert seen["m", rows].error == pytest.approx(seen["m", 1_000].error)
    assert seen["a", 10_000].error / seen["a", 100_000].error == pytest.approx(10, rel=0.05)


@pytest.mark.parametrize(
    "column", ["AVG(cost)", "2 * AVG(cost)", "MEDIAN(age)", "VAR_POP(cost)", "SUM(cost) / COUNT(*)"]
)
def test_averages_and_quantiles_can_be_asked_by_accuracy_if_their_rows_are_known(column):
    sql = f"SELECT {column} AS m FROM visits"
    with pytest.raises(Refused, match="depends on the data"):
        _told(sql, accuracy=5)
    told = _told(sql, accuracy=5, rows=28_000)
    assert told.lines[0].error <= 5
    less = _told(sql, epsilon=told.loss.epsilon * Fraction(9, 10), rows=28_000)
    assert less.lines[0].error > 5


def test_a_relative_accuracy_is_a_share_of_what_is_expected():
    told = _told("SELECT COUNT(*) AS n FROM visits", accuracy="5%", rows=2_000)
    assert told.lines[0].error <= 100
    assert told.loss.epsilon == _told("SELECT COUNT(*) AS n FROM visits", accuracy=100).loss.epsilon
    with pytest.raises(Refused):
        _told("SELECT COUNT(*) AS n FROM visits", accuracy="5%")
