"""Whatever a file holds is read as the declared kind: instants in the declared zone, texts as they say, or NULL."""

from __future__ import annotations

from datetime import date, datetime

import duckdb
import pytest

from deniable.core.algebra.expression import Column, Kind
from deniable.engines.duckdb.dialect import DuckDBDialect
from deniable.engines.sql.columns import read
from deniable.engines.sql.dialect import Stored

BERLIN = "Europe/Berlin"


def found(value: str, stored: str, kind: Kind, zone: str | None = None, *, at: str = "UTC") -> object:
    """What a constant of a stored type is read as, by a session that believes to be somewhere."""
    with duckdb.connect() as connection:
        connection.execute(f"SET TimeZone = '{at}'")
        spelled = read(Stored("x", stored), Column("x", kind, zone=zone), DuckDBDialect())
        return connection.execute(f"SELECT {spelled} FROM (SELECT CAST(? AS {stored}) AS x)", [value]).fetchall()[0][0]


@pytest.mark.parametrize("at", ["UTC", "Asia/Tokyo"])
@pytest.mark.parametrize(
    ("value", "zone", "wanted"),
    [
        ("2025-07-01 10:00:00", None, datetime(2025, 7, 1, 10)),
        ("2025-07-01T10:00:00.5", BERLIN, datetime(2025, 7, 1, 10, 0, 0, 500_000)),
        ("2025-07-01", BERLIN, datetime(2025, 7, 1)),
        ("2025-07-01T10:00:00+00:00", BERLIN, datetime(2025, 7, 1, 12)),
        ("2025-01-01T10:00:00Z", BERLIN, datetime(2025, 1, 1, 11)),
        ("2025-07-01 10:00:00-03", BERLIN, datetime(2025, 7, 1, 15)),
        ("2025-07-01 10:00:00+00", None, None),
        ("2025-07-01T10:00:00Z", None, None),
        ("next week", BERLIN, None),
    ],
)
def test_texts_as_timestamps(value, zone, wanted, at):
    """A text with an offset is an instant: without a zone it has no local time, wherever the engine runs."""
    assert found(value, "VARCHAR", Kind.TIMESTAMP, zone, at=at) == wanted


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("2025-07-01", date(2025, 7, 1)),
        ("2025-07-01 00:00:00", date(2025, 7, 1)),
        ("2025-07-01 10:00:00", None),
        ("x", None),
    ],
)
def test_texts_as_dates_have_no_time_of_day_but_midnight(value, wanted):
    assert found(value, "VARCHAR", Kind.DATE) == wanted


@pytest.mark.parametrize("at", ["UTC", "Asia/Tokyo"])
def test_instants_are_read_in_the_declared_zone_and_nowhere_else(at):
    stored = "TIMESTAMP WITH TIME ZONE"
    for value, wanted in {
        "2025-03-30 00:59:59+00": datetime(2025, 3, 30, 1, 59, 59),
        "2025-03-30 01:00:00+00": datetime(2025, 3, 30, 3),
        "2025-10-26 00:30:00+00": datetime(2025, 10, 26, 2, 30),
        "2025-10-26 01:30:00+00": datetime(2025, 10, 26, 2, 30),
        "infinity": datetime(9999, 12, 31, 23, 59, 59, 999_999),
        "-infinity": datetime(1, 1, 1),
        "290000-01-01 00:00:00+00": datetime(9999, 12, 31, 23, 59, 59, 999_999),
    }.items():
        assert found(value, stored, Kind.TIMESTAMP, BERLIN, at=at) == wanted
    assert found("2025-01-01 00:00:00+00", stored, Kind.TIMESTAMP, None, at=at) is None


def test_intervals_are_seconds():
    assert found("1 day 2 hours 0.5 seconds", "INTERVAL", Kind.NUMBER) == 93_600.5
