"""A cut is left out only where no public row can make one row two."""

from __future__ import annotations

import pytest

from deniable.core.algebra.expression import Column, Kind
from deniable.core.algebra.query import Source, Sums
from deniable.core.algebra.relation import Cut, Matches
from deniable.engines.sql.fan_out import lightened

SHOPS = Matches("shops", None, (Column("id", Kind.INTEGER),))
TOWNS = Matches("towns", None, (Column("name", Kind.TEXT),))


def kept(unless: tuple[Matches, ...] | None, sizes: dict[str, int]) -> bool:
    """Whether the cut stays, if at most so many rows of each public table belong to one row."""
    cut = Cut("sales", "customer", 4, (), unless)
    query = Sums(Source(cut, "customer", 4, None), (), ())
    found = lightened(query, lambda matches: sizes[str(matches.table)]).source.table
    assert found in (cut, "sales")
    return found == cut


@pytest.mark.parametrize(
    ("unless", "sizes", "stays"),
    [
        (None, {}, True),
        ((SHOPS,), {"shops": 0}, False),
        ((SHOPS,), {"shops": 1}, False),
        ((SHOPS,), {"shops": 2}, True),
        ((SHOPS, TOWNS), {"shops": 1, "towns": 1}, False),
        ((SHOPS, TOWNS), {"shops": 1, "towns": 2}, True),
    ],
)
def test_a_cut_stays_unless_every_match_is_one_row(unless, sizes, stays):
    assert kept(unless, sizes) is stays
