"""A small population whose files hold what no sane file holds, and the same rows as the policy says they are read."""

from __future__ import annotations

import datetime as dt
import math
from pathlib import Path
from random import Random
from zoneinfo import ZoneInfo

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from deniable.curator import Curator
from deniable.curator.factory import engine_of
from deniable.ledger import Ledger
from deniable.policy import Policy
from tests.support.limits import LOOSE

TOWNS, WARDS, NAMES = ["north", "south", "east"], ["a", "b"], ["Ulm", "Bonn"]
KINDS = ["cash", "card"]
UNDECLARED = "elsewhere"
"""A town that the policy does not declare: rows that have it belong to no group of towns."""
DAYS = dt.date(2025, 1, 1), dt.date(2025, 12, 31)
EPOCH = dt.date(1970, 1, 1)

COLUMNS: dict[str, dict[str, dict[str, object]]] = {
    "visits": {
        "person": {"type": "integer"},
        "age": {"type": "integer", "bounds": [0, 110]},
        "serial": {"type": "integer"},
        "cost": {"type": "number", "bounds": [0, 500], "step": 0.01},
        "score": {"type": "number", "bounds": [-100, 100]},
        "heat": {"type": "number"},
        "town": {"type": "text", "values": TOWNS},
        "word": {"type": "text"},
        "day": {"type": "date", "bounds": [*DAYS]},
        "since": {"type": "date"},
        "moment": {"type": "timestamp", "bounds": [dt.datetime(2024, 12, 31, 22), dt.datetime(2025, 3, 1)]},
        "stamp": {"type": "timestamp", "zone": "Europe/Berlin"},
        "clock": {"type": "time"},
        "urgent": {"type": "boolean"},
        "place": {"type": "integer", "bounds": [0, 9], "nulls": False},
    },
    "stays": {
        "person": {"type": "integer"},
        "nights": {"type": "integer", "bounds": [0, 30]},
        "ward": {"type": "text", "values": WARDS},
        "dose": {"type": "number", "bounds": [0, 1]},
    },
    "places": {
        "place": {"type": "integer", "nulls": False},
        "name": {"type": "text", "values": NAMES},
        "size": {"type": "integer", "bounds": [0, 1000], "nulls": False},
        "level": {"type": "integer", "bounds": [0, 3], "nulls": False},
    },
    "bills": {
        "visit": {"type": "integer"},
        "bill": {"type": "integer"},
        "amount": {"type": "number", "bounds": [0, 50]},
        "kind": {"type": "text", "values": KINDS},
    },
    "payments": {"bill": {"type": "integer"}, "paid": {"type": "integer", "bounds": [0, 20]}},
    "survey": {
        "place": {"type": "integer", "bounds": [0, 9], "nulls": False},
        "mark": {"type": "integer", "bounds": [1, 5]},
        "taste": {"type": "number", "bounds": [-1, 1]},
    },
}
SOURCES = {"visits": "visits.duckdb::visits"}
"""Tables of a DuckDB file, where texts can have a collation; the others are Parquet files."""
ARROW = {
    "integer": pa.int64(),
    "number": pa.float64(),
    "text": pa.string(),
    "date": pa.int32(),
    "timestamp": pa.int64(),
    "time": pa.int64(),
    "boolean": pa.bool_(),
}
_REALS = [math.nan, math.inf, -math.inf, 5e-324, -5e-324, -0.0, 1e308, -1e308, 0.1, 2.0**53 + 2, 499.99, 12.5]
_WHOLES = [2**53 - 1, 2**53, 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63), 2**31, -(2**31) - 1, 0, -1, 7]
_WORDS = [
    "",
    " ",
    "a",
    "A",
    "A%_'",
    "é",
    "e\u0301",
    "nan",
    "-12",
    " 12 ",
    "2025-02-30",
    "2024-02-29",
    "x\x00y",
    "1e400",
    "\\",
]
_DAYS = [-719_155, 2_932_880, -1, 0, 20_089, 20_453, 19_782, 2_932_897, -800_000]
"""Of 1970: near both ends of the calendar, in and around the year 2025, a leap day, and beyond the calendar."""
_SECOND = 1_000_000
_MOMENTS = [20_088 * 86_400 * _SECOND + 79_200 * _SECOND + chosen for chosen in (-1, 0, 1, 7_200 * _SECOND)]
_MOMENTS += [20_148 * 86_400 * _SECOND, 20_148 * 86_400 * _SECOND + 1, 2**63 - 1, -(2**63) + 1, 0, -1]
"""Around both bounds of moments, plus and minus infinity, and the epoch, in microseconds."""
_STAMPS = [-(2**62), 2**62, 2_932_896 * 86_400 * _SECOND, 1_743_296_399 * _SECOND, 1_743_296_400 * _SECOND]
_STAMPS += [1_761_438_600 * _SECOND, 1_761_442_200 * _SECOND]
"""Instants: far beyond the calendar, at its end, and around the hours that summer time leaves out and repeats."""
BERLIN = ZoneInfo("Europe/Berlin")
STORED = {"date": pa.date32(), "timestamp": pa.timestamp("us"), "time": pa.time64("us")}
_NULLS = 0.08

Rows = list[dict[str, object]]


def odd_rows(chance: Random, many: int) -> dict[str, Rows]:
    """About four visits and three stays for each person."""
    people = max(2, many // 4)
    return {
        "visits": [_visit(chance, people) for _ in range(many)],
        "stays": [_stay(chance, people) for _ in range(many * 3 // 4)],
        "places": [
            {"place": place, "name": ["Ulm", "Bonn", None][place % 3], "size": place * 97 % 1000, "level": place % 4}
            for place in (0, 1, 2, 3, 3, 5, 7, 11)
        ],
        "bills": [_bill(chance) for _ in range(many // 3)],
        "payments": [
            {"bill": _maybe(chance, chance.randint(0, many // 3)), "paid": chance.randint(-1, 22)}
            for _ in range(many // 3)
        ],
        "survey": [
            {
                "place": chance.randint(0, 9),
                "mark": _maybe(chance, chance.randint(-1, 7)),
                "taste": _maybe(chance, _real(chance, 0, 1)),
            }
            for _ in range(many // 2)
        ],
    }


def _visit(chance: Random, people: int) -> dict[str, object]:
    return {
        "person": _maybe(chance, chance.randint(1, people)),
        "age": _maybe(chance, chance.choice([chance.randint(0, 110), chance.randint(0, 110), -5, 2**62])),
        "serial": _maybe(chance, chance.choice([*_WHOLES, chance.randint(-99, 99)])),
        "cost": _maybe(chance, _real(chance, 80, 50)),
        "score": _maybe(chance, _real(chance, 0, 40)),
        "heat": _maybe(chance, _real(chance, 0, 1e3)),
        "town": _maybe(chance, chance.choice([*TOWNS, *TOWNS, UNDECLARED])),
        "word": _maybe(chance, chance.choice(_WORDS)),
        "day": _maybe(chance, chance.choice([*_DAYS, *(20_089 + chance.randint(0, 364) for _ in range(9))])),
        "since": _maybe(chance, chance.choice(_DAYS)),
        "moment": _maybe(chance, chance.choice([*_MOMENTS, *(_microseconds(chance, 20_090, 55) for _ in range(20))])),
        "stamp": _maybe(chance, chance.choice([*_STAMPS, *(_microseconds(chance, 20_000, 400) for _ in range(9))])),
        "clock": _maybe(chance, chance.choice([0, 1, 86_399_999_999, 86_400_000_000, 34_200_000_000])),
        "urgent": _maybe(chance, chance.random() < 0.4),
        "place": chance.randint(0, 9),
    }


def _stay(chance: Random, people: int) -> dict[str, object]:
    return {
        "person": _maybe(chance, chance.randint(1, people + 2)),
        "nights": _maybe(chance, chance.choice([chance.randint(0, 30), chance.randint(0, 30), 99])),
        "ward": _maybe(chance, chance.choice(WARDS)),
        "dose": _maybe(chance, _real(chance, 0.5, 0.3)),
    }


def _microseconds(chance: Random, first: int, days: int) -> int:
    """A moment on one of so many days; half of them at a full hour."""
    hours = (first + chance.randint(0, days)) * 24 + chance.randint(0, 23)
    return hours * 3_600 * _SECOND + chance.choice([0, chance.randint(0, 3_600 * _SECOND - 1)])


def _bill(chance: Random) -> dict[str, object]:
    """Of a visit, by its serial: which several people have, and for some there is nobody."""
    return {
        "visit": _maybe(chance, chance.choice([*_WHOLES, chance.randint(-99, 99)])),
        "bill": _maybe(chance, chance.randint(0, 25)),
        "amount": _maybe(chance, _real(chance, 20, 10)),
        "kind": _maybe(chance, chance.choice(KINDS)),
    }


def _maybe(chance: Random, value: object) -> object:
    return None if chance.random() < _NULLS else value


def _real(chance: Random, middle: float, width: float) -> float:
    return chance.choice(_REALS) if chance.random() < 0.15 else round(chance.gauss(middle, width), 2)


def without_zero(rows: dict[str, Rows]) -> dict[str, Rows]:
    """The same, for databases whose texts have no zero byte."""
    return {
        name: [
            {key: value.replace("\x00", "\x01") if isinstance(value, str) else value for key, value in row.items()}
            for row in table
        ]
        for name, table in rows.items()
    }


def policy(folder: Path, *, contribution: int, neighbours: str = "add-remove") -> Policy:
    """Persons are protected in visits, stays, bills and payments, rows in the survey; places are public.

    The keys that lead from payments to bills and from bills to visits are not what the policy says: several rows have
    the same, of one person and of several.
    """
    person = {"unit": "person", "contribution": contribution, "keys": contribution, "most_rows": 40}
    rules: dict[str, dict[str, object]] = {
        "visits": person | {"key": "serial"},
        "stays": person,
        "bills": person | {"unit": "visit -> visits.person", "key": "bill"},
        "payments": person | {"unit": "bill -> bills"},
        "places": {"public": True},
        "survey": {},
    }
    return Policy.from_mapping(
        {
            "population": {"name": "odd", "neighbours": neighbours},
            "budget": {"epsilon": 1e9, "delta": 1e-6, "delta_for_keys": 5e-7},
            "limits": LOOSE,
            "tables": {
                name: {"source": SOURCES.get(name, f"{name}.parquet"), "columns": COLUMNS[name], **rule}
                for name, rule in rules.items()
            },
        },
        origin="odd",
        folder=folder,
    )


def curator(folder: Path, rows: dict[str, Rows], rules: Policy) -> Curator:
    """A curator over files of these rows."""
    for name, table in rows.items():
        if name in SOURCES:
            _collate(folder / SOURCES[name].partition("::")[0], name, _table(name, table))
        else:
            pq.write_table(_table(name, table), folder / f"{name}.parquet")
    return Curator(rules, engine_of(rules), Ledger.memory(rules.population))


def _collate(file: Path, name: str, table: pa.Table) -> None:
    """A table of a DuckDB file whose texts have a collation that takes small letters for capitals."""
    file.unlink(missing_ok=True)
    with duckdb.connect(str(file)) as connection:
        connection.register("given", table)
        kinds = connection.execute("DESCRIBE FROM given").fetchall()
        columns = [f'"{column}" {kind}{" COLLATE NOCASE" * (kind == "VARCHAR")}' for column, kind, *_ in kinds]
        connection.execute(f"CREATE TABLE {name} ({', '.join(columns)})")
        connection.execute(f"INSERT INTO {name} FROM given")


def _table(name: str, rows: Rows) -> pa.Table:
    columns = {}
    for column, declared in COLUMNS[name].items():
        kind = str(declared["type"])
        values = pa.array([row[column] for row in rows], type=ARROW[kind])
        stored = pa.timestamp("us", tz="UTC") if "zone" in declared else STORED.get(kind)
        columns[column] = values if stored is None else values.cast(stored)
    return pa.table(columns)


def plain(rows: dict[str, Rows]) -> duckdb.DuckDBPyConnection:
    """The rows as the policy says they are read, in a database of their own, with a number for each row.

    Declared rules: NaN is NULL, numbers and days are clamped to their bounds, days beyond the calendar are NULL, and
    rows whose unit is NULL are nobody's.
    """
    connection = duckdb.connect()
    connection.execute("CREATE MACRO clean(x) AS CASE WHEN isnan(x) THEN NULL ELSE x END")
    for name, table in rows.items():
        read = [{column: _read(row[column], COLUMNS[name][column]) for column in row} for row in table]
        known = [row for row in read if row.get("person", 1) is not None]
        types = [(column, ARROW[str(declared["type"])]) for column, declared in COLUMNS[name].items()]
        kinds = {column: str(declared["type"]) for column, declared in COLUMNS[name].items()}
        schema = pa.schema([(column, STORED.get(kinds[column], kind)) for column, kind in types])
        found = pa.Table.from_pylist(known, schema=schema).append_column(
            "line", pa.array(range(len(known)), pa.int64())
        )
        connection.register("given", found)
        connection.execute(f"CREATE TABLE {name} AS {WHOSE.get(name, 'FROM given')}")
        connection.unregister("given")
    return connection


_FIRST, _LAST = (dt.datetime.min, dt.datetime.max)
_ORIGIN = dt.datetime(1970, 1, 1)


WHOSE = {
    "bills": "SELECT g.*, person FROM given g JOIN (SELECT DISTINCT serial, person FROM visits) ON serial = g.visit",
    "payments": "SELECT g.*, person FROM given g JOIN (SELECT DISTINCT bill, person FROM bills) b ON b.bill = g.bill",
}
"""Rows that do not name their person: once for each whom the key leads to."""


def _read(value: object, declared: dict[str, object]) -> object:  # noqa: PLR0911 - one for each kind
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    low, high = declared.get("bounds", (None, None))
    kind = declared["type"]
    if kind == "time":
        return (_ORIGIN + dt.timedelta(microseconds=value)).time() if value < 86_400_000_000 else None
    if kind == "timestamp":
        return _moment(value, low, high, zoned="zone" in declared)
    if kind == "date":
        if low is not None:
            return min(max(EPOCH + dt.timedelta(days=min(max(value, -719_162), 2_932_896)), low), high)
        return EPOCH + dt.timedelta(days=value) if -719_162 <= value <= 2_932_896 else None
    if low is None or isinstance(value, bool | str):
        return value
    return type(value)(min(max(value, low), high))


def _moment(value: int, low: object, high: object, *, zoned: bool) -> object:
    """Within the bounds, or within the calendar; an instant as the clocks of Berlin show it."""
    first, last = (-719_162 * 86_400 * _SECOND, 2_932_897 * 86_400 * _SECOND - 1)
    if not zoned and low is None and not first <= value <= last:
        return None
    if zoned and value < first + 2 * 86_400 * _SECOND:
        return _FIRST
    if zoned and value > last - 3 * 86_400 * _SECOND:
        return _LAST
    moment = _ORIGIN + dt.timedelta(microseconds=min(max(value, first), last))
    if zoned:
        moment = moment.replace(tzinfo=dt.UTC).astimezone(BERLIN).replace(tzinfo=None)
    return moment if low is None else min(max(moment, low), high)
