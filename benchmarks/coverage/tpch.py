"""TPC-H's tables, made up in NumPy at a hundredth of its smallest size, and a policy that protects its customers.

Customers name themselves, orders name the customer, and lines name the order: units through keys, as in a real shop.
Parts, suppliers and what they offer are public.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

SEED = 1
CUSTOMERS, ORDERS, PARTS, SUPPLIERS = 1_500, 15_000, 2_000, 100
REGIONS = ["AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST"]
NATIONS = {
    "ALGERIA": 0, "ARGENTINA": 1, "BRAZIL": 1, "CANADA": 1, "EGYPT": 4, "ETHIOPIA": 0, "FRANCE": 3, "GERMANY": 3,
    "INDIA": 2, "INDONESIA": 2, "IRAN": 4, "IRAQ": 4, "JAPAN": 2, "JORDAN": 4, "KENYA": 0, "MOROCCO": 0,
    "MOZAMBIQUE": 0, "PERU": 1, "CHINA": 2, "ROMANIA": 3, "SAUDI ARABIA": 4, "VIETNAM": 2, "RUSSIA": 3,
    "UNITED KINGDOM": 3, "UNITED STATES": 1,
}  # fmt: skip
SEGMENTS = ["AUTOMOBILE", "BUILDING", "FURNITURE", "HOUSEHOLD", "MACHINERY"]
PRIORITIES = ["1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW"]
MODES = ["AIR", "AIR REG", "FOB", "MAIL", "RAIL", "SHIP", "TRUCK"]
INSTRUCTIONS = ["COLLECT COD", "DELIVER IN PERSON", "NONE", "TAKE BACK RETURN"]
CONTAINERS = [
    f"{size} {kind}" for size in ("SM", "MED", "LG", "JUMBO") for kind in ("CASE", "BOX", "PACK", "PKG", "BAG")
]
TYPES = [
    f"{one} {two} {three}"
    for one in ("STANDARD", "SMALL", "MEDIUM", "LARGE", "ECONOMY", "PROMO")
    for two in ("ANODIZED", "BURNISHED", "PLATED", "POLISHED", "BRUSHED")
    for three in ("TIN", "NICKEL", "BRASS", "STEEL", "COPPER")
]
BRANDS = [f"Brand#{one}{two}" for one in range(1, 6) for two in range(1, 6)]
COLOURS = ["almond", "blue", "forest", "green", "ivory", "lemon", "navy", "red"]
FIRST, LAST = np.datetime64("1992-01-01"), np.datetime64("1998-08-02")


def tables() -> dict[str, pa.Table]:
    """All eight, which agree with each other as the standard says."""
    chance = np.random.default_rng(SEED)
    part = np.arange(PARTS)
    offered = np.repeat(part, 4)
    offering = (offered + np.tile(np.arange(4), PARTS) * 25) % SUPPLIERS
    buyers = np.arange(CUSTOMERS)[np.arange(CUSTOMERS) % 3 != 0]
    bought = FIRST + chance.integers(0, int((LAST - FIRST).astype(int)) - 151, ORDERS).astype("timedelta64[D]")
    orders = np.arange(ORDERS) * 4
    line = np.repeat(np.arange(ORDERS), chance.integers(1, 8, ORDERS))
    shipped = bought[line] + chance.integers(1, 122, line.size).astype("timedelta64[D]")
    received = shipped + chance.integers(1, 31, line.size).astype("timedelta64[D]")
    lots = chance.integers(0, 4 * PARTS, line.size)
    quantity = chance.integers(1, 51, line.size).astype(float)
    today = np.datetime64("1995-06-17")
    nations = list(NATIONS)
    return {
        "region": pa.table({"r_regionkey": np.arange(5), "r_name": REGIONS, "r_comment": ["a region"] * 5}),
        "nation": pa.table({"n_nationkey": np.arange(25), "n_name": nations, "n_regionkey": [*NATIONS.values()]}),
        "part": pa.table(
            {
                "p_partkey": part,
                "p_name": [" ".join(chance.choice(COLOURS, 3)) for _ in part],
                "p_mfgr": [f"Manufacturer#{one % 5 + 1}" for one in part],
                "p_brand": chance.choice(BRANDS, PARTS),
                "p_type": chance.choice(TYPES, PARTS),
                "p_size": chance.integers(1, 51, PARTS),
                "p_container": chance.choice(CONTAINERS, PARTS),
                "p_retailprice": 900 + part % 1000 / 10,
            }
        ),
        "supplier": pa.table(
            {
                "s_suppkey": np.arange(SUPPLIERS),
                "s_name": [f"Supplier#{one:09d}" for one in range(SUPPLIERS)],
                "s_address": ["somewhere"] * SUPPLIERS,
                "s_nationkey": np.arange(SUPPLIERS) % 25,
                "s_phone": [f"{10 + one % 25}-000" for one in range(SUPPLIERS)],
                "s_acctbal": chance.integers(-99_999, 999_999, SUPPLIERS) / 100,
                "s_comment": ["Customer Complaints" if one % 50 == 0 else "fine" for one in range(SUPPLIERS)],
            }
        ),
        "partsupp": pa.table(
            {
                "ps_partkey": offered,
                "ps_suppkey": offering,
                "ps_availqty": chance.integers(1, 10_000, 4 * PARTS),
                "ps_supplycost": chance.integers(100, 100_001, 4 * PARTS) / 100,
            }
        ),
        "customer": pa.table(
            {
                "c_custkey": np.arange(CUSTOMERS),
                "c_name": [f"Customer#{one:09d}" for one in range(CUSTOMERS)],
                "c_address": ["elsewhere"] * CUSTOMERS,
                "c_nationkey": chance.integers(0, 25, CUSTOMERS),
                "c_phone": [f"{10 + one}-111" for one in chance.integers(0, 25, CUSTOMERS)],
                "c_acctbal": chance.integers(-99_999, 999_999, CUSTOMERS) / 100,
                "c_mktsegment": chance.choice(SEGMENTS, CUSTOMERS),
                "c_comment": ["none"] * CUSTOMERS,
            }
        ),
        "orders": pa.table(
            {
                "o_orderkey": orders,
                "o_custkey": chance.choice(buyers, ORDERS),
                "o_orderstatus": np.where(bought < today - 120, "F", np.where(bought > today, "O", "P")),
                "o_totalprice": chance.integers(100_000, 50_000_000, ORDERS) / 100,
                "o_orderdate": bought,
                "o_orderpriority": chance.choice(PRIORITIES, ORDERS),
                "o_shippriority": np.zeros(ORDERS, int),
                "o_comment": chance.choice(["special requests", "special packages requests", "quick", "quiet"], ORDERS),
            }
        ),
        "lineitem": pa.table(
            {
                "l_orderkey": orders[line],
                "l_partkey": offered[lots],
                "l_suppkey": offering[lots],
                "l_linenumber": np.ones(line.size, int),
                "l_quantity": quantity,
                "l_extendedprice": quantity * (900 + offered[lots] % 1000 / 10),
                "l_discount": chance.integers(0, 11, line.size) / 100,
                "l_tax": chance.integers(0, 9, line.size) / 100,
                "l_returnflag": np.where(received > today, "N", chance.choice(["A", "R"], line.size)),
                "l_linestatus": np.where(shipped > today, "O", "F"),
                "l_shipdate": shipped,
                "l_commitdate": bought[line] + chance.integers(30, 91, line.size).astype("timedelta64[D]"),
                "l_receiptdate": received,
                "l_shipinstruct": chance.choice(INSTRUCTIONS, line.size),
                "l_shipmode": chance.choice(MODES, line.size),
            }
        ),
    }


_WHOLE: dict[str, Any] = {"type": "integer", "nulls": False}
_DAY: dict[str, Any] = {"type": "date", "bounds": ["1992-01-01", "1998-12-31"], "nulls": False}
_TEXT: dict[str, Any] = {"type": "text", "nulls": False}


def _money(high: int, low: int = 0) -> dict[str, Any]:
    return {"type": "number", "bounds": [low, high], "step": 0.01, "nulls": False}


def _one_of(values: list[str]) -> dict[str, Any]:
    return _TEXT | {"values": values}


RULES: dict[str, dict[str, Any]] = {
    "customer": {"unit": "c_custkey", "key": "c_custkey", "contribution": 1},
    "orders": {"unit": "o_custkey", "key": "o_orderkey", "contribution": 60},
    "lineitem": {"unit": "l_orderkey -> orders.o_custkey", "contribution": 300},
    "part": {"public": True, "key": "p_partkey"},
    "supplier": {"public": True, "key": "s_suppkey"},
    "partsupp": {"public": True},
    "nation": {"public": True, "key": "n_nationkey"},
    "region": {"public": True, "key": "r_regionkey"},
}
COLUMNS: dict[str, dict[str, dict[str, Any]]] = {
    "region": {"r_regionkey": _WHOLE, "r_name": _one_of(REGIONS), "r_comment": _TEXT},
    "nation": {"n_nationkey": _WHOLE, "n_name": _one_of(list(NATIONS)), "n_regionkey": _WHOLE},
    "part": {
        "p_partkey": _WHOLE,
        "p_name": _TEXT,
        "p_mfgr": _TEXT,
        "p_brand": _one_of(BRANDS),
        "p_type": _one_of(TYPES),
        "p_size": _WHOLE | {"bounds": [1, 50]},
        "p_container": _one_of(CONTAINERS),
        "p_retailprice": _money(2_000),
    },
    "supplier": {
        **dict.fromkeys(("s_name", "s_address", "s_phone", "s_comment"), _TEXT),
        **dict.fromkeys(("s_suppkey", "s_nationkey"), _WHOLE),
        "s_acctbal": _money(10_000, -1_000),
    },
    "partsupp": {
        **dict.fromkeys(("ps_partkey", "ps_suppkey"), _WHOLE),
        "ps_availqty": _WHOLE | {"bounds": [1, 9_999]},
        "ps_supplycost": _money(1_000),
    },
    "customer": {
        "c_custkey": _WHOLE,
        **dict.fromkeys(("c_name", "c_address", "c_phone", "c_comment"), _TEXT),
        "c_nationkey": _WHOLE | {"bounds": [0, 24]},
        "c_acctbal": _money(10_000, -1_000),
        "c_mktsegment": _one_of(SEGMENTS),
    },
    "orders": {
        **dict.fromkeys(("o_orderkey", "o_custkey"), _WHOLE),
        "o_orderstatus": _one_of(["F", "O", "P"]),
        "o_totalprice": _money(600_000),
        "o_orderdate": _DAY,
        "o_orderpriority": _one_of(PRIORITIES),
        "o_shippriority": _WHOLE | {"bounds": [0, 1]},
        "o_comment": _TEXT,
    },
    "lineitem": {
        **dict.fromkeys(("l_orderkey", "l_partkey", "l_suppkey"), _WHOLE),
        "l_linenumber": _WHOLE | {"bounds": [1, 7]},
        "l_quantity": _money(50, 1),
        "l_extendedprice": _money(110_000),
        "l_discount": _money(1) | {"bounds": [0, 0.1]},
        "l_tax": _money(1) | {"bounds": [0, 0.08]},
        "l_returnflag": _one_of(["A", "N", "R"]),
        "l_linestatus": _one_of(["F", "O"]),
        **dict.fromkeys(("l_shipdate", "l_commitdate", "l_receiptdate"), _DAY),
        "l_shipinstruct": _one_of(INSTRUCTIONS),
        "l_shipmode": _one_of(MODES),
    },
}

REASONS = {
    "q2": "lists single suppliers of public tables: no aggregate, and nobody to protect",
    "q3": "each group is one order, so one customer's",
    "q10": "each group is one customer",
    "q11": "public tables only",
    "q15": "compares private totals exactly to find the largest: ask for the totals, and take the largest",
    "q16": "public tables only",
    "q17": "an average over everybody inside a condition: ask for it first, and put the number in",
    "q18": "each group is one order, so one customer's",
    "q20": "lists single suppliers by exact sums over everybody",
    "q22": "an average over everybody inside a condition: ask for it first, and put the number in",
}
"""What no noise could answer as it is written, and why."""
