"""`python -m benchmarks.synthetic.certificates`: how often a certificate's intervals hold the true distance.

One table, made with the product's own settings, is certified again and again, each time beside fresh counts of columns,
from which follows how many rows there are. Adult if `DENIABLE_ADULT` names its CSV file, otherwise orders.
"""

from __future__ import annotations

import argparse
from fractions import Fraction

import numpy as np

from benchmarks.synthetic.__main__ import run
from benchmarks.synthetic.contenders import DELTA
from benchmarks.synthetic.tables import every
from deniable.core.algebra.expression import Kind
from deniable.core.algebra.query import WEIGHT
from deniable.core.conversion import mu_for
from deniable.core.sensitivity import Neighbours
from deniable.releases.synthetic.drawn.likeness import counts_of
from deniable.releases.synthetic.measured.domain import ColumnDomain
from deniable.releases.synthetic.recipe import Recipe

_RADIUS = 1.96
"""In deviations: 95%."""


def main() -> None:
    """Print the share of intervals that held, and how wide they are."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--runs", type=int, default=200)
    options = parser.parse_args()
    tables = every()
    data = tables.get("Adult", tables["orders"])
    made = run("deniable", data, options.epsilon)
    if isinstance(made, str):
        raise SystemExit(made)
    columns = tuple(
        ColumnDomain(name, Kind.INTEGER, tuple(range(size)), ordered=name in data.ordered)
        for name, size in data.sizes.items()
    )
    rho = Fraction(mu_for(options.epsilon, DELTA) ** 2 / 2)
    recipe = Recipe(columns, rho, WEIGHT, Neighbours.ADD_REMOVE)
    rows, sizes = list(data.columns.values()), list(data.sizes.values())
    alone = [np.bincount(column, minlength=size) * WEIGHT for column, size in zip(rows, sizes, strict=True)]
    shapes = {(one, other): (sizes[one], sizes[other]) for one, other in recipe.pairs}
    exact = {pair: counts_of(rows[pair[0]], rows[pair[1]], shape) for pair, shape in shapes.items()}
    drawn = {pair: counts_of(made[0][pair[0]], made[0][pair[1]], shape) for pair, shape in shapes.items()}
    true = [0.5 * np.abs(exact[pair] / data.rows - drawn[pair] / made[0][0].size).sum() for pair in recipe.pairs]
    weighed = {pair: counts * WEIGHT for pair, counts in exact.items()}
    held = []
    for _ in range(options.runs):
        certificate = recipe.counted(recipe.one_way.measure(alone)).certificate
        said = certificate.read(certificate.measure(weighed, made[0]), _RADIUS)
        held.append((said.low <= true) & (true <= said.high))
    print(f"{data.name}, epsilon {options.epsilon:g}: of {np.size(held):,} intervals in {options.runs} certificates")
    print(f"{np.mean(held):.1%} hold the true distance; 95% is said; +- {_RADIUS * certificate.deviation:.4f}")


if __name__ == "__main__":
    main()
