"""Joins, subqueries, CTEs, UNION ALL, IN and DISTINCT: without noise and with light units they equal plain DuckDB."""

from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from deniable.planner import Spend, bind, parse, price
from tests.support.curators import silence
from tests.support.neighbours import exact_vectors, moved
from tests.support.plain import assert_equal
from tests.support.world import SURVEY, curator, policy, tables

ROWS = 60

QUESTIONS = [question.strip() for question in (Path(__file__).parent / "relations.sql").read_text().split(";")][:-1]


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """A quiet curator, and plain DuckDB over the rows that it may see: a NULL names no unit."""
    folder = tmp_path_factory.mktemp("relations")
    found = tables(800, seed=2)
    quiet = curator(folder, found, policy(folder, contribution=300))
    plain = duckdb.connect()
    for name, table in found.items():
        plain.register("everything", table)
        known = "WHERE patient_id IS NOT NULL" if "patient_id" in table.column_names else ""
        plain.execute(f"CREATE TABLE {name} AS SELECT * FROM everything {known}")
        plain.unregister("everything")
    yield quiet, plain
    quiet.close()


@pytest.mark.parametrize("relation", ["add-remove", "replace"])
@pytest.mark.parametrize(
    ("contribution", "pairs"),
    [(1, 1), (3, 1), pytest.param(2, 100, marks=pytest.mark.deep)],
    ids=["one", "few", "deep"],
)
def test_no_pair_of_neighbours_is_farther_apart_than_claimed(tmp_path, relation, contribution, pairs):
    """One patient less in all tables; or another one instead."""
    rules = policy(tmp_path, contribution=contribution, neighbours=relation)
    bound = [bind(parse(question), rules) for question in QUESTIONS]
    pure = [price(question, Spend.of(epsilon=1)) for question in bound if not question.private_keys]
    concentrated = [price(question, Spend.of(rho=1)) for question in bound if not question.private_keys]
    chance = np.random.default_rng(contribution)
    farthest = 0.0
    for _ in range(pairs):
        found = tables(ROWS, seed=int(chance.integers(1 << 30)))
        one = _vectors(tmp_path, found, rules, pure)
        other = _vectors(tmp_path, _neighbour(found, chance, relation), rules, pure)
        for plan, squared, mine, theirs in zip(pure, concentrated, one, other, strict=True):
            for part in (*plan.noise, *squared.noise):
                far = moved(part, mine, theirs)
                assert far <= 1
                farthest = max(farthest, float(far))
    assert farthest > 0.4  # the pairs are far enough apart to tell a claim that is half of what it should be


def _neighbour(found, chance, relation):
    """Under replace, the patient gets the rows of another world's; a row of the survey goes or changes too."""
    person = int(chance.integers(1, ROWS // 4 + 2))
    fresh = tables(ROWS, seed=int(chance.integers(1 << 30)))
    neighbours = dict(found)
    for name in ("visits", "stays"):
        whose = pc.fill_null(pc.equal(found[name]["patient_id"], person), False)  # noqa: FBT003
        others = found[name].filter(pc.invert(whose))
        if relation == "replace":
            wanted = pc.fill_null(pc.equal(fresh[name]["patient_id"], person), False)  # noqa: FBT003
            others = pa.concat_tables([others, fresh[name].filter(wanted)])
        neighbours[name] = others
    rows = found[SURVEY].slice(1)
    neighbours[SURVEY] = rows if relation == "add-remove" else pa.concat_tables([rows, fresh[SURVEY].slice(0, 1)])
    return neighbours


def _vectors(folder, found, rules, plans):
    """The exact integers of every statistic, over all groups."""
    quiet = curator(folder, found, rules)
    try:
        return [exact_vectors(quiet.engine, plan) for plan in plans]
    finally:
        quiet.close()


@pytest.mark.parametrize("spend", [{"epsilon": 1}, {"rho": 1}], ids=["epsilon", "rho"])
@pytest.mark.parametrize("question", QUESTIONS)
def test_equals_plain_duckdb(asked, question, spend, monkeypatch):
    quiet, plain = asked
    silence(monkeypatch)
    assert_equal(quiet.ask(question, delta=1e-9, **spend), plain, question)
