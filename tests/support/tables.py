"""Small tables for tests, and the policy that declares them."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import numpy as np
import pyarrow as pa

from deniable.policy import Policy
from tests.support.limits import LOOSE

REGIONS = ["north", "east", "south", "west"]


def visits(rows: int, seed: int) -> pa.Table:
    """Visits within their bounds, with NULLs where the policy allows them."""
    chance = np.random.default_rng(seed)
    person = chance.integers(1, rows // 4 + 2, rows)
    age = chance.integers(0, 111, rows)
    return pa.table(
        {
            "patient_id": pa.array(person, mask=chance.random(rows) < 0.02),
            "age": age,
            "cost": np.round(chance.gamma(2, 40, rows).clip(0, 500), 2),
            "score": pa.array(chance.normal(0, 30, rows).clip(-100, 100), mask=chance.random(rows) < 0.1),
            "region": pa.array(np.array(REGIONS)[chance.integers(0, 4, rows)], mask=chance.random(rows) < 0.05),
            "reason": pa.array(np.array(["checkup", "injury", "heart"])[chance.integers(0, 3, rows)]),
            "day": pa.array(20089 + chance.integers(0, 365, rows), type=pa.int32()).cast(pa.date32()),
            "urgent": chance.random(rows) < 0.3,
        }
    )


def policy(folder: Path, *, contribution: int | None, neighbours: str = "add-remove", epsilon: float = 1e6) -> Policy:
    """One table of visits; each row its own unit, or patients that weigh at most so many rows."""
    table = {
        "source": "visits.parquet",
        "columns": {
            "patient_id": {"type": "integer"},
            "age": {"type": "integer", "bounds": [0, 110], "nulls": False},
            "cost": {"type": "number", "bounds": [0, 500], "step": 0.01, "nulls": False},
            "score": {"type": "number", "bounds": [-100, 100]},
            "region": {"type": "text", "values": REGIONS},
            "reason": {"type": "text", "nulls": False},
            "day": {
                "type": "date",
                "bounds": [dt.date(2025, 1, 1), dt.date(2025, 12, 31)],
                "nulls": False,
            },
            "urgent": {"type": "boolean", "nulls": False},
        },
    }
    if contribution is not None:
        table |= {"unit": "patient_id", "contribution": contribution, "keys": min(contribution, 20)}
    budget = {"epsilon": epsilon, "delta": 1e-6, "delta_for_keys": 5e-7}
    return Policy.from_mapping(
        {
            "population": {"name": "tests", "neighbours": neighbours},
            "budget": budget,
            "limits": LOOSE,
            "tables": {"visits": table},
        },
        origin="tests",
        folder=folder,
    )
