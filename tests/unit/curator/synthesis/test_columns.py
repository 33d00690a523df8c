"""Columns of every declared type: what they are told apart by, and what comes out."""

import datetime as dt
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import deniable
from deniable.core.algebra.expression import Kind
from deniable.core.algebra.query import WEIGHT
from deniable.core.errors import Refused
from deniable.curator.synthesis.cells import table_cells
from deniable.curator.synthesis.columns import domain_of, keys_of
from deniable.policy import DeclaredColumn
from deniable.policy.column import Declared
from deniable.releases import Synthesis
from deniable.releases.synthetic.drawn.rows import as_declared
from deniable.releases.synthetic.measured.domain import Part
from tests.support.limits import LOOSE
from tests.support.synthetic import house, policy, visits

SEEN = DeclaredColumn("seen", Kind.TIMESTAMP, dt.datetime(2025, 1, 1), dt.datetime(2025, 1, 31, 12))


def test_a_timestamp_is_told_apart_by_week_weekday_and_quarter(tmp_path):
    (cells,) = table_cells(policy(tmp_path, None), Synthesis("visits", ["seen", "at", "age"]), {})
    assert [column.name for column in cells.columns] == [
        "seen (week)",
        "seen (weekday)",
        "seen (quarter of an hour)",
        "at",
        "age",
    ]
    assert [column.size for column in cells.columns] == [54, 7, 96, 14 * 60 + 2, 112]
    assert [column.plain for column in cells.columns] == [False] * 4 + [True]


def test_moments_are_put_together_again_and_stay_within_their_bounds():
    parts = [part for _, part in keys_of("t", SEEN)]
    weeks = (dt.date(2024, 12, 30), dt.date(2025, 1, 27), None)
    domains = [
        domain_of(SEEN, part, values)
        for part, values in zip(parts, (weeks, tuple(range(1, 8)), tuple(range(96))), strict=True)
    ]
    places = [np.array([0, 0, 1, 2, 1]), np.array([0, 2, 4, 3, 6]), np.array([0, 40, 95, 5, 95])]
    found = as_declared(domains, places, np.random.default_rng(1))
    assert found.type == pa.timestamp("us")
    first, second, third, missing, last = found.to_pylist()
    assert first == dt.datetime(2025, 1, 1)
    assert dt.datetime(2025, 1, 1, 10) <= second < dt.datetime(2025, 1, 1, 10, 15)
    assert third == last == dt.datetime(2025, 1, 31, 12)
    assert missing is None


def test_decimals_have_their_digits_and_times_their_minute():
    cent = DeclaredColumn("c", Kind.NUMBER, Fraction(0), Fraction(1), Fraction(1, 100), declared=Declared.DECIMAL)
    found = as_declared([domain_of(cent, None, (0, 7, 100, None))], [np.array([1, 3, 2])], np.random.default_rng(1))
    assert found.to_pylist() == [Decimal("0.07"), None, Decimal("1.00")]
    at = DeclaredColumn("at", Kind.TIME, dt.time(8), dt.time(8, 1, 30))
    found = as_declared([domain_of(at, None, (480, 481))], [np.array([0] * 50 + [1] * 50)], np.random.default_rng(1))
    assert all(dt.time(8) <= value <= dt.time(8, 1, 30) for value in found.to_pylist())
    assert len(set(found.to_pylist())) > 20


def test_the_third_of_a_step_has_no_digits():
    third = DeclaredColumn("c", Kind.NUMBER, Fraction(0), Fraction(1), Fraction(1, 3), declared=Declared.DECIMAL)
    assert domain_of(third, None, (0, 1)).decimals is None


def test_moments_keep_their_weekdays_hours_and_gaps(tmp_path, monkeypatch):
    monkeypatch.setattr("deniable.releases.synthetic.drawn.field._PARTICLES", 2000)
    table = visits(6000, seed=5)
    with house(tmp_path, policy(tmp_path, None), visits=table) as curator:
        release = curator.synthesize("visits", columns=["seen", "urgent", "at"], rho=20)
    made, true = release.table.to_pandas(), table.to_pandas()
    assert abs(made.seen.isna().mean() - true.seen.isna().mean()) < 0.02
    for frame in (made, true):
        frame["weekend"] = frame.seen.dt.day_of_week >= 5
    for weekend in (False, True):
        mine, theirs = (frame[frame.weekend == weekend].seen for frame in (made, true))
        assert abs(mine.size / len(made) - theirs.size / len(true)) < 0.03
        assert abs(mine.dt.hour.mean() - theirs.dt.hour.mean()) < 0.5
    assert made["at"].dropna().between(dt.time(6), dt.time(20)).all()
    assert release.report().count("seen (weekday)") > 1


@pytest.mark.parametrize("name", ["seen", "at", "age"])
def test_without_bounds_nothing_is_known(tmp_path, name):
    rules = policy(tmp_path, None)
    columns = {
        **rules.tables["visits"].columns,
        name: replace(rules.tables["visits"].columns[name], low=None, high=None),
    }
    rules = replace(rules, tables={"visits": replace(rules.tables["visits"], columns=columns)})
    with pytest.raises(Refused):
        table_cells(rules, Synthesis("visits", [name, "urgent"]), {})


def test_a_part_knows_its_column():
    assert domain_of(SEEN, Part.WEEKDAY, (1, 2)).of == "seen"


@pytest.mark.parametrize("contribution", [None, 1, 5])
def test_a_unit_weighs_as_many_rows_as_it_may_have(tmp_path, contribution):
    (cells,) = table_cells(policy(tmp_path, contribution), Synthesis("visits", ["age", "town"]), {})
    assert cells.reach == (contribution or 1) * WEIGHT


WIDE = {
    "number": DeclaredColumn("c", Kind.INTEGER, -(2**63), 2**63 - 1),
    "day": DeclaredColumn("c", Kind.DATE, dt.date(1, 1, 1), dt.date(9999, 12, 31)),
    "price": DeclaredColumn("c", Kind.NUMBER, Fraction(-(10**9)), Fraction(10**9), Fraction(1, 4)),
    "cents": DeclaredColumn(
        "c", Kind.NUMBER, Fraction(0), Fraction(10**7), Fraction(1, 100), declared=Declared.DECIMAL
    ),
}


@pytest.mark.parametrize("name", WIDE)
def test_columns_of_very_many_values_are_told_apart_by_equal_parts(tmp_path, name):
    """What cannot be told apart value by value still has a place for all of it, and comes out within its bounds."""
    column, rules = WIDE[name], policy(tmp_path, None)
    table = rules.tables["visits"]
    rules = replace(rules, tables={"visits": replace(table, columns={**table.columns, "c": column})})
    (cells,) = table_cells(rules, Synthesis("visits", ["c", "grade"]), {})
    wide = cells.columns[0]
    assert wide.present <= 2**17 + 1
    assert not wide.plain
    assert wide.values[0] == column.low
    places = np.array([0, wide.present // 2, wide.present - 1, wide.size - 1])
    low, middle, high, missing = as_declared([wide], [places], np.random.default_rng(1)).to_pylist()
    assert missing is None
    assert column.low <= low < middle < high <= column.high
    if column.step is not None:
        assert (Fraction(middle) / column.step).denominator == 1


def test_wide_columns_through_a_curator():
    number, chance = 900, np.random.default_rng(1)
    far = chance.integers(-(10**15), 10**15, number)
    days = pa.array(chance.integers(-10_000, 20_000, number).astype(np.int32)).cast(pa.date32())
    table = pa.table({"far": far, "day": days, "high": far > 0})
    bounds = {"far": (-(10**15), 10**15), "day": (dt.date(1, 1, 1), dt.date(9999, 12, 31))}
    with deniable.protect(table, epsilon=10**6, delta=1e-6, bounds=bounds, limits=LOOSE) as curator:
        made = curator.synthesize(rho=500).table.to_pandas().dropna()
    assert ((made.far > 0) == made.high).mean() > 0.9
    assert made.day.astype(str).between("1942-01-01", "2025-01-01").mean() > 0.9
