"""What profiles, synthetic tables, models and workloads ask of DuckDB has the same whole numbers on other engines."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pyarrow as pa
import pytest

from deniable import learn
from deniable.core.algebra.query import ExactQuery
from deniable.curator import Curator
from deniable.engines.engine import Engine
from deniable.releases import Workload
from tests.engines.test_same_answers import HEAVY, Elsewhere, difference, elsewhere
from tests.support import world

__all__ = ["elsewhere"]  # a fixture
SELECT = "SELECT age, urgent, region, cost FROM visits"
ROOMS: dict[str, Callable[[Curator], object]] = {
    "profile": lambda curator: curator.profile(rho=1),
    "synthetic": lambda curator: curator.synthesize("visits", columns=["age", "region", "urgent", "day"], rho=1),
    "linear": lambda curator: learn.LinearRegression().fit(curator, SELECT, target="cost", rho=1),
    "logistic": lambda curator: learn.LogisticRegression().fit(curator, SELECT, target="urgent", rho=1),
    "bayes": lambda curator: learn.NaiveBayes().fit(curator, SELECT, target="urgent", rho=1),
    "centres": lambda curator: learn.KMeans(2).fit(curator, SELECT, rho=1),
    "workload": lambda curator: curator.release(Workload.histogram("region", "urgent").on("visits"), rho=1),
}


@pytest.mark.parametrize("room", ROOMS)
def test_the_same_numbers(tmp_path: Path, elsewhere: Elsewhere, room: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Most people have more rows than count; nothing here is chosen by a hash."""
    asked: list[ExactQuery] = []
    run = Engine.run

    def recorded(engine: Engine, query: ExactQuery) -> pa.Table:
        asked.append(query)
        return run(engine, query)

    policy = world.policy(tmp_path, contribution=HEAVY)
    with closing(world.curator(tmp_path, world.tables(300, seed=5), policy)) as curator:
        with monkeypatch.context() as watched:
            watched.setattr(Engine, "run", recorded)
            ROOMS[room](curator)
        assert asked
        files = {name: file for name, table in policy.tables.items() if (file := table.file) is not None}
        with closing(elsewhere(files)) as there, there.session() as other, curator.engine.session() as one:
            assert [problem for query in asked if (problem := difference(query, one, other, gaps=False))] == []
