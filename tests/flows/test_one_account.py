"""One population, one account: the same data does not get a second budget by a second policy file."""

from __future__ import annotations

import json
import os
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import deniable
from deniable.apps.cli import app
from deniable.core.errors import Refused
from deniable.curator import adopt
from tests.support.ledgers import everywhere, forget
from tests.support.refusals import code_of

POLICY = """
[population]
name = "{name}"
[budget]
epsilon = 1.0
[tables.visits]
source = "{source}"
[tables.visits.columns]
age = {{ type = "integer", bounds = [0, 110] }}
[tables.hospitals]
source = "{public}"
public = true
[tables.hospitals.columns]
beds = {{ type = "integer", bounds = [0, 900] }}
"""


@pytest.fixture
def clinic(tmp_path: Path, ledger_section: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys.modules[__name__], "POLICY", POLICY + ledger_section)
    return _clinic(tmp_path)


@pytest.fixture
def clinic_in_a_file(tmp_path: Path) -> Path:
    return _clinic(tmp_path)


def _clinic(tmp_path: Path) -> Path:
    folder = tmp_path / "clinic"
    folder.mkdir()
    pq.write_table(pa.table({"age": [31, 47, 52] * 10}), folder / "visits.parquet")
    pq.write_table(pa.table({"beds": [300, 20]}), folder / "hospitals.parquet")
    path = _policy(folder / "clinic.toml")
    deniable.create(path).close()
    return path


def _policy(path: Path, source: str = "visits.parquet", public: str = "hospitals.parquet") -> Path:
    path.write_text(POLICY.format(name=path.stem, source=source, public=public))
    return path


@everywhere
def test_a_second_policy_beside_the_first_gets_no_fresh_budget(clinic: Path) -> None:
    second = _policy(clinic.with_name("second.toml"))
    with pytest.raises(Refused, match="'clinic'") as refused:
        deniable.create(second)
    assert refused.value.code == "source-taken"
    assert not clinic.with_name("second.ledger").exists()
    assert code_of(lambda: deniable.open(second)) == "ledger-missing"


def test_an_appended_row_does_not_make_other_people(clinic: Path) -> None:
    pq.write_table(pa.table({"age": [31, 47, 52] * 10 + [7]}), clinic.with_name("visits.parquet"))
    assert code_of(lambda: deniable.create(_policy(clinic.with_name("second.toml")))) == "source-taken"


@pytest.mark.parametrize("how", ["copy", "link"])
def test_the_same_data_by_another_name_are_the_same_people(clinic: Path, tmp_path: Path, how: str) -> None:
    """Seen from another folder: by the user's own list."""
    other = tmp_path / "other"
    other.mkdir()
    make = shutil.copy if how == "copy" else os.symlink
    make(clinic.with_name("visits.parquet"), other / "people.parquet")
    second = _policy(other / "second.toml", "people.parquet", str(clinic.with_name("hospitals.parquet")))
    assert code_of(lambda: deniable.create(second)) == "source-taken"


@everywhere
def test_another_user_is_told_by_the_list_beside_the_ledger(clinic: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DENIABLE_STATE", str(clinic.with_name("another")))
    assert code_of(lambda: deniable.create(_policy(clinic.with_name("second.toml")))) == "source-taken"


def test_both_lists_may_lie_in_one_folder(clinic: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DENIABLE_STATE", str(clinic.parent))
    assert code_of(lambda: deniable.create(_policy(clinic.with_name("second.toml")))) == "source-taken"


@everywhere
def test_a_ledger_that_was_removed_is_not_forgotten(clinic: Path) -> None:
    forget(clinic)
    assert code_of(lambda: deniable.create(clinic)) == "source-taken"
    deniable.create(clinic, reason="nothing was ever asked").close()


def test_other_people_and_public_tables_are_no_hindrance(clinic: Path) -> None:
    pq.write_table(pa.table({"age": [8, 9]}), clinic.with_name("school.parquet"))
    deniable.create(_policy(clinic.with_name("school.toml"), "school.parquet")).close()


def test_a_reason_is_kept(clinic_in_a_file: Path) -> None:
    second = _policy(clinic_in_a_file.with_name("second.toml"))
    run = CliRunner().invoke(app, ["ledger", "create", str(second), "--reason", "other years"])
    assert run.exit_code == 0, run.output
    for place in (
        clinic_in_a_file.with_name(".deniable-accounts.json"),
        Path(os.environ["DENIABLE_STATE"]) / "accounts.json",
    ):
        assert [holding["reason"] for holding in json.loads(place.read_text())["accounts"]] == ["", "other years"]
    with deniable.open(second) as curator:
        curator.ledger.export(clinic_in_a_file.with_name("out.jsonl"))
    assert (
        json.loads(clinic_in_a_file.with_name("out.jsonl").read_text().splitlines()[0])["body"]["reason"]
        == "other years"
    )


def test_what_is_in_its_place_is_said_first(clinic_in_a_file: Path) -> None:
    assert code_of(lambda: deniable.create(clinic_in_a_file)) == "ledger-exists"
    listed = json.loads(clinic_in_a_file.with_name(".deniable-accounts.json").read_text())["accounts"]
    assert len(listed) == 1


def test_blank_is_no_reason(clinic: Path) -> None:
    assert code_of(lambda: deniable.create(_policy(clinic.with_name("second.toml")), reason=" ")) == "source-taken"


def test_what_could_not_be_created_holds_nothing(clinic_in_a_file: Path) -> None:
    pq.write_table(pa.table({"age": [8, 9]}), clinic_in_a_file.with_name("school.parquet"))
    school = _policy(clinic_in_a_file.with_name("school.toml"), "school.parquet")
    clinic_in_a_file.with_name("school.ledger").write_text("in its place")
    assert code_of(lambda: deniable.create(school)) == "ledger-exists"
    clinic_in_a_file.with_name("school.ledger").unlink()
    deniable.create(school).close()


def test_a_source_that_is_adopted_is_held(clinic: Path) -> None:
    pq.write_table(pa.table({"age": [8, 9]}), clinic.with_name("school.parquet"))
    adopt(_policy(clinic, "school.parquet"), "moved", confirmed=True)
    for source in ("school.parquet", "visits.parquet"):
        second = _policy(clinic.with_name("second.toml"), source)
        assert code_of(lambda second=second: deniable.create(second)) == "source-taken"  # type: ignore[misc]


def test_a_list_that_cannot_be_read_is_not_an_empty_one(clinic_in_a_file: Path) -> None:
    clinic_in_a_file.with_name(".deniable-accounts.json").write_text("{}")
    assert code_of(lambda: deniable.create(_policy(clinic_in_a_file.with_name("second.toml")))) == "registry-damaged"


@everywhere
def test_of_many_at_once_one_gets_the_account(clinic: Path) -> None:
    pq.write_table(pa.table({"age": [8, 9]}), clinic.with_name("school.parquet"))
    policies = [_policy(clinic.with_name(f"school{number}.toml"), "school.parquet") for number in range(6)]

    def wins(policy: Path) -> bool:
        try:
            deniable.create(policy).close()
        except Refused as refused:
            assert refused.code == "source-taken"  # noqa: PT017 - the other codes would be failures
            return False
        return True

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(wins, policies)) == 1
