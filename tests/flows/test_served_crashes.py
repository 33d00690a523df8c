"""A server that is killed at any moment: no free answer, no double charge, and a ledger that fits together."""

from __future__ import annotations

import random
import re
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import psycopg
import pytest

import deniable
from deniable.policy import load
from deniable.service.tokens import Role, TokenFile
from tests.support.served import write_rows

POLICY = """
[population]
name = "clinic"
[budget]
epsilon = 10000
[limits]
least_spend = 0.00000001
questions_per_day = 1000000
[serve]
release_after = "100ms"
[tables.visits]
source = "visits.parquet"
unit = "patient"
contribution = 2
[tables.visits.columns]
patient = { type = "integer" }
age = { type = "integer", bounds = [0, 110] }
region = { type = "text", values = ["north", "south"] }
"""


class Server:
    """`deniable serve` in a process of its own."""

    def __init__(self, policy: Path) -> None:
        command = [sys.executable, "-m", "deniable", "serve", str(policy), "--http", "0", "--pg", "0"]
        self.begin(subprocess.Popen(command, stderr=subprocess.PIPE, text=True))

    def begin(self, process: subprocess.Popen[str]) -> None:
        self.process, self.said, self.port = process, [], 0
        for line in self.process.stderr:
            self.said.append(line)
            if found := re.match(r"HTTP: .*port (\d+)", line):
                self.url = f"http://127.0.0.1:{found[1]}"
            if found := re.match(r"PostgreSQL: .*port (\d+)", line):
                self.port = int(found[1])
            if line.startswith("serving"):
                break
        self._listening = threading.Thread(target=self._listen, daemon=True)
        self._listening.start()

    def _listen(self) -> None:
        self.said += self.process.stderr.readlines()

    def end(self, how: signal.Signals) -> None:
        self.process.send_signal(how)
        self.over()

    def over(self) -> None:
        self.process.wait(30)
        self._listening.join(30)
        self.process.stderr.close()


@pytest.fixture
def clinic(tmp_path):
    write_rows(tmp_path)
    policy = tmp_path / "clinic.toml"
    policy.write_text(POLICY)
    deniable.create(policy).close()
    loaded = load(policy)
    token, _ = TokenFile.beside(loaded.place, loaded.population).create("alice", Role.ANALYST)
    return policy, token


def over_the_wire(port: int, token: str, turn: int, heard: dict[str, int]) -> None:
    """Ask until the server is gone, which is a clean error like any other lost connection."""
    number = 0
    try:
        with psycopg.connect(
            f"host=127.0.0.1 port={port} user=alice password={token} dbname=clinic sslmode=disable", autocommit=True
        ) as connection:
            connection.execute("SET deniable.epsilon = 0.5")
            while True:
                number += 1
                question = f"SELECT COUNT(*) AS n FROM visits WHERE age <> {-turn * 10_000 - number - 5000}"
                heard[question] = connection.execute(question).fetchone()[0]
    except psycopg.OperationalError:
        return


def played(policy: Path, token: str, kills: int, seed: int) -> None:
    """Ask without end, and kill the server again and again; then compare what was heard with what is recorded."""
    chance, heard, number = random.Random(seed), {}, 0  # noqa: S311 - no one's privacy hangs on it
    headers = {"Authorization": f"Bearer {token}"}
    for turn in range(kills):
        server = Server(policy)
        wired: dict[str, int] = {}
        beside = threading.Thread(target=over_the_wire, args=(server.port, token, turn, wired))
        beside.start()
        dying = threading.Timer(chance.uniform(0.05, 1.2), server.process.kill)
        if turn % 2:  # from when the server stands; else from its first answer on, however slow the machine is
            dying.start()
        with httpx.Client(base_url=server.url, headers=headers, timeout=30) as client:
            while True:
                number += 1
                question = f"SELECT COUNT(*) AS n FROM visits WHERE age <> {number - 1000}"
                try:
                    found = client.post("/v1/questions", json={"sql": question, "epsilon": "0.5"})
                except httpx.TransportError:
                    break
                assert found.status_code == 200, found.text
                heard[question] = found.json()["rows"]
                if dying.ident is None:
                    dying.start()
        server.over()
        beside.join(60)
        heard |= {question: [{"n": number}] for question, number in wired.items()}
    with deniable.open(policy) as curator:
        entries = curator.history()
        charged = [entry.text for entry in entries if entry.kind == "charged"]
        assert curator.ledger.verify() == len(entries)
        assert set(heard) <= set(charged), "an answer that nobody paid for"
        assert len(charged) == len(set(charged)), "a question that was charged twice"
        assert curator.budget().spent.epsilon == len(charged) / 2
        for question, rows in heard.items():
            again = curator.ask(question, epsilon="0.5")
            assert again.free
            assert again.to_dict()["rows"][0]["n"] == rows[0]["n"]


def test_a_server_that_is_killed_gives_nothing_away_and_charges_nobody_twice(clinic):
    played(*clinic, kills=3, seed=1)


@pytest.mark.deep
def test_a_server_that_is_killed_two_hundred_times(clinic):
    played(*clinic, kills=200, seed=time.time_ns())


def test_a_server_that_was_killed_still_keeps_the_deadline_of_who_paid(clinic):
    policy, token = clinic
    policy.write_text(policy.read_text().replace("100ms", "5s"))
    sent = {
        "json": {"sql": "SELECT COUNT(*) AS n FROM visits", "epsilon": "0.5"},
        "headers": {"Authorization": f"Bearer {token}"},
        "timeout": 60,
    }
    server = Server(policy)
    charged = time.time()
    with ThreadPoolExecutor(1) as thread:
        asked = thread.submit(httpx.post, f"{server.url}/v1/questions", **sent)
        while not recorded(policy):
            time.sleep(0.05)
        server.end(signal.SIGKILL)
        asked.exception(60)  # is lost, unless this took longer than the deadline
    again = Server(policy)
    found = httpx.post(f"{again.url}/v1/questions", **sent)
    took = time.time() - charged
    again.end(signal.SIGTERM)
    assert found.json()["free"]
    assert took >= 5


def recorded(policy: Path) -> bool:
    """Whether the ledger has an answer."""
    with deniable.open(policy) as curator:
        return any(entry.kind == "answered" for entry in curator.history())


def test_a_ledger_is_served_once_and_a_stop_is_graceful(clinic):
    policy, token = clinic
    server = Server(policy)
    second = subprocess.run(
        [sys.executable, "-m", "deniable", "serve", str(policy), "--http", "0"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert second.returncode == 3
    assert "already-served" in second.stderr
    answers = []

    def ask() -> None:
        body = {"sql": "SELECT COUNT(*) AS n FROM visits WHERE region = 'seldom'", "epsilon": "0.5"}
        answers.append(
            httpx.post(
                f"{server.url}/v1/questions", json=body, headers={"Authorization": f"Bearer {token}"}, timeout=30
            )
        )

    asking = threading.Thread(target=ask)
    asking.start()
    time.sleep(0.05)
    while not any("started" in line or "ask" in line for line in server.said) and asking.is_alive():
        time.sleep(0.01)
    server.end(signal.SIGTERM)
    asking.join(30)
    assert answers[0].status_code in {200, 429}
    assert server.process.returncode == 0
    log = "".join(server.said)
    assert "seldom" not in log
    assert token not in log
