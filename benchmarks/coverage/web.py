"""Web analytics: events and sessions of visitors, pages that are public, and what dashboards ask."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

SEED, EVENTS, USERS, ORDERS, PAGES = 5, 20_000, 1_500, 3_000, 40
COUNTRIES = ["AT", "CH", "DE", "FR", "IT"]
DEVICES = ["desktop", "mobile", "tablet"]


def _rarely(chance: np.random.Generator, many: int, share: float) -> NDArray[np.bool_]:
    return chance.random(many) < share


def tables() -> dict[str, pa.Table]:
    """Users, what they looked at and what they bought."""
    chance = np.random.default_rng(SEED)
    start = np.datetime64("2024-01-01T00:00:00")
    return {
        "users": pa.table(
            {
                "id": np.arange(1, USERS + 1),
                "created_at": (start - chance.integers(0, 300 * 86_400, USERS).astype("timedelta64[s]")).astype(
                    "datetime64[us]"
                ),
                "country": pa.array(
                    np.array(COUNTRIES)[chance.integers(0, 5, USERS)], mask=_rarely(chance, USERS, 0.05)
                ),
                "plan": np.array(["free", "pro"])[chance.integers(0, 2, USERS)],
                "age": chance.integers(14, 90, USERS),
                "is_active": _rarely(chance, USERS, 0.7),
            }
        ),
        "events": pa.table(
            {
                "user_id": chance.integers(1, USERS + 1, EVENTS),
                "event": np.array(["view", "click", "signup", "purchase"])[chance.integers(0, 4, EVENTS)],
                "ts": (start + chance.integers(0, 90 * 86_400, EVENTS).astype("timedelta64[s]")).astype(
                    "datetime64[us]"
                ),
                "page_id": chance.integers(1, PAGES + 1, EVENTS),
                "device": np.array(DEVICES)[chance.integers(0, 3, EVENTS)],
                "referrer": pa.array(
                    np.array(["google", "bing", "news", "mail"])[chance.integers(0, 4, EVENTS)],
                    mask=_rarely(chance, EVENTS, 0.3),
                ),
                "duration": np.round(chance.gamma(2, 30, EVENTS).clip(0, 600), 1),
            }
        ),
        "orders": pa.table(
            {
                "id": np.arange(1, ORDERS + 1),
                "user_id": chance.integers(1, USERS + 1, ORDERS),
                "created_at": (start + chance.integers(0, 90 * 86_400, ORDERS).astype("timedelta64[s]")).astype(
                    "datetime64[us]"
                ),
                "status": np.array(["paid", "refunded", "open"])[chance.integers(0, 3, ORDERS)],
                "total": np.round(chance.gamma(2, 25, ORDERS).clip(0, 400), 2),
                "discount": pa.array(np.round(chance.random(ORDERS) * 10, 2), mask=_rarely(chance, ORDERS, 0.6)),
            }
        ),
        "pages": pa.table(
            {
                "id": np.arange(1, PAGES + 1),
                "path": [f"/{('blog', 'shop', 'help')[n % 3]}/{n}" for n in range(PAGES)],
                "section": [("blog", "shop", "help")[n % 3] for n in range(PAGES)],
            }
        ),
    }


COLUMNS: dict[str, dict[str, Any]] = {
    "users": {
        "id": {"type": "integer"},
        "created_at": {"type": "timestamp", "bounds": ["2023-01-01", "2024-03-31 23:59:59"], "nulls": False},
        "country": {"type": "text", "values": COUNTRIES},
        "plan": {"type": "text", "values": ["free", "pro"], "nulls": False},
        "age": {"type": "integer", "bounds": [0, 110], "nulls": False},
        "is_active": {"type": "boolean", "nulls": False},
    },
    "events": {
        "user_id": {"type": "integer"},
        "event": {"type": "text", "values": ["view", "click", "signup", "purchase"], "nulls": False},
        "ts": {"type": "timestamp", "bounds": ["2024-01-01", "2024-03-31 23:59:59"], "nulls": False},
        "page_id": {"type": "integer", "nulls": False},
        "device": {"type": "text", "values": DEVICES, "nulls": False},
        "referrer": {"type": "text"},
        "duration": {"type": "number", "bounds": [0, 600], "step": 0.1, "nulls": False},
    },
    "orders": {
        "id": {"type": "integer"},
        "user_id": {"type": "integer"},
        "created_at": {"type": "timestamp", "bounds": ["2024-01-01", "2024-03-31 23:59:59"], "nulls": False},
        "status": {"type": "text", "values": ["paid", "refunded", "open"], "nulls": False},
        "total": {"type": "number", "bounds": [0, 500], "step": 0.01, "nulls": False},
        "discount": {"type": "number", "bounds": [0, 50], "step": 0.01},
    },
    "pages": {},
}
RULES: dict[str, dict[str, Any]] = {
    "users": {"unit": "id", "contribution": 1, "key": "id"},
    "events": {"unit": "user_id", "contribution": 100},
    "orders": {"unit": "user_id", "contribution": 30, "key": "id"},
    "pages": {"public": True, "key": "id"},
}
REASONS: dict[str, str] = {
    "q13": "an average over days: one that nobody came on counts too, and the answer says so",
}
