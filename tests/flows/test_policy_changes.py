"""The ledger says what its numbers mean: a policy that says something else is not served until somebody says why."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import deniable
from deniable.apps.cli import app
from deniable.core.errors import InvalidArgumentError, Refused
from deniable.curator import adopt
from deniable.ledger import Ledger
from deniable.policy import load
from tests.support.ledgers import everywhere, forget

POLICY = """
[population]
name = "clinic"
neighbours = "add-remove"
[budget]
epsilon = 1.0
delta = 1e-6
delta_for_keys = 4e-7
delta_for_zcdp = 3e-7
delta_for_gdp = 3e-7
[tables.visits]
source = "visits.parquet"
unit = "patient"
contribution = 3
[tables.visits.columns]
patient = { type = "integer" }
doctor = { type = "integer" }
cost = { type = "integer", bounds = [0, 100] }
"""
QUESTION = "SELECT COUNT(*) AS n FROM visits"
NEVER = {
    "unit": ('unit = "patient"', 'unit = "doctor"'),
    "neighbours": ("add-remove", "replace"),
    "division": ("delta_for_zcdp = 3e-7\ndelta_for_gdp = 3e-7", "delta_for_zcdp = 1e-7\ndelta_for_gdp = 5e-7"),
    "lowered part": ("delta_for_keys = 4e-7", "delta_for_keys = 1e-7"),
    "no unit": ('unit = "patient"\ncontribution = 3\n', ""),
}
PLAIN = {
    "bounds": ("bounds = [0, 100]", "bounds = [0, 200]"),
    "contribution": ("contribution = 3", "contribution = 4"),
    "a column": ("[0, 100] }", '[0, 100] }\nreason = { type = "text" }'),
    "an analyst": ("[tables.visits]", "[analysts.alice]\nepsilon = 0.5\n[tables.visits]"),
    "a smaller epsilon": ("epsilon = 1.0", "epsilon = 0.9"),
}
CONFIRMED = {
    "public": ('unit = "patient"\ncontribution = 3\n', "public = true\n"),
    "source": ("visits.parquet", "others.parquet"),
}


@pytest.fixture
def clinic(tmp_path: Path, ledger_section: str) -> Path:
    rows = pa.table({"patient": [1, 2, 3], "doctor": [1, 1, 2], "cost": [5, 6, 7], "reason": ["a", "b", "c"]})
    for name in ("visits", "others"):
        pq.write_table(rows, tmp_path / f"{name}.parquet")
    path = tmp_path / "clinic.toml"
    path.write_text(POLICY + ledger_section)
    with deniable.create(path) as curator:
        curator.ask(QUESTION, epsilon="0.1")
    return path


def _change(path: Path, change: tuple[str, str]) -> None:
    assert change[0] in path.read_text()
    path.write_text(path.read_text().replace(*change))


def _code(step: object, *arguments: object, **named: object) -> str:
    with pytest.raises(Refused) as refused:
        step(*arguments, **named)  # type: ignore[operator]
    return refused.value.code


@pytest.mark.parametrize("change", [*NEVER.values(), *PLAIN.values(), *CONFIRMED.values()])
def test_a_changed_policy_is_not_served(clinic: Path, change: tuple[str, str]) -> None:
    _change(clinic, change)
    assert _code(deniable.open, clinic) == "policy-changed"


@pytest.mark.parametrize("change", NEVER.values(), ids=NEVER)
def test_what_the_sums_were_kept_for_cannot_change(clinic: Path, change: tuple[str, str]) -> None:
    _change(clinic, change)
    for confirmed in (False, True):
        for raising in (False, True):
            code = _code(adopt, clinic, "because", confirmed=confirmed, raising=raising)
            assert code in {"policy-fixed", "policy-unconfirmed"}
            assert code == "policy-fixed" or not confirmed
    assert _code(deniable.open, clinic) == "policy-changed"


@pytest.mark.parametrize("change", PLAIN.values(), ids=PLAIN)
def test_other_changes_are_an_entry_with_the_difference_in_words(clinic: Path, change: tuple[str, str]) -> None:
    _change(clinic, change)
    words = adopt(clinic, "the codebook was revised")
    with deniable.open(clinic) as curator:
        last = curator.history()[-1]
        assert last.kind == "adopted"
        assert words
        assert float(curator.budget().spent.epsilon) == 0.1
        assert curator.ledger.verify() == 4
    assert adopt(clinic, "again") == []


@pytest.mark.parametrize("change", CONFIRMED.values(), ids=CONFIRMED)
def test_what_may_expose_everybody_is_confirmed(clinic: Path, change: tuple[str, str]) -> None:
    _change(clinic, change)
    assert _code(adopt, clinic, "because") == "policy-unconfirmed"
    assert adopt(clinic, "because", confirmed=True)
    deniable.open(clinic).close()


def test_a_raise_is_said_to_be_one_and_shown_in_every_budget(clinic: Path) -> None:
    _change(clinic, ("epsilon = 1.0", "epsilon = 2.0"))
    assert _code(adopt, clinic, "because", confirmed=True) == "policy-raised"
    assert adopt(clinic, "the board agreed", raising=True) == ["budget: epsilon 1 -> 2"]
    with deniable.open(clinic) as curator:
        assert curator.history()[-1].kind == "raised"
        assert any("the board agreed" in note for note in curator.budget().notes)
        curator.ask(QUESTION, epsilon="1.5")


def test_leaving_a_table_out_for_a_while_does_not_change_its_unit(clinic: Path) -> None:
    before = clinic.read_text()
    one = '[tables.people]\nsource = "others.parquet"\n[tables.people.columns]\ncost = { type = "integer" }\n'
    ledger = before[before.index("[ledger") :] if "[ledger" in before else ""
    clinic.write_text(before[: before.index("[tables")] + one + ledger)
    adopt(clinic, "another table for now")
    back = before.replace('unit = "patient"', 'unit = "doctor"')
    clinic.write_text(back)
    assert _code(adopt, clinic, "back again", confirmed=True, raising=True) == "policy-fixed"
    renamed = back.replace("tables.visits", "tables.stays")
    clinic.write_text(renamed)
    assert _code(adopt, clinic, "under another name", confirmed=True, raising=True) == "policy-fixed"


def test_before_anything_is_spent_everything_may_change(clinic: Path) -> None:
    forget(clinic)
    deniable.create(clinic, reason="a draft").close()
    for change in (NEVER["unit"], NEVER["neighbours"], NEVER["division"]):
        _change(clinic, change)
    adopt(clinic, "still drafting")
    deniable.open(clinic).close()


@everywhere
def test_a_curator_that_was_opened_before_a_change_does_not_charge_after_it(clinic: Path) -> None:
    with deniable.open(clinic) as early:
        _change(clinic, PLAIN["bounds"])
        adopt(clinic, "wider")
        assert _code(early.ask, "SELECT SUM(cost) AS n FROM visits", epsilon="0.1") == "policy-changed"
        assert float(early.budget().spent.epsilon) == 0.1


def test_what_was_recorded_is_served_until_something_that_it_rests_on_changes(clinic: Path) -> None:
    total = "SELECT SUM(cost) AS n FROM visits"
    with deniable.open(clinic) as curator:
        curator.ask(total, epsilon="0.1")
    _change(clinic, PLAIN["bounds"])
    adopt(clinic, "wider")
    with deniable.open(clinic) as curator:
        assert curator.ask(QUESTION, epsilon="0.1").free  # a count knows nothing of bounds
        assert not curator.ask(total, epsilon="0.1").free
        assert curator.ask(total, epsilon="0.1").free


def test_every_charge_names_its_policy(clinic: Path) -> None:
    with deniable.open(clinic) as curator:
        curator.ledger.export(clinic.with_suffix(".jsonl"))
        assert curator.ledger.policy in clinic.with_suffix(".jsonl").read_text()


def test_a_ledger_that_never_said_is_adopted_once(clinic: Path) -> None:
    forget(clinic)
    policy = load(clinic)
    Ledger.create(policy.ledger, policy.population).close()
    assert _code(deniable.open, clinic) == "policy-not-adopted"
    adopt(clinic, "it was always so")
    deniable.open(clinic).close()


def test_a_reason_is_needed(clinic: Path) -> None:
    with pytest.raises(InvalidArgumentError):
        adopt(clinic, " ")


def test_the_folder_may_move_as_a_whole(clinic: Path) -> None:
    moved = clinic.parent.with_name(f"{clinic.parent.name}-moved")
    clinic.parent.rename(moved)
    deniable.open(moved / "clinic.toml").close()


@everywhere
def test_the_command_line_adopts_and_raises(clinic: Path) -> None:
    _change(clinic, PLAIN["bounds"])
    told = CliRunner().invoke(app, ["ledger", "adopt", str(clinic), "--reason", "wider"])
    assert told.exit_code == 0, told.output
    assert "visits.cost: bounds" in told.output
    _change(clinic, ("epsilon = 1.0", "epsilon = 2.0"))
    told = CliRunner().invoke(app, ["ledger", "raise", str(clinic), "--reason", "the board agreed"])
    assert told.exit_code == 0, told.output
    assert "epsilon 1 -> 2" in told.output
    assert "the board agreed" in CliRunner().invoke(app, ["budget", str(clinic)]).output.replace("\n", " ")
