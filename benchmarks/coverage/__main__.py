"""How many queries of each family are answered, and rightly: `python -m benchmarks.coverage`.

TPC-H and ClickBench are standards; a retail star schema, a shop of music, web analytics, taxi trips, dashboards, a
metrics layer and many small schemas are of our own writing, in the ways in which people and their tools write.

Each query is put to the curator as the standard writes it, with hardly any noise, and compared with plain DuckDB on the
same rows. Those that cannot be answered privately are listed with the reason; what is refused besides, with the
refusal. A wrong answer ends the run with status 1.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path
from types import ModuleType

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.coverage import dashboards, hits, metrics, music, offices, retail, small, taxi, tpch, web
from benchmarks.coverage.compare import explained, verdict
from deniable.core.errors import Failed, Refused
from deniable.curator import Curator
from deniable.curator.factory import engine_of
from deniable.ledger import Ledger
from deniable.policy import Policy

SUITES: dict[str, ModuleType] = {
    "tpch": tpch,
    "clickbench": hits,
    "retail": retail,
    "music": music,
    "web": web,
    "taxi": taxi,
    "small": small,
    "dashboards": dashboards,
    "metrics": metrics,
    "offices": offices,
}


def main() -> None:
    """All queries of all suites, or of those that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suites", nargs="*", default=list(SUITES))
    wrong = 0
    for name in parser.parse_args().suites:
        found = covered(name, SUITES[name])
        answerable = [outcome for query, outcome in found.items() if query not in SUITES[name].REASONS]
        print(f"\n{name}: {answerable.count('right')} of {len(answerable)} answerable queries answered as written")
        for query, outcome in found.items():
            reason = SUITES[name].REASONS.get(query)
            shown = f"not answerable: {reason}" if reason is not None and outcome != "right" else outcome
            print(f"  {query:4} {shown}")
        wrong += Counter(outcome.split(":")[0] for outcome in found.values())["WRONG"]
    sys.exit(1 if wrong else 0)


def covered(name: str, suite: ModuleType) -> dict[str, str]:
    """What became of each query."""
    text = (Path(__file__).parent / f"{name}.sql").read_text()
    queries = dict(re.findall(r"^-- (q\d+)\n(.*?);[^\n]*\n", text, re.DOTALL | re.MULTILINE))
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as plain:
        for title, table in suite.tables().items():
            pq.write_table(table, Path(folder) / f"{title}.parquet")
            _made(plain, title, table)
        curator = _curator(name, suite, Path(folder))
        with curator:
            return {query: _outcome(sql, curator, plain) for query, sql in queries.items()}


def _made(plain: duckdb.DuckDBPyConnection, title: str, table: pa.Table) -> None:
    """A table in its schema, and in the one that is called public."""
    schema, _, last = title.rpartition(".")
    plain.register("given", table)
    for place in {schema or "main", "public"}:
        plain.execute(f'CREATE SCHEMA IF NOT EXISTS "{place}"; CREATE TABLE "{place}"."{last}" AS FROM given')
    plain.unregister("given")


def _curator(name: str, suite: ModuleType, folder: Path) -> Curator:
    tables = {
        title: {"source": f"{title}.parquet", "columns": suite.COLUMNS[title], **rule}
        for title, rule in suite.RULES.items()
    }
    policy = Policy.from_mapping(
        {
            "population": {"name": name},
            "budget": {"epsilon": 1e14, "delta": 1e-3, "delta_for_keys": 9e-4},
            "limits": {"answer_size": 10**9, "questions_per_day": 10**6},
            "tables": tables,
        },
        origin=name,
        folder=folder,
    )
    return Curator(policy, engine_of(policy), Ledger.memory(name))


def _outcome(sql: str, curator: Curator, plain: duckdb.DuckDBPyConnection) -> str:
    try:
        answer = curator.ask(sql, epsilon=1e12, delta=1e-5)
    except Refused as refusal:
        return f"refused ({refusal.code}): {refusal.reason}"
    except Failed:
        return "failed"
    text = sql.replace("to_char(pickup_datetime, 'YYYY-MM-DD')", "strftime(pickup_datetime, '%Y-%m-%d')")
    text = re.sub(r"(?is)^(select) top (\d+) (.*)$", r"\1 \3 limit \2", text)
    whole = re.sub(r"(?is)\s+limit\s+\d+(\s+offset\s+\d+)?\s*$", "", text)
    return explained(verdict(answer, plain.sql(whole).to_arrow_table(), limited=whole != text), answer.notes)


if __name__ == "__main__":
    main()
