"""A clinic of a hundred visits, as commands find it; and commands, as they are called."""

from __future__ import annotations

import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import deniable
from deniable.apps.cli import app, main

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


def printed(*arguments: str) -> str:
    """What a command prints."""
    result = CliRunner().invoke(app, arguments, env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.output
    return result.output


def exit_code(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    """That of the whole program."""
    monkeypatch.setattr(sys, "argv", ["deniable", *arguments])
    with pytest.raises(SystemExit) as stopped:
        main()
    return int(stopped.value.code or 0)
