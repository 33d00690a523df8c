"""What a row costs as rows grow: 1, 10 and 100 million in one table, beside the plain query of the same engine.

Run: python -m benchmarks.scale [--rows 1000000 10000000 100000000] [--folder /tmp]

A size is left out if the machine has not the memory and the disk for it. The data are made by DuckDB and removed again.
CPU seconds are those of the engine's process, which are steadier than wall seconds where others work, too.
"""

from __future__ import annotations

import argparse
import os
import shutil
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from deniable.core.algebra.expression import Column, Expression, Kind, Literal, Range
from deniable.core.algebra.query import ExactQuery, Kept, Key, MarginalSums, Source, Sums, Total
from deniable.engines import DuckDB
from deniable.planner.expressions.functions import call

_SIZES = (1_000_000, 10_000_000, 100_000_000)
_MEMORY = "4GB"
_BYTES_A_ROW = 40
"""On disk, with what the engine may write aside."""
_GIGABYTE = 1 << 30
_ROUNDS = 2
_REGIONS, _TOWNS, _DEAREST, _CONTRIBUTION = 50, 10_000, 500, 10
_LISTED = tuple(f"region {place}" for place in range(_REGIONS))
"""As a policy lists them."""


def main() -> None:
    """One table for each question."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale")
    parser.add_argument("--rows", type=int, nargs="+", default=list(_SIZES))
    parser.add_argument("--folder", help="where the data are made; they are removed afterwards")
    given = parser.parse_args()
    print("| rows | question | CPU s | wall s | ns of CPU a row | peak MB | plain CPU s | x |")
    print("| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for rows in given.rows:
        with TemporaryDirectory(prefix="scale-", dir=given.folder) as folder:
            if (missing := _missing(rows, Path(folder))) is not None:
                print(f"| {rows:,} | left out: {missing} | | | | | | |")
                continue
            file = Path(folder) / "rows.parquet"
            _made(file, rows)
            for title, (query, plain) in _questions().items():
                _line(file, rows, title, query, plain)


def _missing(rows: int, folder: Path) -> str | None:
    """What the machine has too little of."""
    free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    memory = (6 if rows > _SIZES[1] else 2) * _GIGABYTE
    disk = shutil.disk_usage(folder).free
    if free < memory:
        return f"{free / _GIGABYTE:.1f} GB of memory are free, {memory / _GIGABYTE:.0f} needed"
    if disk < 2 * _BYTES_A_ROW * rows:
        return f"{disk / _GIGABYTE:.1f} GB of disk are free, {2 * _BYTES_A_ROW * rows / _GIGABYTE:.0f} needed"
    return None


def _made(file: Path, rows: int) -> None:
    """Ten rows for each person on average, so that four of ten have more than they may; towns of very uneven size."""
    columns = (
        f"CAST(FLOOR(random() * {rows // 10}) AS BIGINT) AS person",
        f"'region ' || CAST(CAST(FLOOR({_REGIONS} * random()) AS INTEGER) AS VARCHAR) AS region",
        f"'town ' || CAST(CAST(FLOOR({_TOWNS} * random() * random()) AS INTEGER) AS VARCHAR) AS town",
        f"CAST(FLOOR({_DEAREST} * random()) AS BIGINT) AS cost",
    )
    with duckdb.connect() as connection:
        connection.execute(f"SET memory_limit = '{_MEMORY}'; SET preserve_insertion_order = false")
        connection.execute(f"COPY (SELECT {', '.join(columns)} FROM range({rows})) TO '{file}'")


def _questions() -> dict[str, tuple[ExactQuery, str]]:
    """As the planner asks them, and what a query without people asks."""
    region, town = Key("region", Column("region", Kind.TEXT), _LISTED), Key("town", Column("town", Kind.TEXT))
    cost: Expression = Column("cost", Kind.INTEGER, Range(Fraction(0), Fraction(_DEAREST)))
    count = Total("n", Literal(Fraction(1), Kind.INTEGER), None, 1, 0)
    sums = (count, Total("s", cost, None, _DEAREST, 0))
    rows, people = Source("rows", None, 1, None), Source("rows", "person", _CONTRIBUTION, None)
    tens = Key("tens", call("quotient", cost, Literal(Fraction(10), Kind.INTEGER)))
    plain = "SELECT region, COUNT(*) AS n, SUM(cost) AS s FROM rows GROUP BY region"
    sets = (
        "SELECT region, town, tens, COUNT(*) AS n FROM (SELECT *, cost // 10 AS tens FROM rows) GROUP BY GROUPING SETS"
    )
    return {
        "COUNT, SUM by region, unit = row": (Sums(rows, (region,), sums), plain),
        "COUNT, SUM by region, unit = person": (Sums(people, (region,), sums), plain),
        "histogram by region, unit = person": (
            Sums(people, (region, Key("cell", cost)), (count,)),
            "SELECT region, MEDIAN(cost) AS a FROM rows GROUP BY region",
        ),
        "three pairs of keys, unit = person": (
            MarginalSums(people, (region, town, tens), (count,), ((0, 1), (0, 2), (1, 2)), "left"),
            f"{sets} ((region, town), (region, tens), (town, tens))",
        ),
        "COUNT by town, private keys, unit = person": (
            Kept(people, (town,), (count,), _CONTRIBUTION, "units"),
            "SELECT town, COUNT(*) AS n, COUNT(DISTINCT person) AS units FROM rows GROUP BY town",
        ),
    }


def _line(file: Path, rows: int, title: str, query: ExactQuery, plain: str) -> None:
    cpu, wall, peak = _measured(file, rows, lambda engine: engine.run(query))
    theirs, _, _ = _measured(file, rows, lambda engine: engine.fetch(plain))
    print(
        f"| {rows:,} | {title} | {cpu:.2f} | {wall:.1f} | {1e9 * cpu / rows:.0f} | {peak:.0f} | {theirs:.2f} |"
        f" {cpu / max(theirs, 0.01):.2f} |",
        flush=True,
    )


def _measured(file: Path, rows: int, run: Callable[[DuckDB], object]) -> tuple[float, float, float]:
    """The best CPU and wall seconds, and the peak of memory, in a process of its own."""
    best: list[tuple[float, float, float]] = []
    for _ in range(_ROUNDS if rows <= _SIZES[1] else 1):
        engine = DuckDB({"rows": file}, seconds=3_600, memory=_MEMORY)
        engine.fetch("SELECT 1 AS one")
        before, start = _cpu(engine), time.perf_counter()
        run(engine)
        best.append((_cpu(engine) - before, time.perf_counter() - start, _peak(engine)))
        engine.close()
    return min(best)


def _cpu(engine: DuckDB) -> float:
    """Of the worker's process, in seconds."""
    fields = Path(f"/proc/{engine.process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _peak(engine: DuckDB) -> float:
    """Of the worker's process, in MB."""
    lines = Path(f"/proc/{engine.process}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


if __name__ == "__main__":
    main()
