"""A shop whose lines belong to orders and whose orders belong to customers, with keys that are not what they should be.

Two customers have an order of the same number, one customer has an order twice, some lines have no order, and some
orders have no customer.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

from deniable.policy import Policy
from tests.support.limits import LOOSE

REGIONS, KINDS = ["north", "south"], ["food", "tools"]
ITEMS = pa.table({"item": [0, 1, 2, 3, 4], "kind": ["food", "tools", "food", "tools", None], "weight": [1, 2, 3, 4, 5]})


def tables(customers: int, seed: int) -> dict[str, pa.Table]:
    """About three orders for each customer, and three lines for each order."""
    chance = np.random.default_rng(seed)
    orders, lines = 3 * customers, 9 * customers
    numbers = np.arange(orders)
    numbers[-2:] = numbers[:2]  # a number twice, of different customers
    whose = chance.integers(0, customers + 2, orders)
    numbers, whose = np.append(numbers, numbers[3]), np.append(whose, whose[3])  # and an order twice
    missing = chance.random(orders + 1) < 0.05
    return {
        "customers": pa.table(
            {
                "cust": pa.array(np.arange(customers)),
                "house": pa.array(np.arange(customers) // 2, mask=chance.random(customers) < 0.05),
                "region": np.array(REGIONS)[chance.integers(0, 2, customers)],
            }
        ),
        "orders": pa.table(
            {
                "order_id": pa.array(numbers, mask=chance.random(orders + 1) < 0.03),
                "cust": pa.array(whose, mask=missing),
                "total": chance.integers(0, 100, orders + 1).astype(float),
            }
        ),
        "lines": pa.table(
            {
                "order_id": pa.array(chance.integers(0, orders + 9, lines), mask=chance.random(lines) < 0.03),
                "price": chance.integers(0, 20, lines).astype(float),
                "item": chance.integers(0, 6, lines),
            }
        ),
        "items": ITEMS,
    }


def policy(
    folder: Path, *, contribution: int = 500, neighbours: str = "add-remove", chain: bool = False, most: int = 60
) -> Policy:
    """Customers are protected, or with `chain` their households: orders then have to be looked up as well."""
    person = {"contribution": contribution, "keys": min(contribution, 20), "most_rows": most}
    number = {"type": "integer"}
    rules: dict[str, dict[str, object]] = {
        "customers": {
            **person,
            "unit": "house" if chain else "cust",
            "key": "cust",
            "columns": {"cust": number, "house": number, "region": {"type": "text", "values": REGIONS}},
        },
        "orders": {
            **person,
            "unit": "cust -> customers.house" if chain else "cust",
            "key": "order_id",
            "columns": {
                "order_id": number,
                "cust": number,
                "total": {"type": "number", "bounds": [0, 100], "step": 1, "nulls": False},
            },
        },
        "lines": {
            **person,
            "unit": "order_id -> orders.cust -> customers.house" if chain else "order_id -> orders.cust",
            "columns": {
                "order_id": number,
                "price": {"type": "number", "bounds": [0, 20], "step": 1, "nulls": False},
                "item": {"type": "integer", "bounds": [0, 5], "nulls": False},
            },
        },
        "items": {
            "public": True,
            "key": "item",
            "columns": {
                "item": {"type": "integer", "nulls": False},
                "kind": {"type": "text", "values": KINDS},
                "weight": {"type": "integer", "bounds": [0, 9], "nulls": False},
            },
        },
    }
    return Policy.from_mapping(
        {
            "population": {"name": "shop", "neighbours": neighbours},
            "budget": {"epsilon": 1e6, "delta": 1e-6, "delta_for_keys": 5e-7},
            "limits": LOOSE,
            "tables": {name: {"source": f"{name}.parquet", **rule} for name, rule in rules.items()},
        },
        origin="shop",
        folder=folder,
    )
