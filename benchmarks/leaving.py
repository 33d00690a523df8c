"""What the moment at which an answer leaves says of the data, through both doors: the AUC of whoever guesses from it.

    python -m benchmarks.leaving [neighbours|sleep] [after, in seconds] [answers a side, per door] [analysts at once]

One served population has two sets of rows: for each question, a coin that the client throws says which of them is
counted. `neighbours`: they differ in one person, who has 200,000 rows in one and none in the other. `sleep`: they are
the same, and the engine waits for three tenths of the deadline in one. Every second analyst comes through the HTTP
door, the others through that of PostgreSQL. What is guessed from is when the last byte of an answer has come, counted
from when its question was started, which only the server knows (no analyst can do better), and from when it was sent.
Answers that missed their first deadline tell something, as is said in docs/threats.md: they are counted for each side,
and there is a line with them and one without.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

CONFIDENCE = 0.95
HEAVY = 200_000
FIRST, EACH = 7_700_000_000, 200_000
"""Questions are told apart by a number in them: the first, and how many an analyst may have."""
POLICY = """
[population]
name = "clinic"
[budget]
epsilon = 1000000
[limits]
questions_per_day = 100000000
least_spend = 0.000000001
[serve]
release_after = "{after}s"
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
_asked: ContextVar[dict[str, Any]] = ContextVar("asked")


def made(folder: Path, after: float, analysts: int, kind: str) -> list[str]:
    """A clinic, its neighbour, its ledger, and a token for each analyst."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    import deniable
    from deniable.policy import load
    from deniable.service.tokens import Role, TokenFile

    chance = np.random.default_rng(7)
    for name, heavy in (("one", 0), ("other", HEAVY if kind == "neighbours" else 0)):
        size = 20_000 + heavy
        patients = np.concatenate([chance.integers(0, 5000, 20_000), np.full(heavy, 5000)])
        regions = np.array(["north", "east", "south", "west"])[chance.integers(0, 4, size)]
        rows = {"patient": patients, "age": chance.integers(0, 90, size), "region": regions}
        (folder / name).mkdir()
        pq.write_table(pa.table(rows), folder / name / "visits.parquet")
        (folder / name / "clinic.toml").write_text(POLICY.format(after=after, places=analysts))
    policy = folder / "one" / "clinic.toml"
    deniable.create(policy, reason="a benchmark with made-up people").close()
    loaded = load(policy)
    tokens = TokenFile.beside(loaded.place, loaded.population)
    return [tokens.create(f"analyst{number}", Role.ANALYST)[0] for number in range(analysts)]


class Either:
    """An engine over one of two sets of rows, as the last digit in a question says."""

    def __init__(self, one: Any, other: Any, pause: float) -> None:  # noqa: ANN401 - engines
        self._one, self._other, self._pause = one, other, pause

    def run(self, query: Any) -> Any:  # noqa: ANN401 - as engines have it
        """On the rows that the coin says."""
        number = int(re.findall(r"\b77\d{8}\b", self._one.emit(query))[0])
        _asked.get()["number"] = number
        if number % 2:
            time.sleep(self._pause)
            return self._other.run(query)
        return self._one.run(query)

    @contextmanager
    def session(self) -> Iterator[Either]:
        """Of both."""
        with self._one.session() as one, self._other.session() as other:
            yield Either(one, other, self._pause)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - as engines have it
        """Whatever else it is asked, which is the same of both."""
        return getattr(self._one, name)


async def serve(folder: Path, pause: float) -> None:
    """Until standard input ends; then when each question was started, and how many answers were late."""
    from deniable.curator.factory import engine_of
    from deniable.doors.http.server import HttpDoor
    from deniable.doors.postgres.server import PostgresDoor
    from deniable.policy import load
    from deniable.service.limits import ServerLimits
    from deniable.service.service import Service

    service = await Service.open([folder / "one" / "clinic.toml"], ServerLimits(per_second=1e6, burst=10**6))
    population, begun = service.populations["clinic"], {}
    other = engine_of(load(folder / "other" / "clinic.toml"))
    either: Any = Either(population.curator.engine, other, pause)
    population.curator = replace(population.curator, engine=either)
    run = population.schedule.run

    async def timed(job: Any, work: Callable[[], Any]) -> Any:  # noqa: ANN401 - whatever is worked out
        asked: dict[str, Any] = {}
        told = job.told

        def hears(stage: str) -> None:
            if stage == "started":
                asked["start"] = time.monotonic()
            told(stage)

        def noted() -> Any:  # noqa: ANN401 - same
            _asked.set(asked)
            return work()

        job.told = hears
        try:
            return await run(job, noted)
        finally:
            if "number" in asked:
                begun[asked["number"]] = asked["start"]

    population.schedule.run = timed  # type: ignore[method-assign]
    doors: list[Any] = [HttpDoor(service), PostgresDoor(service)]
    print(*[await door.listen("127.0.0.1", 0) for door in doors], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    print(json.dumps(begun))
    for door in doors:
        await door.close()
    await service.close()
    other.close()


async def http(port: int, _name: str, token: str) -> Callable[[str], Any]:
    """A client that does next to nothing beside waiting."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)

    async def ask(sql: str) -> None:
        body = json.dumps({"sql": sql, "epsilon": "0.01"}).encode()
        head = f"POST /v1/questions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        answer = await reader.readuntil(b"\r\n\r\n")
        size = re.search(rb"content-length: (\d+)", answer)
        text = await reader.readexactly(int(size[1]) if size else 0)
        if b" 200 " not in answer[:20]:
            raise RuntimeError(text.decode())

    return ask


async def pg(port: int, name: str, token: str) -> Callable[[str], Any]:
    """The same over the wire."""
    import asyncpg

    where = {"host": "127.0.0.1", "port": port, "database": "clinic", "ssl": False}
    connection = await asyncpg.connect(user=name, password=token, statement_cache_size=0, **where)
    await connection.execute("SET deniable.epsilon = 0.01")
    return connection.execute  # type: ignore[no-any-return]


async def asked(ports: list[int], tokens: list[str], size: int, after: float) -> dict[int, tuple[float, float]]:
    """By a question's number: when it was sent, and when its answer was there."""
    heard: dict[int, tuple[float, float]] = {}
    coins = random.SystemRandom()

    async def one(place: int, token: str) -> None:
        ask = await (http, pg)[place % 2](ports[place % 2], f"analyst{place}", token)
        await asyncio.sleep(place * after / len(tokens))
        for turn in range(4 * size // len(tokens) + 1):
            number = FIRST + place * EACH + 2 * turn + coins.randrange(2)
            sent = time.monotonic()
            await ask(f"SELECT region, COUNT(*) AS n FROM visits WHERE age <> {number} GROUP BY region")
            if turn:  # the first of each analyst plans
                heard[number] = sent, time.monotonic()

    await asyncio.gather(*(one(*each) for each in enumerate(tokens)))
    return heard


def auc(one: np.ndarray, other: np.ndarray) -> tuple[float, float]:
    """The probability that a time of the other rows is the larger one, and half the width of its 95% interval."""
    from scipy.stats import norm, rankdata

    ranks = rankdata(np.concatenate([one, other]))
    found = (ranks[len(one) :].sum() - len(other) * (len(other) + 1) / 2) / (len(one) * len(other))
    spread = np.sqrt((len(one) + len(other) + 1) / (12 * len(one) * len(other)))
    return float(found), float(norm.isf((1 - CONFIDENCE) / 2) * spread)


def compared(what: str, times: dict[int, float]) -> None:
    """A line of the table."""
    sides = [np.array([time for number, time in times.items() if number % 2 == side]) for side in (0, 1)]
    found, half = auc(*sides)
    middle = float(np.median(sides[1]) - np.median(sides[0])) * 1e6
    print(
        f"  {what:<42} AUC {found:.4f} ({found - half:.4f} to {found + half:.4f}), {len(sides[0])} and {len(sides[1])} "
        f"answers, medians {middle:+.0f} µs apart, middle {np.median(sides[0]) * 1e3:.1f} ms",
        flush=True,
    )


def main(kind: str, after: float, size: int, analysts: int) -> None:
    """One server with both doors, and all of its analysts."""
    with tempfile.TemporaryDirectory() as folder:
        tokens = made(Path(folder), after, analysts, kind)
        pause = 0.3 * after if kind == "sleep" else 0.0
        command = [sys.executable, "-m", "benchmarks.leaving", "serve", folder, str(pause)]
        with (Path(folder) / "log").open("w") as log:
            server = subprocess.Popen(  # noqa: S603 - ourselves
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True
            )
            assert server.stdin is not None  # noqa: S101 - pipes
            assert server.stdout is not None  # noqa: S101 - same
            ports = [int(port) for port in server.stdout.readline().split()]
            heard = asyncio.run(asked(ports, tokens, size, after))
            server.stdin.close()
            begun = {int(number): start for number, start in json.loads(server.stdout.readline()).items()}
            server.wait(60)
    for place, door in enumerate(("HTTP", "PostgreSQL")):
        print(f"{door}, {kind}, {after:g} s, {analysts} analysts at once:")
        mine = {number: times for number, times in heard.items() if (number - FIRST) // EACH % 2 == place}
        started = {number: there - begun[number] for number, (_, there) in mine.items()}
        intime = {number: took for number, took in started.items() if took < 1.5 * after or not after}
        compared("from the start, all", started)
        compared("from the start, in time", intime)
        compared("from sending, in time", {number: mine[number][1] - mine[number][0] for number in intime})
        late = [sum(number % 2 == side for number in started.keys() - intime.keys()) for side in (0, 1)]
        print(f"  late: {late[0]} and {late[1]}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        asyncio.run(serve(Path(sys.argv[2]), float(sys.argv[3])))
    else:
        given = [*sys.argv[1:], *["neighbours", "2", "7000", "40"][len(sys.argv) - 1 :]]
        main(given[0], float(given[1]), int(given[2]), int(given[3]))
