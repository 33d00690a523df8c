"""A served curator under load: 50 analysts at once, over HTTP and over PostgreSQL's protocol.

    python -m benchmarks.serve [seconds]

Prices and recorded answers are asked for as fast as they come; then paid questions, with and without a deadline.
"""

from __future__ import annotations

import asyncio
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from deniable.policy import load
from deniable.service.tokens import Role, TokenFile

ANALYSTS = 50
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
    tokens = TokenFile.beside(loaded.ledger, loaded.population)
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

    def memory(self) -> float:
        """Resident megabytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        found = re.search(r"VmRSS:\s+(\d+)", status)
        return int(found[1]) / 1024 if found else 0.0

    def stop(self) -> None:
        """As systemd would."""
        self.process.terminate()
        self.process.wait(60)


async def measured(name: str, seconds: float, clients: list[Callable[[int], Awaitable[None]]]) -> float:
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

    start = time.monotonic()
    await asyncio.gather(*(one(client) for client in clients))
    rate = len(times) / (time.monotonic() - start)
    slow = statistics.quantiles(times, n=100)[98] if len(times) > 1 else times[0]
    print(f"{name:<34} {rate:8.0f} /s   p50 {statistics.median(times) * 1e3:7.1f} ms   p99 {slow * 1e3:7.1f} ms")
    return rate


async def over_http(port: int, tokens: list[str], seconds: float) -> None:
    """Prices and recorded answers."""
    import httpx

    clients = [
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", headers={"Authorization": f"Bearer {token}"}, timeout=60)
        for token in tokens
    ]
    await clients[0].post("/v1/questions", json={"sql": COUNT, "epsilon": "0.5"})

    def asking(client: httpx.AsyncClient, path: str) -> Callable[[int], Awaitable[None]]:
        async def ask(_turn: int) -> None:
            (await client.post(path, json={"sql": COUNT, "epsilon": "0.5"})).raise_for_status()

        return ask

    await measured("HTTP: prices", seconds, [asking(client, "/v1/explain") for client in clients])
    await measured("HTTP: recorded answers", seconds, [asking(client, "/v1/questions") for client in clients])
    for client in clients:
        await client.aclose()


async def over_postgres(port: int, tokens: list[str], seconds: float) -> None:
    """The same over the wire."""
    import asyncpg

    connections = [
        await asyncpg.connect(
            host="127.0.0.1", port=port, user=f"analyst{number}", password=token, database="clinic", ssl=False
        )
        for number, token in enumerate(tokens)
    ]
    for connection in connections:
        await connection.execute("SET deniable.epsilon = 0.5")

    def asking(connection: asyncpg.Connection, sql: str) -> Callable[[int], Awaitable[None]]:
        async def ask(_turn: int) -> None:
            await connection.fetch(sql)

        return ask

    await measured("PostgreSQL: prices", seconds, [asking(one, f"EXPLAIN {COUNT}") for one in connections])
    await measured("PostgreSQL: recorded answers", seconds, [asking(one, COUNT) for one in connections])
    for connection in connections:
        await connection.close()


async def paid(port: int, tokens: list[str], seconds: float) -> float:
    """Questions that nobody has asked before."""
    import httpx

    async def client(number: int, token: str) -> Callable[[int], Awaitable[None]]:
        session = httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{port}", headers={"Authorization": f"Bearer {token}"}, timeout=600
        )

        async def ask(turn: int) -> None:
            sql = f"SELECT COUNT(*) AS n FROM visits WHERE age < {number} AND age <> {turn - 1000}"
            (await session.post("/v1/questions", json={"sql": sql, "epsilon": "0.01"})).raise_for_status()

        return ask

    clients = [await client(number, token) for number, token in enumerate(tokens[:10])]
    return await measured("paid questions", seconds, clients)


def main(seconds: float) -> None:
    """The table."""
    with tempfile.TemporaryDirectory() as folder:
        policy, tokens = made(Path(folder), "0s", 1)
        server = Server(policy)
        try:
            before = server.memory()
            asyncio.run(over_http(server.ports["HTTP"], tokens, seconds))
            asyncio.run(over_postgres(server.ports["PostgreSQL"], tokens, seconds))
            print(f"memory: {before:.0f} MB before, {server.memory():.0f} MB after")
            asyncio.run(paid(server.ports["HTTP"], tokens, seconds))
        finally:
            server.stop()
    with tempfile.TemporaryDirectory() as folder:
        policy, tokens = made(Path(folder), "500ms", 2)
        server = Server(policy)
        try:
            rate = asyncio.run(paid(server.ports["HTTP"], tokens, seconds))
            print(f"of places / deadline: {rate / 4:.2f}")
        finally:
            server.stop()


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 15.0)
