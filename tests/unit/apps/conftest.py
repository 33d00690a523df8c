"""A clinic of a hundred visits, as commands find it."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import deniable

POLICY = """
[population]
name = "clinic"
[budget]
epsilon = 1
delta = 1e-6
[tables.visits]
source = "visits.parquet"
[tables.visits.columns]
age = { type = "integer", bounds = [0, 110] }
"""
COUNT = "SELECT COUNT(*) AS n FROM visits"


@pytest.fixture
def clinic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A policy with its file and its ledger."""
    monkeypatch.chdir(tmp_path)
    pq.write_table(pa.table({"age": list(range(100))}), "visits.parquet")
    Path("clinic.toml").write_text(POLICY)
    deniable.create("clinic.toml").close()
    return tmp_path
