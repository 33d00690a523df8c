"""Counts of pairs: in as many queries as their answers need, with the same numbers."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from deniable.curator.synthesis import bins
from deniable.curator.synthesis.bins import by_pairs, exact_pairs, narrowed, parted
from deniable.curator.synthesis.cells import table_cells
from deniable.releases import Synthesis
from deniable.releases.synthetic.measured.pairs import wanted
from tests.support.synthetic import engine, policy, visits

COLUMNS = ["age", "town", "grade", "urgent", "seen"]


@pytest.mark.parametrize(
    ("columns", "cells", "single"),
    [
        (2, 256, True),
        (10, 100, True),
        (20, 50, True),
        (10, 256, False),
        (30, 117, False),
        (60, 58, False),
        (60, 3, False),
    ],
)
def test_no_answer_is_too_large_and_no_pair_is_left_out(columns, cells, single):
    pairs = list(combinations(range(columns), 2))
    parts = parted([cells] * columns, pairs)
    assert Counter(pair for part in parts for pair in part) == Counter(pairs)
    for part in parts:
        width = len({place for pair in part for place in pair}) + 2
        assert width * len(part) <= 8_000, "of 1,770 pairs at once, an engine with 2 GB has no room"
        assert width * len(part) * cells**2 <= 24_000_000
    assert (len(parts) == 1) == single


def test_parts_have_the_same_counts_as_all_at_once(tmp_path, monkeypatch):
    rules = policy(tmp_path, 3)
    (cells,) = table_cells(rules, Synthesis("visits", COLUMNS), {})
    codes = [np.arange(column.size) // 3 for column in cells.columns]
    pairs = wanted(len(codes), 1)
    with engine(tmp_path, rules, visits=visits(400, seed=5)).session() as rows:
        found = []
        for most in (8_000, 12):
            monkeypatch.setattr(bins, "_AT_ONCE", most)
            queries = by_pairs(cells, codes, pairs)
            found.append(exact_pairs(cells, codes, pairs, [narrowed(rows.run(query)) for query in queries]))
            assert (len(queries) == 1) == (most > 12)
    assert all((found[0][pair] == found[1][pair]).all() for pair in pairs)
    assert len({int(table.sum()) for table in found[0].values()}) == 1
    assert found[0][pairs[0]].sum() > 0
