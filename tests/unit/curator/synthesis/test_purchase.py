"""Synthetic tables through the curator: what one person can move, what is charged, what comes out."""

from dataclasses import replace
from fractions import Fraction
from time import monotonic

import numpy as np
import pyarrow as pa
import pytest

from deniable.core.deadline import left
from deniable.core.errors import Refused
from deniable.curator.synthesis.purchase import plan_synthesis, unlisted_values
from deniable.planner import Spend
from deniable.releases import Synthesis
from deniable.releases.synthetic.measured.one_way import OneWay
from deniable.releases.synthetic.measured.pairs import ColumnPairs
from deniable.releases.synthetic.recipe import MeasuredTable
from tests.support.curators import silence
from tests.support.synthetic import SCHEMA, engine, house, odd, paid_for, policy, side_by_side, visits

RHO = Spend.of(rho=200)
ALL = ["age", "cost", "heat", "town", "grade", "urgent", "day", "seen", "at"]
FEW = ["age", "town", "grade", "seen"]
SOMEONE = 10**6


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Fits are tested elsewhere; what is drawn from noisy numbers is the same for the same numbers."""
    monkeypatch.setattr("deniable.curator.synthesis.purchase.words", lambda *_: np.arange(4))
    monkeypatch.setattr("deniable.releases.synthetic.drawn.field._SWEEPS", 4)
    monkeypatch.setattr("deniable.releases.synthetic.drawn.field._POLISHED", 1)
    monkeypatch.setattr("deniable.releases.synthetic.drawn.field._PARTICLES", 200)
    monkeypatch.setattr("deniable.releases.synthetic.drawn.settle._SWEEPS", 1)
    monkeypatch.setattr("deniable.releases.synthetic.measured.pairs._FINEST", 40)
    monkeypatch.setattr("deniable.releases.synthetic.recipe._FINER", 1)


def _pair_of_worlds(tmp_path, contribution, neighbours, columns=FEW):
    rules = policy(tmp_path / "left", contribution, neighbours), policy(tmp_path / "right", contribution, neighbours)
    base = visits(300, seed=3)
    heavy = odd(SOMEONE, 1 if contribution is None else 3 * contribution)
    plain = (
        visits(1, seed=9)
        if contribution is None
        else visits(6, seed=9).set_column(0, "person", pa.array([SOMEONE] * 6))
    )
    left = base if neighbours == "add-remove" else pa.concat_tables([base, plain])
    right = pa.concat_tables([base, heavy])
    engines = [
        engine(tmp_path / name, rule, visits=table)
        for name, rule, table in zip(("left", "right"), rules, (left, right), strict=True)
    ]
    plan = plan_synthesis(rules[0], Synthesis("visits", columns), RHO, {})
    return plan, *engines


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
@pytest.mark.parametrize("contribution", [None, 1, 3, 20])
def test_nobody_moves_a_measurement_farther_than_was_paid_for(tmp_path, contribution, neighbours, monkeypatch):
    columns = ALL if contribution == 3 else FEW
    plan, left, right = _pair_of_worlds(tmp_path, contribution, neighbours, columns)
    steps, same = side_by_side(plan, left, right, monkeypatch)
    assert same, "a query followed from something else than noisy numbers"
    assert len(steps) == 4
    assert paid_for(plan, steps)
    assert max(step.distance / float(step.mechanism.distance) for step in steps) > 0.25, "the bound is far too wide"


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
def test_linked_tables_are_within_their_price_as_well(tmp_path, monkeypatch, neighbours):
    monkeypatch.setattr("deniable.curator.synthesis.bins._AT_ONCE", 40)  # so that pairs are counted in several queries
    worlds, born = [], [1950, 1980, 1950] * 33 + [1980, 1950]
    for name in ("left", "right"):
        rules = policy(tmp_path / name, 3, neighbours, people=True)
        people = pa.table({"person": range(1, 102), "sex": ["f", "m", "f"] * 33 + ["m", "f"], "born": born})
        rows = visits(300, seed=4)
        if name == "right":
            extra = {"person": [SOMEONE], "sex": ["m"], "born": [2010]}
            people = pa.concat_tables([people, pa.table(extra, schema=people.schema)])
            rows = pa.concat_tables([rows, odd(SOMEONE, 7)])
        elif neighbours == "replace":
            extra = {"person": [SOMEONE], "sex": ["f"], "born": [1950]}
            people = pa.concat_tables([people, pa.table(extra, schema=people.schema)])
            rows = pa.concat_tables([rows, visits(2, seed=8).set_column(0, "person", pa.array([SOMEONE] * 2))])
        worlds.append(engine(tmp_path / name, rules, visits=rows, people=people))
    wanted = Synthesis(columns={"visits": FEW})
    plan = plan_synthesis(policy(tmp_path / "left", 3, neighbours, people=True), wanted, RHO, {})
    assert [one.name for one in plan.cells] == ["people", "visits"]
    steps, same = side_by_side(plan, *worlds, monkeypatch)
    assert same
    assert len(steps) == 8
    assert paid_for(plan, steps)


def test_planted_a_missing_weight_is_caught(tmp_path, monkeypatch):
    plan, left, right = _pair_of_worlds(tmp_path, 3, "add-remove")
    (cells,) = plan.cells
    unweighed = replace(cells, bound=replace(cells.bound, source=replace(cells.bound.source, contribution=10**6)))
    steps, _ = side_by_side(replace(plan, cells=(unweighed,)), left, right, monkeypatch)
    assert not paid_for(plan, steps)


def test_planted_a_pair_that_is_measured_twice_is_caught(tmp_path, monkeypatch):
    plan, left, right = _pair_of_worlds(tmp_path, None, "add-remove")
    measure = ColumnPairs.measure

    def twice(self, exact):
        noisy = measure(self, exact)
        pair = self.all[0]
        self.for_tables.measure([exact[pair]], [1])
        return noisy

    monkeypatch.setattr(ColumnPairs, "measure", twice)
    steps, _ = side_by_side(plan, left, right, monkeypatch)
    assert not paid_for(plan, steps)


def _fewer(own, most):
    """So many bins, on all resolutions."""
    finest = np.minimum(own.finest, most - 1)
    every = np.arange(int(finest.max()) + 1)
    return replace(own, finest=finest, fine=every, coarse=every)


def test_planted_bins_from_true_counts_are_caught(tmp_path, monkeypatch):
    plan, left, right = _pair_of_worlds(tmp_path, None, "replace")
    seen = []
    measure, counted = OneWay.measure, type(plan.recipes[0]).counted

    def looking(self, exact):
        seen.append(np.concatenate([np.asarray(one).reshape(-1) for one in exact]))
        return measure(self, exact)

    def peeping(self, noisy):
        found = counted(self, noisy)
        number = int(seen.pop(0)[110:].sum() % 5) if seen else 0
        own = tuple(_fewer(one, 2 + number) for one in found.pairs.resolutions)
        margins = tuple(np.ones(one.size) for one in own)
        return replace(found, pairs=replace(found.pairs, resolutions=own, margins=margins))

    monkeypatch.setattr(OneWay, "measure", looking)
    monkeypatch.setattr(type(plan.recipes[0]), "counted", peeping)
    try:
        steps, same = side_by_side(plan, left, right, monkeypatch)
    except (IndexError, ValueError):
        return  # rounds no longer fit each other: caught, too
    assert not (same and paid_for(plan, steps))


def test_charged_once_and_free_when_asked_again(tmp_path):
    with house(tmp_path, policy(tmp_path, 3), visits=visits(600, seed=1)) as curator:
        quote = curator.explain(Synthesis("visits", ALL), rho="0.5")
        release = curator.synthesize("visits", columns=ALL, rho="0.5")
        again = curator.synthesize("visits", columns=ALL, rho="0.5")
        spent = curator.budget().spent
    assert quote.loss.rho == release.loss.rho == spent.rho == Fraction(1, 2)
    assert not release.free
    assert again.free
    assert again.table.equals(release.table)
    assert again.quality.equals(release.quality)
    assert again.measurements.equals(release.measurements)


def test_explaining_reads_nothing(tmp_path, monkeypatch):
    with house(tmp_path, policy(tmp_path, None), visits=visits(50, seed=1)) as curator:
        monkeypatch.setattr(curator.engine, "run", None)
        quote = curator.explain(Synthesis("visits", ALL), epsilon=1, delta="1e-9")
    assert float(quote.loss.at("1e-9").epsilon) <= 1
    assert float(quote.loss.at("1e-9").epsilon) > 0.999
    assert [line.measured for line in quote.lines] == [
        "counts of columns",
        "scores of pairs",
        "tables of pairs",
        "certificate",
    ]


def test_without_noise_the_counts_are_those_of_the_rows(tmp_path, monkeypatch):
    silence(monkeypatch)
    table = visits(900, seed=2)
    with house(tmp_path, policy(tmp_path, None), visits=table) as curator:
        release = curator.synthesize("visits", columns=ALL, rho=1000)
    frame = table.to_pandas()
    counts = {
        (line["one"], line["value_of_one"]): line["count"]
        for line in release.measurements.to_pylist()
        if line["other"] is None
    }
    assert counts["town", "north"] == (frame.town == "north").sum()
    assert counts["town", "(other)"] == (frame.town == "elsewhere").sum()
    assert counts["town", "NULL"] == frame.town.isna().sum()
    assert counts["grade", "2"] == (frame.grade == 2).sum()
    assert counts["age", "NULL"] == frame.age.isna().sum()
    both = release.query("town = 'north' AND grade = 1")
    assert both.count == pytest.approx(((frame.town == "north") & (frame.grade == 1)).sum())
    assert release.query("town = 'north'").count == pytest.approx((frame.town == "north").sum())
    assert release.query("day < DATE '2025-03-01'").count == pytest.approx((frame.day.astype(str) < "2025-03-01").sum())


def test_weighed_rows_count_as_in_questions(tmp_path, monkeypatch):
    silence(monkeypatch)
    table = pa.concat_tables([visits(300, seed=2), odd(SOMEONE, 30)])
    with house(tmp_path, policy(tmp_path, 3), visits=table) as curator:
        release = curator.synthesize("visits", columns=ALL, rho=1000)
        plain = curator.ask("SELECT town, COUNT(*) + 0.0 AS n FROM visits GROUP BY town", rho=1000).table.to_pylist()
    (north,) = (line["n"] for line in plain if line["town"] == "north")
    assert release.query("town = 'north'").count == pytest.approx(north, abs=0.51)


def test_columns_come_out_as_they_are_declared(tmp_path):
    with house(tmp_path, policy(tmp_path, None), visits=visits(2000, seed=5)) as curator:
        made = curator.synthesize("visits", columns=ALL, rows=500, rho=5).table
    assert made.num_rows == 500
    assert [made.schema.field(name).type for name in ALL] == [SCHEMA.field(name).type for name in ALL]
    frame = made.to_pandas()
    assert frame.age.dropna().between(0, 110).all()
    assert ((frame.cost * 2) % 1 == 0).all()
    assert frame.heat.dropna().between(-10, 10).all()
    assert frame.heat.nunique() > 300
    assert set(frame.town.dropna()) <= {"north", "east", "south", "west", "(other)"}
    assert set(frame.grade.dropna()) <= {1, 2, 3}
    assert frame.day.dropna().astype(str).between("2025-01-01", "2025-12-31").all()


def test_linked_tables_have_keys_that_fit(tmp_path):
    people = pa.table({"person": range(1, 402), "sex": ["f", "m", "f"] * 133 + ["m", "f"], "born": [1950] * 401})
    with house(tmp_path, policy(tmp_path, 3, people=True), visits=visits(1200, seed=4), people=people) as curator:
        told = []
        release = curator.synthesize(rho=50, told=told.append)
        more = release.more(50)
    assert told[::4] == ["people: counting columns", "visits: counting columns"]
    assert [step.partition(": ")[2] for step in told[1:4]] == ["counting pairs", "drawing rows", "certifying"]
    assert set(release.tables) == {"people", "visits"}
    assert "person" in release.tables["people"].column_names
    parents = set(release.tables["people"]["person"].to_pylist())
    assert set(release.tables["visits"]["person"].to_pylist()) <= parents
    assert abs(release.tables["visits"].num_rows - 1000) < 300
    assert more["people"].num_rows == 50
    assert set(more["visits"]["person"].to_pylist()) <= set(range(1, 51))
    assert any("given their parent" in note for note in release.notes)


def test_parents_without_children_have_none(tmp_path, monkeypatch):
    """A charge is not wasted because nothing is to be drawn; and an empty table is far from none."""
    silence(monkeypatch)
    people = pa.table({"person": range(1, 402), "sex": ["f", "m", "f"] * 133 + ["m", "f"], "born": [1950] * 401})
    with house(tmp_path, policy(tmp_path, 3, people=True), visits=visits(3, seed=4).slice(3), people=people) as curator:
        release = curator.synthesize(rho=50, constraints={"visits": ["age < 50"]})
        more, page = release.more(50), release.report()
    assert [table.num_rows for table in release.tables.values()] == [401, 0]
    assert [table.num_rows for table in more.values()] == [50, 0]
    assert "visits" in page
    assert all(0 <= line["low"] <= line["distance"] <= line["high"] <= 1 for line in release.quality.to_pylist())


def test_children_keep_their_constraints(tmp_path):
    """Also those that go round in a circle: what mends the last breaks the first."""
    people = pa.table({"person": range(1, 202), "sex": ["f", "m", "f"] * 66 + ["m", "f", "f"], "born": [1950] * 201})
    rules = ["grade = 1 OR urgent", "NOT urgent OR cost < 100", "cost >= 100 OR grade = 1"]
    with house(tmp_path, policy(tmp_path, 3, people=True), visits=visits(900, seed=4), people=people) as curator:
        release = curator.synthesize(
            rho=50, columns={"visits": ["grade", "urgent", "cost"]}, constraints={"visits": rules}
        )
    rows = [row for row in release.tables["visits"].to_pylist() if None not in row.values()]
    assert len(rows) > 300
    assert {row["grade"] for row in rows} == {1}


def test_private_texts_are_selected_first_and_need_a_delta(tmp_path):
    rules = policy(tmp_path, None)
    columns = dict(rules.tables["visits"].columns)
    columns["town"] = replace(columns["town"], values=None)
    rules = replace(rules, tables={"visits": replace(rules.tables["visits"], columns=columns)})
    with house(tmp_path, rules, visits=visits(3000, seed=5)) as curator:
        with pytest.raises(Refused, match="does not list"):
            curator.synthesize("visits", columns=["town", "grade"], rho=1)
        with pytest.raises(Refused):
            curator.synthesize("visits", columns=["town", "grade"], constraints=["grade >"], rho=1, delta="1e-7")
        assert curator.budget().spent.rho == 0  # what is wrong with the rest is said before values are found
        price = curator.explain(Synthesis("visits", ["town", "grade"]), rho=1, delta="1e-7").loss
        release = curator.synthesize("visits", columns=["town", "grade"], rho=1, delta="1e-7")
        assert release.loss == price
        assert 0.99 < release.loss.rho <= 1
        assert release.loss.delta == Fraction("1e-7")
        assert curator.budget().spent.rho == release.loss.rho
        again = curator.synthesize("visits", columns=["town", "grade"], rho=1, delta="1e-7")
        assert (again.free, again.loss) == (True, price)
    assert {"north", "east", "south", "west"} <= set(release.table["town"].to_pylist())


@pytest.mark.parametrize(
    ("wanted", "payment", "code"),
    [
        (Synthesis("nowhere"), {"rho": 1}, "unknown-table"),
        (Synthesis("visits", ["nothing"]), {"rho": 1}, "unknown-column"),
        (Synthesis("visits", ["age"]), {"rho": 1}, "synthetic-columns"),
        (Synthesis("visits"), {"epsilon": 1}, "bad-spend"),
        (Synthesis("visits"), {"accuracy": 1}, "bad-spend"),
    ],
)
def test_what_cannot_be_is_refused_for_nothing(tmp_path, wanted, payment, code):
    with pytest.raises(Refused) as refusal:
        unlisted_values(policy(tmp_path, 3), wanted, Spend.of(**payment))
    assert refusal.value.code == code


def test_drawing_rows_takes_as_long_as_it_takes(tmp_path, monkeypatch):
    """A charge is not wasted because a fit takes longer than the engine may."""
    rules = policy(tmp_path, None)
    rules = replace(rules, engine=replace(rules.engine, seconds=20.0))
    late, draw = [], MeasuredTable.draw

    def slow(self, *given):
        late.append(left())
        monkeypatch.setattr("deniable.core.deadline.time.monotonic", lambda real=monotonic: real() + 3600 * len(late))
        return draw(self, *given)

    monkeypatch.setattr(MeasuredTable, "draw", slow)
    with house(tmp_path, rules, visits=visits(300, seed=1)) as curator:
        assert curator.synthesize("visits", columns=FEW, rho="0.5").table.num_rows > 0
    assert 0 < late[0] <= 20
