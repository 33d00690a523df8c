"""An engine's failures say nothing to analysts, and enough to custodians."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from deniable.core.algebra.expression import Call, Column, Kind
from deniable.core.algebra.query import ExactQuery, Key, Source, Sums
from deniable.core.errors import Failed, InvalidArgumentError
from deniable.engines import DuckDB, engine_of, role_of
from deniable.policy import InvalidPolicyError, Policy
from tests.unit.engines.people import count

QUOTED = "the diagnosis of row 17"


def broken_queries() -> dict[str, Callable[[DuckDB, pytest.MonkeyPatch], ExactQuery]]:
    def quoting(engine: DuckDB, patch: pytest.MonkeyPatch) -> ExactQuery:
        patch.setattr(engine, "emit", lambda _: f"SELECT CAST('{QUOTED}' AS INTEGER) AS n")
        return count()

    def raising(engine: DuckDB, patch: pytest.MonkeyPatch) -> ExactQuery:
        def fetch(_: str) -> pa.Table:
            raise RuntimeError(QUOTED)

        patch.setattr(engine, "fetch", fetch)
        return count()

    def shaped(sql: str) -> Callable[[DuckDB, pytest.MonkeyPatch], ExactQuery]:
        def prepared(engine: DuckDB, patch: pytest.MonkeyPatch) -> ExactQuery:
            patch.setattr(engine, "emit", lambda _: sql)
            return count()

        return prepared

    missing = Column(QUOTED, Kind.INTEGER)
    return {
        "error that quotes": quoting,
        "error of another kind": raising,
        "other column": shaped("SELECT 1::BIGINT AS m"),
        "other type": shaped("SELECT 1.5 AS n"),
        "missing number": shaped("SELECT NULL::BIGINT AS n"),
        "two rows": shaped("SELECT * FROM (VALUES (1::BIGINT), (2::BIGINT)) AS v(n)"),
        "unknown table": lambda _, __: count("nothing"),
        "unknown column": lambda _, __: Sums(Source("people", None, 1, None), (Key("k", missing),), ()),
        "unknown function": lambda _, __: Sums(Source("people", None, 1, Call("no", (), Kind.BOOLEAN)), (), ()),
    }


@pytest.mark.parametrize("name", broken_queries())
def test_a_failure_says_nothing(
    engine: DuckDB, name: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    query = broken_queries()[name](engine, monkeypatch)
    with caplog.at_level(logging.DEBUG), pytest.raises(Failed) as caught:
        engine.run(query)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    assert str(caught.value) == str(Failed())
    assert [record.name for record in caplog.records] == ["deniable.curator"]
    assert QUOTED not in caplog.text


def test_a_missing_file_fails_the_question_and_is_explained_to_the_custodian(people: Path, tmp_path: Path) -> None:
    engine = DuckDB({"people": people, "gone": tmp_path / "gone.parquet"})
    with pytest.raises(Failed):
        engine.run(count("gone"))
    assert engine.run(count()).to_pylist() == [{"n": 5}]
    with pytest.raises(InvalidArgumentError, match=r"gone has no file at .*gone.parquet"):
        engine.describe("gone")
    with pytest.raises(InvalidArgumentError, match="nobody is not a declared table"):
        engine.describe("nobody")
    with pytest.raises(InvalidArgumentError, match="cannot be read"):
        engine.version("gone")
    people.unlink()
    with pytest.raises(Failed):
        engine.run(count())
    engine.close()


def test_a_broken_file_does_not_stand_in_the_others_way(people: Path, tmp_path: Path) -> None:
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 not really")
    engine = DuckDB({"broken": tmp_path / "broken.parquet", "people": people})
    assert engine.run(count()).to_pylist() == [{"n": 5}]
    with pytest.raises(Failed):
        engine.run(count("broken"))
    with pytest.raises(InvalidArgumentError, match="broken cannot be read"):
        engine.describe("broken")
    engine.close()


@pytest.mark.parametrize(
    ("kind", "url", "library"),
    [("postgres", "postgresql://deniable@127.0.0.1/clinic", "psycopg"), ("spark", "sc://127.0.0.1:1", "pyspark")],
)
def test_what_a_server_is_asked_by_is_said_to_be_missing_when_the_policy_is_opened(
    kind: str, url: str, library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = {"source": "public.visits", "unit": "id", "contribution": 1, "columns": {"id": {"type": "integer"}}}
    rules = {"population": {"name": "p"}, "budget": {"epsilon": 1}, "engine": {"kind": kind, "url": url}}
    policy = Policy.from_mapping(rules | {"tables": {"visits": table}}, origin="a test", folder=Path())
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(InvalidPolicyError, match=rf"pip install 'deniable\[{kind}\]'"):
        engine_of(policy)
    assert ('CREATE ROLE "deniable"' in role_of(policy)) is (kind == "postgres")  # which is asked of nobody
