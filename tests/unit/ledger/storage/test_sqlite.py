from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from deniable.core.errors import Refused
from deniable.ledger import Ledger
from deniable.ledger.storage import sqlite
from tests.unit.ledger.asking import account, ask, charge, url


@pytest.mark.parametrize(
    "address",
    [
        "",
        "clinic.ledger",
        "sqlite://",
        "sqlite:///:memory:",
        "sqlite:///file:x",
        "sqlite:///x?mode=ro",
        "sqlite+aiosqlite:///x",
        "mysql://localhost/x",
        "://",
    ],
)
def test_an_address_that_is_no_file_is_refused(address: str) -> None:
    for step in (Ledger.create, Ledger.open):
        with pytest.raises(Refused) as refused:
            step(address, "clinic")
        assert refused.value.code == "ledger-url"


def test_a_second_name_leads_to_the_same_ledger(tmp_path: Path) -> None:
    ledger = Ledger.create(url(tmp_path / "clinic.ledger"), "clinic")
    ask(ledger, "q")
    (tmp_path / "alias.ledger").symlink_to("clinic.ledger")
    assert Ledger.open(url(tmp_path / "alias.ledger"), "clinic").head == ledger.head


@pytest.mark.parametrize("name", ["a b.ledger", "100%.ledger", "q?x=1#y.ledger", "ü.ledger"])
def test_names_may_be_odd(tmp_path: Path, name: str) -> None:
    path = sqlite.place(url(tmp_path / name.replace("?", "_")))
    Ledger.create(url(path), "clinic").close()
    assert path.exists()
    assert Ledger.open(url(path), "clinic").verify() == 1


def test_the_settings_hold(tmp_path: Path) -> None:
    (tmp_path / "x").touch()
    store = sqlite.SQLite(tmp_path / "x")
    with store.reading() as connection:
        found = [
            connection.value(f"PRAGMA {name}")
            for name in ("journal_mode", "synchronous", "busy_timeout", "trusted_schema")
        ]
    store.close()
    assert found == ["wal", 2, 30000, 0]


def test_a_setting_that_does_not_hold_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Ledger.create(url(tmp_path / "x"), "clinic").close()
    monkeypatch.setitem(sqlite._SETTINGS, "synchronous", "7")
    with pytest.raises(Refused) as refused:
        Ledger.open(url(tmp_path / "x"), "clinic")
    assert refused.value.code == "ledger-unavailable"


def test_entries_are_never_changed_or_removed_by_a_slip(tmp_path: Path) -> None:
    Ledger.create(url(tmp_path / "x"), "clinic").close()
    hand = sqlite3.connect(tmp_path / "x")
    for slip in ("UPDATE entries SET body = ''", "DELETE FROM entries"):
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            hand.execute(slip)
    hand.close()


def test_a_lock_that_nobody_gives_back_is_waited_for_in_vain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = Ledger.create(url(tmp_path / "x"), "clinic")
    monkeypatch.setitem(sqlite._SETTINGS, "busy_timeout", "50")
    impatient = Ledger.open(url(tmp_path / "x"), "clinic")
    hand = sqlite3.connect(tmp_path / "x", isolation_level=None)
    hand.execute("BEGIN IMMEDIATE")
    with pytest.raises(Refused) as refused:
        impatient.charge(charge("q"), [account(1)])
    assert refused.value.code == "ledger-unavailable"
    assert impatient.find("q") is None
    hand.execute("ROLLBACK")
    hand.close()
    ask(impatient, "q")
    assert ledger.find("q") == b"42"


def test_the_files_are_the_custodians_alone(tmp_path: Path) -> None:
    ledger = Ledger.create(url(tmp_path / "x"), "clinic")
    ask(ledger, "q")
    assert {file.stat().st_mode & 0o777 for file in tmp_path.iterdir()} == {0o600}
