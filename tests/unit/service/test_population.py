"""A policy that is changed while it is served: what was charged is answered, what was not is refused, uncharged."""

import asyncio

import pytest

from deniable.core.errors import Refused
from deniable.curator import create
from deniable.policy import InvalidPolicyError
from deniable.service.service import Service
from deniable.service.session import Session
from deniable.service.tokens import Role
from tests.support.served import COUNT, write_rows

POLICY = """\
[population]
name = "clinic"

[budget]
epsilon = 10.0

[tables.visits]
source = "visits.parquet"
unit = "patient"
contribution = 2

[tables.visits.columns]
patient = { type = "integer" }
age     = { type = "integer", bounds = [0, 110] }

[analysts.alice]
epsilon = 5.0

[serve]
release_after = "400ms"
"""
CHANGED = POLICY.replace("[0, 110]", "[0, 90]")


@pytest.fixture
def path(tmp_path):
    write_rows(tmp_path)
    file = tmp_path / "clinic.toml"
    file.write_text(POLICY)
    create(file).close()
    return file


def played(path, play):
    """With the population, and a session of alice."""

    async def whole():
        service = await Service.open([path])
        population = service.populations["clinic"]
        _, token = population.tokens.create("alice", Role.ANALYST)
        try:
            return await play(population, Session(population, token))
        finally:
            await service.close()

    return asyncio.run(whole())


def test_a_question_that_was_charged_before_the_change_is_answered_after_it(path):
    async def play(population, alice):
        stages = asyncio.Queue()
        asked = asyncio.create_task(alice.ask(COUNT, {"epsilon": "1"}, stages.put_nowait))
        while await stages.get() != "charged":
            pass
        words = await population.amend(CHANGED, "nobody is older")
        answer = await asked
        again = await alice.ask(COUNT, {"epsilon": "1"})
        return words, answer, again, population.curator

    words, answer, again, curator = played(path, play)
    assert any("bounds" in one for one in words)
    assert answer.table == again.table
    assert again.free
    assert curator.policy.tables["visits"].columns["age"].high == 90
    assert path.read_text() == CHANGED


def test_a_question_that_was_priced_by_the_old_policy_is_refused_uncharged(path):
    async def play(population, _alice):
        old = population.curator
        await population.amend(CHANGED, "nobody is older")
        with pytest.raises(Refused) as refused:
            old.ask("SELECT SUM(age) AS s FROM visits", epsilon=1, analyst="alice")
        return refused.value.code, population.curator.budget().spent.epsilon

    assert played(path, play) == ("policy-changed", 0)


def test_a_change_that_is_refused_leaves_file_ledger_and_server_as_they_were(path):
    async def play(population, alice):
        before = population.curator
        for text, reason, kind in (
            (POLICY.replace("epsilon = 10.0", "epsilon = 11.0"), "more", Refused),
            (POLICY.replace("contribution = 2", "contribution = -2"), "a slip", InvalidPolicyError),
            (POLICY.replace("age     =", "nobody  ="), "a column that no file has", InvalidPolicyError),
        ):
            with pytest.raises(kind):
                await population.amend(text, reason)
            assert path.read_text() == POLICY
        assert population.curator is before
        answer = await alice.ask(COUNT, {"epsilon": "1"})
        return answer.table.num_rows, [entry.kind for entry in population.curator.history()]

    assert played(path, play) == (1, ["created", "charged", "answered"])


def test_what_is_retired_is_let_go_when_nothing_runs_by_it(path):
    async def play(population, _alice):
        old = population.curator
        await population.amend(CHANGED, "nobody is older")
        assert [one is old for one in population._retired] == [True]
        population._let_go(old)
        return population._retired, population.curator.budget().spent.epsilon

    assert played(path, play) == ([], 0)
