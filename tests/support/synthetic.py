"""Small worlds for synthetic tables: people with several rows, every kind of column, and neighbours of them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from deniable.curator import Curator
from deniable.curator.factory import engine_of
from deniable.curator.synthesis.purchase import SynthesisPlan
from deniable.engines import Engine
from deniable.ledger import Ledger
from deniable.mechanisms import Gaussian
from deniable.policy import Policy
from tests.support.limits import LOOSE

TOWNS = ["north", "east", "south", "west"]
_FIELDS = [
    ("person", pa.int64()),
    ("age", pa.int64()),
    ("cost", pa.float64()),
    ("heat", pa.float64()),
    ("town", pa.string()),
    ("grade", pa.int64()),
    ("urgent", pa.bool_()),
    ("day", pa.date32()),
    ("seen", pa.timestamp("us")),
    ("at", pa.time64("us")),
]
SCHEMA = pa.schema(_FIELDS)
COLUMNS = {
    "person": {"type": "integer"},
    "age": {"type": "integer", "bounds": [0, 110]},
    "cost": {"type": "number", "bounds": [0, 500], "step": 0.5, "nulls": False},
    "heat": {"type": "number", "bounds": [-10, 10]},
    "town": {"type": "text", "values": TOWNS},
    "grade": {"type": "integer", "values": [3, 1, 2]},
    "urgent": {"type": "boolean"},
    "day": {"type": "date", "bounds": [dt.date(2025, 1, 1), dt.date(2025, 12, 31)]},
    "seen": {"type": "timestamp", "bounds": ["2025-01-01 00:00:00", "2025-12-31 23:59:59"]},
    "at": {"type": "time", "bounds": ["06:00", "20:00"]},
}
PEOPLE = {
    "person": {"type": "integer"},
    "sex": {"type": "text", "values": ["f", "m"], "nulls": False},
    "born": {"type": "integer", "bounds": [1920, 2010], "nulls": False},
}


def visits(rows: int, seed: int) -> pa.Table:
    """Ages and costs hang together, and so do towns and grades; some values are missing, some are not listed."""
    chance = np.random.default_rng(seed)
    age = np.clip(chance.normal(50, 20, rows), 0, 110).round().astype(np.int64)
    town = chance.integers(0, 4, rows)
    names = np.array([*TOWNS, "elsewhere"], dtype=object)[np.where(chance.random(rows) < 0.03, 4, town)]
    return pa.table(
        {
            "person": pa.array(1 + chance.integers(0, rows // 3 + 1, rows)),
            "age": pa.array(age, mask=chance.random(rows) < 0.05),
            "cost": np.round(np.clip(age * 3 + chance.normal(0, 30, rows), 0, 500) * 2) / 2,
            "heat": chance.normal(0, 4, rows),
            "town": pa.array(names, type=pa.string(), mask=chance.random(rows) < 0.02),
            "grade": 1 + (town + (chance.random(rows) < 0.2)) % 3,
            "urgent": chance.random(rows) < 0.2 + 0.5 * (age > 60),
            "day": pa.array(20089 + chance.integers(0, 365, rows), type=pa.int32()).cast(pa.date32()),
            "seen": pa.array(_moments(rows, chance), pa.timestamp("us"), mask=chance.random(rows) < 0.1),
            "at": pa.array(chance.integers(7 * 3600, 19 * 3600, rows) * 10**6, pa.time64("us")),
        },
        schema=SCHEMA,
    )


def _moments(rows: int, chance: np.random.Generator) -> np.ndarray:
    """Mornings on working days, afternoons at weekends, which are rarer."""
    day = chance.integers(0, 365, rows)
    weekend = (day + 2) % 7 >= 5
    day = np.where(weekend & (chance.random(rows) < 0.5), day - 3, day).clip(0)
    hour = np.where((day + 2) % 7 >= 5, 15, 9) + chance.normal(0, 1, rows).clip(-3, 3)
    return np.asarray((20089 + day) * 86_400_000_000 + (hour * 3600).astype(np.int64) * 1_000_000)


def odd(person: int, rows: int) -> pa.Table:
    """All rows of somebody who is unlike anybody else: too many of them, missing, not listed, out of bounds."""
    strange = [
        {"person": person, "age": 400, "cost": 1e9, "heat": None, "town": "nowhere", "grade": 7, "urgent": None},
        {"person": person, "age": None, "cost": 0.0, "heat": 99.0, "town": "north", "grade": None, "urgent": True},
        {"person": person, "age": 0, "cost": 250.0, "heat": 0.0, "town": None, "grade": 1, "day": dt.date(1800, 1, 1)},
        {"person": person, "seen": dt.datetime(1900, 1, 1), "at": dt.time(0), "town": "north"},
        {"person": person, "seen": dt.datetime(2500, 1, 1), "at": dt.time(23, 59, 59, 999999)},
    ]
    return pa.Table.from_pylist([strange[number % len(strange)] for number in range(rows)], schema=SCHEMA)


def policy(folder: Path, contribution: int | None, neighbours: str = "add-remove", *, people: bool = False) -> Policy:
    """Visits, whose units are rows or people; with a table of these people, or without."""
    table: dict[str, object] = {"source": "visits.parquet", "columns": COLUMNS}
    if contribution is not None:
        table |= {"unit": "person", "contribution": contribution}
    tables: dict[str, object] = {"visits": table}
    if people:
        tables["people"] = {"source": "people.parquet", "unit": "person", "contribution": 1, "columns": PEOPLE}
    return Policy.from_mapping(
        {
            "population": {"name": "made up", "neighbours": neighbours},
            "budget": {"epsilon": 10**6, "delta": 1e-6, "delta_for_keys": 5e-7},
            "tables": tables,
            "limits": LOOSE,
        },
        origin="tests",
        folder=folder,
    )


def engine(folder: Path, rules: Policy, **tables: pa.Table) -> Engine:
    """Over files of these tables."""
    folder.mkdir(exist_ok=True)
    for name, table in tables.items():
        pq.write_table(table, folder / f"{name}.parquet")
    return engine_of(rules)


def house(folder: Path, rules: Policy, **tables: pa.Table) -> Curator:
    """A curator over these tables, with a ledger in memory."""
    return Curator(rules, engine(folder, rules, **tables), Ledger.memory(rules.population))


@dataclass
class Step:
    """What one mechanism was given on both sides."""

    mechanism: Gaussian
    left: np.ndarray
    right: np.ndarray

    @property
    def distance(self) -> float:
        """In l2, in steps of the grid."""
        return float(np.linalg.norm((self.left - self.right).astype(np.float64)))


def side_by_side(plan: SynthesisPlan, left: Engine, right: Engine, monkeypatch) -> tuple[list[Step], bool]:
    """Every mechanism's input on both of two neighbours, given the same noisy numbers; and whether all queries agree.

    The left one is measured as ever. On the right the same noise outcomes are replayed, so that whatever follows from
    noisy numbers is the same: then the inputs must lie within what was paid for, and the queries must be the same.
    """
    release, taken = Gaussian.release, []

    def recording(self, values):
        out = release(self, values)
        taken.append((self, np.asarray(values), out))
        return out

    mine, yours, steps, same = [], [], [], True
    rounds = zip(plan.rounds(mine), plan.rounds(yours), strict=True)
    for one, other in rounds:
        if one.queries:
            same = same and one.queries == other.queries
        taken.clear()
        monkeypatch.setattr(Gaussian, "release", recording)
        noisy = one.add_noise([one.kept(left.run(query)) for query in one.queries])
        seen = iter(list(taken))
        given: list[np.ndarray] = []

        def replaying(self, values, seen=seen, given=given):
            del self
            given.append(np.asarray(values))
            return next(seen)[2]

        monkeypatch.setattr(Gaussian, "release", replaying)
        other.add_noise([other.kept(right.run(query)) for query in other.queries])
        monkeypatch.setattr(Gaussian, "release", release)
        steps += [Step(used, before, after) for (used, before, _), after in zip(taken, given, strict=True)]
        mine.append(noisy)
        yours.append(noisy)
    return steps, same


def paid_for(plan: SynthesisPlan, steps: Sequence[Step]) -> bool:
    """Whether the mechanisms that ran were charged, and no input moved farther than is hidden.

    Where no pair rises above the noise, no tables are measured, though they are paid for.
    """
    charged = iter([event.to_json() for event in plan.events])
    ran = all(any(step.mechanism.event.to_json() == event for event in charged) for step in steps)  # in this order
    return ran and all(step.distance <= float(step.mechanism.distance) for step in steps)
