"""Steps after the noise, and intervals that hold all at once: free, named, and never a narrower claim than is true."""

from fractions import Fraction

import pytest

from deniable.core.errors import Refused
from deniable.planner import Spend
from deniable.planner.plan import each
from tests.support.curators import curator
from tests.support.tables import policy, visits

BY_REGION = "SELECT region, COUNT(*) AS n, SUM(score) AS s, AVG(cost) AS m FROM visits GROUP BY region"


@pytest.fixture
def house(tmp_path):
    asked = curator(tmp_path, visits(40, seed=2), policy(tmp_path, contribution=3))
    yield asked
    asked.close()


def test_the_same_question_with_steps_is_free_and_says_what_was_done(house):
    plain = house.ask(BY_REGION, epsilon="0.2")
    shown = house.ask(BY_REGION, epsilon="0.2", after="nonnegative, whole")
    assert shown.free
    assert [note.split(",")[0] for note in shown.notes[len(plain.notes) :]] == ["nonnegative", "whole"]
    for before, now in zip(plain.with_intervals.to_pylist(), shown.with_intervals.to_pylist(), strict=True):
        assert now["n"] == max(0, before["n"])
        assert (now["n_low"], now["n_high"]) == pytest.approx(
            (max(0, before["n_low"]), max(0, before["n_high"])), abs=1
        )
        assert now["n_low"] <= max(0, before["n_low"])
        assert now["n_high"] >= before["n_high"]
        assert now["s"] == round(before["s"])  # scores may be negative, so their sum may be
        assert now["m"] == before["m"]


def test_groups_whose_interval_includes_zero_are_left_out(house):
    plain = house.ask(BY_REGION, epsilon=2).with_intervals.to_pylist()
    shown = house.ask(BY_REGION, epsilon=2, after=["nonzero"])
    assert shown.table["region"].to_pylist() == [
        row["region"] for row in plain if row["n_low"] > 0 or row["n_high"] < 0
    ]
    assert any("picked by their noise" in note for note in shown.notes)


def test_all_intervals_at_once_are_those_of_a_higher_confidence(house):
    plain = house.ask(BY_REGION, epsilon=1)
    shown = house.ask(BY_REGION, epsilon=1, simultaneous=True)
    assert shown.free
    number = plain.table.num_rows * 3
    assert shown.intervals == plain.intervals_at(each(Fraction(19, 20), number))
    assert shown.confidence == Fraction(19, 20)
    assert "all intervals of this answer hold at once with 95% confidence" in shown.notes


def test_rows_that_having_leaves_out_count_too(house):
    """Which rows are shown follows from the noise, so all of them have to hold."""
    sql = BY_REGION + " HAVING COUNT(*) > 20 LIMIT 1"
    shown = house.ask(sql, epsilon=1, simultaneous=True)
    plain = house.ask(BY_REGION, epsilon=1, simultaneous=True).with_intervals.to_pylist()
    assert all(row in plain for row in shown.with_intervals.to_pylist())


def test_a_quantile_is_drawn_for_all_groups_at_once(house):
    sql = "SELECT region, MEDIAN(age) AS x FROM visits GROUP BY region"
    quote = house.explain(sql, epsilon=1), house.explain(sql, epsilon=1, simultaneous="on")
    assert quote[1].lines[0].error >= quote[0].lines[0].error
    answer = house.ask(sql, epsilon=1, simultaneous=True)
    (part,) = answer.plan.noise
    assert part.confidence == each(Fraction(19, 20), answer.table.num_rows)
    assert answer.intervals_at("0.9") == answer.intervals


@pytest.mark.parametrize(
    "payment",
    [{"after": "tidy"}, {"after": 3}, {"simultaneous": "perhaps"}],
)
def test_what_is_not_a_step_or_a_switch_is_refused(payment):
    with pytest.raises(Refused) as caught:
        Spend.of(epsilon=1, **payment)
    assert caught.value.code == "bad-spend"


def test_what_cannot_have_them_refuses_them(house):
    outer = "SELECT MAX(n) AS x FROM (SELECT region, COUNT(*) AS n FROM visits GROUP BY region)"
    for call in (
        lambda: house.ask(outer, epsilon=1, simultaneous=True),
        lambda: house.ask(outer, epsilon=1, after="whole"),
        lambda: house.profile(rho=1, simultaneous=True),
    ):
        with pytest.raises(Refused) as caught:
            call()
        assert caught.value.code == "bad-spend"
