"""Conditions on cells mean what they mean in SQL, for missing values too."""

import itertools
from pathlib import Path

import duckdb
import pytest

from deniable.core.errors import Refused
from deniable.planner.release_cells import ReleaseCells
from tests.support.tables import policy

ATTRIBUTES = ("age // 30", "region", "urgent", "day")
CONDITIONS = [
    "case when urgent then region <> 'north' else age // 30 > 1 end",
    "age // 30 between 1 and 2 and region = 'north'",
    "region <> 'north'",
    "not region = 'north'",
    "not (region = 'north' or urgent)",
    "not (region = 'north' and urgent)",
    "region in ('north', 'south')",
    "region not in ('north', 'south')",
    "region not in ('north', null)",
    "region in ('north', null) or age // 30 = 0",
    "region is null",
    "region is not null and not urgent",
    "urgent",
    "not urgent",
    "urgent = true",
    "age // 30 * 30 + 5 > 40",
    "coalesce(region, 'nowhere') = 'nowhere'",
    "day >= '2025-12-30' and day < '2026-01-01'",
    "true",
]


@pytest.fixture(scope="module")
def cells():
    return ReleaseCells.of(policy(Path("nowhere"), contribution=None), None, ATTRIBUTES, None)


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_condition_holds_in_the_same_cells_as_in_a_database(cells, condition):
    domains = [key.domain for key in cells.bound.keys]
    axes, holds = cells.satisfying(condition, domains)
    titles = ["bucket", "region", "urgent", "day"]
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t (bucket BIGINT, region VARCHAR, urgent BOOLEAN, day DATE)")
        rows = list(itertools.product(*(domains[axis] for axis in axes))) or [()]
        columns = ", ".join([titles[axis] for axis in axes] or ["bucket"])
        marks = ", ".join("?" for _ in axes) or "NULL"
        connection.executemany(f"INSERT INTO t ({columns}) VALUES ({marks})", [list(row) for row in rows])
        plain = condition.replace("age // 30", "bucket")
        wanted = [row[0] is True for row in connection.execute(f"SELECT ({plain}) FROM t ORDER BY rowid").fetchall()]
    assert holds.reshape(-1).tolist() == wanted


@pytest.mark.parametrize(
    ("condition", "code"),
    [
        ("cost > 3", "no-cells"),
        ("age > 3", "no-cells"),
        ("count(*) > 3", "unsupported-form"),
        ("urgent, urgent", "syntax"),
        ("urgent AS x", "syntax"),
        ("*", "syntax"),
        ("urgent FROM visits", "syntax"),
        ("urgent; select 1", "many-statements"),
        ("", "empty"),
    ],
)
def test_what_is_no_condition_on_cells_is_refused(cells, condition, code):
    with pytest.raises(Refused) as caught:
        cells.satisfying(condition, [key.domain for key in cells.bound.keys])
    assert caught.value.code == code
    if caught.value.position is not None:
        start, end = caught.value.position
        assert 0 <= start < end <= len(condition)


def test_columns_are_named_only_if_the_attributes_do_not_suffice(cells):
    assert cells.columns("age // 30 > 1 and urgent") == ()
    assert cells.columns("age > 30 and REASON = 'x'") == ("age", "reason")
