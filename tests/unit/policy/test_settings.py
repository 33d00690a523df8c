"""The engine's address: a server has one, without a password, which is found where it is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from deniable.core.errors import InvalidArgumentError
from deniable.policy import InvalidPolicyError, Policy

SECRET = "hunter2"  # noqa: S105 - nobody's


def policy(folder: Path, engine: dict[str, object], source: str = "public.visits", **table: object) -> Policy:
    rules = {
        "population": {"name": "clinic"},
        "budget": {"epsilon": 1},
        "engine": engine,
        "tables": {"visits": {"source": source, "columns": {"age": {"type": "integer"}}, **table}},
    }
    return Policy.from_mapping(rules, origin="clinic.toml", folder=folder)


def problems(folder: Path, engine: dict[str, object], **more: object) -> str:
    with pytest.raises(InvalidPolicyError) as found:
        policy(folder, engine, **more)
    return str(found.value)


def test_tables_of_a_server_are_no_files(tmp_path: Path) -> None:
    found = policy(tmp_path, {"kind": "postgres", "url": "postgresql://deniable@db/clinic"}, version_query="SELECT 1")
    assert found.engine.remote
    assert found.tables["visits"].source == "public.visits"
    assert found.tables["visits"].file is None
    assert found.tables["visits"].version_query == "SELECT 1"


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://deniable:{SECRET}@db/clinic",
        f"postgresql://deniable@db/clinic?password={SECRET}",
        f"postgresql://deniable@db/clinic?sslpassword={SECRET}",
    ],
)
def test_a_password_in_the_url_is_refused_and_not_repeated(tmp_path: Path, url: str) -> None:
    said = problems(tmp_path, {"kind": "postgres", "url": url})
    assert "password" in said
    assert "password_env" in said
    assert SECRET not in said


@pytest.mark.parametrize("url", ["http://db/clinic", "postgresql://deniable@db", "postgresql://db:notaport/x", ""])
def test_what_is_no_address_is_refused(tmp_path: Path, url: str) -> None:
    assert "url" in problems(tmp_path, {"kind": "postgres", "url": url})


def test_a_server_needs_an_address_and_files_have_none(tmp_path: Path) -> None:
    assert "url" in problems(tmp_path, {"kind": "postgres"})
    assert "url" in problems(tmp_path, {"url": "postgresql://deniable@db/clinic"}, source="visits.csv")
    assert "version_query" in problems(tmp_path, {}, source="visits.csv", version_query="SELECT 1")


def test_a_password_in_the_policy_is_refused(tmp_path: Path) -> None:
    engine = {"kind": "postgres", "url": "postgresql://deniable@db/clinic", "password": SECRET}
    said = problems(tmp_path, engine)
    assert "does not belong into a policy" in said
    assert SECRET not in said


def test_the_password_is_read_when_it_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = {"kind": "postgres", "url": "postgresql://deniable@db/clinic"}
    from_file = policy(tmp_path, server | {"password_file": "secret"}).engine
    with pytest.raises(InvalidArgumentError, match="password_file"):
        from_file.password()
    (tmp_path / "secret").write_text(f"{SECRET}\n")
    assert from_file.password() == SECRET
    from_environment = policy(tmp_path, server | {"password_env": "CLINIC_PASSWORD"}).engine
    monkeypatch.delenv("CLINIC_PASSWORD", raising=False)
    with pytest.raises(InvalidArgumentError, match="CLINIC_PASSWORD"):
        from_environment.password()
    monkeypatch.setenv("CLINIC_PASSWORD", SECRET)
    assert from_environment.password() == SECRET
    assert SECRET not in repr(from_environment)
    assert policy(tmp_path, server).engine.password() is None
    assert "two places" in problems(tmp_path, server | {"password_env": "A", "password_file": "b"})
