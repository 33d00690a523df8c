"""Synthetic tables: how far single columns, pairs and triples are off, beside a plain tree, chance and independence.

`python -m benchmarks.synthetic` prints the table. The Adult census extract is used if `DENIABLE_ADULT` names a CSV file
of its codes; two made-up tables of other shapes always are. The settings are those of the product, for all of them.
"""

from __future__ import annotations

import argparse
import csv
import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import combinations
from math import prod
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from deniable.core.algebra.query import WEIGHT
from deniable.core.conversion import mu_for
from deniable.core.grid import IntArray
from deniable.core.sensitivity import Neighbours
from deniable.curator import Curator
from deniable.curator.factory import engine_of
from deniable.ledger import Ledger
from deniable.policy import Policy
from deniable.releases.synthetic.bins import Bins
from deniable.releases.synthetic.estimates import Goal
from deniable.releases.synthetic.field import Likeness
from deniable.releases.synthetic.one_way import nearest
from deniable.releases.synthetic.portion import FINE, Portion, Vectors, read, weights_for
from deniable.releases.synthetic.tree import from_tree

DELTA = 1e-9
_MOST_CELLS = 2_000_000
_ADULT = [*["age", "workclass", "education-num", "marital-status", "occupation", "relationship", "race", "sex"]]
_ADULT += ["hours-per-week", "income>50K"]
_ADULT_ORDERED = {"age", "education-num", "hours-per-week"}
_TICK = 1 / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Data:
    """A table as codes."""

    name: str
    columns: dict[str, IntArray]
    sizes: dict[str, int]
    ordered: frozenset[str]


def main() -> None:
    """One row for each table, epsilon and method."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epsilons", type=float, nargs="+", default=[0.1, 1.0, 10.0])
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    print("| data | epsilon | method | columns | pairs | worst pair | triples | CPU s | MB |")
    print("| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for data in _tables():
        chance = np.random.default_rng(0)
        rows = next(iter(data.columns.values())).size
        _print(data, "", "rows drawn again", [partial(_again, data, rows, chance)] * options.runs)
        _print(data, "", "columns alone", [partial(_alone, data, chance)])
        for epsilon in options.epsilons:
            _print(data, f"{epsilon:g}", "plain tree", [partial(plain_tree, data, epsilon)] * options.runs)
            _print(data, f"{epsilon:g}", "deniable", [partial(deniable, data, epsilon)] * options.runs)


def _print(data: Data, epsilon: str, method: str, runs: list[Callable[[], list[IntArray]]]) -> None:
    """The means over all runs."""
    found, before = [], time.process_time() + _children()
    for run in runs:
        made = run()
        found.append([_distances(data, made, many) for many in (1, 2, 3)])
    seconds = (time.process_time() + _children() - before) / len(runs)
    means = [float(np.mean([one[place].mean() for one in found])) for place in range(3)]
    worst = float(np.mean([one[1].max() for one in found]))
    memory = "" if method != "deniable" else f"{_peak():,.0f}"
    line = f"{means[0]:.4f} | {means[1]:.4f} | {worst:.3f} | {means[2]:.4f} | {seconds:.1f} | {memory}"
    print(f"| {data.name} | {epsilon} | {method} | {line} |", flush=True)


def deniable(data: Data, epsilon: float) -> list[IntArray]:
    """Through the curator, on the real engine."""
    declared = {
        name: {"type": "integer", "nulls": False}
        | ({"bounds": [0, size - 1]} if name in data.ordered else {"values": list(range(size))})
        for name, size in data.sizes.items()
    }
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        pq.write_table(pa.table(data.columns), folder / "data.parquet")
        policy = Policy.from_mapping(
            {
                "population": {"name": "benchmark"},
                "budget": {"epsilon": 40, "delta": 1e-6},
                "limits": {"least_spend": 1e-6},
                "tables": {"data": {"source": "data.parquet", "columns": declared}},
            },
            origin="benchmark",
            folder=folder,
        )
        with Curator(policy, engine_of(policy), Ledger.memory("benchmark")) as curator:
            table = curator.synthesize(epsilon=epsilon, delta=DELTA).table
    return [table[name].fill_null(0).to_numpy() for name in data.columns]


def plain_tree(data: Data, epsilon: float) -> list[IntArray]:
    """The idea of MST: a third of the spend for columns, a third to choose a tree, a third for its pairs, in full."""
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
    return from_tree(Likeness(bins, tuple(shares), tuple(goals), {}), round(rows), chance)


def _spanning(scores: dict[tuple[int, int], float], columns: int) -> list[tuple[int, int]]:
    """The tree of the highest scores."""
    root, tree = list(range(columns)), []
    for one, other in sorted(scores, key=lambda pair: -scores[pair]):
        if root[one] != root[other]:
            tree.append((one, other))
            root = [root[one] if place == root[other] else place for place in root]
    return tree


def _crossed(data: Data, pair: tuple[int, int]) -> IntArray:
    columns, sizes = list(data.columns.values()), list(data.sizes.values())
    one, other = pair
    cells = np.bincount(columns[one] * sizes[other] + columns[other], minlength=sizes[one] * sizes[other])
    return cells.reshape(sizes[one], sizes[other]) * WEIGHT


def _again(data: Data, rows: int, chance: np.random.Generator) -> list[IntArray]:
    drawn = chance.integers(0, rows, rows)
    return [column[drawn] for column in data.columns.values()]


def _alone(data: Data, chance: np.random.Generator) -> list[IntArray]:
    return [chance.permutation(column) for column in data.columns.values()]


def _distances(data: Data, made: list[IntArray], many: int) -> np.ndarray:
    """The total variation of every set of so many columns that has not too many cells."""
    columns, sizes = list(data.columns.values()), list(data.sizes.values())
    found = []
    for places in combinations(range(len(columns)), many):
        cells = prod(sizes[place] for place in places)
        if cells > _MOST_CELLS:
            continue
        shares = []
        for rows in (columns, made):
            code = np.zeros(rows[0].size, dtype=np.int64)
            for place in places:
                code = code * sizes[place] + rows[place]
            shares.append(np.bincount(code, minlength=cells) / code.size)
        found.append(0.5 * np.abs(shares[0] - shares[1]).sum())
    return np.array(found)


def _tables() -> list[Data]:
    path = os.environ.get("DENIABLE_ADULT")
    if path is None:
        print("Adult is left out: DENIABLE_ADULT names no CSV file of its codes.\n")
    return [*([] if path is None else [_adult(Path(path))]), journeys(), orders()]


def _adult(path: Path) -> Data:
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    columns = {name: np.array([int(row[name]) for row in rows]) for name in _ADULT}
    sizes = {name: int(column.max()) + 1 for name, column in columns.items()}
    return Data("Adult", columns, sizes, frozenset(_ADULT_ORDERED))


def journeys(rows: int = 60_000) -> Data:
    """Made up: place, distance and duration nearly determine each other."""
    chance = np.random.default_rng(11)
    weight = 1 / np.arange(1, 121) ** 0.9
    start = chance.choice(120, rows, p=weight / weight.sum())
    far = 5 + (np.arange(120) * 37) % 90
    distance = np.clip(far[start] + chance.integers(-2, 3, rows), 0, 99)
    duration = np.clip(distance * 2 + chance.integers(-3, 4, rows), 0, 199)
    fare = np.clip(3 + distance // 2 + chance.integers(0, 2, rows), 0, 59)
    hour = np.clip(chance.normal(13 + 4 * (start % 3 - 1), 4, rows), 0, 23).astype(np.int64)
    kind = np.where(chance.random(rows) < 0.85, (hour > 17) * 1 + (distance > 60) * 2, chance.integers(0, 4, rows))  # noqa: PLR2004 - made up
    columns = {"place": start, "distance": distance, "duration": duration, "fare": fare, "hour": hour, "kind": kind}
    sizes = {"place": 120, "distance": 100, "duration": 200, "fare": 60, "hour": 24, "kind": 4}
    return Data("journeys", columns, sizes, frozenset({"distance", "duration", "fare", "hour"}))


def orders(rows: int = 80_000) -> Data:
    """Made up: wide categories, skewed numbers, weak and strong dependence in one table."""
    chance = np.random.default_rng(12)
    popular = 1 / np.arange(1, 301) ** 1.1
    article = chance.choice(300, rows, p=popular / popular.sum())
    group = article % 14
    price = np.minimum(np.exp(chance.normal(2 + (article % 7) * 0.35, 0.7, rows)), 399).astype(np.int64)
    number = np.minimum(chance.geometric(0.35 + 0.4 * (price > 20), rows), 20) - 1  # noqa: PLR2004 - made up
    country = np.where(chance.random(rows) < 0.6, group % 6, chance.integers(0, 150, rows) ** 2 // 150)  # noqa: PLR2004 - made up
    paid = (chance.random(rows) < 0.3 + 0.5 * (country < 4)).astype(np.int64) + (price > 100)  # noqa: PLR2004 - made up
    returned = (chance.random(rows) < 0.05 + 0.25 * (group == 3) + 0.1 * (number > 4)).astype(np.int64)  # noqa: PLR2004 - made up
    month = np.clip(chance.normal(6 + 3 * (group % 2), 3, rows), 0, 11).astype(np.int64)
    columns = {"article": article, "group": group, "price": price, "number": number, "country": country}
    columns |= {"paid": paid, "returned": returned, "month": month}
    sizes = {"article": 300, "group": 14, "price": 400, "number": 20, "country": 150, "paid": 3, "returned": 2}
    sizes |= {"month": 12}
    return Data("orders", columns, sizes, frozenset({"price", "number", "month"}))


def _children() -> float:
    """Processor time of workers that have ended, in seconds."""
    times = os.times()
    return times.children_user + times.children_system


def _peak() -> float:
    """The most memory that this process has had, in MB."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1024
    return 0.0


if __name__ == "__main__":
    main()
