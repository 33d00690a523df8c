"""Our own contenders, each in a process of its own: the product, and a plain tree.

Run:  python -m benchmarks.synthetic.contenders NAME table.npz EPSILON made.npz

One line of JSON: {"cpu": seconds, "rss_mb": the most memory}, with processes that were started.
"""

from __future__ import annotations

import json
import os
import sys
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np

from benchmarks.peers import peak
from benchmarks.synthetic.tables import Codes, load
from deniable.core.algebra.query import WEIGHT
from deniable.core.conversion import mu_for
from deniable.core.grid import IntArray
from deniable.core.sensitivity import Neighbours
from deniable.curator import Curator
from deniable.curator.factory import engine_of
from deniable.ledger import Ledger
from deniable.policy import Policy
from deniable.releases.synthetic.drawn.likeness import Likeness, counts_of
from deniable.releases.synthetic.drawn.tree import from_tree
from deniable.releases.synthetic.measured.bins import Bins
from deniable.releases.synthetic.measured.estimates import Goal
from deniable.releases.synthetic.measured.one_way import nearest
from deniable.releases.synthetic.measured.portion import FINE, Portion, Vectors, read, weights_for

DELTA = 1e-9


def main(name: str, path: str, epsilon: str, out: str) -> None:
    """One run."""
    file = Path(path)
    before = _cpu()
    made, memory = {"deniable": deniable, "plain-tree": plain_tree}[name](file, float(epsilon))
    spent = _cpu() - before
    np.savez(out, codes=np.stack(made))
    print(json.dumps({"cpu": spent, "rss_mb": memory}))


def deniable(file: Path, epsilon: float) -> tuple[list[IntArray], float]:
    """Through the curator, on the real engine, whose process counts; rows, and the most memory."""
    data = load(file, rows=False)
    declared = {
        name: {"type": "integer", "nulls": False}
        | ({"bounds": [0, size - 1]} if name in data.ordered else {"values": list(range(size))})
        for name, size in data.sizes.items()
    }
    policy = Policy.from_mapping(
        {
            "population": {"name": "benchmark"},
            "budget": {"epsilon": 40, "delta": 1e-6},
            "limits": {"least_spend": 1e-6},
            "tables": {"data": {"source": file.with_suffix(".parquet").name, "columns": declared}},
        },
        origin="benchmark",
        folder=file.parent,
    )
    with Curator(policy, engine_of(policy), Ledger.memory("benchmark")) as curator:
        table = curator.synthesize(epsilon=epsilon, delta=DELTA).table
        memory = peak()
    return [table[name].fill_null(0).to_numpy() for name in data.columns], memory


def plain_tree(file: Path, epsilon: float) -> tuple[list[IntArray], float]:
    """The idea of MST: a third of the spend for columns, a third to choose a tree, a third for its pairs, in full."""
    data = load(file)
    chance, columns, sizes = np.random.default_rng(), list(data.columns.values()), list(data.sizes.values())
    rho = Fraction(mu_for(epsilon, DELTA) ** 2 / 2) / 3
    counts = Portion(rho, WEIGHT, Vectors.COUNTS, Neighbours.ADD_REMOVE)
    equal = weights_for([1.0] * len(columns))
    exact = [np.bincount(column, minlength=size) * WEIGHT for column, size in zip(columns, sizes, strict=True)]
    noisy = read(counts.measure(exact, equal), [(size,) for size in sizes], equal)
    rows = float(np.mean([one.sum() for one in noisy]))
    shares = [np.maximum(nearest(one, rows), 1e-3) / rows for one in noisy]
    pairs = list(combinations(range(len(columns)), 2))
    scores = Portion(rho, WEIGHT, Vectors.DISTANCES, Neighbours.ADD_REMOVE)
    weights = weights_for([1.0] * len(pairs))
    away = [
        np.abs(_crossed(data, pair) - np.rint(np.outer(shares[pair[0]], shares[pair[1]]) * rows * WEIGHT)).sum()
        for pair in pairs
    ]
    found = read(scores.measure([np.array([int(one)]) for one in away], weights), [(1,)] * len(pairs), weights)
    tree = _spanning({pair: float(one[0]) for pair, one in zip(pairs, found, strict=True)}, len(columns))
    weights = [int(FINE / len(tree) ** 0.5)] * len(tree)
    tables = read(
        counts.measure([_crossed(data, pair) for pair in tree], weights),
        [(sizes[a], sizes[b]) for a, b in tree],
        weights,
    )
    goals = [
        Goal(pair, True, np.maximum(nearest(table.reshape(-1), rows).reshape(table.shape), 1e-9) / rows)  # noqa: FBT003 - on values
        for pair, table in zip(tree, tables, strict=True)
    ]
    bins = tuple(Bins(np.arange(size), np.arange(size)) for size in sizes)
    return from_tree(Likeness(bins, tuple(shares), tuple(goals), {}), round(rows), chance), peak()


def _spanning(scores: dict[tuple[int, int], float], columns: int) -> list[tuple[int, int]]:
    """The tree of the highest scores."""
    root, tree = list(range(columns)), []
    for one, other in sorted(scores, key=lambda pair: -scores[pair]):
        if root[one] != root[other]:
            tree.append((one, other))
            root = [root[one] if place == root[other] else place for place in root]
    return tree


def _crossed(data: Codes, pair: tuple[int, int]) -> IntArray:
    columns, sizes = list(data.columns.values()), list(data.sizes.values())
    one, other = pair
    return counts_of(columns[one], columns[other], (sizes[one], sizes[other])) * WEIGHT


def _cpu() -> float:
    """Processor time of this process and of workers that have ended, in seconds."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


if __name__ == "__main__":
    main(*sys.argv[1:])
