"""Taxi trips, each a unit of its own, with zones that are public."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

SEED, TRIPS, ZONES = 4, 20_000, 30
BOROUGHS = ["Bronx", "Brooklyn", "Manhattan", "Queens", "Staten Island"]


def _rarely(chance: np.random.Generator, many: int, share: float) -> NDArray[np.bool_]:
    return chance.random(many) < share


def tables() -> dict[str, pa.Table]:
    """Two months of trips."""
    chance = np.random.default_rng(SEED)
    start = np.datetime64("2019-01-01T00:00:00") + chance.integers(0, 59 * 86_400, TRIPS).astype("timedelta64[s]")
    fare = np.round(chance.gamma(3, 4, TRIPS).clip(2.5, 200), 2)
    tip = np.round(fare * chance.random(TRIPS) * 0.3, 2)
    return {
        "trips": pa.table(
            {
                "vendor_id": chance.integers(1, 3, TRIPS),
                "pickup_datetime": start.astype("datetime64[us]"),
                "dropoff_datetime": (start + chance.integers(60, 5400, TRIPS).astype("timedelta64[s]")).astype(
                    "datetime64[us]"
                ),
                "passenger_count": pa.array(chance.integers(0, 7, TRIPS), mask=_rarely(chance, TRIPS, 0.02)),
                "trip_distance": np.round(chance.gamma(2, 1.5, TRIPS).clip(0, 60), 2),
                "pickup_zone": chance.integers(1, ZONES + 1, TRIPS),
                "dropoff_zone": chance.integers(1, ZONES + 1, TRIPS),
                "payment_type": np.array(["Cash", "Credit", "Dispute"])[chance.integers(0, 3, TRIPS)],
                "fare_amount": fare,
                "tip_amount": tip,
                "total_amount": np.round(fare + tip, 2),
                "store_and_fwd": _rarely(chance, TRIPS, 0.1),
            }
        ),
        "zones": pa.table(
            {
                "zone_id": np.arange(1, ZONES + 1),
                "borough": [BOROUGHS[n % 5] for n in range(ZONES)],
                "zone": [f"zone {n}" for n in range(ZONES)],
            }
        ),
    }


_TIMES = {"type": "timestamp", "bounds": ["2019-01-01", "2019-03-01 23:59:59"], "nulls": False}
COLUMNS: dict[str, dict[str, Any]] = {
    "trips": {
        "vendor_id": {"type": "integer", "values": [1, 2], "nulls": False},
        "pickup_datetime": _TIMES,
        "dropoff_datetime": _TIMES,
        "passenger_count": {"type": "integer", "bounds": [0, 9]},
        "trip_distance": {"type": "number", "bounds": [0, 100], "step": 0.01, "nulls": False},
        "pickup_zone": {"type": "integer", "bounds": [1, ZONES], "nulls": False},
        "dropoff_zone": {"type": "integer", "bounds": [1, ZONES], "nulls": False},
        "payment_type": {"type": "text", "values": ["Cash", "Credit", "Dispute"], "nulls": False},
        "fare_amount": {"type": "number", "bounds": [0, 250], "step": 0.01, "nulls": False},
        "tip_amount": {"type": "number", "bounds": [0, 100], "step": 0.01, "nulls": False},
        "total_amount": {"type": "number", "bounds": [0, 400], "step": 0.01, "nulls": False},
        "store_and_fwd": {"type": "boolean", "nulls": False},
    },
    "zones": {},
}
RULES: dict[str, dict[str, Any]] = {"trips": {}, "zones": {"public": True, "key": "zone_id"}}
REASONS: dict[str, str] = {
    "q7": "a ratio whose divisor may be next to zero has no bounds: the hint says how to give it some",
    "q32": "the same",
}
