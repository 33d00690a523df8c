"""Charts of columns: a bar is tall because its values are common, not because it holds many of them."""

from __future__ import annotations

import numpy as np

from deniable.core.algebra.expression import Kind
from deniable.releases.synthetic.measured.domain import ColumnDomain
from deniable.releases.synthetic.report.page import bars

AGES = ColumnDomain("age", Kind.INTEGER, (*range(111), None), ordered=True, other=True)
TOWNS = ColumnDomain("town", Kind.TEXT, tuple(f"town {place}" for place in range(300)), ordered=False)


def test_bars_of_ordered_values_are_equally_wide() -> None:
    """Bins by mass, one value here and five there, showed spikes where there were none."""
    by_mass = np.minimum(np.arange(AGES.size) ** 2 // 100, 40)
    found = bars(AGES, by_mass)
    held = np.bincount(found)
    assert found.max() < 62
    assert set(held[:-3].tolist()) == {2}
    assert held[-3:].tolist() == [1, 1, 1]
    assert (np.diff(found) >= 0).all()


def test_every_value_of_a_small_column_has_its_bar() -> None:
    few = ColumnDomain("ward", Kind.INTEGER, tuple(range(12)), ordered=True)
    assert bars(few, np.zeros(12, int)).tolist() == list(range(12))


def test_values_without_an_order_stay_in_the_bins_that_were_measured() -> None:
    fine = np.arange(300) // 10
    assert bars(TOWNS, fine).tolist() == fine.tolist()
    assert bars(TOWNS, np.arange(300)).max() == 59
