"""Bookings and views as a metrics layer asks for them: subqueries in subqueries, a calendar, ratios of two metrics."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

SEED, ROWS, PEOPLE, LISTINGS, DAYS = 5, 5_000, 400, 80, 500


def _moments(chance: np.random.Generator) -> NDArray[np.datetime64]:
    seconds = chance.integers(0, DAYS * 86_400, ROWS).astype("timedelta64[s]")
    return (np.datetime64("2019-12-01T00:00:00") + seconds).astype("datetime64[us]")


def tables() -> dict[str, pa.Table]:
    """Two facts and a dimension about people; listings and days are public."""
    chance = np.random.default_rng(SEED)
    return {
        "demo.fct_bookings": pa.table(
            {
                "booking_id": np.arange(ROWS),
                "guest_id": chance.integers(1, PEOPLE + 1, ROWS),
                "listing_id": chance.integers(1, LISTINGS + 1, ROWS),
                "ds": _moments(chance),
                "booking_value": np.round(chance.random(ROWS) * 900, 2),
                "is_instant": chance.integers(0, 3, ROWS) == 0,
            }
        ),
        "demo.fct_views": pa.table(
            {
                "user_id": chance.integers(1, PEOPLE + 1, ROWS),
                "listing_id": chance.integers(1, LISTINGS + 1, ROWS),
                "ds": _moments(chance),
            }
        ),
        "demo.dim_users": pa.table(
            {
                "user_id": np.arange(1, PEOPLE + 1),
                "home_state": np.array(["CA", "NY", "TX"])[chance.integers(0, 3, PEOPLE)],
            }
        ),
        "demo.dim_listings_latest": pa.table(
            {
                "listing_id": np.arange(1, LISTINGS + 1),
                "country": [("ca", "de", "us")[n % 3] for n in range(LISTINGS)],
                "is_lux": [n % 5 == 0 for n in range(LISTINGS)],
            }
        ),
        "demo.mf_time_spine": pa.table({"ds": np.datetime64("2019-12-01") + np.arange(DAYS)}),
    }


_MOMENT = {"type": "timestamp", "bounds": ["2019-12-01", "2021-06-01"], "nulls": False}
COLUMNS: dict[str, dict[str, Any]] = {
    "demo.fct_bookings": {
        "booking_id": {"type": "integer"},
        "guest_id": {"type": "integer"},
        "listing_id": {"type": "integer", "nulls": False},
        "ds": _MOMENT,
        "booking_value": {"type": "number", "bounds": [0, 1_000], "step": 0.01, "nulls": False},
        "is_instant": {"type": "boolean", "nulls": False},
    },
    "demo.fct_views": {
        "user_id": {"type": "integer"},
        "listing_id": {"type": "integer", "nulls": False},
        "ds": _MOMENT,
    },
    "demo.dim_users": {
        "user_id": {"type": "integer"},
        "home_state": {"type": "text", "values": ["CA", "NY", "TX"], "nulls": False},
    },
    "demo.dim_listings_latest": {},
    "demo.mf_time_spine": {},
}
RULES: dict[str, dict[str, Any]] = {
    "demo.fct_bookings": {"unit": "guest_id", "contribution": 60, "key": "booking_id"},
    "demo.fct_views": {"unit": "user_id", "contribution": 60},
    "demo.dim_users": {"unit": "user_id", "contribution": 1, "key": "user_id"},
    "demo.dim_listings_latest": {"public": True, "key": "listing_id"},
    "demo.mf_time_spine": {"public": True, "key": "ds"},
}
REASONS: dict[str, str] = {}
