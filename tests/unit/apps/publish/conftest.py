"""Visits of five hundred people, as commands find them that write whole releases into files."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.support.synthetic import visits as made_up

POLICY = """
[population]
name = "visits"
[budget]
epsilon = 10
delta = 1e-6
[ledger]
url = "sqlite:///visits.ledger"
[tables.visits]
source = "visits.parquet"
unit = "person"
contribution = 3
[tables.visits.columns]
person = { type = "integer" }
age = { type = "integer", bounds = [0, 110] }
town = { type = "text", values = ["north", "east", "south", "<b>west</b>"] }
urgent = { type = "boolean" }
"""


@pytest.fixture
def visits(tmp_path: Path) -> Path:
    """A policy with its file, and no ledger yet."""
    pq.write_table(made_up(500, seed=1), tmp_path / "visits.parquet")
    path = tmp_path / "visits.toml"
    path.write_text(POLICY)
    return path
