"""Every engine at hand beside the best query that one would write for it by hand: `python -m benchmarks.engines`.

Visits of people in fifty regions; COUNT, SUM and AVG by region, where a person weighs at most twenty visits. DuckDB
reads Parquet; PostgreSQL is the server of --postgres (a superuser's url: a database is made and dropped); Sail (--sail)
and Spark (--spark, the `spark-submit` of an installed one) are started and read the same Parquet. Seconds are those of
the engine's own process, on one core: what it took, not what else the machine did meanwhile. Tumult (--tumult, the
interpreter that has it) is asked for counts and sums of costs by region, of ten rows a person, with a Spark of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import duckdb
import psycopg
from rich.console import Console
from rich.table import Table

from benchmarks import peers
from benchmarks.by_hand import CONTRIBUTION, DUCKDB, POSTGRES, SPARK, by_hand
from deniable.core.algebra.query import ExactQuery
from deniable.engines.duckdb.engine import DuckDB
from deniable.engines.engine import Engine
from deniable.engines.postgres.engine import PostgreSQL
from deniable.engines.postgres.schema import Place
from deniable.engines.spark.engine import Spark
from deniable.planner import Spend, plan_question
from deniable.policy import Policy
from tests.support.sail import alone
from tests.support.spark import spark_server

QUESTION = "SELECT region, COUNT(*) AS n, SUM(cost) AS cost, AVG(age) AS age FROM visits GROUP BY region"
VIEW = f"deniable_{b'visits'.hex()}"
"""What our session with Spark calls the table."""
Times = dict[str, tuple[float, float]]
"""Processor and wall seconds by the name of a query."""
_TICK = 1 / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Make the visits, then a table for each engine."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--postgres", metavar="URL", help="a superuser's, on this machine")
    parser.add_argument("--sail", action="store_true", help="start a Sail")
    parser.add_argument("--spark", metavar="SPARK-SUBMIT", help="start this Spark")
    parser.add_argument("--tumult", metavar="PYTHON", help="ask Tumult, too, which this interpreter has")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        visits = Path(folder) / "visits.parquet"
        make(visits, options.rows)
        queries = planned(visits)
        engine = DuckDB({"visits": visits}, seconds=3600, threads=1)
        with closing(engine):
            engine.fetch("SELECT 1")
            show("DuckDB", race(engine, queries, by_hand(DUCKDB, "visits"), lambda: engine.process, options.runs))
        if options.sail:
            with alone(SAIL_EXECUTION__DEFAULT_PARALLELISM="1") as server:
                show("Sail", on_spark((server.url, server.process), visits, queries, options.runs))
        if options.spark is not None:
            with spark_server(options.spark, cores=1) as spark:
                show("Spark", on_spark(spark, visits, queries, options.runs))
        if options.tumult is not None:
            beside(options.tumult, visits, options.runs)
        if options.postgres is None:
            print("PostgreSQL is left out: name a server with --postgres")
            return
        with filled(options.postgres, visits) as url:
            for index in (False, True):
                on_postgres(url, queries, options.runs, index=index)


def on_spark(server: tuple[str, int], visits: Path, queries: tuple[ExactQuery, ...], runs: int) -> Times:
    """All that the server does, which is Java's compiler, too."""
    url, process = server
    with Spark(url, {"visits": str(visits)}, seconds=3600).session() as session:
        return race(session, queries, by_hand(SPARK, VIEW), partial(int, process), runs)


def beside(python: str, visits: Path, runs: int) -> None:
    """What Tumult and all that it starts take, beside our Spark: the same rows, and one column less."""
    renamed = visits.with_name("patients.parquet")
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT person AS patient_id, cost, region FROM '{visits}') TO '{renamed}'")
    program = [python, peers.__file__, "tumult", str(renamed), "by-region", str(runs)]
    done = subprocess.run(program, check=True, stdout=subprocess.PIPE, text=True)  # noqa: S603 - ours, as named
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    best = min((line["cpu"], line["wall"]) for line in found)
    print(f"Tumult: {best[0]:.1f} CPU s, {best[1]:.1f} wall s")


def on_postgres(url: str, queries: tuple[ExactQuery, ...], runs: int, *, index: bool) -> None:
    """One process of the server."""
    if index:
        run(url, "CREATE INDEX ON visits (person)", "ANALYZE visits")
    there = PostgreSQL(url, {"visits": Place("public", "visits")}, seconds=3600)
    with there.session() as session:
        pid = int(session.fetch("SELECT pg_backend_pid()::bigint AS n")["n"][0].as_py())
        title = "PostgreSQL" + (", with an index on the person" if index else "")
        show(title, race(session, queries, by_hand(POSTGRES, "public.visits"), partial(int, pid), runs))


def make(path: Path, rows: int) -> None:
    """A few people come often: a tenth of them have more than twenty visits."""
    with duckdb.connect() as connection:
        connection.execute("SELECT setseed(0.5)")
        columns = (
            f"CAST(FLOOR({rows // 10} * POW(random(), 1.6)) AS BIGINT) AS person, ROUND(random() * 500, 2) AS cost, "
            "CAST(FLOOR(random() * 111) AS BIGINT) AS age, "
            "format('region {:02}', CAST(FLOOR(50 * POW(random(), 1.3)) AS INTEGER)) AS region"
        )
        connection.execute(f"COPY (SELECT {columns} FROM range({rows})) TO '{path}'")


def planned(visits: Path) -> tuple[ExactQuery, ...]:
    """What the planner makes of the question."""
    columns = {
        "person": {"type": "integer"},
        "cost": {"type": "number", "bounds": [0, 500], "step": 0.01, "nulls": False},
        "age": {"type": "integer", "bounds": [0, 110], "nulls": False},
        "region": {"type": "text", "values": [f"region {number:02}" for number in range(50)], "nulls": False},
    }
    table = {"source": str(visits), "unit": "person", "contribution": CONTRIBUTION, "columns": columns}
    rules = {"population": {"name": "visits"}, "budget": {"epsilon": 1}, "tables": {"visits": table}}
    policy = Policy.from_mapping(rules, origin="benchmark", folder=visits.parent)
    return plan_question(QUESTION, policy, Spend.of(epsilon="0.5")).queries


def race(
    engine: Engine,
    queries: tuple[ExactQuery, ...],
    others: Mapping[str, str],
    process: Callable[[], int | None],
    runs: int,
) -> Times:
    """Processor and wall seconds of each, the best of its runs; all take turns."""

    def ours() -> None:
        for query in queries:
            engine.run(query)

    works: dict[str, Callable[[], object]] = {"ours": ours}
    works |= {name: partial(engine.fetch, sql) for name, sql in others.items()}
    best: Times = {}
    for _ in range(runs):
        for name, work in works.items():
            before, started = _processor(process()), time.perf_counter()
            work()
            took = _processor(process()) - before, time.perf_counter() - started
            best[name] = min(best.get(name, took), took)
    return best


def show(title: str, best: Times) -> None:
    """Beside the best of those that bound."""
    bounded = min(processor for name, (processor, _) in best.items() if name not in ("ours", "not bounded"))
    table = Table(title=title, title_justify="left", header_style="bold")
    for name in ("query", "CPU s", "wall s", "beside the best by hand"):
        table.add_column(name, justify="left" if name == "query" else "right")
    for name, (processor, wall) in best.items():
        table.add_row(name, f"{processor:.2f}", f"{wall:.2f}", f"{processor / bounded:.2f}")
    Console().print(table)


@contextmanager
def filled(url: str, visits: Path) -> Iterator[str]:
    """A database with the visits, which is dropped afterwards."""
    name = f"benchmark_{os.getpid()}"
    run(url, f"CREATE DATABASE {name}")
    there = url.rpartition("/")[0] + f"/{name}"
    try:
        run(there, "CREATE TABLE visits (person bigint, cost double precision, age bigint, region text)")
        with tempfile.TemporaryDirectory() as folder, psycopg.connect(there, autocommit=True) as connection:
            csv = Path(folder) / "visits.csv"
            with duckdb.connect() as files:
                files.execute(f"COPY (SELECT person, cost, age, region FROM '{visits}') TO '{csv}' (HEADER false)")
            copied = "COPY visits FROM STDIN (FORMAT csv)"
            with csv.open("rb") as file, connection.cursor() as cursor, cursor.copy(copied) as rows:
                while block := file.read(1 << 20):
                    rows.write(block)
        run(there, "VACUUM ANALYZE visits")
        one_core = f"ALTER DATABASE {name} SET max_parallel_workers_per_gather = 0"
        run(there, one_core, f"ALTER DATABASE {name} SET work_mem = '256MB'")
        yield there
    finally:
        run(url, f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


def run(url: str, *statements: str) -> None:
    """As the superuser."""
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())


def _processor(process: int | None) -> float:
    """What a process has used so far, from /proc."""
    if process is None:
        return 0.0
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * _TICK


if __name__ == "__main__":
    main()
