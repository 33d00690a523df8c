"""Private joins beside hand-written ones that bound what a person adds: `python -m benchmarks.joins`.

Two tables of ten million rows each, of five million people; every visit beside every stay of the same person, and one
row per person from a subquery. And ten million lines that name their person through an order.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import duckdb

from benchmarks.race import Race
from deniable.core.algebra.query import WEIGHT
from deniable.planner import Spend, bind, parse, price
from deniable.policy import Policy

VISITS, STAYS, LINES = 6, 4, 40
"""The most of one person that count."""
CENTS = "CAST(FLOOR(LEAST(GREATEST(cost, 0), 500) / 0.01 + 0.5) AS BIGINT)"
WEIGHTS = f"LEAST({WEIGHT}, {VISITS * STAYS * WEIGHT} // COUNT(*)) AS weight"
HAND = {
    "SELECT ward, COUNT(*) AS n, SUM(cost) AS s FROM visits v JOIN stays s ON v.person = s.person GROUP BY ward": {
        "weights for all": f"""
            WITH j AS MATERIALIZED (SELECT v.person, ward, cost FROM visits v JOIN stays s ON v.person = s.person),
            w AS (SELECT person, {WEIGHTS} FROM j GROUP BY person)
            SELECT ward, SUM(weight), SUM({CENTS} * weight // 128) FROM j JOIN w USING (person) GROUP BY ward""",
        "weights for the heavy": f"""
            WITH j AS MATERIALIZED (SELECT v.person, ward, cost FROM visits v JOIN stays s ON v.person = s.person),
            w AS (SELECT person, {WEIGHTS} FROM j GROUP BY person HAVING COUNT(*) > {VISITS * STAYS})
            SELECT ward, SUM(COALESCE(weight, {WEIGHT})), SUM({CENTS} * COALESCE(weight, {WEIGHT}) // 128)
            FROM j LEFT JOIN w USING (person) GROUP BY ward""",
        "weights before the join": f"""
            WITH a AS (SELECT person, COUNT(*) AS n FROM visits GROUP BY person),
            b AS (SELECT person, COUNT(*) AS m FROM stays GROUP BY person),
            w AS (SELECT person, LEAST({WEIGHT}, {VISITS * STAYS * WEIGHT} // (n * m)) AS weight
                  FROM a JOIN b USING (person))
            SELECT ward, SUM(weight), SUM({CENTS} * weight // 128)
            FROM visits v JOIN stays s ON v.person = s.person JOIN w ON w.person = v.person GROUP BY ward""",
    },
    "SELECT AVG(LEAST(total, 3000)) FROM (SELECT person, SUM(cost) AS total FROM visits GROUP BY person) t": {
        "one row per person": f"""
            SELECT COUNT(*), SUM(LEAST(total, 300000)) FROM (SELECT person, SUM({CENTS}) AS total FROM visits
            GROUP BY person)""",
    },
    "SELECT COUNT(*), SUM(cost) FROM visits WHERE person IN (SELECT person FROM stays WHERE ward = 'a')": {
        "weights for all": f"""
            WITH j AS MATERIALIZED (SELECT person, cost FROM visits SEMI JOIN
                (SELECT person FROM stays WHERE ward = 'a') s USING (person)),
            w AS (SELECT person, LEAST({WEIGHT}, {VISITS * WEIGHT} // COUNT(*)) AS weight FROM j GROUP BY person)
            SELECT SUM(weight), SUM({CENTS} * weight // 128) FROM j JOIN w USING (person)""",
        "people first": f"""
            WITH j AS (SELECT person, COUNT(*) AS n, SUM({CENTS}) AS cents FROM visits SEMI JOIN
                (SELECT person FROM stays WHERE ward = 'a') s USING (person) GROUP BY person)
            SELECT SUM(n * LEAST({WEIGHT}, {VISITS * WEIGHT} // n)),
                   SUM(cents * LEAST({WEIGHT}, {VISITS * WEIGHT} // n) // 128) FROM j""",
    },
    "SELECT item, COUNT(*) AS n, SUM(cost) AS s FROM lines GROUP BY item": {
        "weights for all": f"""
            WITH j AS MATERIALIZED (SELECT person, item, cost FROM lines JOIN orders USING (number)),
            w AS (SELECT person, LEAST({WEIGHT}, {LINES * WEIGHT} // COUNT(*)) AS weight FROM j GROUP BY person)
            SELECT item, SUM(weight), SUM({CENTS} * weight // 128) FROM j JOIN w USING (person) GROUP BY item""",
        "weights for the heavy": f"""
            WITH j AS MATERIALIZED (SELECT person, item, cost FROM lines JOIN orders USING (number)),
            w AS (SELECT person, {LINES * WEIGHT} // COUNT(*) AS weight FROM j GROUP BY person
                  HAVING COUNT(*) > {LINES})
            SELECT item, SUM(COALESCE(weight, {WEIGHT})), SUM({CENTS} * COALESCE(weight, {WEIGHT}) // 128)
            FROM j LEFT JOIN w USING (person) GROUP BY item""",
    },
}
"""Each question of ours, and ways to write it by hand with the same bounds."""


def main() -> None:
    """Make the tables, then print one table for each question."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000, help="of each table")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tables = _make(Path(folder), options.rows)
        rules = _policy(Path(folder))
        for question, hand in HAND.items():
            (ours,) = price(bind(parse(question), rules), Spend.of(epsilon=1)).queries
            race = Race(tables, {"ours": ours, **hand})
            race.run(options.runs)
            race.show(question[:50])
            print(f"  within 1.3 times the best by hand: {race.within(1.3)}\n")


def _make(folder: Path, rows: int) -> dict[str, Path]:
    """Two visits and two stays for each person on average; a few have many."""
    person = f"CAST(FLOOR({rows // 2} * POW(random(), 1.3)) AS BIGINT) AS person"
    orders = rows // 4
    columns = {
        "visits": f"{person}, ROUND(random() * 500, 2) AS cost",
        "stays": f"{person}, chr(97 + CAST(FLOOR(random() * 8) AS INTEGER)) AS ward",
        "orders": f"range AS number, CAST(FLOOR({rows // 40} * POW(random(), 1.3)) AS BIGINT) AS person",
        "lines": f"CAST(FLOOR(random() * {orders}) AS BIGINT) AS number, ROUND(random() * 500, 2) AS cost, "
        "CAST(FLOOR(random() * 50) AS INTEGER) AS item",
    }
    with duckdb.connect() as connection:
        connection.execute("SET preserve_insertion_order = false")
        connection.execute("SELECT setseed(0.5)")
        for name, listed in columns.items():
            many = orders if name == "orders" else rows
            connection.execute(f"COPY (SELECT {listed} FROM range({many})) TO '{folder / name}.parquet'")
    return {name: folder / f"{name}.parquet" for name in columns}


def _policy(folder: Path) -> Policy:
    cost = {"type": "number", "bounds": [0, 500], "step": 0.01, "nulls": False}
    ward = {"type": "text", "values": list("abcdefgh"), "nulls": False}
    item = {"type": "integer", "bounds": [0, 49], "nulls": False}
    person = {"type": "integer"}
    return Policy.from_mapping(
        {
            "population": {"name": "people", "neighbours": "add-remove"},
            "budget": {"epsilon": 1},
            "tables": {
                "visits": {
                    "source": "visits.parquet",
                    "unit": "person",
                    "contribution": VISITS,
                    "columns": {"person": person, "cost": cost},
                },
                "stays": {
                    "source": "stays.parquet",
                    "unit": "person",
                    "contribution": STAYS,
                    "columns": {"person": person, "ward": ward},
                },
                "orders": {
                    "source": "orders.parquet",
                    "unit": "person",
                    "key": "number",
                    "contribution": VISITS,
                    "columns": {"person": person, "number": person},
                },
                "lines": {
                    "source": "lines.parquet",
                    "unit": "number -> orders.person",
                    "contribution": LINES,
                    "columns": {"number": person, "cost": cost, "item": item},
                },
            },
        },
        origin="benchmarks",
        folder=folder,
    )


if __name__ == "__main__":
    main()
