"""From noisy counts to rows: weights within their price, bins, fits, trees, values, the page."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable.core.algebra.expression import Kind
from deniable.core.algebra.query import WEIGHT
from deniable.core.errors import InvalidArgumentError
from deniable.core.sensitivity import Neighbours
from deniable.mechanisms import Gaussian
from deniable.releases import Synthesis
from deniable.releases.synthetic.drawn import tree
from deniable.releases.synthetic.drawn.companions import Companion, order
from deniable.releases.synthetic.drawn.field import PairwiseField
from deniable.releases.synthetic.drawn.likeness import GoalSide, Likeness, Particles, counts_of
from deniable.releases.synthetic.drawn.rows import as_declared, places
from deniable.releases.synthetic.drawn.settle import Settling
from deniable.releases.synthetic.drawn.tree import FALLBACK, FIELD, FOREST, drawn, from_tree
from deniable.releases.synthetic.measured.bins import Bins, binned
from deniable.releases.synthetic.measured.domain import ColumnDomain
from deniable.releases.synthetic.measured.estimates import Goal
from deniable.releases.synthetic.measured.portion import FINE, Portion, Vectors, read, weights_for
from deniable.releases.synthetic.recipe import Recipe

SIZES = (40, 5, 8, 2, 3)
ROWS = 20_000


def _columns(sizes=SIZES):
    return tuple(
        ColumnDomain(f"c{place}", Kind.INTEGER, tuple(range(size)), ordered=place == 0)
        for place, size in enumerate(sizes)
    )


def _people(seed=1, rows=ROWS):
    """A circle of dependences, so that no tree has all of them."""
    chance = np.random.default_rng(seed)
    age = np.clip(chance.normal(20, 8, rows), 0, 39).astype(np.int64)
    town = (age // 9 + (chance.random(rows) < 0.3) * chance.integers(0, 5, rows)) % 5
    work = (town + age // 14 + (chance.random(rows) < 0.3) * chance.integers(0, 8, rows)) % 8
    rich = (chance.random(rows) < 0.1 + 0.08 * work).astype(np.int64)
    return [age, town, work, rich, chance.integers(0, 3, rows)]


def _measured(rho, people, sizes=SIZES):
    recipe = Recipe(_columns(sizes), Fraction(rho), WEIGHT, Neighbours.ADD_REMOVE)
    exact = [np.bincount(column, minlength=size) * WEIGHT for column, size in zip(people, sizes, strict=True)]
    counted = recipe.counted(recipe.one_way.measure(exact))
    codes = [own[column] for own, column in zip(counted.finest, people, strict=True)]
    sizes = [int(own.max()) + 1 for own in counted.finest]
    tables = {
        (one, other): counts_of(codes[one], codes[other], (sizes[one], sizes[other])) * WEIGHT
        for one, other in recipe.pairs
    }
    return counted.measured(counted.pairs.measure(tables))


def _apart(one, other):
    """The mean total variation of pairs."""
    pairs = [(a, b, (SIZES[a], SIZES[b])) for a, b in combinations(range(len(SIZES)), 2)]
    differences = [shares_of(one[a], one[b], shape) - shares_of(other[a], other[b], shape) for a, b, shape in pairs]
    return np.mean([0.5 * np.abs(difference).sum() for difference in differences])


def shares_of(one, other, shape):
    """The share of rows in each cell."""
    return counts_of(one, other, shape) / one.size


@settings(max_examples=200, deadline=None)
@given(st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=400))
def test_weights_never_cost_more_than_was_paid(importance):
    weights = weights_for(importance)
    assert min(weights) >= 1
    assert sum(weight**2 for weight in weights) <= FINE**2
    assert sum(weight**2 for weight in weights) >= 0.8 * FINE**2 or len(weights) > 100


@pytest.mark.parametrize("neighbours", list(Neighbours))
@pytest.mark.parametrize("kind", list(Vectors))
def test_a_portion_costs_what_it_says(kind, neighbours):
    portion = Portion(Fraction(1, 50), 3 * WEIGHT, kind, neighbours)
    factor = {("counts", "replace"): 2**0.5, ("distances", "replace"): 2.0}.get((kind.value, neighbours.value), 1.0)
    assert float(portion.mechanism.sensitivity) == pytest.approx(FINE * 3 * WEIGHT * factor)
    assert float(portion.mechanism.sensitivity) >= FINE * 3 * WEIGHT * factor * (1 - 1e-15)
    assert portion.mechanism.loss.rho == Fraction(1, 50)


@pytest.mark.parametrize("weights", [[FINE, 1], [FINE // 2] * 5, [0], [-1]])
def test_a_vector_more_than_was_paid_for_is_not_measured(weights):
    portion = Portion(Fraction(1, 50), WEIGHT, Vectors.COUNTS, Neighbours.ADD_REMOVE)
    with pytest.raises(InvalidArgumentError):
        portion.measure([np.ones(3, dtype=np.int64)] * len(weights), weights)


def test_distances_are_single_numbers():
    portion = Portion(Fraction(1, 50), WEIGHT, Vectors.DISTANCES, Neighbours.ADD_REMOVE)
    with pytest.raises(InvalidArgumentError):
        portion.measure([np.ones(2, dtype=np.int64)], [FINE])


def test_what_is_read_is_what_was_measured(monkeypatch):
    monkeypatch.setattr(Gaussian, "_noise", lambda _self, size, _bits: np.zeros(size, dtype=np.int64))
    portion = Portion(Fraction(1, 50), WEIGHT, Vectors.COUNTS, Neighbours.ADD_REMOVE)
    vectors, weights = [np.arange(6) * WEIGHT, np.arange(4) * WEIGHT], weights_for([3, 1])
    one, other = read(portion.measure(vectors, weights), [(2, 3), (4,)], weights)
    assert one.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert other.tolist() == [0, 1, 2, 3]


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.floats(0, 1000), min_size=2, max_size=200),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.integers(2, 30),
)
def test_bins_are_stretches_or_common_values(counts, ordered, missing, other, most):
    other = other and not ordered
    size = len(counts) - missing - other
    if size < 1:
        return
    values = (*range(size), *([None] * missing))
    column = ColumnDomain("c", Kind.INTEGER, values, ordered=ordered, other=other)
    found = binned(column, np.array(counts), (6 * most, 4 * most, most), (5.0, 5.0, 20.0))
    for bins in (found.bins(sharp=False), found.bins(sharp=True)):
        for numbers in (bins.fine, bins.coarse):
            assert sorted(set(numbers.tolist())) == list(range(int(numbers.max()) + 1))
        if missing:
            assert (bins.fine == bins.fine[size]).sum() == 1
            assert (bins.coarse == bins.coarse[bins.fine[size]]).sum() == 1
        if ordered:
            assert (np.diff(bins.fine[:size]) >= 0).all()
            assert (np.diff(bins.coarse[: bins.fine[:size].max() + 1]) >= 0).all()


def test_a_wide_skewed_column_is_divided_where_its_rows_are():
    chance = np.random.default_rng(2)
    wide = ColumnDomain("cost", Kind.INTEGER, tuple(range(100_000)), ordered=True)
    plain = ColumnDomain("town", Kind.INTEGER, (0, 1), ordered=False)
    recipe = Recipe((wide, plain), Fraction(1, 50), WEIGHT, Neighbours.ADD_REMOVE)
    cost = np.minimum(np.exp(chance.normal(4, 1, 50_000)), 99_999).astype(np.int64)
    cost[:10_000] = 0
    exact = [np.bincount(cost, minlength=100_000) * WEIGHT, np.array([30_000, 20_000]) * WEIGHT]
    rows, (found, _) = recipe.one_way.read(recipe.one_way.measure(exact))
    assert rows == pytest.approx(50_000, rel=0.02)
    assert found.estimate[0] == pytest.approx(10_000, rel=0.05)
    for end in (20, 55, 150, 400):
        assert found.estimate[:end].sum() == pytest.approx((cost < end).sum(), rel=0.05)


def test_the_field_is_closer_than_the_tree_and_that_than_columns_alone():
    people, chance = _people(), np.random.default_rng(3)
    measured = _measured("0.02", people)
    alone = _apart(people, [chance.permutation(column) for column in people])
    sure = from_tree(measured.likeness, ROWS, chance)
    by_tree = _apart(
        people,
        [
            places(column, own.fine, counts.estimate, chance)
            for column, own, counts in zip(sure, measured.bins, measured.counted.counts, strict=True)
        ],
    )
    rows, method = measured.draw(ROWS, chance)
    assert method == FIELD
    assert _apart(people, rows) < 0.8 * by_tree
    assert by_tree < 0.7 * alone


def test_settled_rows_are_much_closer_to_the_goals_than_drawn_ones(monkeypatch):
    monkeypatch.setattr("deniable.releases.synthetic.drawn.field._PARTICLES", 2000)
    measured = _measured(100, _people())
    settled, _ = drawn(measured.likeness, 5000, np.random.default_rng(3))
    monkeypatch.setattr(Settling, "settle", lambda *_: None)
    plain, _ = drawn(measured.likeness, 5000, np.random.default_rng(3))
    assert measured.likeness.distance(settled) < 0.6 * measured.likeness.distance(plain)


def test_columns_that_no_goal_links_have_nothing_to_do_with_each_other():
    """Rows that expect the same of two columns get numbers for each that have nothing to do with each other.

    A hundred cells of 20,000 rows: by chance alone the distance is .028, give or take .002, so .05 is never reached.
    With the same numbers for both, it is above .6 in the first pair, and in every other run in the second.
    """
    sizes = (3, 3, 3, 10, 10, 10, 10)
    bins = tuple(Bins(np.arange(size), np.arange(size)) for size in sizes)
    circle = [
        Goal(pair, fine=True, shares=(np.full((3, 3), 0.5) + np.eye(3)) / 7.5) for pair in ((0, 1), (0, 2), (1, 2))
    ]
    weak = [Goal((0, place), fine=True, shares=np.full((3, 10), 1 / 30)) for place in (5, 6)]
    likeness = Likeness(bins, tuple(np.full(size, 1 / size) for size in sizes), (*circle, *weak), {})
    for seed in range(4):
        rows, method = drawn(likeness, 20_000, np.random.default_rng(seed))
        assert method == FIELD
        for one, other in ((3, 4), (5, 6)):
            assert 0.5 * np.abs(shares_of(rows[one], rows[other], (10, 10)) - 0.01).sum() < 0.05


def test_what_one_part_lacks_the_next_one_gets():
    """Cells of which a part of the rows would have less than half a row are filled all the same."""
    even = Goal((0, 1), fine=True, shares=np.full((8, 50), 1 / 400))
    bins = tuple(Bins(np.arange(size), np.arange(size)) for size in (8, 50))
    likeness = Likeness(bins, (np.full(8, 1 / 8), np.full(50, 1 / 50)), (even,), {})
    sides = [[GoalSide.of(even, 0, 0)], [GoalSide.of(even, 0, 1)]]
    shares = [one.astype(np.float32) for one in likeness.shares]
    settling, chance, parts = Settling(shares, sides, [[], []], [0, 1]), np.random.default_rng(1), []
    for _ in range(8):
        particles = Particles([chance.integers(0, 8, 100), chance.integers(0, 50, 100)], likeness)
        settling.settle(particles, [np.zeros((8, 50), np.float32)], [np.zeros(8), np.zeros(50)], chance)
        parts.append(particles.rows)
    together = [np.concatenate(columns) for columns in zip(*parts, strict=True)]
    assert likeness.distance(together) < 0.6 * np.mean([likeness.distance(part) for part in parts])


def test_columns_that_nearly_determine_each_other_are_told_apart_sharply():
    chance = np.random.default_rng(4)
    far = chance.integers(0, 125, ROWS)
    long = 2 * far + chance.integers(0, 2, ROWS)
    town = chance.integers(0, 200, ROWS)
    measured = _measured(20, [far, long, town], (125, 250, 200))
    assert [bins.sizes[0] for bins in measured.bins] == [125, 250, 128]
    assert ((0, 1), True) in [(table.pair, table.fine) for table in measured.tables]
    rows, _ = measured.draw(ROWS, chance)
    assert np.mean(np.abs(rows[1].astype(np.int64) - 2 * rows[0].astype(np.int64)) <= 3) > 0.9


def test_values_of_few_bytes_follow_a_companion_that_falls():
    """Places are kept in as few bytes as they need, whose negative would be another place."""
    places_ = np.array([200, 3, 0, 90], dtype=np.uint8)
    for rising, expected in ((True, [2, 1, 3, 0]), (False, [0, 3, 1, 2])):
        found = order(Companion(0, rising, 0.0), places_, np.random.default_rng(1))
        assert np.argsort(found).tolist() == expected


def test_a_fit_that_fails_falls_back_to_the_tree(monkeypatch):
    measured = _measured("0.02", _people())
    monkeypatch.setattr(PairwiseField, "draw", lambda _self, start: [column * 0 for column in start])
    rows, method = drawn(measured.likeness, 5000, np.random.default_rng(3))
    assert method == FALLBACK
    assert measured.likeness.distance(rows) < 0.3


def test_pairs_that_are_a_tree_are_drawn_as_one(monkeypatch):
    measured = _measured("0.02", _people())
    likeness = measured.likeness
    few = type(likeness)(likeness.bins, likeness.shares, likeness.goals[:1], {})
    monkeypatch.setattr(tree, "PairwiseField", None)
    rows, method = drawn(few, 5000, np.random.default_rng(3))
    assert method == FOREST
    assert few.distance(rows) < 0.02


def test_known_columns_stay_as_they_are():
    people, chance = _people(), np.random.default_rng(3)
    measured = _measured("0.1", people)
    parents = {0: people[0][:3000], 1: people[1][:3000]}
    rows, _ = measured.draw(3000, chance, parents)
    assert np.array_equal(rows[0], parents[0])
    assert np.array_equal(rows[1], parents[1])
    shape = (SIZES[1], SIZES[2])
    wanted = shares_of(people[1][:3000], people[2][:3000], shape)
    assert 0.5 * np.abs(shares_of(rows[1], rows[2], shape) - wanted).sum() < 0.08


def test_more_rows_than_are_drawn_together(monkeypatch):
    monkeypatch.setattr("deniable.releases.synthetic.drawn.field._TOGETHER", 4096)
    people, chance = _people(), np.random.default_rng(3)
    rows, method = _measured("0.1", people).draw(10_000, chance)
    assert method == FIELD
    assert all(column.size == 10_000 for column in rows)
    assert _apart(people, rows) < 0.05


def test_nothing_above_the_noise_leaves_columns_alone():
    chance = np.random.default_rng(5)
    people = [chance.integers(0, size, 500) for size in SIZES]
    measured = _measured("0.0001", people)
    rows, _ = measured.draw(500, chance)
    assert [column.size for column in rows] == [500] * 5


def test_other_values_and_widths():
    chance = np.random.default_rng(1)
    town = ColumnDomain("town", Kind.TEXT, ("a", None), ordered=False, other=True)
    assert as_declared([town], [np.array([0, 1, 2])], chance).to_pylist() == ["a", None, "(other)"]
    heat = ColumnDomain("heat", Kind.NUMBER, (Fraction(0), Fraction(1), Fraction(2)), ordered=True, width=Fraction(1))
    found = as_declared([heat], [np.array([0, 1, 2])], chance).to_pylist()
    assert 0 <= found[0] <= 1 <= found[1] <= 2 == found[2]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"tables": None, "columns": ["age"]}, "columns"),
        ({"tables": ["a", "b"], "columns": ["age"]}, "columns"),
        ({"tables": "a", "rows": 0}, "rows"),
        ({"tables": "a", "rows": 10**9}, "rows"),
    ],
)
def test_what_cannot_be_wanted(arguments, named):
    with pytest.raises(InvalidArgumentError, match=named):
        Synthesis(**arguments)
