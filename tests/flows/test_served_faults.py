"""What a served curator bears: workers that die, disks that are full, floods of connections. Nothing is ever free."""

from __future__ import annotations

import contextlib
import os
import random
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import httpx
import psycopg
import pytest

import deniable
from deniable.ledger import Ledger, refusals
from tests.flows.test_served_crashes import Server, clinic  # noqa: F401 - a fixture
from tests.support.doors import http, postgres

COUNT = "SELECT COUNT(*) AS n FROM visits"


def children(parent: int) -> list[int]:
    """The processes that a process has started and that still run."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = status.read_text().rpartition(")")[2].split()
            if int(fields[1]) == parent and fields[0] != "Z":
                found.append(int(status.parent.name))
    return found


def kill_all(parent: int, but: set[int]) -> None:
    """End the processes that were started since, and wait until they have ended."""
    started = set(children(parent)) - but
    for worker in started:
        with contextlib.suppress(ProcessLookupError):
            os.kill(worker, signal.SIGKILL)
    while started & set(children(parent)):
        time.sleep(0.001)


def with_dying_workers(folder: Path, questions: int, seed: int) -> list[int]:
    """Each question is asked once, and every second one loses its worker: what failed stays charged."""
    chance = random.Random(seed)  # noqa: S311 - no one's privacy hangs on it
    me, before = os.getpid(), set(children(os.getpid()))
    with http(folder, "1ms", pace=None) as door:
        found = []
        with httpx.Client(headers={"Authorization": f"Bearer {door.tokens['alice']}"}, timeout=60) as client:
            for number in range(questions):
                dying = threading.Timer(chance.uniform(0, 0.1), kill_all, (me, before))
                if number % 2:
                    dying.start()
                body = {"sql": f"{COUNT} WHERE age <> {number - 10_000}", "epsilon": "0.5"}
                found.append(client.post(f"{door.url}/v1/questions", json=body).status_code)
                if number % 2:
                    dying.join()
        curator = door.service.populations["clinic"].curator
        charged = [entry.text for entry in curator.history() if entry.kind == "charged"]
        answered = [entry for entry in curator.history() if entry.kind == "answered"]
        assert len(charged) == len(set(charged)) == questions - found.count(503), "each was charged once, or refused"
        assert len(answered) == found.count(200)
        assert curator.budget().spent.epsilon == len(charged) / 2
        assert curator.ledger.verify() == len(curator.history())
    return found


def test_workers_that_are_killed_cost_a_failure_and_nothing_else(tmp_path):
    found = with_dying_workers(tmp_path, 12, 5)
    assert set(found) <= {200, 500, 503}
    assert found[::2].count(200) >= 5, "a new worker is started for the next question"


@pytest.mark.deep
def test_workers_that_are_killed_many_times(tmp_path):
    found = with_dying_workers(tmp_path, 400, time.time_ns())
    assert {200, 500} <= set(found) <= {200, 500, 503}


@pytest.mark.parametrize("opening", [http, postgres])
def test_no_room_for_the_charge_is_a_refusal_and_none_for_the_answer_a_failure(tmp_path, monkeypatch, opening):
    with opening(tmp_path) as door:
        with monkeypatch.context() as broken:
            broken.setattr(Ledger, "charge", _no_room)
            assert asked(door, opening, COUNT) in {503, "58000"}
            assert door.spent() == 0
        with monkeypatch.context() as broken:
            broken.setattr(Ledger, "record", _lost)
            assert asked(door, opening, COUNT) in {500, "58030"}
            assert door.spent() == 0.5
        assert asked(door, opening, COUNT) == "answered"
        assert door.spent() == 1


def _no_room(*_):
    raise refusals.unavailable()


def _lost(*_):
    raise deniable.Failed


def asked(door, opening, sql):
    """What comes of a question: 'answered', a status or a state."""
    if opening is http:
        headers = {"Authorization": f"Bearer {door.tokens['alice']}"}
        found = httpx.post(f"{door.url}/v1/questions", json={"sql": sql, "epsilon": "0.5"}, headers=headers)
        return "answered" if found.status_code == 200 else found.status_code
    with psycopg.connect(door.dsn("alice"), autocommit=True) as connection:
        try:
            connection.execute(sql)
        except psycopg.Error as error:
            return error.sqlstate
        return "answered"


FULL = "import resource, runpy, sys; size = int(sys.argv.pop(1)); "
FULL += "resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)); "
FULL += "sys.argv[0] = 'deniable'; runpy.run_module('deniable', run_name='__main__')"


def test_a_disk_that_is_full_answers_nothing_for_free_and_the_ledger_survives(clinic):  # noqa: F811 - the fixture
    """A limit on the size of files stands for the end of the disk: what SQLite writes beyond it fails."""
    policy, token = clinic
    largest = max(file.stat().st_size for file in policy.parent.glob("clinic.ledger*")) + 40_000
    command = [sys.executable, "-c", FULL, str(largest), "serve", str(policy), "--http", "0"]
    server = Server.__new__(Server)
    server.begin(subprocess.Popen(command, stderr=subprocess.PIPE, text=True))
    headers, heard, statuses = {"Authorization": f"Bearer {token}"}, {}, []
    with httpx.Client(base_url=server.url, headers=headers, timeout=60) as client:
        for number in range(80):
            sql = f"{COUNT} WHERE age <> {number - 1000}"
            found = client.post("/v1/questions", json={"sql": sql, "epsilon": "0.5"})
            statuses.append(found.status_code)
            if statuses[-3:].count(503) == 3:
                break
            if found.status_code == 200:
                heard[sql] = found.json()["rows"]
    server.end(signal.SIGKILL)
    assert 200 in statuses
    assert set(statuses) - {200} <= {500, 503}
    assert statuses[-1] != 200, "the disk was not full yet"
    with deniable.open(policy) as curator:
        entries = curator.history()
        charged = {entry.text for entry in entries if entry.kind == "charged"}
        assert set(heard) <= charged, "an answer that nobody paid for"
        assert curator.ledger.verify() == len(entries)
        for sql, rows in heard.items():
            assert curator.ask(sql, epsilon="0.5").to_dict()["rows"] == rows


def test_a_thousand_connections_are_borne_and_those_who_are_in_stay_in(tmp_path):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 4_000:
        pytest.skip(f"only {hard} files may be open, and the flood needs both of its ends here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 4_000), hard))
    flood: list[socket.socket] = []
    try:
        with postgres(tmp_path) as door, psycopg.connect(door.dsn(), autocommit=True) as inside:
            flood += [socket.create_connection(("127.0.0.1", door.port), timeout=30) for _ in range(1_000)]
            assert inside.execute("SELECT 1").fetchone() == (1,)
            assert inside.execute("SELECT /*+ epsilon=0.5 */ COUNT(*) FROM visits").fetchone()
            for connection in flood:
                connection.close()
            flood.clear()
            time.sleep(0.3)
            with psycopg.connect(door.dsn("bob"), autocommit=True) as later:
                assert later.execute("SELECT 1").fetchone() == (1,)
    finally:
        for connection in flood:
            connection.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
