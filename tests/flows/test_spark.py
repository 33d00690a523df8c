"""A policy whose tables are on a server that speaks Spark Connect: account, questions, repeats, refusals."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import deniable
from deniable.apps.cli import app
from deniable.core.errors import Refused
from deniable.curator import Curator
from deniable.policy import InvalidPolicyError

PEOPLE, VISITS = 400, 4_000
POLICY = """
population = {{ name = "clinic" }}
budget = {{ epsilon = 100, delta = 1e-6 }}
engine = {{ kind = "spark", url = "{url}" }}
ledger = {{ url = "sqlite:///clinic.ledger" }}
[tables.visits]
source = "{folder}/visits/"
unit = "patient"
contribution = 5
columns.patient = {{ type = "integer" }}
columns.cost = {{ type = "number", bounds = [0, 100] }}
columns.region = {{ type = "text", values = ["north", "south"] }}
columns.word = {{ type = "text" }}
"""
COUNT = "SELECT region, COUNT(*) AS n, SUM(cost) AS s FROM visits GROUP BY region"


def visits(many: int) -> pa.Table:
    rows = range(many)
    return pa.table(
        {
            "patient": [row % PEOPLE for row in rows],
            "cost": [float(row % 50) for row in rows],
            "region": [("north", "south", None)[row % 3] for row in rows],
            "word": ["flu" if row % 2 else "cold" for row in rows],
        }
    )


def made(folder: Path, url: str) -> Path:
    (folder / "visits").mkdir()
    pq.write_table(visits(VISITS), folder / "visits" / "one.parquet")
    (folder / "clinic.toml").write_text(POLICY.format(url=url, folder=folder))
    return folder / "clinic.toml"


@pytest.fixture
def clinic(tmp_path: Path, sail: str) -> Iterator[Curator]:
    with deniable.create(made(tmp_path, sail)) as curator:
        yield curator


def test_a_question_is_answered_once_paid_and_then_free(clinic: Curator) -> None:
    """People have ten rows each and may weigh five: half of each number is left. Noise above 40: less than 1e-30."""
    first = clinic.ask(COUNT, epsilon=40)
    found = {row["region"]: row for row in first.table.to_pylist()}
    assert abs(found["north"]["n"] - 1334 / 2) < 40
    assert clinic.ask(COUNT, epsilon=40).free
    assert clinic.budget().spent.epsilon == 40


def test_data_that_have_changed_are_another_question(clinic: Curator, tmp_path: Path) -> None:
    clinic.ask("SELECT COUNT(*) AS n FROM visits", epsilon=1)
    pq.write_table(visits(40), tmp_path / "visits" / "two.parquet")
    assert not clinic.ask("SELECT COUNT(*) AS n FROM visits", epsilon=1).free


@pytest.mark.parametrize(
    "condition", ["regexp_matches(word, 'f')", "CAST(word AS TIME) IS NULL", "CAST(cost AS VARCHAR) = '1.0'"]
)
def test_what_spark_cannot_do_is_refused_and_costs_nothing(clinic: Curator, condition: str) -> None:
    with pytest.raises(Refused) as refusal:
        clinic.ask(f"SELECT COUNT(*) AS n FROM visits WHERE {condition}", epsilon=1)
    assert refusal.value.code == "engine-gap"
    assert clinic.budget().spent.epsilon == 0


def test_a_server_that_cannot_be_reached_refuses_before_the_charge(clinic: Curator, tmp_path: Path) -> None:
    text = (tmp_path / "clinic.toml").read_text()
    moved = clinic.engine._url
    object.__setattr__(clinic.engine, "_url", "sc://127.0.0.1:1")
    object.__setattr__(clinic.engine, "_seconds", 3)
    with pytest.raises(Refused) as refusal:
        clinic.ask("SELECT COUNT(*) AS n FROM visits WHERE cost > 7", epsilon=1)
    object.__setattr__(clinic.engine, "_url", moved)
    assert refusal.value.code == "data-unavailable"
    assert clinic.budget().spent.epsilon == 0
    assert moved in text


def test_check_and_explain_say_which_engine_answers_and_what_it_is_asked(tmp_path: Path, sail: str) -> None:
    policy = str(made(tmp_path, sail))
    checked = CliRunner().invoke(app, ["check", policy])
    assert f"engine: Spark at {sail.removeprefix('sc://')}" in checked.output
    assert "whoever reaches the Spark server" in " ".join(checked.output.split())
    CliRunner().invoke(app, ["ledger", "create", policy])
    explained = CliRunner().invoke(app, ["explain", policy, COUNT, "--epsilon", "1", "--statements"])
    assert "engine: Spark at" in explained.output
    assert "DECIMAL(38, 0)" in explained.output


@pytest.mark.parametrize("url", ["sc://spark.example:15002/;token=hush", "sc://spark.example", "http://x:1", ""])
def test_an_address_has_no_token_in_a_policy(tmp_path: Path, url: str) -> None:
    (tmp_path / "clinic.toml").write_text(POLICY.format(url=url, folder=tmp_path))
    with pytest.raises(InvalidPolicyError) as problem:
        deniable.create(tmp_path / "clinic.toml")
    assert "engine.url" in str(problem.value)
    assert "hush" not in str(problem.value)
