"""Questions on their way: what is kept of them, for whom, and for how long."""

import asyncio

import pytest

from deniable.core.errors import Refused
from deniable.doors.http.jobs import _KEPT_EACH, _MOST_EACH, Jobs

ALICE, BOB = ("clinic", "alice"), ("clinic", "bob")


async def quick(_asked):
    return "an answer"


async def forever(_asked):
    await asyncio.sleep(60)


def test_what_is_over_is_kept_for_a_while_and_what_was_heard_is_not():
    async def play():
        jobs = Jobs()
        asked = [jobs.start(ALICE, None, "body", quick) for _ in range(3)]
        await asyncio.gather(*(one.task for one in asked))
        jobs.forget(asked[0])
        there = [jobs.get(ALICE, one.id) is not None for one in asked]
        for _ in range(_KEPT_EACH + 5):
            await jobs.start(ALICE, None, "body", quick).task
        return there, jobs.get(ALICE, asked[1].id), len(jobs._found)

    there, old, kept = asyncio.run(play())
    assert there == [False, True, True]
    assert old is None
    assert kept <= _KEPT_EACH + 1


def test_a_key_leads_to_what_was_begun_and_is_nobody_elses():
    async def play():
        jobs = Jobs()
        first = jobs.start(ALICE, "k", "body", quick)
        same = jobs.start(ALICE, "k", "body", quick)
        other = jobs.start(BOB, "k", "another body", quick)
        with pytest.raises(Refused) as caught:
            jobs.start(ALICE, "k", "another body", quick)
        await asyncio.gather(first.task, other.task)
        return first is same, first is other, caught.value.code, jobs.get(BOB, first.id)

    assert asyncio.run(play()) == (True, False, "key-reused", None)


def test_one_person_has_so_many_on_their_way():
    async def play():
        jobs = Jobs()
        asked = [jobs.start(ALICE, None, "body", forever) for _ in range(_MOST_EACH)]
        with pytest.raises(Refused) as caught:
            jobs.start(ALICE, None, "body", forever)
        other = jobs.start(BOB, None, "body", quick)
        await other.task
        for one in asked:
            one.task.cancel()
        await asyncio.gather(*(one.task for one in asked), return_exceptions=True)
        return caught.value.code

    assert asyncio.run(play()) == "too-busy"


def test_a_refusal_does_not_stand_for_what_comes_later_with_the_same_key():
    """Whoever is told to wait a moment, and does, is not told the same again."""
    refusals = iter([Refused("too-busy", "There are too many requests.")])

    async def busy(_asked):
        for refusal in refusals:
            raise refusal
        return "an answer"

    async def play():
        jobs = Jobs()
        with pytest.raises(Refused, match="too-busy"):
            await jobs.start(ALICE, "k", "body", busy).task
        with pytest.raises(Refused, match="key-reused"):
            jobs.start(ALICE, "k", "another body", busy)
        second = jobs.start(ALICE, "k", "body", busy)
        answer = await second.task
        return answer, jobs.start(ALICE, "k", "body", busy) is second

    assert asyncio.run(play()) == ("an answer", True)
