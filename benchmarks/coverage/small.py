"""Many small schemas, as in textbooks: students, singers, employees, flights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

SEED, STUDENTS, EMPLOYEES, SINGERS, FLIGHTS = 6, 600, 500, 300, 2_000
MAJORS = ["Art", "Biology", "History", "Math"]


def _rarely(chance: np.random.Generator, many: int, share: float) -> NDArray[np.bool_]:
    return chance.random(many) < share


def tables() -> dict[str, pa.Table]:
    """People are units; what they take, work at or sing in is public."""
    chance = np.random.default_rng(SEED)
    enrolled = 4 * STUDENTS
    return {
        "student": pa.table(
            {
                "stuid": np.arange(STUDENTS),
                "fname": [f"name {n % 50}" for n in range(STUDENTS)],
                "age": chance.integers(17, 30, STUDENTS),
                "sex": np.array(["F", "M"])[chance.integers(0, 2, STUDENTS)],
                "major": np.array(MAJORS)[chance.integers(0, 4, STUDENTS)],
                "advisor": chance.integers(1, 11, STUDENTS),
                "city_code": np.array(["BAL", "NYC", "PIT"])[chance.integers(0, 3, STUDENTS)],
                "gpa": np.round(chance.random(STUDENTS) * 2 + 2, 2),
            }
        ),
        "takes": pa.table(
            {
                "stuid": chance.integers(0, STUDENTS, enrolled),
                "course_id": chance.integers(1, 21, enrolled),
                "grade": pa.array(np.array(["A", "B", "C"])[chance.integers(0, 3, enrolled)]),
            }
        ),
        "course": pa.table(
            {
                "course_id": np.arange(1, 21),
                "title": [f"course {n}" for n in range(20)],
                "credits": np.arange(20) % 4 + 1,
                "dept": [MAJORS[n % 4] for n in range(20)],
            }
        ),
        "employee": pa.table(
            {
                "emp_id": np.arange(EMPLOYEES),
                "name": [f"worker {n}" for n in range(EMPLOYEES)],
                "salary": np.round(chance.normal(60_000, 15_000, EMPLOYEES).clip(20_000, 150_000)),
                "hire_date": np.datetime64("2010-01-01") + chance.integers(0, 4_000, EMPLOYEES),
                "dept_id": chance.integers(1, 6, EMPLOYEES),
                "manager_id": pa.array(chance.integers(0, 20, EMPLOYEES), mask=_rarely(chance, EMPLOYEES, 0.1)),
                "order": chance.integers(0, 5, EMPLOYEES),
            }
        ),
        "department": pa.table(
            {
                "dept_id": np.arange(1, 6),
                "dept_name": ["Finance", "IT", "Marketing", "Research", "Sales"],
                "budget": [1e6, 2e6, 5e5, 3e6, 8e5],
            }
        ),
        "singer": pa.table(
            {
                "singer_id": np.arange(SINGERS),
                "country": np.array(["France", "Netherlands", "United States"])[chance.integers(0, 3, SINGERS)],
                "age": chance.integers(18, 70, SINGERS),
                "is_male": _rarely(chance, SINGERS, 0.5),
                "net_worth_millions": np.round(chance.random(SINGERS) * 40, 1),
            }
        ),
        "flight": pa.table(
            {
                "flno": np.arange(FLIGHTS),
                "origin": np.array(["Boston", "Chicago", "LA"])[chance.integers(0, 3, FLIGHTS)],
                "destination": np.array(["Boston", "Chicago", "LA"])[chance.integers(0, 3, FLIGHTS)],
                "distance": chance.integers(100, 3_000, FLIGHTS),
                "price": np.round(chance.random(FLIGHTS) * 900 + 50, 2),
            }
        ),
    }


COLUMNS: dict[str, dict[str, Any]] = {
    "student": {
        "stuid": {"type": "integer"},
        "fname": {"type": "text"},
        "age": {"type": "integer", "bounds": [15, 60], "nulls": False},
        "sex": {"type": "text", "values": ["F", "M"], "nulls": False},
        "major": {"type": "text", "values": MAJORS, "nulls": False},
        "advisor": {"type": "integer", "bounds": [1, 10], "nulls": False},
        "city_code": {"type": "text", "values": ["BAL", "NYC", "PIT"], "nulls": False},
        "gpa": {"type": "number", "bounds": [0, 4], "step": 0.01, "nulls": False},
    },
    "takes": {
        "stuid": {"type": "integer"},
        "course_id": {"type": "integer", "nulls": False},
        "grade": {"type": "text", "values": ["A", "B", "C"], "nulls": False},
    },
    "course": {},
    "employee": {
        "emp_id": {"type": "integer"},
        "name": {"type": "text"},
        "salary": {"type": "number", "bounds": [0, 200_000], "step": 1, "nulls": False},
        "hire_date": {"type": "date", "bounds": ["2010-01-01", "2025-12-31"], "nulls": False},
        "dept_id": {"type": "integer", "bounds": [1, 5], "nulls": False},
        "manager_id": {"type": "integer", "bounds": [0, 30]},
        "order": {"type": "integer", "bounds": [0, 5], "nulls": False},
    },
    "department": {},
    "singer": {
        "singer_id": {"type": "integer"},
        "country": {"type": "text", "values": ["France", "Netherlands", "United States"], "nulls": False},
        "age": {"type": "integer", "bounds": [0, 110], "nulls": False},
        "is_male": {"type": "boolean", "nulls": False},
        "net_worth_millions": {"type": "number", "bounds": [0, 100], "step": 0.1, "nulls": False},
    },
    "flight": {
        "flno": {"type": "integer"},
        "origin": {"type": "text", "values": ["Boston", "Chicago", "LA"], "nulls": False},
        "destination": {"type": "text", "values": ["Boston", "Chicago", "LA"], "nulls": False},
        "distance": {"type": "integer", "bounds": [0, 5_000], "nulls": False},
        "price": {"type": "number", "bounds": [0, 1_000], "step": 0.01, "nulls": False},
    },
}
RULES: dict[str, dict[str, Any]] = {
    "student": {"unit": "stuid", "contribution": 1, "key": "stuid"},
    "takes": {"unit": "stuid", "contribution": 20},
    "course": {"public": True, "key": "course_id"},
    "employee": {"unit": "emp_id", "contribution": 1, "key": "emp_id"},
    "department": {"public": True, "key": "dept_id"},
    "singer": {},
    "flight": {},
}
REASONS: dict[str, str] = {
    "q4": "which of the declared values have such rows is private: it needs a COUNT",
    "q22": "a condition on rows that rests on a noisy average: asked in two steps, which the hint spells out",
    "q33": "the same",
    "q39": "keys alone, under conditions on private rows",
    "q44": "rows of single people",
}
