"""One population that is served: its curator, its tokens, its places in the engine, and who is waiting for them."""

from __future__ import annotations

import asyncio
import os
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa

from deniable.core.errors import Refused
from deniable.curator import Curator, amend, open_policy
from deniable.service.limits import Rate, ServerLimits, too_many
from deniable.service.metrics import Metrics
from deniable.service.orders import OrderFile
from deniable.service.schedule import Job, Schedule
from deniable.service.titles import TitleFile
from deniable.service.tokens import TokenFile

try:
    import fcntl
except ImportError:  # where files have no such locks, it is the custodian who starts one server only
    fcntl = None  # type: ignore[assignment]

Result = TypeVar("Result")


class ServedPopulation:
    """Questions of many analysts, one running for each, as many at once as there are places."""

    def __init__(self, curator: Curator, tokens: TokenFile, limits: ServerLimits, metrics: Metrics) -> None:
        self.name = curator.policy.population
        self.tokens, self.limits, self.metrics = tokens, limits, metrics
        self.titles = TitleFile(tokens.path.with_suffix(".titles"))
        self.orders = OrderFile(tokens.path.with_suffix(".orders"))
        serving = curator.policy.serving
        self.schedule = Schedule(serving.release_after, serving.places, self._times, self._late)
        self.curator = replace(curator, **self._told)
        self._lines: dict[str, _Line] = defaultdict(_Line)
        self._rates: dict[str, Rate] = {}
        self._free: dict[tuple[str, bool], asyncio.Semaphore] = {}
        self._jobs: set[asyncio.Task[object]] = set()
        self._lock: int | None = None
        self._ending = False
        self._amending = asyncio.Lock()
        self._retired: list[Curator] = []

    @classmethod
    def open(cls, policy: Path, limits: ServerLimits, metrics: Metrics) -> ServedPopulation:
        """The population of a policy file.

        Raises:
            Refused: another server serves it already: two would not know of each other's deadlines.
        """
        curator = open_policy(policy)
        place = curator.policy.place
        lock = _only_one(Path(f"{place}.serving"))
        if lock is None:
            curator.close()
            raise Refused(
                "already-served",
                f"The population {curator.policy.population!r} is served by another process.",
                "Stop that one first: two servers would not keep each other's deadlines.",
            )
        found = cls(curator, TokenFile.beside(place, curator.policy.population), limits, metrics)
        found._lock = lock
        return found

    def public_tables(self) -> dict[str, pa.Table]:
        """The rows of the tables that protect nobody, as they are now; those that cannot be read are left out."""
        found = {}
        for name, table in self.curator.policy.tables.items():
            with suppress(Refused):
                quoted = name.replace('"', '""')
                exact = self.curator.exact(f'SELECT * FROM "{quoted}"') if table.public else None  # noqa: S608 - a quoted name
                if exact is not None:
                    found[name] = exact.table
        return found

    def admit(self, who: str) -> None:
        """Count a request of whatever kind; refused if there are too many."""
        rate = self._rates.setdefault(who, Rate(self.limits.per_second, self.limits.burst))
        if not rate.take():
            raise too_many("requests")

    def at_once(self, who: str, *, looking: bool = False) -> asyncio.Semaphore:
        """Held while something free is worked out: one person's prices are not another's waiting.

        What looks at rows holds one of its own, until a deadline: nobody's prices wait for it.
        """
        return self._free.setdefault((who, looking), asyncio.Semaphore(self.limits.at_once))

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

    async def amend(self, text: str, reason: str, still: Callable[[], None] = lambda: None) -> list[str]:
        """Accept a changed policy, and go on by it; the changes in words.

        Questions that were charged by the old one are answered by it; those on their way that were not are refused by
        the ledger, uncharged. Two who change it at once do so one after the other; `still` raises if what the first of
        them did is what the second has not seen.
        """
        async with self._amending:
            still()
            path, loop = Path(self.curator.policy.origin), asyncio.get_running_loop()
            words = await loop.run_in_executor(None, amend, path, text, reason)
            fresh = await loop.run_in_executor(None, open_policy, path)
            old, self.curator = self.curator, replace(fresh, **self._told)
            self._retired.append(old)
            loop.call_later(self.limits.stalled, self._let_go, old)
        return words

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
        for curator in (*self._retired, self.curator):
            curator.close()
        self._retired.clear()
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

    @property
    def _told(self) -> dict[str, Any]:
        """What a curator tells us, and asks us, as it goes."""
        schedule = self.schedule
        return {"on_charge": self._charged, "may_show": schedule.is_settled}

    def _charged(self, question: str, entry: int) -> None:
        self.metrics.last("entry", entry, self.name)
        self.schedule.charged(question, entry)

    def _times(self, question: str) -> tuple[datetime, datetime] | None:
        return self.curator.ledger.times(question)

    def _let_go(self, old: Curator) -> None:
        """Of a curator by whose policy nothing is asked any more, once what it has begun is over."""
        if self._jobs and not self._ending:
            asyncio.get_running_loop().call_later(self.limits.stalled, self._let_go, old)
        elif any(one is old for one in self._retired):
            self._retired = [one for one in self._retired if one is not old]
            old.close()

    def _late(self) -> None:
        self.metrics.count("late", population=self.name)


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
