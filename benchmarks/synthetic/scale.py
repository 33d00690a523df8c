"""`python -m benchmarks.synthetic.scale`: a million rows of thirty columns, through the curator.

Ten columns are those of made-up orders and meters, drawn again; the others are noisy functions of two of them.
"""

from __future__ import annotations

import argparse
from itertools import combinations

import numpy as np

from benchmarks.synthetic.__main__ import run
from benchmarks.synthetic.tables import Codes, meters, orders


def main() -> None:
    """Print time, memory, and the error beside that of columns alone."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--epsilon", type=float, default=1.0)
    options = parser.parse_args()
    data = wide(options.rows)
    made = run("deniable", data, options.epsilon)
    if isinstance(made, str):
        raise SystemExit(made)
    rows, seconds, memory = made
    columns, sizes = list(data.columns.values()), list(data.sizes.values())
    far, alone = [], []
    for one, other in list(combinations(range(len(sizes)), 2))[::4]:
        shape = sizes[one], sizes[other]
        true, found = (
            np.bincount(table[one] * shape[1] + table[other], minlength=shape[0] * shape[1]) / table[0].size
            for table in (columns, rows)
        )
        cells = true.reshape(shape)
        far.append(0.5 * np.abs(true - found).sum())
        alone.append(0.5 * np.abs(cells - np.outer(cells.sum(axis=1), cells.sum(axis=0))).sum())
    print(f"{options.rows:,} rows x {len(sizes)} columns, epsilon {options.epsilon:g}:")
    print(f"{seconds:.0f} CPU s, {memory:,.0f} MB,", end=" ")
    print(f"pairs {np.mean(far):.4f} (columns alone {np.mean(alone):.4f})")


def wide(rows: int) -> Codes:
    """Thirty columns."""
    chance = np.random.default_rng(5)
    columns, sizes, ordered = {}, {}, set()
    for source in (orders(), meters()):
        drawn = chance.integers(0, source.rows, rows)
        for name in list(source.columns)[1:6]:
            columns[name], sizes[name] = source.columns[name][drawn], source.sizes[name]
            ordered |= {name} & source.ordered
    names = list(columns)
    for number in range(30 - len(names)):
        one, other = (names[place] for place in chance.integers(0, len(names), 2))
        size = int(chance.integers(3, 16))
        table = chance.integers(0, size, (sizes[one], sizes[other]))
        mixed = chance.random(rows) < 0.4  # noqa: PLR2004 - made up
        column = np.where(mixed, chance.integers(0, size, rows), table[columns[one], columns[other]])
        columns[f"mixed {number}"], sizes[f"mixed {number}"] = column, size
    return Codes("wide", columns, sizes, frozenset(ordered))


if __name__ == "__main__":
    main()
