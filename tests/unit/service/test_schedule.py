"""Deadlines that follow from public times alone, for those who paid here and for those who paid elsewhere."""

import asyncio
import contextlib
import time
from datetime import UTC, datetime, timedelta
from threading import Barrier

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from deniable.core.errors import NotYet, Refused
from deniable.service.schedule import GUARD, Job, Schedule, due, overdue
from tests.support.served import COUNT, Paced, served, session

NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)


def floor(seconds):
    """As the ledger writes it."""
    return NOON + timedelta(seconds=int(seconds))


@given(
    start=st.floats(0, 3),
    before=st.floats(0, 0.3),
    ran=st.floats(0, 20),
    made=st.floats(0, 0.07),
    after=st.sampled_from([0.5, 1.0, 2.0, 2.5, 10.0]),
)
@example(start=0.01, before=0.01, ran=1.9799, made=0.0, after=0.5)
def test_what_the_ledger_says_is_never_before_the_deadline_of_who_paid(start, before, ran, made, after):
    """Whole seconds are all that it says; a charge comes a moment after the start, and what is made of it takes one."""
    charged, kept = start + before, start + before + ran
    deadline = due(start, kept + made + GUARD, after)
    shown = kept + overdue(floor(charged), floor(kept), NOON + timedelta(seconds=kept), after)
    assert shown >= deadline - 2e-3


@given(charged=st.floats(0, 3), after=st.sampled_from([1.0, 2.0, 10.0]), data=st.data())
def test_what_was_in_time_is_shown_at_a_time_that_only_the_charge_decides(charged, after, data):
    one, other = (data.draw(st.floats(0, after - 1e-3)) for _ in range(2))
    shown = [overdue(floor(charged), floor(charged + ran), floor(charged), after) for ran in (one, other)]
    assert shown[0] == shown[1] > 1 + 2 * after


@pytest.mark.parametrize("jump", [-10_000, 10_000])
def test_a_clock_that_jumps_makes_nobody_wait_for_long(jump):
    assert 0 <= overdue(NOON, NOON, NOON + timedelta(seconds=jump), 2.0) <= 5.1


def test_two_who_have_each_paid_for_what_the_other_repeats_do_not_wait_forever():
    async def play():
        schedule = Schedule(0.2, 2, lambda _question: (NOON, NOON))
        both, charged = Barrier(2), set()

        def work(mine, others):
            if mine not in charged:
                charged.add(mine)
                schedule.charged(mine, 1)
                both.wait(5)
            if not schedule.is_settled(others):
                raise NotYet(others)

        start = time.monotonic()
        runs = [schedule.run(Job(), lambda pair=pair: work(*pair)) for pair in (("a", "b"), ("b", "a"))]
        await asyncio.wait_for(asyncio.gather(*runs), 5)
        schedule.close()
        return time.monotonic() - start

    assert 0.2 <= asyncio.run(play()) < 2


def test_a_place_is_held_until_the_deadline_and_a_failure_leaves_no_sooner():
    async def play():
        schedule = Schedule(0.3, 1)
        starts = []

        def broken():
            schedule.charged("a", 1)
            raise ValueError

        async def timed(work):
            job = Job(told=lambda _stage: starts.append(time.monotonic()))
            with contextlib.suppress(ValueError):
                await schedule.run(job, work)
            return time.monotonic()

        first, _ = await asyncio.gather(timed(broken), timed(lambda: None))
        schedule.close()
        return first - starts[0], starts[-1] - starts[0]

    took, waited = asyncio.run(play())
    assert took >= 0.299
    assert waited >= 0.299


@pytest.mark.parametrize("refused", [False, True])
def test_what_looks_at_rows_keeps_its_place_until_a_deadline_though_nothing_is_paid(refused):
    """Whoever comes next would learn from their start how long the look took."""

    def work():
        if refused:
            raise Refused("over-budget", "There is no room.")

    async def play():
        schedule, starts = Schedule(0.3, 1), []

        async def run(looks):
            with contextlib.suppress(Refused):
                await schedule.run(Job(told=lambda _stage: starts.append(time.monotonic()), looks=looks), work)
            return time.monotonic()

        ends = await asyncio.gather(run(looks=True), run(looks=False))
        schedule.close()
        return starts, ends

    starts, ends = asyncio.run(play())
    assert starts[1] - starts[0] >= 0.295
    assert ends[0] - starts[0] >= 0.295


def test_what_failed_here_and_was_paid_elsewhere_is_looked_up():
    async def play():
        asked = []

        def times(question):
            asked.append(question)
            now = datetime.now(UTC)
            return now, now

        schedule = Schedule(0.1, 1, times)

        def broken():
            schedule.charged("a", 1)
            raise ValueError

        with pytest.raises(ValueError):  # noqa: PT011 - it has no words
            await schedule.run(Job(), broken)
        await schedule.settled("a")
        await schedule.settled("a")
        schedule.close()
        return asked

    assert asyncio.run(play()) == ["a"]


def test_a_new_question_takes_an_interval_more_where_versions_take_a_look_at_rows(tmp_path, monkeypatch):
    """It starts when its own pass over the table was due, and not when that was over."""
    monkeypatch.setattr(Paced, "looks", True, raising=False)

    async def play():
        with served(tmp_path, "400ms") as (service, secrets):
            alice = await session(service, secrets["alice"])
            start = time.monotonic()
            answer = await alice.ask(COUNT, {"epsilon": "0.5"})
            took = time.monotonic() - start
            await service.close()
            return took, answer

    took, answer = asyncio.run(play())
    assert not answer.free
    assert took >= 0.795


def test_an_answer_that_was_paid_for_here_is_not_settled_before_its_deadline():
    async def play():
        long_ago = (NOON, NOON)
        schedule, seen = Schedule(0.3, 1, lambda _question: long_ago), []

        def work():
            schedule.charged("q", 2)
            seen.append(schedule.is_settled("q"))

        running = asyncio.create_task(schedule.run(Job(lambda _stage: None), work))
        while not running.done():
            await asyncio.sleep(0.02)
            seen += [] if running.done() else [schedule.is_settled("q")]
        schedule.close()
        return seen, schedule.is_settled("q")

    seen, after = asyncio.run(play())
    assert len(seen) > 1
    assert not any(seen)
    assert after


def test_an_answer_that_was_paid_for_elsewhere_is_settled_when_the_ledger_says_so():
    now = datetime.now(UTC)
    times = {"old": (now - timedelta(hours=1),) * 2, "new": (now, now)}
    schedule = Schedule(60.0, 1, times.get)
    assert [schedule.is_settled(name) for name in ("old", "new", "none")] == [True, False, False]
    schedule.close()


def test_what_is_ready_only_just_in_time_waits_for_the_next_deadline():
    """However slow the machine is: it can only be later."""

    async def play():
        schedule, start = Schedule(0.6, 1), []

        def work():
            schedule.charged("a", 1)
            time.sleep(start[0] + 0.6 - GUARD / 2 - time.monotonic())

        await schedule.run(Job(told=lambda _stage: start.append(time.monotonic())), work)
        schedule.close()
        return time.monotonic() - start[0]

    assert asyncio.run(play()) >= 1.199


def test_the_guard_is_a_small_part_of_a_short_interval():
    """So that what is ready in the first half of it leaves at its end."""
    late = []

    async def play():
        schedule = Schedule(0.02, 1, late=lambda: late.append(1))
        for turn in range(20):
            await schedule.run(Job(), lambda turn=turn: schedule.charged(str(turn), 1))
        schedule.close()

    asyncio.run(play())
    assert len(late) < 20
