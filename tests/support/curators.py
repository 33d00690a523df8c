"""Curators for tests, with noise that can be taken out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from deniable.curator import Curator
from deniable.curator.factory import engine_of
from deniable.ledger import Ledger
from deniable.mechanisms import Exponential, Gaussian, Laplace, PartitionSelection, PermuteAndFlip
from deniable.policy import Policy


def silence(monkeypatch) -> None:
    """Take the noise out: what is left is the exact answer; of choices, the first that is best."""
    monkeypatch.setattr(Laplace, "_noise", lambda _self, size, _bits: np.zeros(size, dtype=np.int64))
    monkeypatch.setattr(Gaussian, "_noise", lambda _self, size, _bits: np.zeros(size, dtype=np.int64))
    monkeypatch.setattr(PartitionSelection, "_keep", lambda _self, units, _bits: units > 0)
    for kind in (PermuteAndFlip, Exponential):
        monkeypatch.setattr(kind, "_each", lambda _self, scores, _bits: scores.argmax(axis=1))


def curator(folder: Path, table: pa.Table, rules: Policy) -> Curator:
    """A curator over this table, with a ledger in memory."""
    pq.write_table(table, folder / "visits.parquet")
    return Curator(rules, engine_of(rules), Ledger.memory(rules.population))
