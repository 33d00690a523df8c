"""Neighbouring populations over several tables: people in visits and stays, rows that are units, public tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from deniable.curator import Curator
from deniable.curator.factory import engine_of
from deniable.ledger import Ledger
from deniable.planner import Spend, bind, parse, price
from deniable.policy import Policy
from tests.support.limits import LOOSE
from tests.support.measured import distance, exact_integers
from tests.support.neighbours import SOMEONE, Outcomes

Row = dict[str, object]

COLUMNS = {
    "visits": {
        "person": {"type": "integer"},
        "age": {"type": "integer", "bounds": [0, 110]},
        "cost": {"type": "number", "bounds": [0, 500]},
        "town": {"type": "text", "values": ["north", "south"]},
        "1.age": {"type": "integer", "bounds": [0, 110]},
        "0.person": {"type": "integer"},
        "place": {"type": "integer", "bounds": [0, 9], "nulls": False},
    },
    "stays": {
        "person": {"type": "integer"},
        "nights": {"type": "integer", "bounds": [0, 30]},
        "ward": {"type": "text", "values": ["a", "b"]},
    },
    "survey": {
        "place": {"type": "integer", "bounds": [0, 9], "nulls": False},
        "mark": {"type": "integer", "bounds": [1, 5]},
        "size": {"type": "number"},
    },
    "poll": {"place": {"type": "integer", "bounds": [0, 9]}, "mark": {"type": "integer", "bounds": [1, 5]}},
    "places": {
        "place": {"type": "integer", "nulls": False},
        "name": {"type": "text"},
        "serial": {"type": "integer", "nulls": False},
        "level": {"type": "integer", "bounds": [0, 3], "nulls": False},
    },
}
PUBLIC = {"places"}
UNITS = {"visits": "person", "stays": "person"}
PLACES = [
    {"place": place % 10, "name": f"name {place}", "serial": 2**60 + place, "level": place % 4} for place in range(40)
]
TYPES = {"integer": pa.int64(), "number": pa.float64(), "text": pa.string()}


def visit(person: int | None, **values: object) -> Row:
    """An ordinary visit."""
    number = person or 0
    ordinary = {"age": 20 + number % 70, "cost": 1.0 * (number % 90), "town": "north", "place": number % 10}
    return {"person": person, **ordinary, "1.age": number % 50, "0.person": number % 3, **values}


def stay(person: int | None, **values: object) -> Row:
    """An ordinary stay."""
    number = person or 0
    return {"person": person, "nights": number % 20, "ward": "ab"[number % 2], **values}


def mark(number: int, **values: object) -> Row:
    """An ordinary row of the survey, or of the poll."""
    return {"place": number * 7 % 10, "mark": 1 + number % 5, "size": float(2**60), **values}


ORDINARY = {
    "visits": [visit(100 + number % 25) for number in range(60)],
    "stays": [stay(100 + number % 30) for number in range(40)],
    "survey": [mark(number) for number in range(50)],
    "poll": [mark(number) for number in range(50)],
    "places": PLACES,
}
THEIRS = {
    "visits": [visit(SOMEONE, age=age, cost=500.0, town=town) for age in (0, 50, 110) for town in ("north", "south")],
    "stays": [stay(SOMEONE, nights=nights, ward=ward) for nights in (0, 30) for ward in ("a", "b", None)],
}
"""The rows of the one who is in one population only."""


def rules(folder: Path, *, contribution: int, neighbours: str = "add-remove") -> Policy:
    """Persons weigh at most so many rows in each table."""
    tables = {}
    for name, columns in COLUMNS.items():
        table: dict[str, object] = {"source": f"{name}.parquet", "columns": columns}
        table |= {"unit": UNITS[name], "contribution": contribution, "keys": contribution} if name in UNITS else {}
        tables[name] = table | ({"public": True} if name in PUBLIC else {})
    return Policy.from_mapping(
        {
            "population": {"name": "towns", "neighbours": neighbours},
            "budget": {"epsilon": 10**6, "delta": 1e-6, "delta_for_keys": 5e-7},
            "limits": LOOSE,
            "tables": tables,
        },
        origin="towns",
        folder=folder,
    )


def house(folder: Path, tables: dict[str, Sequence[Row]], policy: Policy) -> Curator:
    """A curator over files of these rows."""
    for name, columns in COLUMNS.items():
        schema = pa.schema([(column, TYPES[declared["type"]]) for column, declared in columns.items()])
        pq.write_table(pa.Table.from_pylist(list(tables[name]), schema=schema), folder / f"{name}.parquet")
    return Curator(policy, engine_of(policy), Ledger.memory(policy.population))


_prices = (1 + Fraction(place, 10**9) for place in count())
"""Each a little more than the last, so that no question is a repeat."""


@dataclass(frozen=True)
class Towns(Outcomes):
    """The population without a unit, and the one with it."""

    def refused(self, sql: str, code: str | None = None) -> None:
        """Refused in the same words, and nothing is charged."""
        found = self.same(sql, epsilon=next(_prices))
        assert (found.status, found.charged) == ("refused", 0), sql
        assert code in (None, found.text[0]), found.text

    def total(self, sql: str) -> None:
        """Answered in the same shape, charged in full, and no farther apart than the noise hides."""
        paid = next(_prices)
        found = self.same(sql, epsilon=paid, delta="1e-9")
        assert (found.status, found.charged) == ("answered", paid), (sql, found)
        bound = bind(parse(sql), self.without._public.policy_for(sql))
        pure, concentrated = (price(bound, Spend.of(delta="1e-9", **spend)) for spend in ({"epsilon": 1}, {"rho": 1}))
        one, other = (exact_integers(curator.engine, pure) for curator in (self.without, self.having))
        assert distance(pure, one, other) <= 1, sql
        assert distance(concentrated, one, other) <= 1, sql

    def close(self) -> None:
        self.without.close()
        self.having.close()


def towns(folder: Path, theirs: dict[str, Sequence[Row]], *, contribution: int = 2, **more: str) -> Towns:
    """Neighbours: `theirs` stand before the rows of everyone else, so that every later row moves."""
    houses = []
    for name, extra in (("without", {}), ("having", theirs)):
        (folder / name).mkdir(parents=True)
        tables = {table: [*extra.get(table, ()), *rows] for table, rows in ORDINARY.items()}
        policy = rules(folder / name, contribution=contribution, **more)
        houses.append(house(folder / name, tables, policy))
    return Towns(*houses)
