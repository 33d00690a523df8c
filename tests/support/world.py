"""Several tables of one population: visits, stays and public hospitals; for joins and subqueries."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from deniable.curator import Curator
from deniable.curator.factory import engine_of
from deniable.ledger import Ledger
from deniable.policy import Policy
from tests.support.limits import LOOSE
from tests.support.tables import REGIONS, visits

WARDS = ["a", "b", "c"]
CITIES = ["Ulm", "Bonn", "Jena"]
SURVEY = "survey"
"""A table in which each row is a unit of its own."""


def tables(rows: int, seed: int) -> dict[str, pa.Table]:
    """About four visits and two stays for each patient, some of whom are in one table only."""
    chance = np.random.default_rng(seed)
    stays, people = rows // 2, rows // 4 + 2
    patients = chance.integers(1, people + people // 4, stays)
    return {
        "visits": visits(rows, seed).append_column("hospital", pa.array(chance.integers(1, 9, rows))),
        "stays": pa.table(
            {
                "patient_id": pa.array(patients, mask=chance.random(stays) < 0.02),
                "nights": pa.array(chance.integers(0, 31, stays), mask=chance.random(stays) < 0.1),
                "ward": pa.array(np.array(WARDS)[chance.integers(0, 3, stays)], mask=chance.random(stays) < 0.1),
            }
        ),
        "hospitals": pa.table(
            {
                "hospital": [1, 2, 3, 4, 5, 6, 7],
                "city": ["Ulm", "Bonn", "Jena", "Ulm", "Bonn", "Jena", None],
                "beds": [100, 250, 40, 900, 30, 77, 10],
            }
        ),
        SURVEY: pa.table({"hospital": chance.integers(1, 9, stays), "mark": chance.integers(1, 6, stays)}),
    }


def policy(folder: Path, *, contribution: int, neighbours: str = "add-remove") -> Policy:
    """Patients are protected in visits and stays, rows in the survey; hospitals are public."""
    person = {"unit": "patient_id", "contribution": contribution, "keys": min(contribution, 20), "most_rows": 40}
    columns = {
        "visits": {
            "patient_id": {"type": "integer"},
            "age": {"type": "integer", "bounds": [0, 110], "nulls": False},
            "cost": {"type": "number", "bounds": [0, 500], "step": 0.01, "nulls": False},
            "score": {"type": "number", "bounds": [-100, 100]},
            "region": {"type": "text", "values": REGIONS},
            "reason": {"type": "text", "nulls": False},
            "day": {"type": "date", "bounds": ["2025-01-01", "2025-12-31"], "nulls": False},
            "urgent": {"type": "boolean", "nulls": False},
            "hospital": {"type": "integer", "bounds": [0, 10], "nulls": False},
        },
        "stays": {
            "patient_id": {"type": "integer"},
            "nights": {"type": "integer", "bounds": [0, 30]},
            "ward": {"type": "text", "values": WARDS},
        },
        "hospitals": {
            "hospital": {"type": "integer", "nulls": False},
            "city": {"type": "text", "values": CITIES},
            "beds": {"type": "integer", "bounds": [0, 1000], "nulls": False},
        },
        SURVEY: {
            "hospital": {"type": "integer", "bounds": [0, 10], "nulls": False},
            "mark": {"type": "integer", "bounds": [1, 5], "nulls": False},
        },
    }
    rules = {"visits": person, "stays": person, "hospitals": {"public": True}, SURVEY: {}}
    return Policy.from_mapping(
        {
            "population": {"name": "tests", "neighbours": neighbours},
            "budget": {"epsilon": 1e6, "delta": 1e-6, "delta_for_keys": 5e-7},
            "limits": LOOSE,
            "tables": {
                name: {"source": f"{name}.parquet", **rule, "columns": columns[name]} for name, rule in rules.items()
            },
        },
        origin="tests",
        folder=folder,
    )


def curator(folder: Path, found: dict[str, pa.Table], rules: Policy) -> Curator:
    """A curator over these tables, with a ledger in memory."""
    for name, table in found.items():
        pq.write_table(table, folder / f"{name}.parquet")
    return Curator(rules, engine_of(rules), Ledger.memory(rules.population))
