"""A cut is left out only where no public row can make one row two."""

from __future__ import annotations

import pytest

from deniable.core.algebra.expression import Column, Kind
from deniable.core.algebra.query import Source, Sums
from deniable.core.algebra.relation import Beside, Cut, Joined, Matches, Work
from deniable.core.errors import Refused
from deniable.engines import DuckDB
from deniable.engines.engine import MOST_PAIRS
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


@pytest.mark.parametrize(("towns", "status"), [(MOST_PAIRS // 1000, "counted"), (MOST_PAIRS // 1000 + 1, "refused")])
def test_pairs_of_public_rows_are_bounded_before_they_are_made(
    towns: int, status: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whole tables are counted; their join is not, if it could have too many rows."""
    pairs = Joined("shops", (Beside("towns", None, None, outer=False),))
    every, made = Matches("shops", None, ()), Matches(pairs, None, (Column("0.id", Kind.INTEGER),))
    sizes = {every: 1000, Matches("towns", None, ()): towns, made: 1}
    asked: list[Matches] = []

    def matched(matches: Matches) -> int:
        asked.append(matches)
        return sizes[matches]

    work = (Work(1, (every, Matches("towns", None, ())), counting=True), Work(1, (made,)))
    engine = DuckDB({})
    monkeypatch.setattr(engine, "matched", matched)
    with pytest.raises(Refused) as refused:
        engine.check(Sums(Source("sales", "customer", 4, None, work), (), ()))
    assert refused.value.code == ("data-unavailable" if status == "counted" else "too-complex")
    assert (made in asked) is (status == "counted")
