"""Workloads: errors and times beside the certified optimum, OpenDP's b-ary tree and plain grouping sets.

`python -m benchmarks.workloads` prints the tables; `--rows 10000000` is the size of the last one.
"""

from __future__ import annotations

import argparse
import os
import resource
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from deniable.core.algebra.expression import Column, Kind, Literal, Range
from deniable.core.algebra.query import Key, MarginalSums, Source, Total
from deniable.core.sensitivity import Neighbours
from deniable.engines import DuckDB
from deniable.releases import Workload
from deniable.releases.linear.design import Design
from deniable.releases.linear.domain import Attribute, Domain
from deniable.releases.linear.matrices.factors import Factor, Shape
from deniable.releases.linear.measurement import Noise
from deniable.releases.linear.strategies import STRATEGIES
from deniable.releases.linear.strategies.hierarchical import HierarchicalSums
from deniable.releases.linear.strategies.strategy import Strategy
from deniable.releases.linear.task import Task, factors
from deniable.releases.linear.workload import Product

CELLS = 1024
PURE = Noise(Fraction(1), True, 1, Fraction(1), Neighbours.ADD_REMOVE)  # noqa: FBT003 - epsilon 1
CONCENTRATED = Noise(Fraction(1, 2), False, 1, Fraction(1), Neighbours.ADD_REMOVE)  # noqa: FBT003 - rho 1/2


def main() -> None:
    """All tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--releases", type=int, default=200)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["DENIABLE_CACHE"] = folder
        _ranges()
        _marginals()
        _measured(options.releases)
        _grouping_sets(Path(folder), options.rows)


def _ranges() -> None:
    """All ranges over 1,024 cells."""
    task = _task(Workload.ranges("a"), {"a": CELLS})
    print(f"All ranges over {CELLS:,} cells: expected root-mean-square error, CPU seconds to find and to know it\n")
    print("| strategy | Laplace, epsilon 1 | s | Gaussian, rho 1/2 | s |\n| --- | ---: | ---: | ---: | ---: |")
    trees: dict[str, Strategy] = {f"{b}-ary tree": HierarchicalSums(b) for b in (2, 4)}
    ways = {"identity": STRATEGIES["identity"]} | trees | {"optimised, cold": STRATEGIES["matrix"]}
    for name, strategy in (ways | {"optimised, from the cache": STRATEGIES["matrix"]}).items():
        cells = []
        for noise in (PURE, CONCENTRATED):
            found = _timed(lambda strategy=strategy, noise=noise: strategy.design(task, noise))  # type: ignore[misc]
            known = _timed(lambda design=found.value: design.total)  # type: ignore[misc]
            cells.append(f"{known.value:.3f} | {found.seconds:.3f} + {known.seconds:.3f}")
        print(f"| {name} | {' | '.join(cells)} |")
    print(f"| no strategy is below | | | {STRATEGIES['matrix'].design(task, CONCENTRATED).bound:.3f} | |")
    _opendp(task)


def _opendp(task: Task) -> None:
    """OpenDP's tree: its own sums, noise and consistency, on the same ranges; the error is measured."""
    try:
        import opendp.prelude as dp
    except ImportError:
        print("| OpenDP b-ary tree | not installed | | | |\n")
        return
    dp.enable_features("contrib")
    (piece,) = task.pieces
    low, high = Factor(Shape.RANGES, CELLS, CELLS).ends
    for branching in (2, 4, dp.t.choose_branching_factor(CELLS)):
        space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
        tree: Any = dp.t.make_b_ary_tree(*space, leaf_count=CELLS, branching_factor=branching)
        levels = tree.map(1)
        meter = tree >> dp.m.then_laplace(scale=float(levels))
        consistent = dp.t.make_consistent_b_ary_tree(branching_factor=branching)
        started, squares, runs = time.process_time(), 0.0, 200
        for _ in range(runs):
            leaves = np.array(consistent(meter([0] * CELLS)))[-_leaves(branching) :][:CELLS]
            sums = np.concatenate([[0.0], np.cumsum(leaves)])
            squares += float(((sums[high + 1] - sums[low]) ** 2).mean())
        spent = (time.process_time() - started) / runs
        error = (squares / runs) ** 0.5
        print(f"| OpenDP {branching}-ary tree (measured, {piece.rows:,} ranges) | {error:.1f} | {spent:.3f} | | |")
    print()


def _leaves(branching: int) -> int:
    """Of a full tree over the cells."""
    leaves = 1
    while leaves < CELLS:
        leaves *= branching
    return leaves


def _marginals() -> None:
    """Pairs of ten attributes, triples of twenty."""
    print("Marginals of attributes with 10 values, Gaussian noise, rho 1/2\n")
    print("| workload | strategy | error | CPU s | peak MB |\n| --- | --- | ---: | ---: | ---: |")
    for attributes, order in ((10, 2), (20, 3)):
        names = [f"x{place}" for place in range(attributes)]
        task = _task(Workload.marginals(names, order=order), dict.fromkeys(names, 10))
        for name in ("alone", "marginals", "residual"):
            found = _timed(lambda name=name, task=task: _with_error(STRATEGIES[name].design(task, CONCENTRATED)))  # type: ignore[misc]
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(f"| {order}-way of {attributes} | {name} | {found.value[1]:.4f} | {found.seconds:.3f} | {peak:.0f} |")
        design = found.value[0]
        if order == 3:  # noqa: PLR2004 - the large one is released too
            rows = np.random.default_rng(1).integers(0, 10, (100_000, attributes))
            released = _timed(lambda design=design, rows=rows: design.solve(design.release(_counts(rows))))  # type: ignore[misc]
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(f"| | released, {design.numbers:,} numbers | | {released.seconds:.3f} | {peak:.0f} |")
    print()


def _counts(rows: Any) -> Callable[[tuple[int, ...]], Any]:  # noqa: ANN401 - NumPy arrays
    def exact(axes: tuple[int, ...]) -> Any:  # noqa: ANN401 - same
        places = np.ravel_multi_index([rows[:, axis] for axis in axes], [10] * len(axes)) if axes else rows[:, 0] * 0
        return np.bincount(places, minlength=10 ** len(axes)).reshape([10] * len(axes))

    return exact


def _measured(releases: int) -> None:
    """Releases with true noise, against what was expected of them."""
    task = _task(Workload.ranges("a"), {"a": 256})
    cells = np.random.default_rng(2).integers(0, 100, 256)
    (piece,) = task.pieces
    print(f"All ranges over 256 cells: error measured over {releases} releases, beside the expected one\n")
    print("| noise | strategy | expected | measured | ratio, squared |\n| --- | --- | ---: | ---: | ---: |")
    for noise in (PURE, CONCENTRATED):
        for name in ("identity", "hierarchical", "matrix"):
            design = STRATEGIES[name].design(task, noise)
            exact = design.answers(cells.astype(float), piece)
            squares = []
            for _ in range(releases):
                answers = design.answers(design.solve(design.release(lambda _: cells)), piece)
                squares.append(float(((answers - exact) ** 2).mean()) / design.total**2)
            ratio, unsure = float(np.mean(squares)), float(np.std(squares)) / releases**0.5
            kind, measured = "Laplace" if noise.pure else "Gaussian", design.total * ratio**0.5
            print(f"| {kind} | {design.name} | {design.total:.3f} | {measured:.3f} | {ratio:.3f} ± {unsure:.3f} |")
    print()


def _grouping_sets(folder: Path, rows: int) -> None:
    """One query for all pairs of six attributes, beside the plain query of the same sets."""
    file = folder / "rows.parquet"
    columns = ", ".join(f"CAST(FLOOR(10 * random()) AS BIGINT) AS x{place}" for place in range(6))
    with duckdb.connect() as connection:
        person = f"CAST(FLOOR(random() * {rows // 10}) AS BIGINT) AS person"
        connection.execute(f"COPY (SELECT {person}, {columns} FROM range({rows})) TO '{file}'")
    keys = tuple(
        Key(f"x{place}", Column(f"x{place}", Kind.INTEGER, Range(Fraction(0), Fraction(9)))) for place in range(6)
    )
    pairs = tuple((one, other) for one in range(6) for other in range(one + 1, 6))
    total = Total("n", Literal(Fraction(1), Kind.INTEGER), None, 1, 0)
    sets = ", ".join(f"(x{one}, x{other})" for one, other in pairs)
    plain = f"SELECT x0, x1, x2, x3, x4, x5, COUNT(*) AS n FROM rows GROUP BY GROUPING SETS ({sets})"
    print(f"All pairs of six attributes from {rows:,} rows, wall seconds, best of three\n")
    print("| query | s | ratio |\n| --- | ---: | ---: |")
    best: dict[str, float] = {}
    for unit in (None, "person"):
        query = MarginalSums(Source("rows", unit, 1 if unit is None else 10, None), keys, (total,), pairs, "left")
        ours, theirs = DuckDB({"rows": file}, seconds=600), DuckDB({"rows": file}, seconds=600)
        ways: dict[str, Callable[[], object]] = {
            "plain grouping sets": lambda engine=theirs: engine.fetch(plain),  # type: ignore[misc]
            f"ours, unit = {unit or 'row'}": lambda engine=ours, query=query: engine.run(query),  # type: ignore[misc]
        }
        for _ in range(3):
            for name, run in ways.items():
                started = time.perf_counter()
                run()
                best[name] = min(best.get(name, float("inf")), time.perf_counter() - started)
        ours.close()
        theirs.close()
    for name, seconds in best.items():
        print(f"| {name} | {seconds:.3f} | {seconds / best['plain grouping sets']:.2f} |")


@dataclass(frozen=True, slots=True)
class _Timed:
    value: Any
    seconds: float


def _timed(step: Callable[[], Any]) -> _Timed:
    started = time.process_time()
    value = step()
    return _Timed(value, time.process_time() - started)


def _with_error(design: Design) -> tuple[Design, float]:
    return design, design.total


def _task(work: Workload, sizes: dict[str, int]) -> Task:
    domain = Domain(tuple(Attribute(name, tuple(range(size)), ordered=True) for name, size in sizes.items()))
    return Task(domain, tuple(factors(part, domain) for part in work.parts if isinstance(part, Product)))


if __name__ == "__main__":
    main()
