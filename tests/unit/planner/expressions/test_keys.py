"""Which values a key can take, from public facts."""

import pytest

from deniable.planner import bind, parse
from tests.support.tables import policy


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("CASE WHEN reason IN ('a', 'b') THEN reason ELSE 'other' END", ("a", "b", "other")),
        ("CASE WHEN reason = 'a' THEN reason WHEN age > 3 THEN 'old' END", ("a", "old", None)),
        ("CASE WHEN age < 3 THEN age ELSE 3 END", (0, 1, 2, 3)),
        ("CASE WHEN reason IN ('a') OR urgent THEN reason ELSE 'other' END", None),
        ("CASE WHEN urgent THEN reason ELSE 'other' END", None),
        ("COALESCE(region, 'none')", ("north", "east", "south", "west", "none")),
    ],
)
def test_the_branches_of_a_key_are_listed_under_their_conditions(key, values, tmp_path):
    (found,) = bind(parse(f"SELECT {key}, COUNT(*) FROM visits GROUP BY 1"), policy(tmp_path, contribution=None)).keys
    assert found.domain == values
