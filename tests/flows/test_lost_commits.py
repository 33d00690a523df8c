"""A whole curator on a server that fails at the worst moment: no row is read unpaid, and nothing paid is lost."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from threading import Timer

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sqlalchemy import Connection

import deniable
from deniable.core.errors import Failed, Refused
from deniable.engines import DuckDB
from deniable.ledger.storage import server
from tests.support.ledgers import ServerPlace

POLICY = """
[population]
name = "clinic"
[budget]
epsilon = 1
[tables.people]
source = "people.parquet"
[tables.people.columns]
age = {{ type = "integer", bounds = [0, 110] }}
[ledger]
url = "{url}"
"""
COUNT = "SELECT COUNT(*) AS n FROM people"


@pytest.fixture
def clinic(tmp_path: Path, server_url: str) -> Path:
    pq.write_table(pa.table({"age": list(range(100)) * 3}), tmp_path / "people.parquet")
    path = tmp_path / "clinic.toml"
    path.write_text(POLICY.format(url=server_url))
    deniable.create(path).close()
    return path


def _unread(*_: object) -> None:
    pytest.fail("a row was read")


def test_a_commit_that_lands_late_is_never_a_free_question(
    clinic: Path, server_place: ServerPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    server_place.by_hand(
        "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(1); RETURN NULL; END $$",
        "CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON entries DEFERRABLE INITIALLY DEFERRED FOR EACH ROW"
        " EXECUTE FUNCTION slow()",
    )
    commit, cuts = Connection.commit, []

    def cut(connection: Connection) -> None:
        if not cuts:
            cuts.append(socket.socket(fileno=os.dup(connection.connection.dbapi_connection.fileno())))
            Timer(0.3, cuts[0].shutdown, [socket.SHUT_RDWR]).start()
        commit(connection)

    with deniable.open(clinic) as curator:
        with monkeypatch.context() as patch:
            patch.setattr(Connection, "commit", cut)
            patch.setattr(DuckDB, "run", _unread)
            with pytest.raises(Failed):
                curator.ask(COUNT, epsilon="0.5")
        cuts[0].close()
        assert float(curator.budget().spent.epsilon) == 0.5
        assert curator.ledger.verify() == 2


def test_a_curator_on_a_server_that_forgets_reads_no_row(clinic: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with deniable.open(clinic) as curator:
        monkeypatch.setattr(server, "_DURABLE", {"remote_apply"})
        monkeypatch.setattr(DuckDB, "run", _unread)
        with pytest.raises(Refused) as refused:
            curator.ask(COUNT, epsilon="0.5")
        assert refused.value.code == "ledger-not-durable"
        assert float(curator.budget().spent.epsilon) == 0
