"""Constraints: what no made-up row violates, and what that costs, which is nothing."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest

import deniable
from deniable.core.errors import InvalidArgumentError, Refused
from deniable.curator.synthesis.cells import table_cells
from deniable.curator.synthesis.conditions import constraint
from deniable.curator.synthesis.purchase import plan_synthesis
from deniable.planner import Spend
from deniable.releases import Synthesis
from deniable.releases.synthetic.drawn.constraints import mended, zeros
from deniable.releases.synthetic.drawn.possible import Constraint, possible_row
from deniable.releases.synthetic.measured.bins import Bins
from tests.support.limits import LOOSE
from tests.support.synthetic import policy

ROWS = 3000


def _family(seed=3):
    chance = np.random.default_rng(seed)
    age = chance.integers(0, 100, ROWS)
    married = (age >= 16) & (chance.random(ROWS) < 0.6)
    rent, food = chance.integers(0, 21, ROWS), chance.integers(0, 11, ROWS)
    return pa.table({"age": age, "married": married, "rent": rent, "food": food, "total": rent + food})


BOUNDS = {"age": (0, 110), "rent": (0, 20), "food": (0, 10), "total": (0, 30)}
SAID = ["NOT married OR age >= 16", "total = rent + food", "age <= 99"]


def test_no_row_violates_a_constraint(monkeypatch):
    monkeypatch.setattr("deniable.releases.synthetic.drawn.field._PARTICLES", 1000)
    with deniable.protect(_family(), epsilon=100, delta=1e-6, bounds=BOUNDS, limits=LOOSE) as curator:
        free = curator.synthesize("data", rho="0.01").table.to_pandas()
        release = curator.synthesize("data", rho="0.01", constraints=SAID)
        again = curator.synthesize("data", rho="0.01", constraints=SAID)
        more = release.more(500)["data"].to_pandas()
    assert (free.total != free.rent + free.food).any()
    for made in (release.table.to_pandas().dropna(), more.dropna()):
        assert not (made.married.astype(bool) & (made.age < 16)).any()
        assert (made.total == made.rent + made.food).all()
        assert (made.age <= 99).all()
    assert not release.free
    assert again.free


def test_what_is_missing_or_not_listed_violates_nothing(tmp_path):
    (cells,) = table_cells(policy(tmp_path, None), Synthesis("visits", ["age", "town"]), {})
    found = constraint(policy(tmp_path, None), cells, "age >= 60 OR town = 'north'")
    assert found.axes == (0, 1)
    assert found.allowed.shape == (112, 6)
    allowed = found.allowed
    assert allowed[60:111].all()
    assert allowed[:, 0].all()
    assert allowed[111].all(), "no age, nothing violated"
    assert allowed[:, 4].all(), "no town"
    assert allowed[:, 5].all(), "a town that is not listed"
    assert not allowed[:60, 1:4].any()


@pytest.mark.parametrize("condition", ["age", "nothing > 3", "COUNT(*) > 3", "age >"])
def test_what_is_no_condition_is_refused(tmp_path, condition):
    (cells,) = table_cells(policy(tmp_path, None), Synthesis("visits", ["age", "town"]), {})
    with pytest.raises(Refused):
        constraint(policy(tmp_path, None), cells, condition)


def test_cells_are_empty_if_all_of_them_is_forbidden():
    allowed = np.array([[True, False, False], [False, False, False], [False, False, False]])
    bins = [Bins(np.array([0, 1, 1]), np.array([0, 0])), Bins(np.array([0, 0, 1]), np.array([0, 0]))]
    (never,) = zeros([Constraint("", (0, 1), allowed)], bins).values()
    assert never.tolist() == [[False, True], [True, True]]


def test_rows_are_mended_by_the_column_with_the_most_values():
    chance = np.random.default_rng(1)
    allowed = np.array([[True] * 4, [False, False, True, True]])
    rows = [np.ones(200, dtype=np.int64), np.zeros(200, dtype=np.int64)]
    found = mended(rows, [Constraint("", (0, 1), allowed)], [np.ones(2), np.array([9.0, 9, 3, 1])], chance)
    assert (found[0] == 1).all()
    assert set(found[1].tolist()) == {2, 3}
    assert 0.6 < (found[1] == 2).mean() < 0.9


def test_what_cannot_be_mended_becomes_a_copy_in_the_columns_that_hang_together():
    never = Constraint("", (0,), np.array([True, False]))
    alike = Constraint("", (0, 1), np.eye(2, dtype=bool))
    rows = [np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1]), np.arange(4)]
    found = mended(rows, [never, alike], [np.ones(2), np.ones(2), np.ones(4)], np.random.default_rng(1))
    assert (found[0] == 0).all()
    assert (found[1] == 0).all()
    assert found[2].tolist() == [0, 1, 2, 3]


def test_rows_that_all_violate_something_become_one_that_is_possible():
    """Mending one column at a time never finds it."""
    places = np.arange(3)
    same = [Constraint("", pair, places[:, None] == places) for pair in ((0, 1), (1, 2))]
    last = Constraint("", (0, 2), np.add.outer(places, places) == 2)
    rows = [np.zeros(5, dtype=np.int64), np.zeros(5, dtype=np.int64), np.full(5, 2)]
    found = mended(rows, [*same, last], [np.array([1.0, 0, 0])] * 3, np.random.default_rng(1))
    assert [set(column.tolist()) for column in found] == [{1}] * 3


@pytest.mark.parametrize(
    ("conditions", "code"),
    [
        (["age > 200"], "no-rows"),
        (["cost < 100", "cost > age + 400", "age >= 0"], "no-rows"),
        (["cost > age", "age > cost + grade"], ""),  # of rows without an age, or without a grade
        (["FALSE"], "bad-attribute"),
        (["1 = 1"], "bad-attribute"),
        (["age IS NULL OR grade IS NULL"], ""),
        (["grade IS NULL"], "no-rows"),
        (["town = 'nowhere'"], ""),  # it is not listed, so it may be anything
    ],
)
def test_constraints_that_leave_nothing_are_refused_before_anything_is_paid(tmp_path, conditions, code):
    rules = policy(tmp_path, None)
    wanted = Synthesis("visits", ["age", "cost", "grade", "town"], constraints=conditions)
    if not code:
        assert plan_synthesis(rules, wanted, Spend.of(rho=1), {}).recipes[0].constraints
        return
    with pytest.raises(Refused) as refusal:
        plan_synthesis(rules, wanted, Spend.of(rho=1), {})
    assert refusal.value.code == code


def _all_different(columns, places):
    return [Constraint(f"{one} <> {other}", (one, other), ~np.eye(places, dtype=bool)) for one, other in columns]


def test_what_is_too_entangled_to_be_searched_is_refused(monkeypatch):
    """Five columns of four values are never all different, which no pair of them shows."""
    pairs = list(combinations(range(5), 2))
    assert set(possible_row(_all_different(pairs, 5)).values()) == set(range(5))
    with pytest.raises(Refused, match=r"No row can satisfy \(0 <> 1\) .*, and 7 more"):
        possible_row(_all_different(pairs, 4))
    monkeypatch.setattr("deniable.releases.synthetic.drawn.possible._STEPS", 1 << 17)
    with pytest.raises(Refused, match="No row was found"):
        possible_row(_all_different(pairs, 4))


def test_constraints_are_by_table():
    with pytest.raises(InvalidArgumentError, match="constraints"):
        Synthesis(["a", "b"], constraints=["x > 1"])
    assert Synthesis("a", constraints=["x > 1"]).constraints == (("a", ("x > 1",)),)


def test_a_constraint_costs_nothing():
    with deniable.protect(_family(), epsilon=100, delta=1e-6, bounds=BOUNDS, limits=LOOSE) as curator:
        quotes = [curator.explain(Synthesis("data", constraints=said), rho="0.01") for said in (None, SAID)]
    assert quotes[0].loss.rho == quotes[1].loss.rho == Fraction(1, 100)
