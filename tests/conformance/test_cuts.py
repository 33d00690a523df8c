"""What is cut off is chance: of units that have the same, each keeps a part of its own, and no value is favoured.

Two hundred units with ten values each may keep two. If a hash went without the unit, all would keep the same two; with
it, a value is kept by nobody with chance (8/10)^200, below 1e-19.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.core.algebra.query import Kept
from deniable.core.errors import Refused
from deniable.core.grid import Grid
from deniable.curator import Curator
from deniable.curator.factory import engine_of
from deniable.ledger import Ledger
from deniable.planner import Spend, plan_question
from deniable.policy import Policy
from tests.support.neighbours import exact_vectors

PEOPLE, WORDS, MOST = 200, 10, 2
HALVES = [place + 0.5 for place in range(-8, 8)]


def policy(folder: Path, rows: list[dict[str, object]], **table: object) -> Policy:
    pq.write_table(pa.Table.from_pylist(rows), folder / "rows.parquet")
    columns = {
        "who": {"type": "integer"},
        "word": {"type": "text"},
        "x": {"type": "number", "bounds": [-8, 8], "step": 1},
        "place": {"type": "integer", "bounds": [0, 63], "nulls": False},
    }
    return Policy.from_mapping(
        {
            "population": {"name": "cuts"},
            "budget": {"epsilon": 100, "delta": 1e-6, "delta_for_keys": 5e-7},
            "tables": {"rows": {"source": "rows.parquet", "columns": columns, **table}},
        },
        origin="cuts",
        folder=folder,
    )


def everybody() -> list[dict[str, object]]:
    return [
        {"who": who, "word": f"word {word}", "x": 0.0, "place": 0} for who in range(PEOPLE) for word in range(WORDS)
    ]


@pytest.mark.parametrize(
    ("sql", "delta"),
    [
        ("SELECT word, COUNT(*) AS n FROM rows GROUP BY word", "1e-7"),
        ("SELECT COUNT(DISTINCT word) AS n FROM rows", None),
    ],
)
def test_nobody_keeps_what_everybody_keeps(tmp_path: Path, sql: str, delta: str | None) -> None:
    rules = policy(tmp_path, everybody(), unit="who", contribution=MOST, keys=MOST)
    plan = plan_question(sql, rules, Spend.of(epsilon=1, delta=delta))
    (query,) = plan.queries
    engine = engine_of(rules)
    try:
        found = engine.run(query)
    finally:
        engine.close()
    if isinstance(query, Kept):
        assert found.num_rows == WORDS
        assert sum(found[query.units].to_pylist()) == MOST * PEOPLE
    else:
        assert found[query.name].to_pylist() == [WORDS]


def test_real_numbers_go_to_the_grid_as_the_mechanisms_read_them(tmp_path: Path) -> None:
    """Halves upward: to even, 0.5 and 1.5 would land two apart, though they differ by one step."""
    rows = [{"who": 1, "word": "", "x": x, "place": place} for place, x in enumerate(HALVES)]
    rules = policy(tmp_path, rows)
    plan = plan_question("SELECT place, SUM(x) AS s FROM rows GROUP BY place", rules, Spend.of(epsilon=1))
    engine = engine_of(rules)
    try:
        numbers = exact_vectors(engine, plan)
    finally:
        engine.close()
    (part,) = plan.noise
    assert numbers[part.statistic.name][: len(HALVES)].tolist() == Grid(1).indices("x", HALVES).tolist()


def joined(folder: Path, sizes: list[int]) -> Policy:
    """Someone with fifty rows in fifty places, and a public table that has some of the places several times."""
    pq.write_table(pa.table({"who": [1] * 50, "place": list(range(50))}), folder / "rows.parquet")
    places = [place for place, times in enumerate(sizes) for _ in range(times)]
    pq.write_table(pa.table({"place": places}), folder / "public.parquet")
    said = {
        "population": {"name": "cuts"},
        "budget": {"epsilon": 100},
        "tables": {
            "rows": {
                "source": "rows.parquet",
                "unit": "who",
                "contribution": 3,
                "most_rows": 4,
                "columns": {
                    "who": {"type": "integer"},
                    "place": {"type": "integer", "bounds": [0, 63], "nulls": False},
                },
            },
            "public": {
                "source": "public.parquet",
                "public": True,
                "columns": {"place": {"type": "integer", "bounds": [0, 63], "nulls": False}},
            },
        },
    }
    return Policy.from_mapping(said, origin="cuts", folder=folder)


def test_of_a_heavy_unit_few_rows_are_joined(tmp_path: Path) -> None:
    """Four of fifty: so at most four places have anything, and which they are is the same every time."""
    rules = joined(tmp_path, [2] * 50)
    sql = "SELECT r.place, COUNT(*) AS n FROM rows r JOIN public p ON r.place = p.place GROUP BY r.place"
    plan = plan_question(sql, rules, Spend.of(epsilon=1))
    engine = engine_of(rules)
    try:
        found = [exact_vectors(engine, plan) for _ in range(2)]
    finally:
        engine.close()
    (part,) = plan.noise
    one, other = (numbers[part.statistic.name].tolist() for numbers in found)
    assert 1 <= sum(number != 0 for number in one) <= 4
    assert one == other


def test_what_could_explode_is_refused_before_anything_is_paid(tmp_path: Path) -> None:
    rules = joined(tmp_path, [2000])
    curator = Curator(rules, engine_of(rules), Ledger.memory(rules.population))
    sql = "SELECT COUNT(*) AS n FROM rows r JOIN public p ON r.place = p.place JOIN public q ON r.place = q.place"
    with curator:
        with pytest.raises(Refused) as refused:
            curator.ask(sql, epsilon=1)
        assert refused.value.code == "too-many-rows"
        assert curator.budget().spent.epsilon == 0
