"""A database that breaks between the charge and the answer: nothing is said but that it failed, and it stays paid."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pyarrow as pa
import pytest

import deniable
from deniable.core.algebra.query import ExactQuery
from deniable.core.errors import Failed
from deniable.curator import Curator
from deniable.engines.engine import Engine
from tests.flows.test_postgres import policy, run

__all__ = ["policy"]  # a fixture
QUESTION = "SELECT region, COUNT(*) AS n, SUM(cost) AS s FROM visits GROUP BY region"
SLOW = "SELECT COUNT(*) AS n FROM generate_series(1, 100000000000)"
CUT = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'deniable'"


@pytest.fixture
def house(policy, database: str) -> Iterator[Curator]:
    """Eight thousand rows, which are sorted on a disk that has no room, unless they fit into memory."""
    run(database, "INSERT INTO visits SELECT v.* FROM visits v, generate_series(1, 19)", "ANALYZE visits")
    policy.write_text(policy.read_text().replace('kind = "postgres"', 'kind = "postgres"\nseconds = 5'))
    with deniable.create(policy) as curator:
        yield curator


def _cut(engine: Engine, database: str, patch: pytest.MonkeyPatch) -> None:
    del engine, patch
    run(database, CUT)


def _too_slow(engine: Engine, database: str, patch: pytest.MonkeyPatch) -> None:
    del database
    patch.setattr(engine, "emit", lambda _query: SLOW)


def _nothing(engine: Engine, database: str, patch: pytest.MonkeyPatch) -> None:
    """The disk has been full all the time."""


@pytest.mark.parametrize("break_it", [_cut, _too_slow, _nothing], ids=["cut off", "too slow", "disk full"])
def test_what_breaks_after_the_charge_stays_paid_and_says_nothing(
    house: Curator,
    database: str,
    break_it: Callable[[Engine, str, pytest.MonkeyPatch], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    name = database.rpartition("/")[2]
    if break_it is _nothing:
        run(database, f"ALTER DATABASE {name} SET temp_file_limit = 1", f"ALTER DATABASE {name} SET work_mem = '64kB'")
    with monkeypatch.context() as patch:
        plain = Engine.run

        def broken(engine: Engine, query: ExactQuery) -> pa.Table:
            break_it(engine, database, patch)
            return plain(engine, query)

        patch.setattr(Engine, "run", broken)
        with pytest.raises(Failed) as failure:
            house.ask(QUESTION, epsilon=2)
    assert failure.value.__cause__ is None
    assert failure.value.__context__ is None
    assert house.budget().spent.epsilon == 2
    run(database, f"ALTER DATABASE {name} RESET ALL")
    assert house.ask(QUESTION, epsilon=3).table.num_rows == 5
    assert house.budget().spent.epsilon == 5
