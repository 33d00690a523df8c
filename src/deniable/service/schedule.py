"""When an answer leaves: at a time that public facts fix.

How long a question runs depends on rows that nobody may see. So its answer leaves when its deadline comes: the moment
it was started plus the population's `release_after`, or, if it is not there by then, the next multiple of that. Until
then the question keeps its place in the engine, so that whoever waits for the place learns nothing either. What is
recorded meanwhile is shown to nobody before the deadline of whoever paid for it. A server that has just been started,
and one beside another, know that deadline from the ledger, which says when a question was charged.

Whatever the answer is made into, to the last byte, is made before that: when the deadline comes, what lies ready is
sent, and neither the engine nor a thread does anything for the question any more. Which multiple it is, is decided a
while before: an answer that is ready only just in time would find the machine in another state than one that has been
lying there, so it waits for the next.

A deadline that is missed tells something (that the question ran longer than it); it is counted, for the custodian.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import ceil
from secrets import randbelow
from typing import TypeVar

from deniable.core.errors import NotYet, Refused
from deniable.service.recent import RecentNames

Result = TypeVar("Result")

GUARD, _GUARDED = 20e-3, 0.2
"""Seconds before a deadline by which an answer lies ready, or leaves at the next; at most this part of the interval."""
_AWAKE = 3e-3
"""Seconds before a deadline from which on we stay awake, and let others run: a processor that has slept for long wakes
up later than one that has slept for a moment, by microseconds that can be measured over many answers."""
_SMEAR = 2_000
"""Microseconds: a random moment after the deadline, which hides the few microseconds that are left of that."""
_SETTLED = 0.1
"""Seconds in which what was recorded is made ready; with the guard and the random moment, as good as always."""

Times = Callable[[str], tuple[datetime, datetime] | None]
"""By a question's name: when its recorded answer was charged, and when it was kept."""


@dataclass(slots=True, eq=False)
class Job:
    """A question on its way."""

    told: Callable[[str], None] = lambda _stage: None
    """Hears 'started' and 'charged', and then nothing until the answer: anything between would tell how long it ran."""
    looks: bool = False
    """Whether its work takes a look at rows before anything is charged: then it leaves at a deadline in any case."""
    started: bool = False
    questions: set[str] = field(default_factory=set)
    """The ledger's names of what it was charged for."""
    entries: list[int] = field(default_factory=list)
    released: asyncio.Event = field(default_factory=asyncio.Event)
    loop: asyncio.AbstractEventLoop | None = None

    def tell(self, stage: str) -> None:
        """From whichever thread."""
        if self.loop is not None:
            self.loop.call_soon_threadsafe(self.told, stage)


class Schedule:
    """Places in the engine, and the deadlines of those who hold them.

    Promise:  the time at which `run` returns or raises, counted from when it got a place, is a multiple of `after`
              seconds and a random moment, once anything was charged, and if the work looks at rows before; and nobody
              gets the place, or what was recorded, any sooner. What somebody else has paid for leaves no sooner than
              that, either: `settled`.
    Not promised: that a run ends before its first deadline; `late` is told each time that one does not.
    """

    def __init__(
        self, after: float, places: int, times: Times = lambda _: None, late: Callable[[], None] = lambda: None
    ) -> None:
        self._after, self._times, self._late = after, times, late
        self._places = asyncio.Semaphore(places)
        self._threads = ThreadPoolExecutor(places, "paid")
        self._pending: dict[str, Job] = {}
        self._released = RecentNames()

    def charged(self, question: str, entry: int) -> None:
        """The curator's word, from the thread in which the job runs, before a row is read."""
        job = _running.get()
        if job is None:
            return
        job.questions.add(question)
        job.entries.append(entry)
        self._pending[question] = job
        job.tell("charged")

    async def run(self, job: Job, work: Callable[[], Result]) -> Result:
        """What the work returns or raises, when its deadline comes.

        At once, if it took no look at rows, and nothing was paid by anyone just now.
        """
        async with self._places:
            loop = asyncio.get_running_loop()
            start, job.started, job.loop = loop.time(), True, loop
            job.told("started")
            _running.set(job)
            try:
                result = await self._worked(job, work, start)
            except Exception as error:
                if job.entries or job.looks or not isinstance(error, Refused):
                    await self._deadline(start)
                raise
            else:
                await self._over(job, start)
                return result
            finally:
                self._release(job)

    async def _worked(self, job: Job, work: Callable[[], Result], start: float) -> Result:
        """What the work returns; again after a deadline, if it came upon what somebody else has paid for just now.

        It keeps its place: when that was recorded is not to be seen from the place, either. What it has paid for itself
        is let go of first, because the other may be waiting for that.
        """
        while True:
            try:
                return await asyncio.get_running_loop().run_in_executor(self._threads, copy_context().run, work)
            except NotYet as early:
                await self._over(job, start)
                self._release(job)
                await self.settled(early.question)

    async def _over(self, job: Job, start: float) -> None:
        """When the deadline of what was charged, or looked at, has come, from which on it may be seen."""
        if job.entries or job.looks:
            await self._deadline(start)
            self._released.note(job.questions)

    def expects(self, question: str) -> bool:
        """Whether somebody is paying for this question right now."""
        return question in self._pending

    async def settled(self, question: str) -> None:
        """When the answer to this question may be seen: after the deadline of who paid for it, here or elsewhere."""
        while (job := self._pending.get(question)) is not None and job is not _running.get():
            await job.released.wait()
        if not self._after or question in self._released:
            return
        times = await asyncio.get_running_loop().run_in_executor(None, self._times, question)
        if times is not None:
            await asyncio.sleep(overdue(*times, datetime.now(UTC), self._after))
            self._released.note([question])

    async def held(self, start: float) -> None:
        """Until the deadline of what has begun then, by the loop's clock: whatever it was, it held no place."""
        await self._deadline(start)

    def is_settled(self, question: str) -> bool:
        """Whether the answer to this question may be seen now; so it never says sooner that there is one."""
        if question in self._pending:  # this comes first: what is recorded is shown to nobody until then
            return False
        was_seen = not self._after or question in self._released
        times = None if was_seen else self._times(question)
        return was_seen or (times is not None and overdue(*times, datetime.now(UTC), self._after) <= 0)

    def close(self) -> None:
        """Start nothing more."""
        self._threads.shutdown(wait=True)

    async def _deadline(self, start: float) -> None:
        loop = asyncio.get_running_loop()
        when = due(start, loop.time() + min(GUARD, self._after * _GUARDED), self._after)
        if self._after and when > start + self._after * 1.5:
            self._late()
        if self._after:
            when += randbelow(_SMEAR) / 1e6
        await asyncio.sleep(when - loop.time() - _AWAKE)
        while loop.time() < when:  # noqa: ASYNC110 - it is a clock that we wait for
            await asyncio.sleep(0)

    def _release(self, job: Job) -> None:
        for question in job.questions:
            if self._pending.get(question) is job:
                del self._pending[question]
        job.released.set()
        job.released = asyncio.Event()  # of what it may still be charged for


def due(start: float, ready: float, after: float) -> float:
    """The first multiple of `after`, from the start on, for which it is ready in time.

    Example:
        >>> due(10.0, 10.3, 2.0), due(10.0, 12.5, 2.0), due(10.0, 10.3, 0.0)
        (12.0, 14.0, 10.3)
    """
    return ready if not after else start + after * max(1, ceil((ready - start) / after))


def overdue(charged: datetime, kept: datetime, now: datetime, after: float) -> float:
    """Seconds from now to the deadline of an answer of which only the ledger knows; 0 if it is past.

    The ledger's times are whole seconds, rounded down, and the start of a question is a moment before its charge. So
    the deadlines are counted from the end of the second of the charge, which is public, and one interval more is
    waited, by which the answer has left on its own schedule, however the seconds were rounded: an answer that was kept
    at t is ready before t + `_SETTLED`, so it leaves there before t + `_SETTLED` + after, and here not before that.
    However clocks jump, nobody waits for longer than two intervals and little more than a second.

    Example:
        >>> noon = datetime(2025, 1, 1, 12, tzinfo=UTC)
        >>> [overdue(noon, noon.replace(second=kept), noon.replace(second=now), 2.0) for kept, now in ((1, 1), (1, 9))]
        [4.1, 0.0]
        >>> overdue(noon, noon.replace(second=3), noon.replace(second=4), 2.0)  # it was late: the next multiple
        3.1
    """
    ran = (kept - charged).total_seconds()
    left = (charged - now).total_seconds() + _SETTLED + 1 + after * (max(1, ceil(ran / after)) + 1)
    return max(0.0, min(left, 2 * after + 1 + _SETTLED))


_running: ContextVar[Job | None] = ContextVar("running", default=None)
