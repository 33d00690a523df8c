"""Students, an office, a census, a shop and a clinic: questions as textbooks and other engines' tests ask them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

SEED, STUDENTS, STAFF, CENSUS, CUSTOMERS, ORDERS, PATIENTS = 11, 500, 400, 3_000, 700, 2_500, 600
ITEMS, VISITS = 6_000, 2_000


class _Draw:
    """Made-up columns."""

    def __init__(self) -> None:
        self.chance = np.random.default_rng(SEED)

    def of(self, values: list[str], many: int) -> NDArray[np.str_]:
        return np.array(values)[self.chance.integers(0, len(values), many)]

    def rarely_missing(self, values: NDArray[Any], share: float) -> pa.Array:
        return pa.array(values, mask=self.chance.random(len(values)) < share)

    def day(self, first: str, days: int, many: int) -> NDArray[np.datetime64]:
        return np.datetime64(first) + self.chance.integers(0, days, many)


def tables() -> dict[str, pa.Table]:
    """People are units, in one table or in several; what they have, or where they work, is public."""
    draw = _Draw()
    chance = draw.chance
    return {
        "student": pa.table(
            {
                "stuid": np.arange(1, STUDENTS + 1),
                "lname": draw.of(["Smith", "Kim", "Jones"], STUDENTS),
                "fname": draw.of(["Linda", "Tracy", "Shiela", "Eric"], STUDENTS),
                "age": chance.integers(16, 30, STUDENTS),
                "sex": draw.of(["F", "M"], STUDENTS),
                "major": chance.integers(100, 610, STUDENTS) // 50 * 50,
                "advisor": chance.integers(1000, 1010, STUDENTS),
                "city_code": draw.of(["BAL", "NYC", "HKG", "PIT"], STUDENTS),
            }
        ),
        "has_pet": pa.table(
            {"stuid": chance.integers(1, STUDENTS + 1, 400), "petid": chance.integers(2001, 2101, 400)}
        ),
        "pets": pa.table(
            {
                "petid": np.arange(2001, 2101),
                "pettype": [("cat", "dog", "bird")[n % 3] for n in range(100)],
                "pet_age": [n % 9 for n in range(100)],
                "weight": [round(3 + n * 0.37, 2) for n in range(100)],
            }
        ),
        "employee": pa.table(
            {
                "employee_id": np.arange(100, 100 + STAFF),
                "first_name": draw.of(["Steven", "Neena", "Lex"], STAFF),
                "last_name": [f"L{n}" for n in range(STAFF)],
                "email": [f"E{n}" for n in range(STAFF)],
                "phone_number": draw.of(["515.123", "590.423"], STAFF),
                "hire_date": draw.day("1987-06-17", 5000, STAFF),
                "job_id": draw.of(["IT_PROG", "SA_REP", "ST_CLERK", "AD_VP"], STAFF),
                "salary": np.round(chance.random(STAFF) * 20000 + 2000),
                "commission_pct": draw.rarely_missing(np.round(chance.random(STAFF) * 0.4, 2), 0.6),
                "manager_id": draw.rarely_missing(chance.integers(100, 120, STAFF), 0.05),
                "department_id": draw.rarely_missing(chance.integers(1, 12, STAFF) * 10, 0.05),
            }
        ),
        "departments": pa.table(
            {
                "department_id": np.arange(1, 28) * 10,
                "department_name": [f"Dept {n}" for n in range(27)],
                "location_id": [1000 + 100 * (n % 5) for n in range(27)],
            }
        ),
        "locations": pa.table(
            {
                "location_id": [1000, 1100, 1200, 1300, 1400],
                "city": ["Roma", "Venice", "Tokyo", "Hiroshima", "Southlake"],
                "country_id": ["IT", "IT", "JP", "JP", "US"],
            }
        ),
        "pums": pa.table(
            {
                "pid": np.arange(CENSUS),
                "age": chance.integers(18, 95, CENSUS),
                "sex": chance.integers(0, 2, CENSUS),
                "educ": chance.integers(1, 17, CENSUS),
                "race": chance.integers(1, 7, CENSUS),
                "income": np.round(chance.gamma(2, 20000, CENSUS).clip(0, 500000)),
                "married": chance.integers(0, 2, CENSUS) == 0,
                "region": draw.of(["N", "E", "S", "W"], CENSUS),
            }
        ),
        "customers": pa.table(
            {
                "customer_id": np.arange(CUSTOMERS),
                "name": [f"c{n}" for n in range(CUSTOMERS)],
                "city": draw.of(["Rome", "Oslo", "Bern", "Kyiv"], CUSTOMERS),
                "signup_date": draw.day("2020-01-01", 1000, CUSTOMERS),
                "segment": draw.rarely_missing(draw.of(["retail", "corp"], CUSTOMERS), 0.1),
                "credit": np.round(chance.random(CUSTOMERS) * 1000, 2),
            }
        ),
        "orders": pa.table(
            {
                "order_id": np.arange(ORDERS),
                "customer_id": chance.integers(0, CUSTOMERS, ORDERS),
                "order_date": draw.day("2021-01-01", 700, ORDERS),
                "amount": np.round(chance.gamma(2, 40, ORDERS).clip(0, 500), 2),
                "status": draw.of(["new", "paid", "shipped", "cancelled"], ORDERS),
            }
        ),
        "order_items": pa.table(
            {
                "order_id": chance.integers(0, ORDERS, ITEMS),
                "product_id": chance.integers(1, 41, ITEMS),
                "quantity": chance.integers(1, 6, ITEMS),
                "unit_price": np.round(chance.random(ITEMS) * 90 + 5, 2),
            }
        ),
        "products": pa.table(
            {
                "product_id": np.arange(1, 41),
                "product_name": [f"p{n}" for n in range(40)],
                "category": [("toys", "food", "tools", "books")[n % 4] for n in range(40)],
                "price": [round(5 + n * 2.3, 2) for n in range(40)],
            }
        ),
        "patients": pa.table(
            {
                "patient_id": [f"P{n:05d}" for n in range(PATIENTS)],
                "age": chance.integers(0, 100, PATIENTS),
                "zip_code": draw.of(["94110", "94112", "10001"], PATIENTS),
                "gender": draw.of(["M", "F", "X"], PATIENTS),
                "bmi": np.round(chance.normal(26, 5, PATIENTS).clip(10, 60), 1),
                "smoker": chance.integers(0, 5, PATIENTS) == 0,
            }
        ),
        "visits": pa.table(
            {
                "patient_id": [f"P{n:05d}" for n in chance.integers(0, PATIENTS, VISITS)],
                "diagnosis": draw.of(["flu", "cold", "asthma", "injury"], VISITS),
                "visit_date": draw.day("2023-01-01", 365, 2000),
                "cost": np.round(chance.gamma(2, 100, VISITS).clip(0, VISITS), 2),
            }
        ),
    }


_ID = {"type": "integer"}


def _text(*values: str, nulls: bool = True) -> dict[str, Any]:
    return {"type": "text", "nulls": nulls, **({"values": list(values)} if values else {})}


def _whole(low: int, high: int, *, nulls: bool = False) -> dict[str, Any]:
    return {"type": "integer", "bounds": [low, high], "nulls": nulls}


def _real(low: int, high: int, step: float = 0.01, *, nulls: bool = False) -> dict[str, Any]:
    return {"type": "number", "bounds": [low, high], "step": step, "nulls": nulls}


def _day(first: str, last: str) -> dict[str, Any]:
    return {"type": "date", "bounds": [first, last], "nulls": False}


COLUMNS: dict[str, dict[str, Any]] = {
    "student": {
        "stuid": _ID,
        "lname": _text(),
        "fname": _text(),
        "age": _whole(15, 60),
        "sex": _text("F", "M", nulls=False),
        "major": _whole(0, 700),
        "advisor": _whole(1000, 1020),
        "city_code": _text("BAL", "NYC", "HKG", "PIT", nulls=False),
    },
    "has_pet": {"stuid": _ID, "petid": {"type": "integer", "nulls": False}},
    "pets": {},
    "employee": {
        "employee_id": _ID,
        "first_name": _text(),
        "last_name": _text(),
        "email": _text(),
        "phone_number": _text(),
        "hire_date": _day("1985-01-01", "2005-12-31"),
        "job_id": _text("IT_PROG", "SA_REP", "ST_CLERK", "AD_VP", nulls=False),
        "salary": _real(0, 30000, 1),
        "commission_pct": _real(0, 1, 0.01, nulls=True),
        "manager_id": _whole(100, 120, nulls=True),
        "department_id": {"type": "integer"},
    },
    "departments": {},
    "locations": {},
    "pums": {
        "pid": _ID,
        "age": _whole(0, 120),
        "sex": _whole(0, 1),
        "educ": _whole(1, 16),
        "race": _whole(1, 6),
        "income": _real(0, 500000, 1),
        "married": {"type": "boolean", "nulls": False},
        "region": _text("N", "E", "S", "W", nulls=False),
    },
    "customers": {
        "customer_id": _ID,
        "name": _text(),
        "city": _text("Rome", "Oslo", "Bern", "Kyiv", nulls=False),
        "signup_date": _day("2019-01-01", "2023-12-31"),
        "segment": _text("retail", "corp"),
        "credit": _real(0, 1000),
    },
    "orders": {
        "order_id": _ID,
        "customer_id": _ID,
        "order_date": _day("2021-01-01", "2022-12-31"),
        "amount": _real(0, 500),
        "status": _text("new", "paid", "shipped", "cancelled", nulls=False),
    },
    "order_items": {
        "order_id": _ID,
        "product_id": {"type": "integer", "nulls": False},
        "quantity": _whole(0, 10),
        "unit_price": _real(0, 100),
    },
    "products": {},
    "patients": {
        "patient_id": _text(),
        "age": _whole(0, 120),
        "zip_code": _text(),
        "gender": _text("M", "F", "X", nulls=False),
        "bmi": _real(10, 60, 0.1),
        "smoker": {"type": "boolean", "nulls": False},
    },
    "visits": {
        "patient_id": _text(),
        "diagnosis": _text("flu", "cold", "asthma", "injury", nulls=False),
        "visit_date": _day("2023-01-01", "2023-12-31"),
        "cost": _real(0, 2000),
    },
}
RULES: dict[str, dict[str, Any]] = {
    "student": {"unit": "stuid", "contribution": 1, "key": "stuid"},
    "has_pet": {"unit": "stuid", "contribution": 10},
    "pets": {"public": True, "key": "petid"},
    "employee": {"unit": "employee_id", "contribution": 1, "key": "employee_id"},
    "departments": {"public": True, "key": "department_id"},
    "locations": {"public": True, "key": "location_id"},
    "pums": {"unit": "pid", "contribution": 1},
    "customers": {"unit": "customer_id", "contribution": 1, "key": "customer_id"},
    "orders": {"unit": "customer_id", "contribution": 20, "key": "order_id"},
    "order_items": {"unit": "order_id -> orders.customer_id", "contribution": 60},
    "products": {"public": True, "key": "product_id"},
    "patients": {"unit": "patient_id", "contribution": 1, "key": "patient_id"},
    "visits": {"unit": "patient_id", "contribution": 20},
}
REASONS: dict[str, str] = {
    "q22": "a condition on rows that rests on a noisy average: asked in two steps, which the hint spells out",
    "q23": "the same, for each department",
    "q82": "ranks among everybody's rows",
    "q85": "each group is one person",
}
