"""One population that is served: its curator, its tokens, its places in the engine, and who is waiting for them."""

from __future__ import annotations

import asyncio
import os
import threading
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

import pyarrow as pa

from deniable.core.algebra.expression import Kind
from deniable.core.errors import Refused
from deniable.curator import Answer, Curator, open_policy
from deniable.files.source import DataFile
from deniable.files.tables import read_table
from deniable.service.limits import Rate, ServerLimits, too_many
from deniable.service.metrics import Metrics
from deniable.service.schedule import Job, Schedule
from deniable.service.tokens import TokenFile

try:
    import fcntl
except ImportError:  # where files have no such locks, it is the custodian who starts one server only
    fcntl = None  # type: ignore[assignment]

Result = TypeVar("Result")
_LARGE = 1 << 18
_TYPES = {Kind.INTEGER: pa.int64(), Kind.NUMBER: pa.float64(), Kind.BOOLEAN: pa.bool_(), Kind.DATE: pa.date32()}


class ServedPopulation:
    """Questions of many analysts, one running for each, as many at once as there are places."""

    def __init__(self, curator: Curator, tokens: TokenFile, limits: ServerLimits, metrics: Metrics) -> None:
        self.name = curator.policy.population
        self.tokens, self.limits, self.metrics = tokens, limits, metrics
        serving = curator.policy.serving
        self.schedule = Schedule(serving.release_after, serving.places, self._late)
        self.curator = replace(curator, on_charge=self.schedule.charged)
        self.seen = SeenAnswers()
        self._lines: dict[str, _Line] = defaultdict(_Line)
        self._rates: dict[str, Rate] = {}
        self._jobs: set[asyncio.Task[object]] = set()
        self._lock: int | None = None
        self._ending = False

    @classmethod
    def open(cls, policy: Path, limits: ServerLimits, metrics: Metrics) -> ServedPopulation:
        """The population of a policy file.

        Raises:
            Refused: another server serves it already: two would not know of each other's deadlines.
        """
        curator = open_policy(policy)
        ledger = curator.policy.ledger
        lock = _only_one(Path(f"{ledger.removeprefix('sqlite:///')}.serving"))
        if lock is None:
            curator.close()
            raise Refused(
                "already-served",
                f"The population {curator.policy.population!r} is served by another process.",
                "Stop that one first: two servers would not keep each other's deadlines.",
            )
        found = cls(curator, TokenFile.beside(ledger, curator.policy.population), limits, metrics)
        found._lock = lock
        return found

    def public_tables(self) -> dict[str, pa.Table]:
        """The rows of the tables that protect nobody, with the columns that are declared."""
        found = {}
        for name, table in self.curator.policy.tables.items():
            if table.public and table.source is not None:
                rows = read_table(DataFile.named(table.source), name, list(table.columns))
                kinds = [_TYPES.get(column.kind, pa.string()) for column in table.columns.values()]
                found[name] = rows.cast(pa.schema(list(zip(table.columns, kinds, strict=True))))
        return found

    def admit(self, who: str) -> None:
        """Count a request of whatever kind; refused if there are too many."""
        rate = self._rates.setdefault(who, Rate(self.limits.per_second, self.limits.burst))
        if not rate.take():
            raise too_many("requests")

    async def paid(self, who: str, job: Job, work: Callable[[], Result]) -> Result:
        """Run work that may be charged: in the analyst's slot, in a place of the engine, until its deadline.

        Whoever waits for it may stop waiting. What has begun goes on, is recorded, and keeps slot and place.
        """
        if self._ending:
            raise Refused("too-busy", "The server is stopping.", "Ask again when it is back.")
        line = self._lines[who]
        if line.waiting > self.limits.waiting:
            raise too_many("questions of yours waiting")
        line.waiting += 1
        task = asyncio.create_task(self._in_line(line, job, work))
        self._jobs.add(task)
        task.add_done_callback(lambda done: self._done(line, done))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if not job.started:
                task.cancel()
            raise

    async def finish(self) -> None:
        """Begin nothing more, and let what has begun come to its end."""
        self._ending = True
        for task in list(self._jobs):
            with suppress(Exception, asyncio.CancelledError):
                await task
        await asyncio.sleep(0)

    async def close(self) -> None:
        """Finish, then let go of the curator."""
        await self.finish()
        self.schedule.close()
        self.curator.close()
        if self._lock is not None:
            os.close(self._lock)

    async def _in_line(self, line: _Line, job: Job, work: Callable[[], Result]) -> Result:
        async with line.slot:
            return await self.schedule.run(job, work)

    def _done(self, line: _Line, task: asyncio.Task[object]) -> None:
        """Nobody may be waiting any more: what it raised was said, or belongs to nobody."""
        line.waiting -= 1
        self._jobs.discard(task)
        if not task.cancelled():
            task.exception()

    def _late(self) -> None:
        self.metrics.count("late", population=self.name)


class SeenAnswers:
    """Answers that an analyst has been shown lately, as they were: to look at them again costs nobody anything."""

    def __init__(self, most: int = 512) -> None:
        self._most, self._lock = most, threading.Lock()
        self._known: OrderedDict[Hashable, Answer] = OrderedDict()

    def get(self, key: Hashable) -> Answer | None:
        """The answer, if it is still known. A key names the analyst, the question and the version of the data."""
        with self._lock:
            return self._known.get(key)

    def keep(self, key: Hashable, answer: Answer) -> None:
        """Until there are too many, or if it is large, not at all."""
        if answer.table.nbytes > _LARGE:
            return
        with self._lock:
            self._known[key] = answer
            while len(self._known) > self._most:
                self._known.popitem(last=False)


@dataclass(slots=True)
class _Line:
    """One analyst's questions: one runs, the others wait."""

    slot: asyncio.Lock = field(default_factory=asyncio.Lock)
    waiting: int = 0


def _only_one(path: Path) -> int | None:
    """A lock that ends with the process; None if somebody has it."""
    lock = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        if fcntl is not None:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        return None
    return lock
