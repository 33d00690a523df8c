from __future__ import annotations

import pytest

from deniable.core.errors import Refused
from deniable.ledger import Ledger, move
from deniable.ledger.storage.postgres import Postgres
from tests.support.ledgers import FilePlace, ServerPlace
from tests.unit.ledger.asking import account, ask, charge


def test_the_old_one_is_closed_before_anything_is_copied(
    tmp_path, server_place: ServerPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, codes = FilePlace(tmp_path / "clinic.ledger"), []
    ledger = Ledger.create(old.url, "clinic")
    ask(ledger, "one")
    begin = Postgres.begin

    def meanwhile(store: Postgres, links: object, key: bytes) -> None:
        with pytest.raises(Refused) as refused:
            ledger.charge(charge("two"), [account(1)])
        codes.append(refused.value.code)
        begin(store, links, key)

    monkeypatch.setattr(Postgres, "begin", meanwhile)
    assert move(old.url, server_place.url, "clinic").sequence == 3
    assert codes == ["ledger-moved"]
    ledger.close()


def test_the_secret_moves_with_the_account(tmp_path, server_place: ServerPlace) -> None:
    old = FilePlace(tmp_path / "clinic.ledger")
    Ledger.create(old.url, "clinic").close()
    key = Ledger.key(old.url, "clinic")
    move(old.url, server_place.url, "clinic")
    assert Ledger.key(server_place.url, "clinic") == key is not None
