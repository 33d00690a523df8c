"""A retail star schema: sales name their customer, returns the same; dates, items and stores are public dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

SEED, SALES, RETURNS, CUSTOMERS, ITEMS, STORES, DAYS = 2, 20_000, 2_000, 1_000, 200, 12, 730
CATEGORIES = ["Books", "Electronics", "Home", "Jewelry", "Music", "Shoes", "Sports", "Women"]
STATES = ["CA", "GA", "NY", "TN", "TX", "WA"]
WEEK = ["Saturday", "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday"]


def _rarely(chance: np.random.Generator, many: int, share: float) -> NDArray[np.bool_]:
    return chance.random(many) < share


def tables() -> dict[str, pa.Table]:
    """Two facts about customers, and four dimensions."""
    chance = np.random.default_rng(SEED)
    days = np.datetime64("2000-01-01") + np.arange(DAYS)
    months = days.astype("datetime64[M]").astype(int)
    price = np.round(chance.gamma(2, 20, SALES).clip(1, 300), 2)
    quantity = chance.integers(1, 20, SALES)
    buyers = chance.integers(1, CUSTOMERS + 1, SALES)
    return {
        "store_sales": pa.table(
            {
                "ss_sold_date_sk": pa.array(chance.integers(1, DAYS + 1, SALES), mask=_rarely(chance, SALES, 0.01)),
                "ss_item_sk": chance.integers(1, ITEMS + 1, SALES),
                "ss_customer_sk": buyers,
                "ss_store_sk": pa.array(chance.integers(1, STORES + 1, SALES), mask=_rarely(chance, SALES, 0.02)),
                "ss_quantity": quantity,
                "ss_sales_price": price,
                "ss_ext_sales_price": np.round(price * quantity, 2),
                "ss_net_profit": np.round(chance.normal(20, 60, SALES).clip(-500, 500), 2),
                "ss_coupon_amt": pa.array(np.round(chance.random(SALES) * 20, 2), mask=_rarely(chance, SALES, 0.7)),
            }
        ),
        "store_returns": pa.table(
            {
                "sr_returned_date_sk": chance.integers(1, DAYS + 1, RETURNS),
                "sr_item_sk": chance.integers(1, ITEMS + 1, RETURNS),
                "sr_customer_sk": chance.integers(1, CUSTOMERS + 1, RETURNS),
                "sr_return_amt": np.round(chance.random(RETURNS) * 200, 2),
            }
        ),
        "customer": pa.table(
            {
                "c_customer_sk": np.arange(1, CUSTOMERS + 1),
                "c_birth_year": pa.array(chance.integers(1930, 2000, CUSTOMERS), mask=_rarely(chance, CUSTOMERS, 0.05)),
                "c_preferred_cust_flag": pa.array(np.array(["Y", "N"])[chance.integers(0, 2, CUSTOMERS)]),
                "c_state": pa.array(np.array(STATES)[chance.integers(0, 6, CUSTOMERS)]),
            }
        ),
        "date_dim": pa.table(
            {
                "d_date_sk": np.arange(1, DAYS + 1),
                "d_date": days,
                "d_year": months // 12 + 1970,
                "d_moy": months % 12 + 1,
                "d_qoy": months % 12 // 3 + 1,
                "d_day_name": [
                    ("Saturday", "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday")[n % 7]
                    for n in range(DAYS)
                ],
            }
        ),
        "item": pa.table(
            {
                "i_item_sk": np.arange(1, ITEMS + 1),
                "i_category": [CATEGORIES[n % 8] for n in range(ITEMS)],
                "i_brand": [f"brand {n % 25}" for n in range(ITEMS)],
                "i_current_price": np.round(1 + np.arange(ITEMS) * 0.75, 2),
                "i_manager_id": np.arange(ITEMS) % 20,
            }
        ),
        "store": pa.table(
            {
                "s_store_sk": np.arange(1, STORES + 1),
                "s_store_name": [f"store {n % 5}" for n in range(STORES)],
                "s_state": [STATES[n % 6] for n in range(STORES)],
                "s_number_employees": 200 + np.arange(STORES) * 10,
            }
        ),
    }


COLUMNS: dict[str, dict[str, Any]] = {
    "store_sales": {
        "ss_sold_date_sk": {"type": "integer"},
        "ss_item_sk": {"type": "integer", "nulls": False},
        "ss_customer_sk": {"type": "integer"},
        "ss_store_sk": {"type": "integer", "bounds": [1, STORES]},
        "ss_quantity": {"type": "integer", "bounds": [0, 100], "nulls": False},
        "ss_sales_price": {"type": "number", "bounds": [0, 300], "step": 0.01, "nulls": False},
        "ss_ext_sales_price": {"type": "number", "bounds": [0, 6000], "step": 0.01, "nulls": False},
        "ss_net_profit": {"type": "number", "bounds": [-500, 500], "step": 0.01, "nulls": False},
        "ss_coupon_amt": {"type": "number", "bounds": [0, 100], "step": 0.01},
    },
    "store_returns": {
        "sr_returned_date_sk": {"type": "integer"},
        "sr_item_sk": {"type": "integer"},
        "sr_customer_sk": {"type": "integer"},
        "sr_return_amt": {"type": "number", "bounds": [0, 1000], "step": 0.01},
    },
    "customer": {
        "c_customer_sk": {"type": "integer"},
        "c_birth_year": {"type": "integer", "bounds": [1900, 2010]},
        "c_preferred_cust_flag": {"type": "text", "values": ["Y", "N"]},
        "c_state": {"type": "text", "values": STATES},
    },
    "date_dim": {},
    "item": {},
    "store": {},
}
RULES: dict[str, dict[str, Any]] = {
    "store_sales": {"unit": "ss_customer_sk", "contribution": 200},
    "store_returns": {"unit": "sr_customer_sk", "contribution": 50},
    "customer": {"unit": "c_customer_sk", "contribution": 1, "key": "c_customer_sk"},
    "date_dim": {"public": True, "key": "d_date_sk"},
    "item": {"public": True, "key": "i_item_sk"},
    "store": {"public": True, "key": "s_store_sk"},
}
REASONS: dict[str, str] = {}
