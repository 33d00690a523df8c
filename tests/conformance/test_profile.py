"""The profile beside the rows themselves: with the noise taken out, everybody weighs one row in counts of values."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.curator import create
from tests.support.curators import curator, silence
from tests.support.tables import policy, visits


def test_everybody_weighs_one_row_in_counts_of_values(tmp_path, monkeypatch):
    table = visits(500, seed=9)
    silence(monkeypatch)
    with curator(tmp_path, table, policy(tmp_path, contribution=5)) as one:
        found = one.profile(rho=Fraction(1, 50)).tables["visits"]
    people = len(np.unique(table["patient_id"].drop_null().to_numpy()))
    assert found.people.people.value == pytest.approx(people)
    for column in found.columns.values():
        assert float(column.measured.counts.sum()) == pytest.approx(people, rel=1e-4)
    assert sum(found.listed["region"].noisy) == pytest.approx(people, rel=1e-4)


def test_more_columns_than_one_pass_can_count_are_counted_in_several(tmp_path, monkeypatch):
    """Engines tell sets of keys apart by a bit for each: DuckDB by 64, PostgreSQL by 31 at a time."""
    chance = np.random.default_rng(3)
    columns = {f"c{place}": chance.choice(["a", "b", "c"], 50) for place in range(70)}
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    lines = "".join(f'{name} = {{ type = "text", values = ["a", "b"], nulls = false }}\n' for name in columns)
    budget = '[population]\nname = "p"\n[budget]\nepsilon = 1\ndelta = 1e-6\n'
    (tmp_path / "t.toml").write_text(f'{budget}[tables.t]\nsource = "t.parquet"\n[tables.t.columns]\n{lines}')
    silence(monkeypatch)
    with create(tmp_path / "t.toml") as one:
        found = one.profile(rho="0.002").tables["t"]
    for name, cells in columns.items():
        assert found.listed[name].noisy == (*((cells == text).sum() for text in ("a", "b", "c")), 0)
