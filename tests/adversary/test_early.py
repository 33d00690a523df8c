"""What is recorded before its deadline is noticed by nobody: no account, no refusal and no price tells of it."""

import asyncio
import time

import pytest

from deniable.core.errors import Refused
from tests.support.served import BY_REGION, COUNT, served, session

EPSILON = {"epsilon": "0.5"}


async def until_recorded(service, answers=1):
    """Until the ledger has so many answers."""
    ledger = service.populations["clinic"].curator.ledger
    while sum(entry.kind == "answered" for entry in ledger.history()) < answers:  # noqa: ASYNC110 - it tells nobody
        await asyncio.sleep(0.02)


@pytest.mark.parametrize("recorded", [True, False])
@pytest.mark.parametrize("batch", [False, True])
def test_the_share_of_whoever_asks_the_same_is_charged_when_the_deadline_has_come(tmp_path, recorded, batch):
    """Whether the answer is there when they ask, or comes while they wait with a place of their own."""

    async def play():
        with served(tmp_path, "1500ms", lambda: 0.0 if recorded else 0.3, places=2) as (service, secrets):
            alice, bob = [await session(service, secrets[name]) for name in ("alice", "bob")]
            stages = asyncio.Queue()
            paid = asyncio.create_task(alice.ask(COUNT, EPSILON, stages.put_nowait))
            while await stages.get() != "charged":
                pass
            if recorded:
                await until_recorded(service)
            asked = bob.asked_all([COUNT], EPSILON, list) if batch else bob.ask(COUNT, EPSILON)
            shown = asyncio.create_task(asked)
            await until_recorded(service)
            early = []
            while not paid.done():
                spent, lines = (await bob.budget()).spent.epsilon, await bob.history()
                if not paid.done():
                    early.append((spent, lines, shown.done()))
                await asyncio.sleep(0.02)
            found = await shown
            answer = found[0] if batch else found
            spent = (await bob.budget()).spent.epsilon
            same = answer.table == (await paid).table
            await service.close()
            return early, answer.share, spent, same

    early, share, spent, same = asyncio.run(play())
    assert early
    assert all(one == (0, [], False) for one in early)
    assert (share, spent, same) == (True, 0.5, True)


def test_a_share_that_cannot_pay_is_told_so_when_the_deadline_has_come(tmp_path):
    async def play():
        with served(tmp_path, "1s") as (service, secrets):
            alice, bob = [await session(service, secrets[name]) for name in ("alice", "bob")]
            await bob.ask(BY_REGION, EPSILON)
            stages = {}
            dear = {"epsilon": "499.9"}
            paid = asyncio.create_task(alice.ask(COUNT, dear, lambda stage: stages.setdefault(stage, time.monotonic())))
            await until_recorded(service, 2)
            with pytest.raises(Refused, match="over-budget"):
                await bob.ask(COUNT, dear)
            took = time.monotonic() - stages["started"]
            await paid
            await service.close()
            return took

    assert asyncio.run(play()) >= 0.995


def test_a_token_that_ends_while_its_question_waits_spends_nothing(tmp_path):
    async def play():
        with served(tmp_path, "600ms") as (service, secrets):
            alice, bob = [await session(service, secrets[name]) for name in ("alice", "bob")]
            stages = asyncio.Queue()
            first = asyncio.create_task(alice.ask(COUNT, EPSILON, stages.put_nowait))
            while await stages.get() != "charged":
                pass
            waiting = asyncio.create_task(bob.ask(BY_REGION, EPSILON))
            await asyncio.sleep(0.2)
            service.populations["clinic"].tokens.revoke("bob")
            with pytest.raises(Refused, match="token-ended"):
                await waiting
            await first
            spent = service.populations["clinic"].curator.budget().spent.epsilon
            await service.close()
            return spent

    assert asyncio.run(play()) == 0.5
