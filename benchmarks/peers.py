"""The contenders of `benchmarks.questions`, each alone in an interpreter that has what it needs.

Run:  python benchmarks/peers.py NAME visits.parquet QUESTION [runs]

One line of JSON for each run: {"cpu": seconds, "wall": seconds, "rss_mb": so far, "rows": {group: [count, sum, avg]}}.
This file imports nothing of ours, so that a peer with other needs than ours can run it.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

EPSILON = 1.0
"""For the whole question, whatever it consists of."""
CONTRIBUTION = 10
HIGHEST = 500
REGIONS = tuple(f"region {number:02}" for number in range(50))
DAYS = tuple(date(2025, 1, 1) + timedelta(days=number) for number in range(365))
QUESTIONS = ("by-region", "count", "by-region-and-day")

Rows = dict[str, list[float]]
"""By group: the count, and where it was asked for the sum and the mean."""
Ask = Callable[[], Rows]


def main(name: str, path: str, question: str, runs: str = "1") -> None:
    """Import, then ask so many times."""
    if question not in QUESTIONS:
        raise SystemExit(f"no question {question!r}: {', '.join(QUESTIONS)}")
    try:
        ask = CONTENDERS[name](path, question)
    except ImportError as error:
        print(json.dumps({"missing": str(error)}))
        return
    for line in measured(ask, int(runs)):
        print(line, flush=True)


def measured(ask: Ask, runs: int) -> Iterator[str]:
    """What each run took, in this process and in those that it started, and what it said."""
    for _ in range(runs):
        cpu, wall = _cpu(), time.perf_counter()
        rows = ask()
        wall, cpu = time.perf_counter() - wall, _cpu() - cpu
        yield json.dumps({"cpu": cpu, "wall": wall, "rss_mb": peak(), "rows": rows})


def _duckdb(path: str, question: str) -> Ask:
    """The question without privacy."""
    sums = ["sum(cost)", "avg(cost)"] if question == "by-region" else []
    return _asked(path, _select([*_by(question), "count(*)", *sums], "visits", _by(question)), _by(question))


def _duckdb_bounded(path: str, question: str, *settings: str) -> Ask:
    """The fastest query we know by hand that bounds what a person adds, in whole numbers; without noise.

    Each row has a weight of 20 binary places, so that nobody weighs more than ten rows. A single count needs no join.
    The tuned one also knows the setting by which our engine groups people by an array instead of a hash table.
    """
    by = _by(question)
    if question == "count":
        units = _select(["patient_id", "count(*) AS n"], "visits", ["patient_id"])
        return _asked(path, _select([f"sum(least(n, {CONTRIBUTION}))"], f"({units})", []), by, *settings)
    most = 1 << 20
    weight = f"least({most}, {CONTRIBUTION * most} // count(*))::INTEGER AS w"
    weights = _select(["patient_id", weight], "visits", ["patient_id"])
    cents = f"sum(w * CAST(floor(least(greatest(cost, 0), {HIGHEST}) * 100 + 0.5) AS BIGINT))"
    sums = [f"{cents} / {100 * most}", f"{cents} / 100 / sum(w)"] if question == "by-region" else []
    joined = f"visits JOIN ({weights}) USING (patient_id)"
    return _asked(path, _select([*by, f"sum(w) / {most}", *sums], joined, by), by, *settings)


def _select(columns: list[str], source: str, by: list[str]) -> str:
    grouped = f" GROUP BY {', '.join(by)}" if by else ""
    return f"SELECT {', '.join(columns)} FROM {source}{grouped}"


def _asked(path: str, sql: str, by: list[str], *settings: str) -> Ask:
    """A query to a connection that is already open."""
    connection = import_module("duckdb").connect()
    for setting in (*settings, f"CREATE VIEW visits AS FROM '{path}'"):
        connection.execute(setting)

    def ask() -> Rows:
        answer = connection.execute(sql).fetchall()
        return {_name(*row[: len(by)]): [float(value) for value in row[len(by) :]] for row in answer}

    return ask


def _by(question: str) -> list[str]:
    return {"by-region": ["region"], "count": [], "by-region-and-day": ["region", "day"]}[question]


def _name(*keys: object) -> str:
    """A group's name in the JSON."""
    return " ".join(str(key) for key in keys)


def _opendp(path: str, question: str, *, keep: str = "sample", centre: int = 0) -> Ask:
    """OpenDP with Polars. Costs are whole cents: its sums of floats take far more noise, and more time.

    `keep` says which ten rows of a person stay: OpenDP's own choice is a sample; the first ten are faster to find, and
    are a fair sample only if the order of the rows means nothing.
    """
    dp, pl = import_module("opendp.prelude"), import_module("polars")
    if not pl.__version__.startswith("1."):
        raise ImportError(f"OpenDP 0.16 needs Polars 1.36, not {pl.__version__}")
    dp.enable_features("contrib")
    regions = pl.LazyFrame({"region": REGIONS})
    keys = regions if question == "by-region" else regions.join(pl.LazyFrame({"day": DAYS}), how="cross")
    cents = (pl.col("cost").clip(0, HIGHEST) * 100).round().cast(pl.Int64) - 100 * centre
    bounds = (-100 * centre, 100 * (HIGHEST - centre))

    def ask() -> Rows:
        context = dp.Context.compositor(
            data=pl.scan_parquet(path).with_columns(cost=cents),
            privacy_unit=dp.unit_of(contributions=1, identifier=pl.col("patient_id")),
            privacy_loss=dp.loss_of(epsilon=EPSILON),
            split_evenly_over=1,
            margins=[dp.polars.Margin(by=(), max_length=10**9)],
        )
        rows = context.query().truncate_per_group(CONTRIBUTION, keep=keep)
        if question == "count":
            return {"": [float(rows.select(dp.len(signed=True)).release().collect().item())]}
        total = [pl.col("cost").fill_null(0).dp.sum(bounds)] if question == "by-region" else []
        asked = rows.group_by(_by(question)).agg(dp.len(signed=True), *total).with_keys(keys)
        answer = asked.release().collect().rows()
        width = len(_by(question))
        if question != "by-region":
            return {_name(*row[:width]): [float(row[width])] for row in answer}
        return {region: _three(count, total / 100, centre) for region, count, total in answer}

    return ask


def _three(count: float, distances: float, centre: int) -> list[float]:
    """Count, sum and mean, from a count and a sum of distances from the centre."""
    total = distances + centre * count
    return [count, total, total / max(count, 1)]


def _tumult(path: str, question: str, *, centre: int = 0) -> Ask:
    """Tumult Analytics on Spark, with few partitions (its default, 200, is slower here) and a cached view."""
    analytics = import_module("tmlt.analytics")
    spark = _spark()
    asked = {"region": list(REGIONS), "day": list(DAYS)}
    part = analytics.PureDPBudget(EPSILON / 2 if question == "by-region" else EPSILON)

    def ask() -> Rows:
        columns = {"patient_id", *_by(question)} | ({"cost"} if question == "by-region" else set())
        table = spark.read.parquet(path).select(*sorted(columns))
        if question == "by-region":
            table = table.withColumn("cost", table["cost"] - centre)
        session = analytics.Session.from_dataframe(
            privacy_budget=analytics.PureDPBudget(EPSILON),
            source_id="visits",
            dataframe=table,
            protected_change=analytics.AddRowsWithID("patient_id"),
        )
        bounded = analytics.QueryBuilder("visits").enforce(analytics.MaxRowsPerID(CONTRIBUTION))
        session.create_view(bounded, "bounded", cache=True)
        rows = analytics.QueryBuilder("bounded")
        if question == "count":
            return {"": [float(session.evaluate(rows.count(name="n"), part).collect()[0]["n"])]}
        groups = rows.groupby(analytics.KeySet.from_dict({key: asked[key] for key in _by(question)}))
        counts = session.evaluate(groups.count(name="n"), part).collect()
        answer: Rows = {_name(*(row[key] for key in _by(question))): [float(row["n"])] for row in counts}
        if question == "by-region":
            sums = session.evaluate(groups.sum("cost", -centre, HIGHEST - centre, name="s"), part).collect()
            answer = {row["region"]: _three(answer[row["region"]][0], float(row["s"]), centre) for row in sums}
        session.delete_view("bounded")
        return answer

    return ask


def _spark() -> Any:  # noqa: ANN401 - Spark is not here to be asked
    """A Spark session that leaves nothing behind."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.chdir(tempfile.mkdtemp(prefix="tumult-", dir=os.environ.get("TMPDIR")))
    builder = import_module("pyspark.sql").SparkSession.builder.master(f"local[{os.cpu_count()}]")
    settings = {"ui.enabled": "false", "driver.memory": "4g", "sql.shuffle.partitions": "4"}
    for key, value in settings.items():
        builder = builder.config(f"spark.{key}", value)
    return builder.getOrCreate()


def _google(path: str, question: str, *, centre: int = 0) -> Ask:
    """Google's library through python-dp, over rows that pandas has bounded: ten for each person, so l1 is ten rows."""
    laplacian = import_module("pydp.algorithms.laplacian")
    pd = import_module("pandas")
    by = _by(question)
    part = EPSILON / 2 if question == "by-region" else EPSILON
    bound = {"epsilon": part, "l0_sensitivity": 1, "linf_sensitivity": CONTRIBUTION, "dtype": "float"}
    ends = {"lower_bound": -centre, "upper_bound": HIGHEST - centre}

    def noisy(costs: list[float]) -> list[float]:
        count = float(laplacian.Count(**bound).quick_result(costs))
        if question != "by-region":
            return [count]
        return _three(count, float(laplacian.BoundedSum(**bound, **ends, delta=0).quick_result(costs)), centre)

    def ask() -> Rows:
        visits = pd.read_parquet(path, columns=["patient_id", "cost", *by])
        visits = visits[visits.groupby("patient_id").cumcount() < CONTRIBUTION]
        costs = visits["cost"] - centre
        if not by:
            return {"": noisy(costs.tolist())}
        keyed = costs.groupby([visits[key] for key in by] if len(by) > 1 else visits[by[0]])
        groups = {_name(*key) if len(by) > 1 else key: rows.tolist() for key, rows in keyed}
        names = REGIONS if by == ["region"] else [_name(region, day) for region in REGIONS for day in DAYS]
        return {name: noisy(groups.get(name, [])) for name in names}

    return ask


CONTENDERS: dict[str, Callable[[str, str], Ask]] = {
    "duckdb": _duckdb,
    "duckdb-bounded": _duckdb_bounded,
    "duckdb-tuned": lambda path, question: _duckdb_bounded(path, question, "SET perfect_ht_threshold = 20"),
    "opendp": _opendp,
    "opendp-first": partial(_opendp, keep="first"),
    "opendp-centred": partial(_opendp, centre=HIGHEST // 2),
    "tumult": _tumult,
    "tumult-centred": partial(_tumult, centre=HIGHEST // 2),
    "google": _google,
    "google-centred": partial(_google, centre=HIGHEST // 2),
}
"""By name. The centred ones ask for the sum of distances from the middle of the bounds, a trick that halves the noise;
no peer does it for a sum by itself."""


def _cpu() -> float:
    """Seconds of this process, of those that it started, and of those that they started."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime + sum(map(_seconds, _descendants()))


def _seconds(process: int) -> float:
    """Of a process and of its children that have ended. The kernel's clock of another process is exact to the ns."""
    try:
        ended = sum(map(int, _stat(process)[13:15])) / os.sysconf("SC_CLK_TCK")
        return time.clock_gettime((~process << 3) | 2) + ended
    except OSError:
        return 0.0


def peak() -> float:
    """The most memory that this process held, and each that it started, added up; in MB. Libraries count once."""
    processes = [os.getpid(), *_descendants()]
    files = [_files(process) for process in processes]
    once = {name: max(held.get(name, 0) for held in files) for name in set().union(*files)}
    return (sum(map(_most, processes)) + sum(once.values()) - sum(sum(held.values()) for held in files)) / 1024


def _most(process: int) -> int:
    """The most that a process held at any time, in KB."""
    lines = [line.split() for line in _read(process, "status").splitlines()]
    return sum(int(line[1]) for line in lines if line[:1] == ["VmHWM:"])


def _files(process: int) -> dict[str, int]:
    """What a process holds now of each file that it has mapped, in KB: programs and libraries, mostly."""
    held: dict[str, int] = {}
    name = ""
    for line in _read(process, "smaps").splitlines():
        first, *words = line.split()
        if not first.endswith(":"):
            name = words[4] if len(words) > 4 and words[4].startswith("/") else ""  # noqa: PLR2004 - where the path is
        elif first == "Rss:" and name:
            held[name] = held.get(name, 0) + int(words[0])
    return held


def _read(process: int, name: str) -> str:
    """A file of /proc; empty if the process has ended."""
    try:
        return Path(f"/proc/{process}/{name}").read_text(encoding="utf-8")
    except OSError:
        return ""


def _descendants() -> list[int]:
    """The live processes below this one; on systems without /proc, none are seen."""
    parents = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(entry.name)] = int(_stat(int(entry.name))[1])
        except OSError:
            continue
    found = [os.getpid()]
    for process in found:
        found += [child for child, parent in parents.items() if parent == process]
    return found[1:]


def _stat(process: int) -> list[str]:
    """The fields of /proc/<process>/stat after the name, which may hold blanks."""
    fields = _read(process, "stat").rpartition(")")[2].split()
    if not fields:
        raise ProcessLookupError(process)
    return fields


if __name__ == "__main__":
    main(*sys.argv[1:])
