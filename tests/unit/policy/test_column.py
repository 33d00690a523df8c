"""Columns of every type: what can be declared, how it is written, and what is refused."""

from __future__ import annotations

from datetime import date, datetime, time
from fractions import Fraction
from pathlib import Path

import pytest

from deniable.core.algebra.expression import Kind
from deniable.core.calendar import DAY
from deniable.policy import InvalidPolicyError, Policy


def declared(column: dict[str, object], **population: object) -> Policy:
    return Policy.from_mapping(
        {
            "population": {"name": "p", **population},
            "budget": {"epsilon": 1},
            "tables": {"t": {"columns": {"x": column}}},
        },
        origin="p",
        folder=Path(),
    )


def column(written: dict[str, object], **population: object):
    return declared(written, **population).tables["t"].columns["x"]


def problems(written: dict[str, object], **population: object) -> str:
    with pytest.raises(InvalidPolicyError) as wrong:
        declared(written, **population)
    return "\n".join(map(str, wrong.value.problems))


@pytest.mark.parametrize(
    "bounds",
    [
        ["1970-01-02", "1970-01-03 00:00:00.000001"],
        [date(1970, 1, 2), datetime(1970, 1, 3, 0, 0, 0, 1)],
        ["1970-01-02T00:00", "1970-01-03T00:00:00.000001"],
    ],
)
def test_bounds_of_timestamps_are_microseconds(bounds):
    found = column({"type": "timestamp", "bounds": bounds})
    assert found.expression.range.low == DAY
    assert found.expression.range.high == 2 * DAY + 1


def test_bounds_of_times_are_microseconds_since_midnight():
    found = column({"type": "time", "bounds": ["00:00:01", time(12)], "step": 60})
    assert (found.expression.range.low, found.expression.range.high) == (10**6, DAY // 2)
    assert found.step == 60 * 10**6


def test_a_zone_is_the_columns_or_the_populations_and_a_fact():
    plain, own = {"type": "timestamp"}, {"type": "timestamp", "zone": "UTC"}
    assert column(plain).expression.zone is None
    assert column(plain, zone="Asia/Tokyo").expression.zone == "Asia/Tokyo"
    assert column(own, zone="Asia/Tokyo").expression.zone == "UTC"
    assert len({declared(one, **at).digest for one in (plain, own) for at in ({}, {"zone": "Asia/Tokyo"})}) == 3
    assert column({"type": "date"}, zone="UTC").expression.zone is None


def test_decimals_and_durations_are_numbers_by_another_name():
    money, length = column({"type": "decimal", "step": 0.01}), column({"type": "duration"})
    assert (money.kind, money.type, money.step) == (Kind.NUMBER, "decimal", Fraction(1, 100))
    assert (length.kind, length.type) == (Kind.NUMBER, "duration")
    assert money.facts["type"] == "decimal"


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ({"type": "decimal"}, "step: is missing"),
        ({"type": "timestamp", "bounds": ["2025-01-01 10:00+02:00", "2026-01-01"]}, "without a time zone"),
        ({"type": "timestamp", "bounds": ["2025-13-01", "2026-01-01"]}, "is not a day and a time of day"),
        ({"type": "timestamp", "step": "0.0000001"}, "step"),
        ({"type": "timestamp", "step": 1e-7}, "whole number of microseconds"),
        ({"type": "timestamp", "zone": "Europe/Berln"}, "did you mean 'Europe/Berlin'?"),
        ({"type": "date", "zone": "UTC"}, "has no time zone"),
        ({"type": "time", "bounds": ["25:00", "26:00"]}, "is not a time of day"),
        ({"type": "boolean", "bounds": ["08:00", "09:00"]}, "has no bounds"),
    ],
)
def test_what_is_wrong_is_said(written, said):
    assert said in problems(written)


def test_the_clock_is_cut_to_a_unit_that_the_policy_names():
    assert declared({"type": "date"}).clock == "hour"
    assert declared({"type": "date"}, clock="day").clock == "day"
    assert "write one of: minute, hour, day" in problems({"type": "date"}, clock="second")
