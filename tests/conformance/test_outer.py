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
