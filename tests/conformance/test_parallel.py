"""Aggregates whose FILTERs exclude each other share a spend: what they answer, and how far one unit moves them."""

from __future__ import annotations

from itertools import product

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.curator.factory import engine_of
from deniable.planner import Plan, Spend, bind, parse, price
from deniable.planner.plan import Parallel
from tests.support.curators import silence
from tests.support.neighbours import SCHEMA, SOMEONE, exact_vectors, house, moved, people, row, rules

AVERAGES = "AVG(cost) FILTER (WHERE town = 'north') AS a, AVG(score) FILTER (WHERE town = 'south') AS b"
SHARED = {
    "COUNT(*) FILTER (WHERE age = 20) AS a, COUNT(*) FILTER (WHERE age = 21) AS b, COUNT_IF(age = 22) AS c": 1,
    "COUNT(*) FILTER (WHERE urgent) AS a, COUNT(*) FILTER (WHERE NOT urgent) AS b": 1,
    "SUM(CASE WHEN town = 'north' THEN cost END) AS a, SUM(CASE WHEN town = 'south' THEN cost ELSE 0 END) AS b": 1,
    "COUNT(CASE WHEN age < 50 THEN 1 END) AS a, COUNT(CASE WHEN age >= 50 THEN 1 END) AS b": 1,
    "COUNT(*) FILTER (WHERE age BETWEEN 20 AND 29) AS a, COUNT(*) FILTER (WHERE age BETWEEN 30 AND 39) AS b": 1,
    "COUNT(*) FILTER (WHERE town IN ('north')) AS a, COUNT(*) FILTER (WHERE town IS NULL) AS b": 1,
    "COUNT(*) FILTER (WHERE word LIKE 'o%') AS a, COUNT(*) FILTER (WHERE word NOT LIKE 'o%') AS b": 1,
    "COUNT(*) FILTER (WHERE MONTH(day) = 7) AS a, COUNT(*) FILTER (WHERE MONTH(day) = 2) AS b": 1,
    "COUNT(*) FILTER (WHERE age > serial) AS a, COUNT(*) FILTER (WHERE age <= serial) AS b": 1,
    AVERAGES: 2,
    "COUNT(*) AS n, COUNT(*) FILTER (WHERE age = 20) AS a, COUNT(*) FILTER (WHERE age = 21 AND urgent) AS b": 2,
    "COUNT(*) FILTER (WHERE age <= 50) AS a, COUNT(*) FILTER (WHERE age >= 50) AS b": 2,
    "COUNT(*) FILTER (WHERE heat = 0.1) AS a, COUNT(*) FILTER (WHERE heat = 0.10000000000000000001) AS b": 2,
    "COUNT(*) FILTER (WHERE age = 20) AS a, COUNT(*) FILTER (WHERE town = 'north') AS b": 2,
    "COUNT(DISTINCT person) FILTER (WHERE urgent) AS a, COUNT(DISTINCT person) FILTER (WHERE NOT urgent) AS b": 2,
}
"""How many prices are paid."""


def measured(folder, rows, plans):
    pq.write_table(pa.Table.from_pylist(rows, schema=SCHEMA), folder / "visits.parquet")
    engine = engine_of(rules(folder, contribution=2))
    try:
        return [exact_vectors(engine, plan) for plan in plans]
    finally:
        engine.close()


def planned(folder, columns, relation="add-remove", keys="", **spend) -> Plan:
    sql = f"SELECT {keys and keys + ', '}{columns} FROM visits{keys and ' GROUP BY ' + keys}"
    policy = rules(folder, contribution=2, neighbours=relation)
    return price(bind(parse(sql), policy), Spend.of(**spend or {"epsilon": 1}))


@pytest.mark.parametrize(("columns", "prices"), SHARED.items())
def test_conditions_that_exclude_each_other_share_a_price(tmp_path, columns, prices):
    plan = planned(tmp_path, columns)
    assert len(plan.noise) == prices == len(plan.events)
    assert plan.quote.loss.epsilon == 1
    if prices == 1:
        alone = planned(tmp_path, columns.split(" AS a")[0])
        assert plan.quote.lines[0].error == alone.quote.lines[0].error


def test_the_numbers_are_those_of_each_filter(tmp_path, monkeypatch):
    """Without noise, what is shared is what DuckDB answers, but for the grid."""
    silence(monkeypatch)
    rows = [*people(60), row(SOMEONE, town=None, age=None), row(SOMEONE, urgent=None)]
    with house(tmp_path, rows, rules(tmp_path, contribution=2)) as quiet, duckdb.connect() as plain:
        plain.register("visits", pa.Table.from_pylist(rows, schema=SCHEMA))
        for columns in SHARED:
            (found,) = quiet.ask(f"SELECT {columns} FROM visits", epsilon=1).table.to_pylist()
            ((*expected,),) = plain.sql(f"SELECT {columns} FROM visits").fetchall()
            assert list(found.values()) == pytest.approx(expected, abs=1e-4), columns


@pytest.mark.parametrize(("other_column", "least"), [("SUM(cost)", 0.49), ("COUNT(*)", 0.99)])
def test_one_extreme_unit_moves_all_of_them_together_by_the_claim(tmp_path, other_column, least):
    """Whether its rows are in one of them or spread over all; replaced, from one of them to the other."""
    columns = f"COUNT(*) FILTER (WHERE town = 'north') AS a, {other_column} FILTER (WHERE town = 'south') AS b"
    ways = list(product(["add-remove", "replace"], ["epsilon", "rho"], ["", "urgent"]))
    plans = [planned(tmp_path, columns, relation, keys, **{form: 1}) for relation, form, keys in ways]
    alone = [row(SOMEONE, town="north") for _ in range(7)]
    other = [row(SOMEONE, town="south", cost=500.0) for _ in range(7)]
    tables = {"nobody": [], "alone": alone, "other": other, "spread": [*alone[:3], *other[:4]]}
    found = {name: measured(tmp_path, [*people(10), *more], plans) for name, more in tables.items()}
    for place, ((relation, form, _), plan) in enumerate(zip(ways, plans, strict=True)):
        (part,) = plan.noise
        assert isinstance(part, Parallel)
        pairs = [("nobody", "alone"), ("nobody", "other"), ("nobody", "spread")]
        pairs += [("alone", "other"), ("spread", "other")] if relation == "replace" else []
        farthest = [float(moved(part, found[one][place], found[two][place])) for one, two in pairs]
        assert max(farthest) <= 1
        assert max(farthest) > (least if (relation, form) == ("replace", "rho") else 0.99)


def test_overlapping_conditions_never_count_a_row_twice(tmp_path, monkeypatch):
    """Were the conclusion wrong, answers would be: the statement would still count each row once."""
    from deniable.planner import parallel  # noqa: PLC0415 - to break it

    monkeypatch.setattr(parallel, "exclude", lambda _one, _other: True)
    columns = "COUNT(*) FILTER (WHERE age > 0) AS a, COUNT(*) FILTER (WHERE age > 1) AS b"
    plan = planned(tmp_path, columns)
    (part,) = plan.noise
    one, other = (measured(tmp_path, rows, [plan])[0] for rows in (people(10), [*people(10), *[row(SOMEONE)] * 9]))
    assert 0.99 < moved(part, one, other) <= 1
