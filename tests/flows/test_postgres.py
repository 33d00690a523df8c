"""From a policy that names a PostgreSQL database to answers: charged once, in one snapshot, with public tables."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

import deniable
from deniable.apps.cli import app
from deniable.core.errors import Refused
from deniable.curator import Curator
from deniable.policy import InvalidPolicyError
from deniable.releases.linear.toml import read_workload
from tests.support import shop, world
from tests.support.curators import silence
from tests.support.moved import filled
from tests.support.postgres import Server, run

POLICY = """
[population]
name = "world"

[budget]
epsilon = 900
delta = 1e-6
delta_for_keys = 5e-7

[limits]
questions_per_day = 100000

[engine]
kind = "postgres"
url = "{url}"

[tables.visits]
source = "public.visits"
unit = "patient_id"
contribution = 4
keys = 3
[tables.visits.columns]
patient_id = {{ type = "integer" }}
age = {{ type = "integer", bounds = [0, 110], nulls = false }}
cost = {{ type = "number", bounds = [0, 500], step = 0.01, nulls = false }}
region = {{ type = "text", values = ["north", "east", "south", "west"] }}
reason = {{ type = "text" }}
day = {{ type = "date", bounds = ["2025-01-01", "2025-12-31"], nulls = false }}
hospital = {{ type = "integer", bounds = [0, 10], nulls = false }}

[tables.hospitals]
source = "public.hospitals"
public = true
"""
COUNT = "SELECT COUNT(*) AS n FROM visits"


@pytest.fixture
def policy(tmp_path: Path, database: str) -> Path:
    for name, table in world.tables(400, seed=8).items():
        if name in ("visits", "hospitals"):
            filled(database, name, table)
    path = tmp_path / "world.toml"
    path.write_text(POLICY.format(url=database))
    return path


@pytest.fixture
def house(policy: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Curator]:
    silence(monkeypatch)
    with deniable.create(policy) as curator:
        yield curator


def test_the_same_question_is_free_until_the_data_change(house: Curator, database: str) -> None:
    first = house.ask(COUNT, epsilon=1)
    assert house.ask("select count( * ) as n from visits", epsilon=1).free
    run(database, "INSERT INTO visits SELECT * FROM visits LIMIT 1")
    again = house.ask(COUNT, epsilon=1)
    assert not again.free
    assert again.table["n"][0].as_py() >= first.table["n"][0].as_py() - 1


def test_whoever_writes_meanwhile_disturbs_no_answer(house: Curator, database: str) -> None:
    """Rows change after the charge, and before they are read: the answer is of the state that was charged for."""
    before = house.ask("SELECT SUM(age) AS n FROM visits", epsilon=2).table
    changed = []

    def change(question: str, entry: int) -> None:
        changed.append((question, entry))
        run(database, "UPDATE visits SET age = 0")

    object.__setattr__(house, "on_charge", change)
    assert house.ask("SELECT SUM(age) AS n FROM visits", epsilon=3).table["n"] == before["n"]
    assert changed


def test_every_way_of_asking(house: Curator) -> None:
    """Batches, joins with public tables, private keys, quantiles, distinct values, workloads, synthetic tables."""
    answers = house.ask_all([COUNT, "SELECT AVG(cost) AS c FROM visits"], epsilon=2)
    assert len(answers) == 2
    joined = house.ask(
        "SELECT city, COUNT(*) AS n FROM visits JOIN hospitals USING (hospital) GROUP BY city", epsilon=2
    )
    assert {"Ulm", "Bonn", "Jena"} <= set(joined.table["city"].to_pylist())
    assert house.ask("SELECT reason, COUNT(*) AS n FROM visits GROUP BY reason", epsilon=5, delta="1e-7").table.num_rows
    assert house.ask("SELECT MEDIAN(age) AS m, COUNT(DISTINCT region) AS r FROM visits", epsilon=50).table.num_rows == 1
    work = read_workload({"table": "visits", "parts": [{"histogram": ["region", "age // 10"]}]})
    assert house.release(work, rho=1).table.num_rows
    made = house.synthesize("visits", columns=["age", "region"], rho=50)
    assert made.tables["visits"].num_rows


def test_questions_about_public_tables_are_exact_and_free(house: Curator, database: str) -> None:
    assert house.ask("SELECT COUNT(*) AS n FROM hospitals").table["n"].to_pylist() == [7]
    run(database, "DELETE FROM hospitals WHERE city IS NULL")
    assert house.ask("SELECT COUNT(*) AS n FROM hospitals").table["n"].to_pylist() == [6]


def test_a_gap_is_refused_before_anything_is_charged(house: Curator) -> None:
    with pytest.raises(Refused) as refused:
        house.ask("SELECT COUNT(*) AS n FROM visits WHERE REVERSE(reason) = 'x'", epsilon=1)
    assert refused.value.code == "engine-gap"
    assert not house.budget().spent.epsilon


def test_data_that_cannot_be_reached_are_refused_before_anything_is_charged(
    house: Curator, postgres: Server, database: str
) -> None:
    run(postgres.url, f"ALTER DATABASE {database.rpartition('/')[2]} WITH ALLOW_CONNECTIONS false")
    with pytest.raises(Refused) as refused:
        house.ask(COUNT, epsilon=1)
    assert refused.value.code == "data-unavailable"
    assert not house.budget().spent.epsilon


def test_keys_are_told_apart_by_their_bytes(house: Curator, database: str) -> None:
    """Whatever collation the column has; of private keys, both are shown."""
    loose = "CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level1', deterministic = false)"
    run(database, loose, "ALTER TABLE visits ALTER COLUMN reason TYPE text COLLATE loose")
    run(database, "UPDATE visits SET reason = 'CHECKUP' WHERE reason = 'checkup' AND age < 50")
    answer = house.ask("SELECT reason, COUNT(*) AS n FROM visits GROUP BY reason", epsilon=50, delta="1e-7")
    assert {"checkup", "CHECKUP"} <= set(answer.table["reason"].to_pylist())


def test_units_are_told_apart_by_their_bytes(policy: Path, database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever collation the column has: two people, who weigh four rows each."""
    silence(monkeypatch)
    policy.write_text(policy.read_text().replace('patient_id = { type = "integer" }', 'patient_id = { type = "text" }'))
    loose = "CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level1', deterministic = false)"
    who = "CASE WHEN age < 50 THEN 'ann' ELSE 'ANN' END"
    run(database, loose, f"ALTER TABLE visits ALTER COLUMN patient_id TYPE text COLLATE loose USING {who}")
    with deniable.create(policy) as curator:
        assert curator.ask(COUNT, epsilon=1).table["n"].to_pylist() == [8]


def test_no_row_makes_a_question_fail(house: Curator, database: str) -> None:
    """Products that are too small to be doubles, and quotients that are too large, on a pair of neighbours."""
    question = "SELECT AVG(LEAST(GREATEST((cost * 1e-300) * (cost * 1e-300) + cost / 1e-300, 0), 9)) AS a FROM visits"
    without = house.ask(question, epsilon=5).table
    run(database, "UPDATE visits SET cost = 5e-324 WHERE ctid = (SELECT min(ctid) FROM visits)")
    assert house.ask(question, epsilon=5).table.schema == without.schema


def test_check_and_explain_say_which_engine_answers_and_what_it_is_asked(policy: Path) -> None:
    checked = CliRunner().invoke(app, ["check", str(policy)])
    assert "engine: PostgreSQL at 127.0.0.1" in checked.output
    assert "is a superuser" in checked.output
    assert checked.exit_code == 1
    CliRunner().invoke(app, ["ledger", "create", str(policy)])
    explained = CliRunner().invoke(app, ["explain", str(policy), COUNT, "--epsilon", "1", "--statements"])
    assert '"public"."visits"' in explained.output
    role = CliRunner().invoke(app, ["engine", "role", str(policy)])
    assert 'GRANT SELECT ON "public"."visits" TO' in role.output
    assert "secrets" not in role.output


def test_units_through_keys_on_postgres(tmp_path: Path, database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A chain of foreign keys leads to the household; answers are those of the files."""
    silence(monkeypatch)
    found = shop.tables(40, seed=3)
    from tests.support.moved import on_postgres  # noqa: PLC0415 - beside its use

    (tmp_path / "files").mkdir()
    question = "SELECT COUNT(*) AS a, SUM(price) AS b FROM lines"
    with world.curator(tmp_path / "files", found, shop.policy(tmp_path / "files", chain=True)) as files:
        wanted = files.ask(question, epsilon=1000).table
    with on_postgres(database), world.curator(tmp_path, found, shop.policy(tmp_path, chain=True)) as there:
        assert there.ask(question, epsilon=1000).table == wanted


def test_a_view_whose_rows_change_at_every_look_is_named_by_check_and_refused(policy: Path, database: str) -> None:
    run(database, "CREATE VIEW shaky AS SELECT * FROM visits WHERE random() < 0.5")
    with deniable.create(policy) as curator:
        curator.explain(COUNT, epsilon=1)
    text = policy.read_text().replace("public.visits", "public.shaky").replace('"world"', '"shaky"')
    policy.with_name("shaky.toml").write_text(text)
    with pytest.raises(InvalidPolicyError, match="change while they are read"):
        deniable.create(policy.with_name("shaky.toml"), reason="a sample of the same people")
