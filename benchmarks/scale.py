"""What a row costs as rows grow: 1, 10 and 100 million in one table, beside the plain query of the same engine.

Run: python -m benchmarks.scale [--rows 1000000 10000000 100000000] [--folder /tmp] [--sail | --spark SPARK-SUBMIT]

DuckDB, or a Sail or Spark that is started for each query, over the same rows in a folder of 16 partitions. A size is
left out if the machine has not the memory and the disk for it. The data are made by DuckDB and removed again. CPU
seconds are those of the engine's process, which are steadier than wall seconds where others work, too.
"""

from __future__ import annotations

import argparse
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from fractions import Fraction
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from deniable.core.algebra.expression import Column, Expression, Kind, Literal, Range
from deniable.core.algebra.query import ExactQuery, Kept, Key, MarginalSums, Source, Sums, Total
from deniable.engines.duckdb.engine import DuckDB
from deniable.engines.engine import Engine
from deniable.engines.spark.engine import Spark
from deniable.planner.expressions.functions import call
from tests.support.sail import alone
from tests.support.spark import spark_server

Opened = Callable[[Path], AbstractContextManager[tuple[Engine, int]]]
"""An engine over a folder of rows, and the process that does its work."""

_SIZES = (1_000_000, 10_000_000, 100_000_000)
_MEMORY = "4GB"
_BYTES_A_ROW = 40
"""On disk, with what the engine may write aside."""
_GIGABYTE = 1 << 30
_ROUNDS = 2
_REGIONS, _TOWNS, _DEAREST, _CONTRIBUTION = 50, 10_000, 500, 10
_PARTITIONS = 16
_HOUR = 3_600
_LISTED = tuple(f"region {place}" for place in range(_REGIONS))
"""As a policy lists them."""


def main() -> None:
    """One table for each question."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale")
    parser.add_argument("--rows", type=int, nargs="+", default=list(_SIZES))
    parser.add_argument("--folder", help="where the data are made; they are removed afterwards")
    other = parser.add_mutually_exclusive_group()
    other.add_argument("--sail", action="store_true", help="ask a Sail")
    other.add_argument("--spark", metavar="SPARK-SUBMIT", help="ask this Spark")
    given = parser.parse_args()
    opened: Opened = on_sail if given.sail else partial(on_spark, given.spark) if given.spark else on_duckdb
    name = "rows.parquet" if opened is on_duckdb else "rows"
    print("| rows | question | CPU s | wall s | ns of CPU a row | peak MB | plain CPU s | x |")
    print("| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for rows in given.rows:
        with TemporaryDirectory(prefix="scale-", dir=given.folder) as folder:
            if (missing := _missing(rows, Path(folder))) is not None:
                print(f"| {rows:,} | left out: {missing} | | | | | | |")
                continue
            _made(Path(folder) / name, rows)
            for title, (query, plain) in _questions().items():
                _line(partial(opened, Path(folder) / name), rows, title, query, plain)


@contextmanager
def on_duckdb(file: Path) -> Iterator[tuple[Engine, int]]:
    """A worker of its own."""
    engine = DuckDB({"rows": file}, seconds=_HOUR, memory=_MEMORY)
    engine.fetch("SELECT 1 AS one")
    yield engine, engine.process or 0
    engine.close()


@contextmanager
def on_sail(folder: Path) -> Iterator[tuple[Engine, int]]:
    """A server of its own."""
    with alone() as server, Spark(server.url, {"rows": str(folder)}, seconds=_HOUR).session() as engine:
        yield engine, server.process


@contextmanager
def on_spark(submit: str, folder: Path) -> Iterator[tuple[Engine, int]]:
    """A server of its own, with the machine's cores."""
    with (
        spark_server(submit, cores=os.cpu_count() or 1) as (url, process),
        Spark(url, {"rows": str(folder)}, seconds=_HOUR).session() as engine,
    ):
        yield engine, process


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


def _made(place: Path, rows: int) -> None:
    """Ten rows for each person on average, so that four of ten have more than they may; towns of very uneven size."""
    columns = (
        f"CAST(FLOOR(random() * {rows // 10}) AS BIGINT) AS person",
        f"'region ' || CAST(CAST(FLOOR({_REGIONS} * random()) AS INTEGER) AS VARCHAR) AS region",
        f"'town ' || CAST(CAST(FLOOR({_TOWNS} * random() * random()) AS INTEGER) AS VARCHAR) AS town",
        f"CAST(FLOOR({_DEAREST} * random()) AS BIGINT) AS cost",
        f"range % {_PARTITIONS} AS part",
    )
    shape = "FORMAT parquet" if place.suffix else "FORMAT parquet, PARTITION_BY (part)"
    with duckdb.connect() as connection:
        connection.execute(f"SET memory_limit = '{_MEMORY}'; SET preserve_insertion_order = false")
        connection.execute(f"COPY (SELECT {', '.join(columns)} FROM range({rows})) TO '{place}' ({shape})")


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


def _line(
    opened: Callable[[], AbstractContextManager[tuple[Engine, int]]],
    rows: int,
    title: str,
    query: ExactQuery,
    plain: str,
) -> None:
    rounds = _ROUNDS if rows <= _SIZES[1] else 1
    cpu, wall, peak = min(_measured(opened, lambda engine: engine.run(query)) for _ in range(rounds))
    theirs, _, _ = min(_measured(opened, lambda engine: engine.fetch(_spelled(engine, plain))) for _ in range(rounds))
    print(
        f"| {rows:,} | {title} | {cpu:.2f} | {wall:.1f} | {1e9 * cpu / rows:.0f} | {peak:.0f} | {theirs:.2f} |"
        f" {cpu / max(theirs, 0.01):.2f} |",
        flush=True,
    )


def _spelled(engine: Engine, plain: str) -> str:
    """Spark's words for a whole quotient, and for a table of ours."""
    if isinstance(engine, DuckDB):
        return plain
    return plain.replace("cost // 10", "cost DIV 10").replace("FROM rows", f"FROM deniable_{b'rows'.hex()}")


def _measured(
    opened: Callable[[], AbstractContextManager[tuple[Engine, int]]], run: Callable[[Engine], object]
) -> tuple[float, float, float]:
    """CPU seconds, wall seconds and the peak of memory of a process that is started for it."""
    with opened() as (engine, process):
        before, start = _cpu(process), time.perf_counter()
        run(engine)
        return _cpu(process) - before, time.perf_counter() - start, _peak(process)


def _cpu(process: int) -> float:
    """In seconds."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _peak(process: int) -> float:
    """In MB."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


if __name__ == "__main__":
    main()
