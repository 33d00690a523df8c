"""A served curator under load: 50 analysts at once, over HTTP and over PostgreSQL's protocol.

    python -m benchmarks.serve [seconds] [requests]

Prices and recorded answers, mixed, are asked for as fast as they come, over each door; then memory is looked at while
so many requests are answered; then questions are paid, with and without a deadline; and then deadlines are measured.
"""

from __future__ import annotations

import asyncio
import functools
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from deniable.policy import load
from deniable.service.tokens import Role, TokenFile

ANALYSTS, QUESTIONS = 50, 20
COUNT = "SELECT region, COUNT(*) AS n FROM visits GROUP BY region"
POLICY = """
[population]
name = "clinic"
[budget]
epsilon = 100000
[limits]
questions_per_day = 1000000
least_spend = 0.0000001
[serve]
release_after = "{after}"
places = {places}
[tables.visits]
source = "visits.parquet"
unit = "patient"
contribution = 10
[tables.visits.columns]
patient = {{ type = "integer" }}
age = {{ type = "integer", bounds = [0, 110], nulls = false }}
region = {{ type = "text", values = ["north", "east", "south", "west"], nulls = false }}
"""


def made(folder: Path, after: str, places: int) -> tuple[Path, list[str]]:
    """A clinic of 20,000 visits, its ledger, and a token for each analyst."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    import deniable

    chance = np.random.default_rng(7)
    rows = {"patient": chance.integers(0, 5000, 20_000), "age": chance.integers(0, 90, 20_000)}
    regions = np.array(["north", "east", "south", "west"])[chance.integers(0, 4, 20_000)]
    pq.write_table(pa.table({**rows, "region": regions}), folder / "visits.parquet")
    policy = folder / "clinic.toml"
    policy.write_text(POLICY.format(after=after, places=places))
    deniable.create(policy, reason="a benchmark with made-up people").close()
    loaded = load(policy)
    tokens = TokenFile.beside(loaded.place, loaded.population)
    return policy, [tokens.create(f"analyst{number}", Role.ANALYST)[0] for number in range(ANALYSTS)]


class Server:
    """`deniable serve` in a process of its own."""

    def __init__(self, policy: Path) -> None:
        command = [sys.executable, "-m", "deniable", "serve", str(policy), "--http", "0", "--pg", "0"]
        self.process = subprocess.Popen(  # noqa: S603 - our own command
            command, stderr=subprocess.PIPE, text=True, cwd=policy.parent
        )
        self.ports: dict[str, int] = {}
        assert self.process.stderr is not None  # noqa: S101 - it is a pipe
        for line in self.process.stderr:
            if found := re.match(r"(HTTP|PostgreSQL): .*port (\d+)", line):
                self.ports[found[1]] = int(found[2])
            if line.startswith("serving"):
                break
        else:
            raise RuntimeError("the server did not start")
        import threading

        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    @property
    def address(self) -> str:
        """For HTTP."""
        return f"http://127.0.0.1:{self.ports['HTTP']}"

    def memory(self) -> float:
        """Resident megabytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        found = re.search(r"VmRSS:\s+(\d+)", status)
        return int(found[1]) / 1024 if found else 0.0

    def worked(self) -> float:
        """Seconds of processor time so far, with those of its workers that have ended."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return sum(int(fields[place]) for place in (11, 12)) / 100

    def stop(self) -> None:
        """As systemd would."""
        self.process.terminate()
        self.process.wait(60)


async def measured(name: str, seconds: float, clients: list[Callable[[int], Awaitable[None]]], server: Server) -> float:
    """How many a second, and how long the slowest of a hundred takes."""
    times: list[float] = []
    end = time.monotonic() + seconds

    async def one(client: Callable[[int], Awaitable[None]]) -> None:
        turn = 0
        while time.monotonic() < end:
            start = time.monotonic()
            await client(turn)
            times.append(time.monotonic() - start)
            turn += 1

    start, worked = time.monotonic(), server.worked()
    await asyncio.gather(*(one(client) for client in clients))
    rate = len(times) / (time.monotonic() - start)
    each = (server.worked() - worked) / len(times) * 1e3
    slow = statistics.quantiles(times, n=100)[98] if len(times) > 1 else times[0]
    print(
        f"{name:<34} {rate:8.0f} /s   p50 {statistics.median(times) * 1e3:7.1f} ms   "
        f"p99 {slow * 1e3:7.1f} ms   {each:6.2f} ms of the server's processor each"
    )
    return rate


async def over_http(server: Server, tokens: list[str], seconds: float) -> None:
    """Prices and recorded answers, in turns."""
    import httpx

    clients = [
        httpx.AsyncClient(base_url=server.address, headers={"Authorization": f"Bearer {token}"}, timeout=60)
        for token in tokens
    ]
    for number in range(QUESTIONS):
        (await clients[0].post("/v1/questions", json=_body(number))).raise_for_status()

    def asking(client: httpx.AsyncClient, paths: tuple[str, ...]) -> Callable[[int], Awaitable[None]]:
        async def ask(turn: int) -> None:
            (await client.post(paths[turn % len(paths)], json=_body(turn))).raise_for_status()

        return ask

    for name, paths in (
        ("prices", ("/v1/explain",)),
        ("recorded answers", ("/v1/questions",)),
        ("mixed", ("/v1/explain", "/v1/questions")),
    ):
        await measured(f"HTTP: {name}", seconds, [asking(client, paths) for client in clients], server)
    for client in clients:
        await client.aclose()


def _body(turn: int) -> dict[str, str]:
    return {"sql": f"{COUNT} HAVING COUNT(*) > {turn % QUESTIONS}", "epsilon": "0.5"}


async def over_postgres(server: Server, tokens: list[str], seconds: float) -> None:
    """The same over the wire."""
    import asyncpg

    connections = [
        await asyncpg.connect(
            host="127.0.0.1",
            port=server.ports["PostgreSQL"],
            user=f"analyst{number}",
            password=token,
            database="clinic",
            ssl=False,
        )
        for number, token in enumerate(tokens)
    ]
    for connection in connections:
        await connection.execute("SET deniable.epsilon = 0.5")

    def asking(connection: asyncpg.Connection, forms: tuple[str, ...]) -> Callable[[int], Awaitable[None]]:
        async def ask(turn: int) -> None:
            await connection.fetch(forms[turn % len(forms)] + _body(turn)["sql"])

        return ask

    for name, forms in (("prices", ("EXPLAIN ",)), ("recorded answers", ("",)), ("mixed", ("EXPLAIN ", ""))):
        await measured(f"PostgreSQL: {name}", seconds, [asking(one, forms) for one in connections], server)
    for connection in connections:
        await connection.close()


async def many(server: Server, tokens: list[str], requests: int) -> None:
    """What the server needs in memory while so many prices and recorded answers are asked for over HTTP."""
    import httpx

    left = requests

    async def one(client: httpx.AsyncClient) -> None:
        nonlocal left
        while left > 0:
            left -= 1
            mine = left
            path = ("/v1/explain", "/v1/questions")[mine % 2]
            (await client.post(path, json=_body(mine))).raise_for_status()
            if mine % max(1, requests // 10) == 0:
                print(f"  memory after {requests - mine:>9,} requests: {server.memory():6.1f} MB")

    clients = [
        httpx.AsyncClient(base_url=server.address, headers={"Authorization": f"Bearer {token}"}, timeout=60)
        for token in tokens
    ]
    await asyncio.gather(*(one(client) for client in clients))
    for client in clients:
        await client.aclose()


def _noted(times: list[float], _stage: str) -> None:
    times.append(time.monotonic())


async def punctual(after: float, size: int) -> None:
    """How far from its deadline an answer leaves, when the engine takes from a twentieth of it to nearly all."""
    from importlib import import_module

    made_up: Any = import_module("tests.support.served")
    paces = iter([after * (0.05 + 0.9 * turn / size) for turn in range(size)])
    with (
        tempfile.TemporaryDirectory() as folder,
        made_up.served(Path(folder), f"{after}s", lambda: next(paces)) as (service, secrets),
    ):
        alice = await made_up.session(service, secrets["alice"])
        off = []
        for turn in range(size):
            start: list[float] = []
            told = functools.partial(_noted, start)
            question = f"{made_up.COUNT} WHERE age <> {turn - 1000}"
            await alice.ask(question, {"epsilon": "0.001"}, told)
            off.append((time.monotonic() - start[0] - after) * 1e3)
        print(
            f"after the deadline of {after:g} s, {size} questions of {after * 0.05:g} to {after * 0.95:g} s: "
            f"median {statistics.median(off):.1f} ms, most {max(off):.1f} ms, least {min(off):.1f} ms"
        )
        await service.close()


async def paid(server: Server, tokens: list[str], seconds: float) -> float:
    """Questions that nobody has asked before."""
    import httpx

    async def client(number: int, token: str) -> Callable[[int], Awaitable[None]]:
        session = httpx.AsyncClient(base_url=server.address, headers={"Authorization": f"Bearer {token}"}, timeout=600)

        async def ask(turn: int) -> None:
            sql = f"SELECT COUNT(*) AS n FROM visits WHERE age < {number} AND age <> {turn - 1000}"
            (await session.post("/v1/questions", json={"sql": sql, "epsilon": "0.01"})).raise_for_status()

        return ask

    clients = [await client(number, token) for number, token in enumerate(tokens[:10])]
    return await measured("paid questions", seconds, clients, server)


def main(seconds: float, requests: int) -> None:
    """The table."""
    with tempfile.TemporaryDirectory() as folder:
        policy, tokens = made(Path(folder), "0s", 1)
        server = Server(policy)
        try:
            asyncio.run(over_http(server, tokens, seconds))
            asyncio.run(over_postgres(server, tokens, seconds))
            asyncio.run(many(server, tokens, requests))
            served = asyncio.run(paid(server, tokens, seconds))
        finally:
            server.stop()
        print(f"of the curator's own throughput: {served / alone(policy, seconds):.2f}")
    with tempfile.TemporaryDirectory() as folder:
        policy, tokens = made(Path(folder), "500ms", 2)
        server = Server(policy)
        try:
            rate = asyncio.run(paid(server, tokens, seconds))
            print(f"of places / deadline: {rate / 4:.2f}")
        finally:
            server.stop()
    asyncio.run(punctual(2.0, max(5, int(seconds))))


def alone(policy: Path, seconds: float) -> float:
    """Paid questions a second of the same curator without doors, one after the other."""
    import deniable

    with deniable.open(policy) as curator:
        start, worked, turn = time.monotonic(), time.process_time(), 0
        while time.monotonic() - start < seconds:
            sql = f"SELECT COUNT(*) AS n FROM visits WHERE age < 50 AND age <> {turn - 100_000}"
            curator.ask(sql, epsilon="0.01", analyst="analyst0")
            turn += 1
        rate = turn / (time.monotonic() - start)
        each = (time.process_time() - worked) / turn * 1e3
    print(f"{'the same without doors':<34} {rate:8.0f} /s   {each:6.2f} ms of its processor each")
    return rate


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 15.0, int(sys.argv[2]) if len(sys.argv) > 2 else 100_000)  # noqa: PLR2004 - its arguments
