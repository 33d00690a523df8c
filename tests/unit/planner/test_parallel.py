"""Which conditions exclude each other, by what they say."""

from __future__ import annotations

from pathlib import Path

import pytest

from deniable.planner import bind, parse
from deniable.planner.parallel import exclude, facts
from tests.support.neighbours import rules

APART = [
    ("age = 1", "age = 2"),
    ("age = 1", "2 = age"),
    ("age IN (1, 2)", "age IN (3, 4)"),
    ("age < 5", "age >= 5"),
    ("age < 5", "5 < age"),
    ("age <= 5", "age > 5 AND urgent"),
    ("age BETWEEN 1 AND 5", "age BETWEEN 6 AND 9"),
    ("age = 5", "age > 5"),
    ("age <> 5", "age = 5"),
    ("town = 'a'", "town = 'b'"),
    ("town = 'a'", "town = 'A'"),
    ("town = 'a'", "town IS NULL"),
    ("town IS NOT NULL", "town IS NULL"),
    ("urgent", "NOT urgent"),
    ("urgent = TRUE", "urgent = FALSE"),
    ("word LIKE 'a%'", "word NOT LIKE 'a%'"),
    ("day < '2025-07-01'", "day >= '2025-07-01'"),
    ("moment < TIMESTAMP '2025-07-01 12:00'", "moment > TIMESTAMP '2025-07-01 12:00'"),
    ("age > serial", "age <= serial"),
]
TOGETHER = [
    ("1 = 2", "2 < 1"),
    ("1 = age", "1 = 1"),
    ("age = 1", "age IN (1, 2)"),
    ("age <= 5", "age >= 5"),
    ("age < 5", "age < 6"),
    ("age = 1", "serial = 2"),
    ("heat = 0.1", "heat = 0.10000000000000000001"),
    ("heat <= 0.1", "heat >= 0.10000000000000000001"),
    ("age = 1 OR urgent", "age = 2"),
    ("NOT (age = 1)", "age <> 2"),
    ("town LIKE 'a%'", "town LIKE 'b%'"),
    ("age <> 5", "age <> 6"),
    ("LOWER(town) = 'a'", "town = 'A'"),
    ("age > serial", "age >= serial"),
]


def said(folder: Path, one: str, other: str) -> bool:
    policy = rules(folder)
    wheres = [bind(parse(f"SELECT COUNT(*) FROM visits WHERE {text}"), policy).source.where for text in (one, other)]
    found = [facts(where) for where in wheres if where is not None]
    assert exclude(*found) == exclude(*reversed(found))
    return exclude(*found)


@pytest.mark.parametrize(("one", "other"), APART)
def test_these_exclude_each_other(tmp_path: Path, one: str, other: str) -> None:
    assert said(tmp_path, one, other)


@pytest.mark.parametrize(("one", "other"), TOGETHER)
def test_these_may_hold_at_once_or_nobody_can_tell(tmp_path: Path, one: str, other: str) -> None:
    assert not said(tmp_path, one, other)
