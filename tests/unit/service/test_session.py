"""What a session does, and when: on the population's schedule, within the person's role and limits."""

import asyncio
import hmac
import itertools
import threading
import time
from types import SimpleNamespace

import pytest

from deniable.core.errors import Failed, Refused
from deniable.curator import create
from deniable.releases import Workload
from deniable.service.custodian.custody import Custody
from deniable.service.entrance import Denied, Entrance
from deniable.service.limits import ServerLimits
from deniable.service.metrics import Metrics
from deniable.service.schedule import Schedule
from deniable.service.service import Service
from deniable.service.session import Session
from deniable.service.tokens import Role, TokenFile
from tests.support.ledgers import FilePlace
from tests.support.served import BY_REGION, COUNT, Paced, served, session, write_rows

EPSILON = {"epsilon": "0.5"}
now = time.monotonic


async def timed(work):
    """When it was done, from now; and what it returned or raised."""
    start = time.monotonic()
    try:
        found = await work
    except (Refused, Failed, Denied) as error:
        found = error
    return time.monotonic() - start, found


def test_answers_leave_at_the_deadline_however_long_they_took(tmp_path):
    """Never sooner; how soon after it is measured by benchmarks, because here others may be using the processor."""
    paces = itertools.cycle([0.0, 0.05, 0.2, 0.3])

    async def play():
        with served(tmp_path, "600ms", lambda: next(paces)) as (service, secrets):
            alice = await session(service, secrets["alice"])
            took = []
            for age in range(5):
                stages = {}
                await alice.ask(
                    f"{COUNT} WHERE age < {age}", EPSILON, lambda stage, at=stages: at.update({stage: now()})
                )
                took.append(now() - stages["started"])
            late = service.metrics.value("late", population="clinic")
            await service.close()
            return took, late

    took, late = asyncio.run(play())
    assert all(each >= 0.595 for each in took), took
    assert late == sum(each > 0.9 for each in took)
    assert min(took) < 0.9


def test_what_is_late_leaves_at_the_next_multiple_and_is_counted(tmp_path):
    async def play():
        with served(tmp_path, "300ms", lambda: 0.35) as (service, secrets):
            alice = await session(service, secrets["alice"])
            stages = {}
            await alice.ask(COUNT, EPSILON, lambda stage: stages.update({stage: now()}))
            took = now() - stages["started"]
            late = service.metrics.value("late", population="clinic")
            await service.close()
            return took, late

    took, late = asyncio.run(play())
    assert took >= 0.595
    assert late == 1


def test_failures_leave_on_the_same_schedule_and_say_nothing(tmp_path):
    def broken():
        raise ValueError("a row says 42")

    async def play():
        with served(tmp_path, "1500ms", broken) as (service, secrets):
            alice = await session(service, secrets["alice"])
            stages = {}
            _, error = await timed(alice.ask(COUNT, EPSILON, lambda stage: stages.setdefault(stage, now())))
            took = now() - stages["started"]
            spent = (await alice.budget()).spent.epsilon
            await service.close()
            return took, error, spent

    took, error, spent = asyncio.run(play())
    assert isinstance(error, Failed)
    assert "42" not in str(error)
    assert error.__context__ is None or error.__suppress_context__
    assert took >= 1.499
    assert spent == 0.5


def test_prices_refusals_and_recorded_answers_leave_at_once(tmp_path):
    async def play():
        with served(tmp_path, "2s") as (service, secrets):
            alice, bob = [await session(service, secrets[name]) for name in ("alice", "bob")]
            await alice.explain(COUNT, EPSILON)
            took = [await timed(alice.explain(COUNT, EPSILON)), await timed(alice.ask("SELECT age FROM visits", {}))]
            first = await alice.ask(COUNT, EPSILON)
            took += [await timed(alice.ask("select count( * ) AS n from visits", EPSILON))]
            await alice.ask(COUNT, EPSILON)  # in these words, which are remembered
            took += [await timed(bob.ask(COUNT, EPSILON))]
            shares = [(await one.budget()).spent.epsilon for one in (alice, bob)]
            whole = service.populations["clinic"].curator.budget().spent.epsilon
            await service.close()
            return took, first, shares, whole

    took, first, shares, whole = asyncio.run(play())
    assert all(each < 1.5 for each, _ in took), [each for each, _ in took]
    assert took[1][1].code == "not-grouped"
    assert took[2][1].table == took[3][1].table == first.table
    assert took[2][1].free
    assert shares == [0.5, 0.5]
    assert whole == 0.5


@pytest.mark.parametrize("places", [1, 2])
def test_the_same_question_by_another_waits_for_the_deadline_of_who_paid(tmp_path, places):
    async def play():
        with served(tmp_path, "400ms", lambda: 0.05, places=places) as (service, secrets):
            alice, bob = [await session(service, secrets[name]) for name in ("alice", "bob")]
            start = time.monotonic()
            paid = asyncio.create_task(alice.ask(COUNT, EPSILON))
            await asyncio.sleep(0.2)
            shown = await bob.ask(COUNT, EPSILON)
            took = time.monotonic() - start
            first = await paid
            await service.close()
            return took, first, shown

    took, first, shown = asyncio.run(play())
    assert took >= 0.4
    assert first.table == shown.table


@pytest.mark.parametrize("pace", [0.0, 0.4])
def test_whoever_waits_for_a_place_learns_nothing_of_how_long_the_other_ran(tmp_path, pace):
    async def play():
        with served(tmp_path, "800ms", lambda: pace) as (service, secrets):
            alice, bob = [await session(service, secrets[name]) for name in ("alice", "bob")]
            stages = {}
            first = asyncio.create_task(alice.ask(COUNT, EPSILON, lambda stage: stages.setdefault(stage, now())))
            await asyncio.sleep(0.1)
            began = []
            second = asyncio.create_task(bob.ask(BY_REGION, EPSILON, lambda _stage: began.append(now())))
            await first
            await second
            await service.close()
            return began[0] - stages["started"]

    assert 0.795 < asyncio.run(play()) < 1.5


def test_one_slot_each_and_a_limit_on_waiting(tmp_path):
    async def play():
        with served(tmp_path, "200ms", limits=ServerLimits(waiting=2), places=4) as (service, secrets):
            alice = await session(service, secrets["alice"])
            start = time.monotonic()
            asked = [timed(alice.ask(f"{COUNT} WHERE age < {age}", EPSILON)) for age in range(5)]
            found = await asyncio.gather(*asked)
            took = time.monotonic() - start
            await service.close()
            return took, found

    took, found = asyncio.run(play())
    refused = [one.code for _, one in found if isinstance(one, Refused)]
    assert refused == ["too-busy"] * 2
    assert took >= 0.6


def test_too_many_requests_are_refused_and_refusals_count_too(tmp_path):
    async def play():
        with served(tmp_path, limits=ServerLimits(per_second=0.001, burst=3)) as (service, secrets):
            alice, bob = [await session(service, secrets[name]) for name in ("alice", "bob")]
            codes = [(await timed(alice.explain("SELECT (", EPSILON)))[1].code for _ in range(4)]
            other = await timed(bob.explain(COUNT, EPSILON))
            await service.close()
            return codes, other[1]

    codes, other = asyncio.run(play())
    assert codes == ["syntax", "syntax", "syntax", "too-busy"]
    assert not isinstance(other, Refused)


def test_who_stops_waiting_has_paid_and_the_retry_is_free(tmp_path):
    async def play():
        with served(tmp_path, "300ms", lambda: 0.1) as (service, secrets):
            alice = await session(service, secrets["alice"])
            stages = []
            waiting = asyncio.create_task(alice.ask(COUNT, EPSILON, stages.append))
            await asyncio.sleep(0.1)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            answer = await alice.ask(COUNT, EPSILON)
            spent = (await alice.budget()).spent.epsilon
            await service.close()
            return stages, answer, spent

    stages, answer, spent = asyncio.run(play())
    assert stages == ["started", "charged"]
    assert answer.free
    assert spent == 0.5


def test_who_stops_waiting_before_the_turn_has_paid_nothing(tmp_path):
    async def play():
        with served(tmp_path, "200ms") as (service, secrets):
            alice = await session(service, secrets["alice"])
            first = asyncio.create_task(alice.ask(COUNT, EPSILON))
            await asyncio.sleep(0.05)
            second = asyncio.create_task(alice.ask(BY_REGION, EPSILON))
            await asyncio.sleep(0.05)
            second.cancel()
            await first
            await asyncio.sleep(0.3)
            spent = (await alice.budget()).spent.epsilon
            await service.close()
            return spent

    assert asyncio.run(play()) == 0.5


def test_the_usual_spend_of_the_policy(tmp_path):
    async def play():
        with served(tmp_path, "1ms") as (service, secrets):
            alice, bob = [await session(service, secrets[name]) for name in ("alice", "bob")]
            usual, said = [(await alice.explain(COUNT, spending)).loss.epsilon for spending in ({}, {"epsilon": 2})]
            _, none = await timed(bob.explain(COUNT, {}))
            await service.close()
            return usual, said, none

    usual, said, none = asyncio.run(play())
    assert (usual, said) == (0.5, 2)
    assert none.code == "bad-spend"
    assert "per_question" in none.hint


def test_roles_see_what_is_theirs(tmp_path):
    async def play():
        with served(tmp_path, "1ms") as (service, secrets):
            people = {name: await session(service, secret) for name, secret in secrets.items()}
            await people["alice"].ask(COUNT, EPSILON)
            await people["bob"].ask(BY_REGION, EPSILON)
            seen = {name: [line.question for line in await one.history()] for name, one in people.items()}
            accounts = {name: len(await one.budgets()) for name, one in people.items()}
            asked = [await timed(people[name].ask(COUNT, EPSILON)) for name in ("carol", "rene")]
            checked = [await timed(Custody(people[name]).verify()) for name in people]
            await service.close()
            return seen, accounts, asked, checked

    seen, accounts, asked, checked = asyncio.run(play())
    both = [COUNT, BY_REGION]
    assert seen == {"alice": [COUNT], "bob": [BY_REGION], "carol": both, "rene": both}
    assert accounts == {"alice": 1, "bob": 1, "carol": 3, "rene": 3}
    assert [one.code for _, one in asked] == ["wrong-role", "wrong-role"]
    assert [isinstance(one, Refused) for _, one in checked] == [True, True, False, False]


def test_a_revoked_token_ends_a_session_that_is_open(tmp_path):
    async def play():
        with served(tmp_path) as (service, secrets):
            alice = await session(service, secrets["alice"])
            await alice.explain(COUNT, EPSILON)
            service.populations["clinic"].tokens.revoke("alice")
            error = await timed(alice.explain(COUNT, EPSILON))
            await service.close()
            return error[1].code

    assert asyncio.run(play()) == "token-ended"


def test_a_token_that_is_revoked_while_its_owner_waits_is_shown_nothing_and_pays_nothing(tmp_path):
    """Another has paid for the answer, and it would be shown, for a share, when its deadline has come."""

    async def play():
        with served(tmp_path, "700ms") as (service, secrets):
            alice, bob = [await session(service, secrets[name]) for name in ("alice", "bob")]
            charged = asyncio.Event()
            first = asyncio.create_task(alice.ask(COUNT, EPSILON, lambda stage: stage == "charged" and charged.set()))
            await charged.wait()
            second = asyncio.create_task(timed(bob.ask(COUNT, EPSILON)))
            await asyncio.sleep(0.1)
            service.populations["clinic"].tokens.revoke("bob")
            await first
            _, error = await second
            spent = service.populations["clinic"].curator.budget("bob").spent.epsilon
            await service.close()
            return error, spent

    error, spent = asyncio.run(play())
    assert error.code == "token-ended"
    assert spent == 0


def test_what_is_made_of_an_answer_is_made_in_a_thread_before_its_deadline(tmp_path, monkeypatch):
    """Of a new one, of a recorded one, of a batch and of a release: then there is nothing to do but to send it."""
    seen, deadline = [], Schedule._deadline

    async def noted(schedule, start):
        seen.append("deadline")
        await deadline(schedule, start)

    def made(found):
        seen.append("made")
        assert threading.current_thread() is not threading.main_thread()
        return found

    monkeypatch.setattr(Schedule, "_deadline", noted)

    async def play():
        with served(tmp_path, "50ms") as (service, secrets):
            alice = await session(service, secrets["alice"])
            answer = await alice.asked(COUNT, EPSILON, made)
            await alice.asked(COUNT, EPSILON, made)
            await alice.asked("SELECT city FROM hospitals", {}, made)
            await alice.asked_all([COUNT, BY_REGION], EPSILON, made)
            await alice.released(Workload.histogram("age // 10"), EPSILON, made)
            await service.close()
            return answer

    assert asyncio.run(play()).table.num_rows == 1
    assert seen == ["made", "deadline", "made", "made", "made", "deadline", "made", "deadline"]


def test_every_failure_to_come_in_has_the_same_words_and_takes_the_same_time(tmp_path):
    async def play():
        with served(tmp_path) as (service, secrets):
            tries = ["", "deniable_" + "a" * 43, secrets["alice"][:-1], secrets["alice"].upper(), "x" * 100_000]
            found = [await timed(service.entrance.by_token(secret, "test")) for secret in tries]
            await service.close()
            return found, service.metrics.value("logins_failed")

    found, counted = asyncio.run(play())
    assert {str(error) for _, error in found} == {"No such analyst, population or password."}
    assert all(0.5 <= took < 1.5 for took, _ in found)
    assert counted == len(found)


@pytest.mark.parametrize("population", ["clinic", "bank", "nowhere"])
@pytest.mark.parametrize("name", ["alice", "nobody"])
def test_whichever_population_is_named_the_same_is_looked_up(tmp_path, monkeypatch, population, name):
    files = {one: TokenFile(tmp_path / one, one) for one in ("clinic", "bank")}
    for file in files.values():
        file.create("alice", Role.ANALYST)
    populations = {one: SimpleNamespace(tokens=file) for one, file in files.items()}
    entrance, looked_up, find = Entrance(populations, Metrics()), [], hmac.digest
    monkeypatch.setattr(hmac, "digest", lambda *given: looked_up.append(given[0]) or find(*given))
    assert len(entrance.challenge(population, name).salt) == 16
    assert len(looked_up) == 3
    assert len(set(looked_up)) == 2


def test_a_batch_and_a_release_leave_on_schedule(tmp_path):
    async def play():
        with served(tmp_path, "300ms") as (service, secrets):
            alice = await session(service, secrets["alice"])
            took = await timed(alice.asked_all([COUNT, BY_REGION], {"epsilon": 1}, list))
            await service.close()
            return took

    took, answers = asyncio.run(play())
    assert took >= 0.3
    assert [answer.table.num_rows for answer in answers] == [1, 3]


def test_what_another_process_has_paid_for_is_not_shown_before_its_deadline(tmp_path):
    """All that a server knows of it, after a restart or beside another, is what the ledger says."""

    async def play():
        with served(tmp_path, "1s") as (service, secrets):
            alice = await session(service, secrets["alice"])
            curator = service.populations["clinic"].curator
            charged = time.time()
            await asyncio.to_thread(curator.ask, COUNT, analyst="bob", epsilon="0.5")
            first = await alice.ask(COUNT, EPSILON)
            took = time.time() - charged
            again = await timed(alice.ask(COUNT, EPSILON))
            await service.close()
            return took, first, again

    took, first, again = asyncio.run(play())
    assert first.share
    assert took >= 1
    assert again[0] < 0.8


def test_a_batch_that_another_process_has_paid_for_waits_as_well(tmp_path):
    async def play():
        with served(tmp_path, "1s") as (service, secrets):
            alice = await session(service, secrets["alice"])
            curator = service.populations["clinic"].curator
            charged = time.time()
            await asyncio.to_thread(curator.ask_all, [COUNT, BY_REGION], analyst="bob", epsilon="0.5")
            await alice.asked_all([COUNT, BY_REGION], EPSILON, list)
            took = time.time() - charged
            again = await timed(alice.asked_all([COUNT, BY_REGION], EPSILON, list))
            await service.close()
            return took, again

    took, again = asyncio.run(play())
    assert took >= 1
    assert again[0] < 0.8


def test_public_tables_are_answered_at_once_and_for_nothing(tmp_path):
    async def play():
        with served(tmp_path, "30s") as (service, secrets):
            alice = await session(service, secrets["alice"])
            took, answer = await timed(alice.ask("SELECT city FROM hospitals WHERE hospital = 2", {}))
            spent = (await alice.budget()).spent.epsilon
            await service.close()
            return took, answer, spent

    took, answer, spent = asyncio.run(play())
    assert answer.table["city"].to_pylist() == ["Basel"]
    assert took < 25
    assert spent == 0


def test_a_statement_around_a_question_is_described_for_nothing_charged_once_and_then_free(tmp_path):
    wrapped = f"WITH q AS ({BY_REGION}) SELECT region, n * 2 AS m, RANK() OVER (ORDER BY n) AS place FROM q"

    async def play():
        with served(tmp_path, "100ms", lambda: 0.0) as (service, secrets):
            alice = await session(service, secrets["alice"])
            described = await alice.describe(wrapped, EPSILON)
            before = len(await alice.history())
            first = await alice.ask(wrapped, EPSILON)
            again = await alice.ask(wrapped, EPSILON)
            other = await alice.ask(f"SELECT MAX(n) AS top FROM ({BY_REGION}) q", EPSILON)
            history = await alice.history()
            await service.close()
            return described, before, first, again, other, history

    described, before, first, again, other, history = asyncio.run(play())
    assert [(one.name, one.kind.value, one.noisy) for one in described] == [
        ("region", "text", False),
        ("m", "integer", True),
        ("place", "integer", False),
    ]
    assert first.table.column_names == [one.name for one in described]
    assert (before, len(history)) == (0, 1)
    assert (first.free, again.free, other.free) == (False, True, True)
    assert history[0].question == wrapped
    assert again.table.equals(first.table)


def test_what_only_one_analyst_was_shown_of_the_profile_stays_with_that_one(tmp_path):
    """Notes beside an answer quote the profile. Whoever asks in the same words gets those of their own, or none."""

    async def play():
        with served(tmp_path, "0s", None) as (service, secrets):
            alice, bob = [await session(service, secrets[name]) for name in ("alice", "bob")]
            service.populations["clinic"].curator.profile(analyst="alice", rho=5)
            first = await bob.ask(COUNT, EPSILON)
            for one in (bob, alice, bob, alice):
                found = await one.ask(COUNT, EPSILON)
                yield one.who, found.table == first.table, [note for note in found.notes if "profile" in note]
            await service.close()

    async def all_of_it():
        return [seen async for seen in play()]

    for who, same, notes in asyncio.run(all_of_it()):
        assert same
        assert bool(notes) == (who == "alice"), (who, notes)


def test_what_one_analyst_remembers_another_pays_for(tmp_path):
    """What was made of a recorded answer is kept for all; whether somebody may see it, the ledger says each time."""

    async def play():
        with served(tmp_path, "0s", None) as (service, secrets):
            alice, bob = [await session(service, secrets[name]) for name in ("alice", "bob")]
            found = [await one.ask(BY_REGION, EPSILON) for one in (alice, alice, bob, bob, alice)]
            spent = [(await one.budget()).spent.epsilon for one in (alice, bob)]
            whole = service.populations["clinic"].curator.budget().spent.epsilon
            await service.close()
            return found, spent, whole

    found, spent, whole = asyncio.run(play())
    assert [(one.free, one.share) for one in found] == [(False, False), (True, False), (False, True)] + 2 * [
        (True, False)
    ]
    assert all(one.table == found[0].table and one.intervals == found[0].intervals for one in found)
    assert found[1] is found[3] is found[4], "it is worked out once"
    assert (spent, whole) == ([0.5, 0.5], 0.5)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ("UPDATE entries SET payload = x'00' WHERE kind = 'answered'", "ledger-edited"),
        ("UPDATE entries SET body = body || ' ' WHERE kind = 'charged'", "ledger-edited"),
        ("DELETE FROM entries WHERE kind = 'answered'", "ledger-rolled-back"),
    ],
)
def test_a_repeat_that_was_seen_is_still_read_in_the_ledger(tmp_path, change, code):
    """An answer that is remembered is not shown from memory alone: an entry that was changed since is noticed."""
    write_rows(tmp_path)
    policy = tmp_path / "clinic.toml"
    policy.write_text(_CLINIC)
    create(policy).close()

    async def play():
        service = await Service.open([policy])
        try:
            token, _ = service.populations["clinic"].tokens.create("alice", Role.ANALYST)
            alice = await session(service, token)
            seen = [await alice.ask(COUNT, EPSILON) for _ in range(3)]
            FilePlace(tmp_path / "clinic.ledger").by_hand(change)
            return seen, (await timed(alice.ask(COUNT, EPSILON)))[1]
        finally:
            await service.close()

    seen, refused = asyncio.run(play())
    assert [one.free for one in seen] == [False, True, True]
    assert isinstance(refused, Refused)
    assert refused.code == code


def test_rows_of_public_tables_around_an_answer_are_those_of_today(tmp_path):
    """Even where the values of each column stay the same, so that the question is planned as before."""
    around = f"SELECT h.city FROM ({COUNT}) AS t JOIN hospitals AS h ON h.hospital = 1 WHERE t.n IS NOT NULL"

    async def play():
        with served(tmp_path, "0s", None) as (service, secrets):
            alice = await session(service, secrets["alice"])
            found = [await alice.ask(around, EPSILON) for _ in range(2)]
            (tmp_path / "hospitals.csv").write_text("hospital,city\n1,Chur\n2,Basel\n3,Bern\n")
            found.append(await alice.ask(around, EPSILON))
            await service.close()
            return found

    found = asyncio.run(play())
    assert [one.table["city"].to_pylist() for one in found] == [["Bern"], ["Bern"], ["Chur"]]
    assert [one.free for one in found] == [False, True, True]


_CLINIC = """
[population]
name = "clinic"
[budget]
epsilon = 10
[serve]
release_after = "0s"
[tables.visits]
source = "visits.parquet"
unit = "patient"
contribution = 2
[tables.visits.columns]
patient = { type = "integer" }
"""


def until(settled):
    while not settled():
        time.sleep(0.02)


def test_a_price_that_follows_from_the_profile_has_the_deadline_of_who_paid(tmp_path):
    """What the ledger calls the question depends on the profile, too: so does whose deadline is waited for."""
    mean = "SELECT AVG(cost) AS m FROM visits"
    spend = {"accuracy": "30"}

    async def play():
        with served(tmp_path, "1500ms", None) as (service, secrets):
            alice, bob = [await session(service, secrets[name]) for name in ("alice", "bob")]
            curator = service.populations["clinic"].curator
            for name in ("alice", "bob"):
                profile = curator.profile(analyst=name, rho=5)
                await asyncio.to_thread(until, lambda release=profile.release: curator.may_show(release))
            start, charged = now(), asyncio.Event()
            paid = asyncio.create_task(alice.ask(mean, spend, lambda stage: stage == "charged" and charged.set()))
            await asyncio.wait([paid, asyncio.create_task(charged.wait())], return_when=asyncio.FIRST_COMPLETED)
            shown = await bob.ask(mean, spend)
            took = now() - start
            first = await paid
            await service.close()
            return took, first, shown

    took, first, shown = asyncio.run(play())
    assert first.table == shown.table
    assert took >= 1.495


def test_an_analysts_history_does_not_count_what_others_were_answered(tmp_path):
    """Places in the ledger would: the answer of a question that ran for longer comes after a charge, not before."""

    async def numbers(place, pace):
        with served(place, "700ms", pace, places=2) as (service, secrets):
            alice, bob = [await session(service, secrets[name]) for name in ("alice", "bob")]
            slow = asyncio.create_task(alice.ask(COUNT, EPSILON))
            await asyncio.sleep(0.35)
            await bob.ask(BY_REGION, EPSILON)
            await slow
            await bob.ask(f"{COUNT} WHERE age < 3", EPSILON)
            mine = [line.entry for line in await bob.history()]
            later = [line.entry for line in await bob.history(after=1)]
            await service.close()
            return mine, later

    for name, pace in (("quick", lambda: 0.0), ("slow", lambda: 0.6)):
        (tmp_path / name).mkdir()
        assert asyncio.run(numbers(tmp_path / name, pace)) == ([1, 2], [2])


def test_where_it_takes_a_look_at_rows_to_know_the_data_repeats_wait_too(tmp_path, monkeypatch):
    """On a database, a version is a pass over the table: how long that takes is longer with a person of many rows."""
    monkeypatch.setattr(Paced, "looks", True, raising=False)
    monkeypatch.setattr(Paced, "version", lambda *_: time.sleep(next(passes)) or "one state", raising=False)
    passes = itertools.cycle([0.0, 0.05, 0.1])

    async def play():
        with served(tmp_path, "700ms") as (service, secrets):
            alice = await session(service, secrets["alice"])
            await alice.ask(COUNT, EPSILON)
            took = [await timed(alice.ask(COUNT, EPSILON)) for _ in range(3)]
            await service.close()
            return took

    for seconds, answer in asyncio.run(play()):
        assert answer.free
        assert seconds >= 0.695


def test_there_repeats_of_a_batch_wait_as_well(tmp_path, monkeypatch):
    monkeypatch.setattr(Paced, "looks", True, raising=False)

    async def play():
        with served(tmp_path, "700ms") as (service, secrets):
            alice = await session(service, secrets["alice"])
            await alice.asked_all([COUNT, BY_REGION], EPSILON, list)
            took = await timed(alice.asked_all([COUNT, BY_REGION], EPSILON, list))
            await service.close()
            return took

    seconds, answers = asyncio.run(play())
    assert answers[0].free
    assert seconds >= 0.695


def test_there_a_refusal_that_comes_after_the_look_waits_as_well(tmp_path, monkeypatch):
    """What an account has no room for is refused when the question has its name, and so after a pass over the table."""
    monkeypatch.setattr(Paced, "looks", True, raising=False)

    async def play():
        with served(tmp_path, "700ms") as (service, secrets):
            alice = await session(service, secrets["alice"])
            stages = []
            took = await timed(alice.ask(COUNT, {"epsilon": "600"}, stages.append))
            await service.close()
            return took, stages

    (seconds, refusal), stages = asyncio.run(play())
    assert refusal.code == "over-budget"
    assert stages == ["started"]
    assert seconds >= 1.395  # a look for what is recorded, and one before the charge


def test_there_nobody_learns_from_the_next_request_when_a_look_was_over(tmp_path, monkeypatch):
    """One person's lookups wait for each other, and for a deadline; their prices wait for neither."""
    looks, priced = [], threading.Event()
    priced.set()

    def version(*_):
        looks.append(now())  # before the wait, which is as long as a price takes on this machine
        assert priced.wait(30)
        return "one state"

    monkeypatch.setattr(Paced, "looks", True, raising=False)
    monkeypatch.setattr(Paced, "version", version, raising=False)

    async def play():
        with served(tmp_path, "700ms", limits=ServerLimits(at_once=1)) as (service, secrets):
            alice = await session(service, secrets["alice"])
            await alice.ask(COUNT, EPSILON)
            looks.clear()
            priced.clear()
            repeats = [asyncio.create_task(alice.ask(COUNT, EPSILON)) for _ in range(2)]
            await asyncio.sleep(0)
            await alice.explain(COUNT, EPSILON)
            priced.set()
            await asyncio.gather(*repeats)
            await service.close()

    asyncio.run(play())
    first, second = looks
    assert second - first >= 0.6


def test_nobody_sees_before_its_deadline_that_there_is_an_answer(tmp_path):
    async def play():
        with served(tmp_path, "1s") as (service, secrets):
            alice, bob = [await session(service, secrets[name]) for name in ("alice", "bob")]
            stages = asyncio.Queue()
            asked = asyncio.create_task(alice.ask(COUNT, {"epsilon": "1"}, stages.put_nowait))
            while await stages.get() != "charged":
                pass
            charges = await alice.history()
            opened = asyncio.create_task(alice.reopened(charges[0].entry))
            early = []
            ledger = service.populations["clinic"].curator.ledger
            while not asked.done():
                there = ledger.find(ledger.history()[1].question) is not None
                seen = await alice.has_seen(COUNT, {"epsilon": "1"})
                if not asked.done():
                    early.append((there, seen, opened.done()))
                await asyncio.sleep(0.05)
            *_, answer = await opened
            late = [await who.has_seen(COUNT, {"epsilon": "1"}) for who in (alice, bob)]
            same = answer.table == (await asked).table
            with pytest.raises(Refused, match="unknown-entry"):
                await bob.reopened(charges[0].entry)
            await service.close()
            return early, late, same, answer.free

    early, late, same, free = asyncio.run(play())
    assert any(there for there, *_ in early)
    assert not any(seen or opened for _, seen, opened in early)
    assert late == [True, False]
    assert same
    assert free


@pytest.mark.parametrize(
    ("sql", "payment"),
    [
        (COUNT, {"epsilon": "0.25"}),
        (COUNT, {"rho": "0.01"}),
        (COUNT, {"accuracy": "20"}),
        ("SELECT reason, COUNT(*) AS n FROM visits GROUP BY reason", {"rho": "0.003", "delta": "1e-9"}),
        ("SELECT reason, COUNT(*) AS n FROM visits GROUP BY reason", {"epsilon": "0.7", "delta": "1e-9"}),
        ("SELECT region, MEDIAN(age) AS a FROM visits GROUP BY region", {"epsilon": "1"}),
    ],
)
def test_what_was_paid_in_whatever_way_is_opened_again_for_free(tmp_path, sql, payment):
    async def play():
        with served(tmp_path, "1ms", None) as (service, secrets):
            alice = await session(service, secrets["alice"])
            answer = await alice.ask(sql, payment)
            (charge,) = await alice.history()
            *_, again = await alice.reopened(charge.entry)
            many = len(await alice.history())
            await service.close()
            return answer.table, again.table, many

    first, again, many = asyncio.run(play())
    assert first == again
    assert many == 1


def test_to_open_a_question_again_never_charges_a_share_that_came_later(tmp_path):
    write_rows(tmp_path)
    path = tmp_path / "clinic.toml"
    text = (
        '[population]\nname = "clinic"\n[budget]\nepsilon = 10.0\n[serve]\nrelease_after = "1ms"\n'
        '[tables.visits]\nsource = "visits.parquet"\nunit = "patient"\ncontribution = 2\n'
        '[tables.visits.columns]\npatient = { type = "integer" }\n'
    )
    path.write_text(text)
    create(path).close()

    async def play():
        service = await Service.open([path])
        population = service.populations["clinic"]
        alice = Session(population, population.tokens.create("alice", Role.ANALYST)[1])
        await alice.ask(COUNT, {"epsilon": "1"})
        (charge,) = await alice.history()
        *_, before = await alice.reopened(charge.entry)
        await population.amend(f"{text}[analysts.alice]\nepsilon = 5.0\n", "shares from now on")
        *_, after = await alice.reopened(charge.entry)
        spent = (await alice.budget()).spent.epsilon
        await service.close()
        return before is not None, after, spent

    assert asyncio.run(play()) == (True, None, 0)


def test_long_texts_are_not_remembered_however_many_there_are(tmp_path):
    """A question that is refused costs nothing, and people choose what is in it."""

    async def play():
        with served(tmp_path) as (service, secrets):
            bob = await session(service, secrets["bob"])
            for turn in range(5):
                await timed(bob.ask(f"{COUNT} /* {turn} {'x' * 50_000} */", {}))  # does not say what to spend
            await timed(bob.ask(COUNT, {}))
            kept = [sql for sql, _ in service.populations["clinic"].curator._priced._known]
            await service.close()
            return kept

    assert asyncio.run(play()) == [COUNT]
