"""What is particular to a ledger on a server: its lock, its rights, its settings, and connections that are lost."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import psycopg
import pytest

from deniable.core.errors import Failed, Refused
from deniable.ledger import Head, Ledger
from deniable.ledger.entries.entry import Link
from deniable.ledger.storage import server
from deniable.ledger.storage.database import Connection
from deniable.ledger.storage.server_turns import ServerTurns
from deniable.policy import ServerAddress
from tests.support.ledgers import ServerPlace
from tests.support.postgres import Server, Started
from tests.support.refusals import code_of
from tests.unit.ledger.asking import account, ask, charge

HUSH = "hush-hush-4711"


@pytest.fixture
def ledger(server_place: ServerPlace) -> Iterator[Ledger]:
    with closing(Ledger.create(server_place.url, "clinic")) as ledger:
        yield ledger


def _asks(ledger: Ledger, question: str = "q") -> str:
    return code_of(lambda: ledger.charge(charge(question), [account(1)]))


def _thrown_out(place: ServerPlace) -> None:
    """As if the network had been cut."""
    place.rows("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'deniable'")


# Who may do what


def test_its_own_role_may_add_and_nothing_else(postgres: Server, server_url: str) -> None:
    database = server_url.rpartition("/")[2]
    name = f"curator_{os.getpid()}"
    postgres.run(f"CREATE ROLE {name} LOGIN", f"GRANT CREATE ON DATABASE {database} TO {name}")
    place = ServerPlace(postgres.of(database, name))
    with closing(Ledger.create(place.url, "clinic")) as ledger:
        ask(ledger, "q")
        for table in ("entries", "places"):
            for slip in (f"UPDATE {table} SET sequence = 1", f"DELETE FROM {table}", f"TRUNCATE {table}"):
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    place.slip(slip)
        assert ledger.verify() == 3
    postgres.run(f"DROP OWNED BY {name} CASCADE", database=database)
    postgres.run(f"DROP OWNED BY {name} CASCADE", f"DROP ROLE {name}")


def test_replication_passes_by_other_triggers_and_not_by_these(ledger: Ledger, server_place: ServerPlace) -> None:
    ask(ledger, "q")
    with pytest.raises(psycopg.errors.RaiseException, match="append-only"):
        server_place.slip("SET session_replication_role = replica; DELETE FROM entries")


def test_no_two_entries_follow_the_same_one(ledger: Ledger, server_place: ServerPlace) -> None:
    """What the lock sees to is seen to once more by the table."""
    ask(ledger, "q")
    fork = Link.after(Head(2, ledger.history()[1].digest), "charged", {"question": "r", "totals": {}})
    for link in (fork, Link(99, fork.kind, fork.body, None, fork.previous, "new")):
        with pytest.raises(psycopg.errors.UniqueViolation):
            server_place.insert(link)


def test_populations_share_a_database_and_nothing_else(ledger: Ledger, server_url: str) -> None:
    with closing(Ledger.create(server_url, "school")) as school:
        ask(ledger, "q")
        ask(school, "q", "0.3", b"7")
        assert (ledger.find("q"), school.find("q")) == (b"42", b"7")
        assert ledger.spent("clinic").epsilon == Fraction(1, 10)
        assert ledger.verify() == school.verify() == 3


# What the server must keep


def _refusal(ledger: Ledger) -> Refused:
    """The server reads its settings when it gets to it, so it may take some questions."""
    for number in range(200):
        try:
            ledger.charge(charge(f"tiny {number}", "1e-9"), [account(1)])
        except Failed:  # it came between the commit and the anchor: that one is charged
            continue
        except Refused as refused:
            return refused
    pytest.fail("it was not noticed")


def test_a_server_that_may_forget_is_refused_whenever_it_says_so(own_postgres: Started) -> None:
    with closing(Ledger.create(own_postgres.url, "clinic")) as ledger:
        for setting in ("fsync", "full_page_writes"):
            own_postgres.run(f"ALTER SYSTEM SET {setting} = off", "SELECT pg_reload_conf()")
            refused, spent = _refusal(ledger), ledger.spent("clinic")
            assert (refused.code, setting in refused.reason) == ("ledger-not-durable", True)
            assert _asks(ledger) == "ledger-not-durable"
            assert ledger.spent("clinic") == spent
            own_postgres.run("ALTER SYSTEM RESET ALL")
            own_postgres.stop()
            own_postgres.start()
            ask(ledger, setting)


def test_what_was_charged_outlives_a_crash_of_the_server_even_where_others_do_not_wait(own_postgres: Started) -> None:
    own_postgres.run("ALTER SYSTEM SET synchronous_commit = off", "SELECT pg_reload_conf()")
    with closing(Ledger.create(own_postgres.url, "clinic")) as ledger:
        for number in range(3):
            ask(ledger, f"{number}")
            own_postgres.crash()
            own_postgres.start()
            assert ledger.find(f"{number}") == b"42"
        assert ledger.verify() == 7


def test_a_commit_that_is_not_waited_for_is_refused(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    ask(ledger, "one")
    monkeypatch.setattr(server, "_DURABLE", {"remote_apply"})
    assert _asks(ledger) == "ledger-not-durable"


# Connections


def test_a_connection_that_was_lost_in_between_is_made_again(ledger: Ledger, server_place: ServerPlace) -> None:
    ask(ledger, "one")
    with ledger.turn("held"):
        _thrown_out(server_place)
        ask(ledger, "two")
    with ledger.turn("held"):
        assert ledger.find("two") == b"42"
    assert ledger.verify() == 5


def test_a_connection_that_is_lost_before_the_commit_has_charged_nothing(
    ledger: Ledger, server_place: ServerPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = Connection.commit

    def cut(connection: Connection) -> None:
        _thrown_out(server_place)
        commit(connection)

    with monkeypatch.context() as patch:
        patch.setattr(Connection, "commit", cut)
        assert _asks(ledger) == "ledger-unavailable"
    assert ledger.spent("clinic").epsilon == 0
    ask(ledger, "q")


def test_a_commit_that_still_lands_after_the_connection_was_lost_counts(
    ledger: Ledger, server_place: ServerPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server is in the middle of COMMIT when the client hears no more of it."""
    with server_place.cut_off_in_commit(monkeypatch), pytest.raises(Failed):
        ledger.charge(charge("q"), [account(1)])
    assert ledger.spent("clinic").epsilon == Fraction(1, 10)


def test_a_lock_that_nobody_gives_back_is_waited_for_in_vain(
    server_place: ServerPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "_SESSION", server._SESSION.replace("30s", "50ms"))
    with closing(Ledger.create(server_place.url, "clinic")) as ledger, server_place._hand() as hand:
        hand.execute("SELECT pg_advisory_xact_lock(%s, %s)", (server._ROOM, server.number("ledger", "clinic")))
        assert _asks(ledger) == "ledger-unavailable"
        assert ledger.find("q") is None
        hand.rollback()
        ask(ledger, "q")


def test_a_server_that_cannot_be_reached_is_said_so() -> None:
    for step in (Ledger.create, Ledger.open):
        assert (
            code_of(lambda step=step: step("postgresql://nobody@127.0.0.1:1/nowhere", "clinic")) == "ledger-unavailable"
        )  # type: ignore[misc]


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_that_ends_does_not_end_its_parents_turns(server_url: str) -> None:
    address = ServerAddress.read(server_url)
    mine, theirs = ServerTurns(address, "clinic"), ServerTurns(address, "clinic")
    with mine.of("q"):
        child = os.fork()
        if child == 0:
            mine.close()
            os._exit(0)
        os.waitpid(child, 0)
        number = mine._session.value("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'")
        assert number == 1
    with theirs.of("q"):
        pass
    for turns in (mine, theirs):
        turns.close()


# Passwords


@pytest.mark.parametrize("url", ["postgresql://me:{}@127.0.0.1/x", "postgresql://me@127.0.0.1/x?password={}"])
def test_a_password_in_the_address_is_refused_and_not_repeated(url: str) -> None:
    for step in (Ledger.create, Ledger.open):
        with pytest.raises(Refused) as refused:
            step(url.format(HUSH), "clinic")
        assert refused.value.code == "ledger-url"
        assert HUSH not in refused.value.show() + repr(refused.value)
        assert "PGPASSWORD" in refused.value.hint
        assert refused.value.__context__ is None


def test_the_password_comes_from_the_environment_or_a_file_and_goes_nowhere(
    own_postgres: Started, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    own_postgres.run(f"CREATE ROLE curator LOGIN SUPERUSER PASSWORD '{HUSH}'")
    rules = own_postgres.folder / "data" / "pg_hba.conf"
    rules.write_text("host all curator 127.0.0.1/32 scram-sha-256\nhost all postgres 127.0.0.1/32 trust\n")
    own_postgres.run("SELECT pg_reload_conf()")
    url = own_postgres.of("postgres", "curator")
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("PGPASSWORD", "wrong")
    assert code_of(lambda: Ledger.create(url, "clinic")) == "ledger-unavailable"
    monkeypatch.setenv("PGPASSWORD", HUSH)
    with closing(Ledger.create(url, "clinic")) as ledger:
        ask(ledger, "q")
        ledger.export(tmp_path / "out.jsonl")
    monkeypatch.delenv("PGPASSWORD")
    file = tmp_path / "pgpass"
    file.write_text(f"127.0.0.1:*:*:curator:{HUSH}\n")
    file.chmod(0o600)
    with closing(Ledger.open(f"{url}?passfile={file}", "clinic")) as ledger:
        assert ledger.verify() == 3
    monkeypatch.setenv("PGPASSFILE", str(file))
    with closing(Ledger.open(url, "clinic")) as ledger:
        ask(ledger, "r")
        ledger.export(tmp_path / "out.jsonl")
    assert HUSH not in caplog.text + (tmp_path / "out.jsonl").read_text()


# Machines


def test_a_machine_that_is_new_needs_a_head_from_elsewhere(
    ledger: Ledger, server_place: ServerPlace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(ledger, "q")
    head = ledger.head
    monkeypatch.setenv("DENIABLE_STATE", str(tmp_path / "another machine"))
    assert code_of(lambda: Ledger.open(server_place.url, "clinic")) == "ledger-anchor-missing"
    assert code_of(lambda: Ledger.reanchor(server_place.url, "clinic", "0" * 64)) == "ledger-rolled-back"
    Ledger.reanchor(server_place.url, "clinic", head.digest)
    with closing(Ledger.open(server_place.url, "clinic")) as there:
        ask(there, "r")
        assert ledger.find("r") == b"42"


def test_what_a_standby_lost_is_noticed_where_it_is_remembered(
    ledger: Ledger, server_place: ServerPlace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another machine, which has not seen the last charge, cannot know (docs/threats.md)."""
    ask(ledger, "q")
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("DENIABLE_STATE", str(tmp_path / "another machine"))
        Ledger.reanchor(server_place.url, "clinic", ledger.head.digest)
    ask(ledger, "lost")
    ledger.close()
    server_place.by_hand("DELETE FROM entries WHERE sequence > 3", "DELETE FROM places WHERE sequence > 3")
    assert code_of(lambda: Ledger.open(server_place.url, "clinic")) == "ledger-rolled-back"
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("DENIABLE_STATE", str(tmp_path / "another machine"))
        Ledger.open(server_place.url, "clinic").close()
