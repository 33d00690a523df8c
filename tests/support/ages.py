"""A table of ages and its policy, and nothing more: for tests of what is around a question."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

COUNT = "SELECT COUNT(*) AS n FROM people"
_POLICY = """
[population]
name = "{name}"
[budget]
epsilon = {epsilon}
[tables.people]
source = "people.parquet"
[tables.people.columns]
age = {{ type = "integer", bounds = [0, 110] }}
{more}
"""


def ages(folder: Path, name: str, more: str = "", *, epsilon: int = 1, people: int = 300) -> Path:
    """The policy's file, of that name, beside its table; `more` stands at its end."""
    pq.write_table(pa.table({"age": [number % 100 for number in range(people)]}), folder / "people.parquet")
    path = folder / f"{name}.toml"
    path.write_text(_POLICY.format(name=name, epsilon=epsilon, more=more))
    return path


def kept_at(url: str) -> str:
    """A policy's section on its ledger."""
    return f'[ledger]\nurl = "{url}"\n'
