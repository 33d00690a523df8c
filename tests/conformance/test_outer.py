"""With the noise taken out, statements around noisy answers equal plain DuckDB's; with it, they cost one charge."""

import duckdb
import pytest

from tests.support import world
from tests.support.curators import silence
from tests.support.outer import STATEMENTS, assert_same


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """A quiet curator over several tables, and plain DuckDB over the rows that it may see."""
    folder = tmp_path_factory.mktemp("outer")
    tables = world.tables(4_000, seed=3)
    quiet = world.curator(folder, tables, world.policy(folder, contribution=100_000))
    plain = duckdb.connect()
    for name, table in tables.items():
        plain.register("everything", table)
        known = "WHERE patient_id IS NOT NULL" if "patient_id" in table.column_names else ""
        plain.execute(f"CREATE TABLE {name} AS SELECT * FROM everything {known}")
        plain.unregister("everything")
    yield quiet, plain
    quiet.close()


@pytest.mark.parametrize("statement", STATEMENTS)
def test_equals_plain_duckdb(asked, statement, monkeypatch):
    quiet, plain = asked
    silence(monkeypatch)
    before = len(quiet.history())
    answer = quiet.ask(statement, epsilon=1, delta=1e-9)
    assert_same(answer.table, plain.sql(statement).to_arrow_table(), statement)
    assert len(quiet.history()) - before <= 2  # one charge and its record, or none
    assert quiet.ask(statement, epsilon=1, delta=1e-9).free
    columns = quiet.columns(statement, epsilon=1, delta=1e-9)
    assert [column.name for column in columns] == answer.table.column_names


def test_whole_divisions_by_zero_are_null_and_the_others_are_whole(asked, monkeypatch):
    """However a zero is written; and a divisor is a divisor, whatever is divided again."""
    quiet, _ = asked
    silence(monkeypatch)
    divided = ("n // (0)", "n // 0e0", "n // (n - n) // 2", "n % 0.0", "n % (n - n)", "9 % -0", "n // (n // (n + 1))")
    columns = ", ".join(f"{one} AS c{place}" for place, one in enumerate(divided))
    found = quiet.ask(f"SELECT {columns} FROM (SELECT COUNT(*) AS n FROM visits) q", epsilon=1)
    assert set(found.table.to_pylist()[0].values()) == {None}
    halves = (
        "SELECT -c // 2 AS a, (c + 0.9) // 1 AS b, c // -0.3 AS d FROM (SELECT SUM(1.5) AS c FROM visits LIMIT 1) q"
    )
    assert all(value == int(value) for value in quiet.ask(halves, epsilon=1).table.to_pylist()[0].values())
