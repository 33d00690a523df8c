"""What tables of pairs most likely hold: neighbours speak for each other, and never for what has no order."""

import numpy as np
import pytest

from deniable.releases.synthetic.measured.bins import Bins
from deniable.releases.synthetic.measured.estimates import goals
from deniable.releases.synthetic.measured.pairs import PairTable

ROWS = 50_000.0


def smooth(size: int = 30) -> np.ndarray:
    """Two ordered columns that rise together, a little."""
    places = np.arange(size) / size
    table = 1 + 0.5 * np.outer(np.sin(3 * places), np.cos(3 * places))
    return table / table.sum() * ROWS


def estimated(true: np.ndarray, deviation: float, chains: tuple[int, int]) -> np.ndarray:
    """Its cells, from noisy ones and from sums that are known."""
    noisy = true + np.random.default_rng(1).normal(0, deviation, true.shape)
    bins = [Bins(np.arange(size), np.zeros(size, dtype=np.int64)) for size in true.shape]
    tables = [PairTable((0, 1), True, noisy, deviation)]  # noqa: FBT003 - on fine bins
    (goal,) = goals([true.sum(axis=1), true.sum(axis=0)], bins, chains, tables, {})
    return goal.shares * ROWS


def far(found: np.ndarray, true: np.ndarray) -> float:
    return float(np.abs(found - true).sum())


@pytest.mark.parametrize("deviation", [20.0, 60.0])
def test_neighbours_of_ordered_columns_speak_for_each_other(deviation):
    true = smooth()
    alone, together = (far(estimated(true, deviation, (chain, chain)), true) for chain in (0, 30))
    assert together < 0.7 * alone


def test_bins_without_order_do_not():
    """The order of categories means nothing: shuffled, they are estimated as before."""
    true, order = smooth(), np.random.default_rng(2).permutation(30)
    noisy = true + np.random.default_rng(3).normal(0, 30, true.shape)
    bins = [Bins(np.arange(30), np.zeros(30, dtype=np.int64))] * 2
    margins = true.sum(axis=1), true.sum(axis=0)
    (plain,) = goals(margins, bins, [0, 0], [PairTable((0, 1), True, noisy, 30.0)], {})  # noqa: FBT003 - on fine bins
    turned = PairTable((0, 1), True, noisy[order], 30.0)  # noqa: FBT003 - on fine bins
    (shuffled,) = goals((margins[0][order], margins[1]), bins, [0, 0], [turned], {})
    assert np.allclose(shuffled.shares, plain.shares[order], rtol=1e-6)


def test_a_missing_value_is_nobodys_neighbour():
    """The last bin, of missing values, is in no chain: what neighbours agree on is not said of it."""
    profile = np.random.default_rng(5).choice([0.7, 1.3], 30)
    true = np.concatenate([np.tile(profile, (14, 1)), np.tile(2 - profile, (15, 1)), [profile]])
    true *= ROWS / true.sum()
    chained, apart = (far(estimated(true, 20.0, (chain, 0))[-1], true[-1]) for chain in (30, 29))
    assert apart < chained


def test_with_little_noise_cells_are_what_was_measured():
    true = np.random.default_rng(4).integers(10, 200, (30, 30)).astype(float)
    true *= ROWS / true.sum()
    assert far(estimated(true, 0.5, (30, 30)), true) < 1.1 * 0.8 * 0.5 * true.size
