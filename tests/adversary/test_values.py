"""Values that spoil sums elsewhere: they are clamped, or missing, and never move an answer farther than the noise."""

import datetime as dt
import unicodedata
from fractions import Fraction
from pathlib import Path

import pytest

from deniable.planner import Spend, bind, parse, price
from deniable.policy import InvalidPolicyError, Policy
from tests.support.neighbours import SOMEONE, exact, house, outcome, pair, people, row, rules

TOWN = "Zürich"
QUESTIONS = [
    "SELECT COUNT(*) AS a, COUNT(score) AS b, SUM(score) AS c FROM visits",
    "SELECT SUM(cost) AS a, AVG(cost) AS b, VAR_POP(cost) AS c FROM visits",
    "SELECT SUM(heat) AS a FROM visits WHERE heat >= 0",
    "SELECT town AS k, SUM(cost) AS a, COUNT(*) AS n FROM visits GROUP BY town",
    "SELECT FLOOR(cost / 100) AS k, COUNT(*) AS n FROM visits GROUP BY 1",
    "SELECT SIGN(score) AS k, COUNT(*) AS n, AVG(age) AS a FROM visits GROUP BY 1",
    "SELECT MEDIAN(cost) AS a, COUNT(DISTINCT heat) AS b FROM visits",
    "SELECT town AS k, MODE(urgent) AS a, MAX(cost * 2 - score) AS b FROM visits GROUP BY town",
]


@pytest.fixture
def made(tmp_path):
    """Pairs of curators that end with the test."""
    pairs = []

    def make(*extra, **more):
        pairs.append(pair(tmp_path / str(len(pairs)), *extra, **more))
        return pairs[-1]

    yield make
    for one in pairs:
        one.close()


def sums(curator, sql):
    """The exact totals of a question without groups, in the answer's unit, by label."""
    plan = price(bind(parse(sql), curator.policy), Spend.of(epsilon=1))
    totals = exact(curator, sql)
    return {noisy.statistic.label: totals[noisy.statistic.name][0] * noisy.statistic.worth for noisy in plan.noise}


@pytest.mark.parametrize("contribution", [None, 2])
def test_17_nan_is_missing(made, contribution):
    nan = float("nan")
    neighbours = made(row(SOMEONE, cost=nan, score=nan, heat=nan), contribution=contribution)
    for sql in QUESTIONS:
        neighbours.total(sql)


@pytest.mark.parametrize("far", [float("inf"), 1e308])
def test_17_how_nan_is_read_does_not_depend_on_another_row(made, far):
    nan = float("nan")
    common = [row(200 + place, cost=nan, score=nan) for place in range(20)]
    neighbours = made(row(SOMEONE, cost=far, score=far), common=common)
    assert neighbours.distance("SELECT SIGN(score) AS k, COUNT(*) AS n FROM visits GROUP BY 1") <= 1
    assert neighbours.distance("SELECT COUNT(*) AS n FROM visits WHERE cost <> score") <= 1


def test_17_nan_in_texts(made):
    neighbours = made(row(SOMEONE, word="nan"), row(SOMEONE, word="-NaN"), contribution=2)
    neighbours.total("SELECT SUM(LEAST(GREATEST(CAST(word AS DOUBLE), 0), 1)) AS a FROM visits")
    neighbours.total("SELECT COUNT(CAST(word AS DOUBLE)) AS a FROM visits")


@pytest.mark.parametrize(("far", "bound"), [("inf", 500), ("-1e308", 0)])
def test_18_infinity_is_clamped(made, far, bound):
    neighbours = made(row(SOMEONE, cost=float(far), score=float(far)))
    for sql in QUESTIONS:
        neighbours.total(sql)
    one, other = (
        sums(curator, "SELECT SUM(cost) AS a FROM visits")["sum"] for curator in (neighbours.without, neighbours.having)
    )
    assert other - one == bound


@pytest.mark.parametrize("small", [-0.0, -5e-324])
def test_19_negative_zero_and_denormal_numbers(made, small):
    neighbours = made(row(SOMEONE, cost=small, score=small, heat=small))
    for sql in QUESTIONS:
        neighbours.total(sql)
    zero = "SELECT COUNT(*) AS n FROM visits WHERE score IN (0, 1) GROUP BY score"
    neighbours.total(zero)


def test_20_rows_without_a_unit_are_dropped(made):
    neighbours = made(*(row(None, age=age) for age in range(30)), contribution=2)
    for sql in [
        *QUESTIONS,
        "SELECT COUNT(DISTINCT person) AS n FROM visits",
        "SELECT word, COUNT(*) AS n FROM visits GROUP BY 1",
    ]:
        assert neighbours.distance(sql) == 0


def test_21_a_missing_key_is_a_key_of_its_own(made):
    neighbours = made(row(SOMEONE, town=None, urgent=None, age=None, day=None))
    for key in (
        "town",
        "urgent",
        "age // 10",
        "MONTH(day)",
        "DATE_TRUNC('year', day)",
        "CASE WHEN urgent THEN 'x' END",
    ):
        neighbours.total(f"SELECT {key} AS k, COUNT(*) AS n FROM visits GROUP BY 1")
    answer = neighbours.without.ask("SELECT town, COUNT(*) AS n FROM visits GROUP BY town", epsilon=1)
    assert answer.table["town"].to_pylist() == ["north", "south", TOWN, None]


def test_22_a_column_of_nothing_but_nulls(made):
    common = [row(300 + place, cost=None, score=None, town=None, age=None) for place in range(5)]
    neighbours = made(row(SOMEONE, cost=None, score=None, heat=None, town=None, age=None, day=None), common=common)
    for sql in QUESTIONS:
        neighbours.total(sql)


@pytest.mark.parametrize("contribution", [None, 2])
def test_23_an_empty_table_has_a_noisy_answer(tmp_path, contribution):
    policy = rules(tmp_path, contribution=contribution)
    with house(tmp_path, [], policy) as empty:
        for sql in QUESTIONS:
            assert outcome(empty, sql).status == "answered"
        answer = empty.ask("SELECT age AS k, COUNT(*) AS n FROM visits GROUP BY 1", epsilon="0.1")
        assert len(set(answer.table["n"].to_pylist())) > 1
        hidden = empty.ask("SELECT word, COUNT(*) AS n FROM visits GROUP BY 1", epsilon=1, delta="1e-9")
        assert hidden.table.num_rows == 0


@pytest.mark.parametrize("bounds", [[5, 1], [1, 1], [float("nan"), 1], [0, float("inf")], [0], ["a", "b"], None])
def test_24_bounds_that_bound_nothing(bounds):
    declared = {"type": "number"} if bounds is None else {"type": "number", "bounds": bounds}
    data = {
        "population": {"name": "x"},
        "budget": {"epsilon": 1},
        "tables": {"visits": {"columns": {"cost": declared}}},
    }
    if bounds is None:
        assert Policy.from_mapping(data, origin="x", folder=Path()).tables["visits"].columns["cost"].low is None
        return
    with pytest.raises(InvalidPolicyError):
        Policy.from_mapping(data, origin="x", folder=Path())


def test_24_bounds_of_a_question_that_cross(made):
    neighbours = made(row(SOMEONE, serial=50))
    neighbours.total("SELECT SUM(LEAST(GREATEST(serial, 10), 5)) AS a FROM visits")
    neighbours.total("SELECT age, COUNT(*) AS n FROM visits WHERE age > 50 AND age < 40 GROUP BY age")


@pytest.mark.parametrize(
    "value", ["serial", "LN(cost)", "1 / age", "POW(age, 2)", "EXP(serial)", "CAST(word AS INTEGER)"]
)
def test_25_missing_bounds(made, value):
    made(row(SOMEONE)).refused(f"SELECT SUM({value}) FROM visits", "needs-bounds")


def test_26_single_precision_changes_nothing(made):
    neighbours = made(row(SOMEONE, heat=3.4e38), row(SOMEONE, heat=0.1), contribution=2)
    neighbours.total("SELECT SUM(heat) AS a, AVG(heat) AS b FROM visits")
    neighbours.total("SELECT SUM(CAST(cost AS FLOAT)) AS a FROM visits")
    neighbours.total("SELECT COUNT(*) AS a FROM visits WHERE heat = 0.1")


@pytest.mark.parametrize("day", [dt.date(1, 1, 1), dt.date(1969, 12, 31)])
def test_27_days_before_1970(made, day):
    neighbours = made(row(SOMEONE, day=day, moment=dt.datetime(day.year, day.month, day.day)))
    for sql in (
        "SELECT SUM(day - DATE '2000-01-01') AS a FROM visits",
        "SELECT YEAR(day) AS k, COUNT(*) AS n FROM visits GROUP BY 1",
        "SELECT DATE_TRUNC('quarter', day) AS k, COUNT(*) AS n FROM visits GROUP BY 1",
        "SELECT COUNT(*) AS n FROM visits WHERE DATE_TRUNC('week', moment) < day",
    ):
        neighbours.total(sql)


@pytest.mark.parametrize("value", [2**50, -(2**63)])
def test_28_bounds_around_two_to_the_fifty(made, value):
    neighbours = made(row(SOMEONE, wide=value), common=[row(90, wide=2**50), row(91, wide=-(2**50) + 1)])
    neighbours.total("SELECT SUM(wide) AS a FROM visits")
    neighbours.total("SELECT AVG(wide) AS a, VAR_POP(wide) AS b FROM visits")
    assert neighbours.distance("SELECT SUM(wide) AS a FROM visits") >= Fraction(99, 100)


def test_29_the_order_of_rows_does_not_matter(tmp_path):
    rows = [row(person, score=0.1 * person - 50, cost=0.1 * person) for person in range(1, 900)]
    found = []
    for place, order in enumerate((rows, rows[::-1], sorted(rows, key=lambda one: hash(str(one["cost"]))))):
        with house(tmp_path / str(place), order) as curator:
            found.append([exact(curator, sql) for sql in QUESTIONS])
    assert found[0] == found[1] == found[2]


def test_30_duplicated_rows_weigh_no_more(made):
    contribution = 3
    same = row(SOMEONE, cost=500.0, score=-100.0, heat=50.0)
    neighbours = made(*([same] * 1_000), contribution=contribution)
    other = [row(SOMEONE, cost=float(place), town=None, word=f"w{place}") for place in range(200)]
    spread = made(*other, contribution=contribution)
    for sql in [*QUESTIONS, "SELECT town, COUNT(DISTINCT person) AS n FROM visits GROUP BY town"]:
        neighbours.total(sql)
        spread.total(sql)
    for hidden in (
        "SELECT word, COUNT(*) AS n FROM visits GROUP BY word",
        "SELECT word, SUM(score) AS n FROM visits GROUP BY 1",
    ):
        assert spread.distance(hidden) <= 1
        one, other = (exact(curator, hidden)["units"] for curator in (spread.without, spread.having))
        assert sum(abs(one.get(key, 0) - other.get(key, 0)) for key in {*one, *other}) <= contribution


def test_31_one_form_for_each_key(made):
    forms = [unicodedata.normalize(form, TOWN) for form in ("NFC", "NFD")]
    assert len(set(forms)) == 2
    common = [row(400 + place, town=forms[place % 2], word=forms[place % 2]) for place in range(40)]
    neighbours = made(
        row(SOMEONE, town=forms[1], word=forms[1]), row(SOMEONE, town="NORTH"), contribution=2, common=common
    )
    neighbours.total("SELECT town, COUNT(*) AS n FROM visits GROUP BY town")
    totals = exact(neighbours.without, "SELECT town, COUNT(*) AS n FROM visits GROUP BY town")
    assert [many >> 20 for many in next(iter(totals.values())).values()] == [20, 20, 40, 0]
    hidden = "SELECT word, COUNT(*) AS n FROM visits GROUP BY word"
    assert exact(neighbours.without, hidden)["units"][forms[0],] == 40
    assert neighbours.distance(hidden) <= 1


def test_31_untrue_declarations_cost_no_privacy(tmp_path):
    """`nulls = false`, `values` and bounds that the data do not keep."""
    policy = rules(tmp_path, contribution=2)
    assert len(people()) == 40
    with house(tmp_path, [*people(), row(SOMEONE, town="elsewhere", age=-5, cost=-1.0)], policy) as curator:
        totals = exact(curator, "SELECT town, COUNT(*) AS n FROM visits GROUP BY town")
        assert sum(next(iter(totals.values())).values()) == 40 << 20
