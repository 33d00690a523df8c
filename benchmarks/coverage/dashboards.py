"""A shop behind dashboards: people and their orders and reviews, asked with quoted and qualified names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

SEED, PEOPLE, ORDERS, REVIEWS, PRODUCTS = 3, 600, 6_000, 900, 60
STATES = ["AK", "CA", "MN", "NY", "TX", "WI"]
SOURCES = ["Affiliate", "Facebook", "Google", "Organic", "Twitter"]


def _moments(chance: np.random.Generator, many: int) -> NDArray[np.datetime64]:
    """To the second, over three years."""
    seconds = chance.integers(0, 3 * 365 * 86_400, many).astype("timedelta64[s]")
    return (np.datetime64("2022-04-01T00:00:00") + seconds).astype("datetime64[us]")


def tables() -> dict[str, pa.Table]:
    """Three private tables about the same people, and a public list of products."""
    chance = np.random.default_rng(SEED)
    subtotal = np.round(chance.random(ORDERS) * 120 + 15, 2)
    return {
        "people": pa.table(
            {
                "id": np.arange(1, PEOPLE + 1),
                "name": [f"name {n}" for n in range(PEOPLE)],
                "email": [f"u{n}@{'mail.com' if n % 3 else 'gmail.com'}" for n in range(PEOPLE)],
                "state": np.array(STATES)[chance.integers(0, 6, PEOPLE)],
                "city": np.array([f"city {n}" for n in range(40)])[chance.integers(0, 40, PEOPLE)],
                "source": np.array(SOURCES)[chance.integers(0, 5, PEOPLE)],
                "birth_date": np.datetime64("1958-01-01") + chance.integers(0, 15_000, PEOPLE),
                "created_at": _moments(chance, PEOPLE),
                "latitude": np.round(chance.random(PEOPLE) * 40 + 25, 4),
                "longitude": np.round(-chance.random(PEOPLE) * 60 - 65, 4),
            }
        ),
        "orders": pa.table(
            {
                "id": np.arange(1, ORDERS + 1),
                "user_id": chance.integers(1, PEOPLE + 1, ORDERS),
                "product_id": chance.integers(1, PRODUCTS + 1, ORDERS),
                "subtotal": subtotal,
                "tax": np.round(subtotal * 0.06, 2),
                "total": np.round(subtotal * 1.06, 2),
                "discount": pa.array(np.round(chance.random(ORDERS) * 20, 2), mask=chance.integers(0, 5, ORDERS) > 0),
                "created_at": _moments(chance, ORDERS),
                "quantity": chance.integers(1, 12, ORDERS),
            }
        ),
        "products": pa.table(
            {
                "id": np.arange(1, PRODUCTS + 1),
                "title": [f"Product {n}" for n in range(PRODUCTS)],
                "category": [("Doohickey", "Gadget", "Gizmo", "Widget")[n % 4] for n in range(PRODUCTS)],
                "vendor": [f"Vendor {n % 25}" for n in range(PRODUCTS)],
                "price": np.round(15 + np.arange(PRODUCTS) * 1.3, 2),
                "rating": np.round(np.arange(PRODUCTS) * 7 % 50 / 10, 1),
                "created_at": np.datetime64("2022-01-01") + np.arange(PRODUCTS) * 9,
            }
        ),
        "reviews": pa.table(
            {
                "id": np.arange(1, REVIEWS + 1),
                "product_id": chance.integers(1, PRODUCTS + 1, REVIEWS),
                "reviewer_id": chance.integers(1, PEOPLE + 1, REVIEWS),
                "rating": chance.integers(1, 6, REVIEWS),
                "created_at": _moments(chance, REVIEWS),
            }
        ),
    }


def _money(most: int) -> dict[str, Any]:
    return {"type": "number", "bounds": [0, most], "step": 0.01, "nulls": False}


_MOMENT = {"type": "timestamp", "bounds": ["2022-01-01", "2025-12-31 23:59:59"], "nulls": False}
COLUMNS: dict[str, dict[str, Any]] = {
    "people": {
        "id": {"type": "integer"},
        "name": {"type": "text"},
        "email": {"type": "text"},
        "state": {"type": "text", "values": STATES, "nulls": False},
        "city": {"type": "text"},
        "source": {"type": "text", "values": SOURCES, "nulls": False},
        "birth_date": {"type": "date", "bounds": ["1950-01-01", "2010-12-31"], "nulls": False},
        "created_at": _MOMENT,
        "latitude": {"type": "number", "bounds": [-90, 90], "nulls": False},
        "longitude": {"type": "number", "bounds": [-180, 180], "nulls": False},
    },
    "orders": {
        "id": {"type": "integer"},
        "user_id": {"type": "integer"},
        "product_id": {"type": "integer"},
        "subtotal": _money(200),
        "tax": _money(20),
        "total": _money(220),
        "discount": {"type": "number", "bounds": [0, 50], "step": 0.01},
        "created_at": _MOMENT,
        "quantity": {"type": "integer", "bounds": [0, 100], "nulls": False},
    },
    "products": {},
    "reviews": {
        "id": {"type": "integer"},
        "product_id": {"type": "integer"},
        "reviewer_id": {"type": "integer"},
        "rating": {"type": "integer", "bounds": [1, 5], "nulls": False},
        "created_at": _MOMENT,
    },
}
RULES: dict[str, dict[str, Any]] = {
    "people": {"unit": "id", "contribution": 1, "key": "id"},
    "orders": {"unit": "user_id", "contribution": 50, "key": "id"},
    "products": {"public": True, "key": "id"},
    "reviews": {"unit": "reviewer_id", "contribution": 20},
}
REASONS: dict[str, str] = {}
