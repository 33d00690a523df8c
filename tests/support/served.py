"""A population that is served from memory, on an engine whose speed is chosen by the test."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from deniable.curator import Curator
from deniable.curator.factory import engine_of
from deniable.engines.engine import _schema
from deniable.ledger import Ledger
from deniable.policy import Policy, terms_of
from deniable.service.limits import ServerLimits
from deniable.service.metrics import Metrics
from deniable.service.population import ServedPopulation
from deniable.service.service import Service
from deniable.service.session import Session
from deniable.service.tokens import Role, TokenFile

COUNT = "SELECT COUNT(*) AS n FROM visits"
PEOPLE = {"alice": Role.ANALYST, "bob": Role.ANALYST, "carol": Role.CUSTODIAN, "rene": Role.REVIEWER}
BY_REGION = "SELECT region, COUNT(*) AS n FROM visits GROUP BY region"


def declared(
    after: str = "200ms", least_spend: float = 1e-6, analysts: Sequence[str] = (), **more: object
) -> dict[str, object]:
    """A policy with two analysts, one of whom has a usual spend, and more who have not."""
    return {
        "limits": {"least_spend": least_spend, "questions_per_day": 1_000_000},
        "population": {"name": "clinic"},
        "budget": {"epsilon": 1000, "delta": 1e-6, "delta_for_keys": 2e-7},
        "analysts": {
            "alice": {"epsilon": 500, "per_question": 0.5},
            **{name: {"epsilon": 500} for name in ("bob", *analysts)},
        },
        "serve": {"release_after": after, **more},
        "tables": {
            "visits": {
                "source": "visits.parquet",
                "unit": "patient",
                "contribution": 2,
                "columns": {
                    "patient": {"type": "integer"},
                    "age": {"type": "integer", "bounds": [0, 110]},
                    "cost": {"type": "number", "bounds": [0, 100], "step": 0.01},
                    "region": {"type": "text", "values": ["north", "south"]},
                    "reason": {"type": "text"},
                    "day": {"type": "date", "bounds": ["2025-01-01", "2025-12-31"]},
                    "urgent": {"type": "boolean"},
                },
            },
            "hospitals": {
                "source": "hospitals.csv",
                "public": True,
                "columns": {"hospital": {"type": "integer", "bounds": [1, 3]}, "city": {"type": "text"}},
            },
        },
    }


def write_rows(folder: Path) -> None:
    """The rows of that policy."""
    size = 600
    table = pa.table(
        {
            "patient": [row // 2 for row in range(size)],
            "age": [row % 90 for row in range(size)],
            "cost": [float(row % 50) for row in range(size)],
            "region": ["north" if row % 3 else "south" for row in range(size)],
            "reason": ["fall" if row % 2 else "flu" for row in range(size)],
            "day": pa.array([20089 + row % 365 for row in range(size)], pa.int32()).cast(pa.date32()),
            "urgent": [row % 5 == 0 for row in range(size)],
        }
    )
    pq.write_table(table, folder / "visits.parquet")
    (folder / "hospitals.csv").write_text("hospital,city\n1,Bern\n2,Basel\n3,Chur\n")


class Paced:
    """An engine that takes as long as it is told for each run, finds nobody, and does the rest as the real one."""

    def __init__(self, engine: object, pace: Callable[[], float]) -> None:
        self._engine, self._pace = engine, pace
        self.runs = 0

    def run(self, query: object) -> pa.Table:
        self.runs += 1
        time.sleep(self._pace())
        schema = _schema(query)
        rows = [] if query.keys else [dict.fromkeys(schema.names, 0)]
        return pa.Table.from_pylist(rows, schema=schema)

    @contextmanager
    def session(self) -> Iterator[Paced]:
        yield self

    def __getattr__(self, name: str) -> object:
        return getattr(self._engine, name)


@contextmanager
def served(
    folder: Path,
    after: str = "200ms",
    pace: Callable[[], float] | None = lambda: 0.0,
    limits: ServerLimits | None = None,
    analysts: Sequence[str] = (),
    **more: object,
) -> Iterator[tuple[Service, dict[str, str]]]:
    """A service with tokens of alice, bob, a custodian and a reviewer. To be entered inside of a running loop.

    Without a pace, the real engine counts the rows.
    """
    write_rows(folder)
    policy = Policy.from_mapping(declared(after, analysts=analysts, **more), origin="clinic.toml", folder=folder)
    tokens = TokenFile(folder / "clinic.tokens", "clinic")
    people = {**PEOPLE, **dict.fromkeys(analysts, Role.ANALYST)}
    secrets = {name: tokens.create(name, role)[0] for name, role in people.items()}
    engine = engine_of(policy) if pace is None else Paced(engine_of(policy), pace)
    metrics, bounds = Metrics(), limits or ServerLimits()
    curator = Curator(policy, engine, Ledger.memory("clinic", terms_of(policy)))
    population = ServedPopulation(curator, tokens, bounds, metrics)
    try:
        yield Service({"clinic": population}, bounds, metrics), secrets
    finally:
        engine.close()


async def session(service: Service, secret: str) -> Session:
    """Whoever has this token, let in."""
    return await service.entrance.by_token(secret, "test")
