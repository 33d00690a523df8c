from __future__ import annotations

import gc
import json
import logging
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable.accounting import Filter
from deniable.core.cap import Cap
from deniable.core.errors import Failed, InvalidArgumentError, Refused
from deniable.core.loss import Loss
from deniable.core.paid import Paid
from deniable.ledger import Charge, Ledger, Ticket
from deniable.ledger import clock as ledger_clock
from deniable.ledger.entries.entry import Link
from deniable.ledger.storage.anchor import Anchor
from deniable.ledger.storage.database import Connection, DatabaseError
from deniable.policy import Account
from tests.support.ledgers import FilePlace, Place, ServerPlace
from tests.unit.ledger.asking import account, ask, charge


@pytest.fixture
def ledger(place: Place) -> Iterator[Ledger]:
    ledger = Ledger.create(place.url, "clinic")
    yield ledger
    ledger.close()


def test_a_charge_is_on_disk_when_it_returns_and_an_answer_when_it_is_recorded(ledger: Ledger, place: Place) -> None:
    ticket = ledger.charge(charge("q"), [account(1)])
    with_another_eye = Ledger.open(place.url, "clinic")
    assert with_another_eye.spent("clinic").epsilon == Fraction(1, 10)
    assert with_another_eye.find("q") is None
    ledger.record(ticket, b"\x00 noisy")
    assert with_another_eye.find("q") == b"\x00 noisy"


def test_every_account_pays_or_none_does(ledger: Ledger) -> None:
    everyone, alice = account(10), account("0.25", "alice")
    ledger.charge(charge("one", "0.2"), [everyone, alice])
    with pytest.raises(Refused) as refused:
        ledger.charge(charge("two", "0.2"), [everyone, alice])
    assert refused.value.code == "over-budget"
    assert "'alice' has epsilon 0.05 left" in refused.value.reason
    assert ledger.spent("clinic").epsilon == ledger.spent("alice").epsilon == Fraction(1, 5)
    assert ledger.head.sequence == 2
    ledger.charge(charge("two", "0.05"), [everyone, alice])
    assert ledger.spent("alice").epsilon == Fraction(1, 4)


def test_the_last_of_the_budget_can_be_spent_exactly(ledger: Ledger) -> None:
    for number in range(3):
        ledger.charge(charge(f"{number}", "1/3"), [account(1)])
    with pytest.raises(Refused, match="has epsilon 0 left"):
        ledger.charge(charge("more", "1e-300"), [account(1)])


def test_a_question_that_fits_another_branch_is_admitted(ledger: Ledger) -> None:
    roomy = Account("clinic", Cap(1, "1e-6"))
    ledger.charge(charge("laplace", "0.1"), [roomy])
    gaussian = Charge("gaussian", "alice", "", (), Loss.concentrated(Fraction(1, 10**4), None))
    ledger.charge(gaussian, [roomy])
    assert ledger.spent("clinic") == Loss(None, Fraction(51, 10**4), None)
    with pytest.raises(Refused, match=r"has rho 0\.01\d+ left"):
        ledger.charge(charge("too much", "0.9"), [roomy])


def test_someone_has_to_pay() -> None:
    with pytest.raises(InvalidArgumentError, match="accounts"):
        Ledger.memory("clinic").charge(charge("q"), [])


def test_a_ticket_is_good_for_one_answer(ledger: Ledger) -> None:
    ticket = ledger.charge(charge("q"), [account(1)])
    ledger.record(ticket, b"1")
    ledger.record(ticket, b"1")
    with pytest.raises(Refused) as refused:
        ledger.record(ticket, b"2")
    assert refused.value.code == "already-answered"
    assert ledger.find("q") == b"1"
    assert [entry.kind for entry in ledger.history()] == ["created", "charged", "answered"]


def test_a_question_that_was_paid_twice_keeps_its_first_answer(ledger: Ledger, place: Place) -> None:
    first, second = (ledger.charge(charge("q"), [account(1)]) for _ in range(2))
    ledger.record(second, b"first recorded")
    ledger.record(first, b"second recorded")
    assert ledger.find("q") == b"first recorded"
    assert Ledger.open(place.url, "clinic").find("q") == b"first recorded"
    assert ledger.verify() == 5


def test_an_empty_answer_is_an_answer(ledger: Ledger) -> None:
    ask(ledger, "q", answer=b"")
    assert ledger.find("q") == b""


@pytest.mark.parametrize("ticket", [Ticket(1, "q", "0" * 64), Ticket(99, "q", "0" * 64)])
def test_a_made_up_ticket_records_nothing(ledger: Ledger, ticket: Ticket) -> None:
    with pytest.raises(InvalidArgumentError, match="ticket"):
        ledger.record(ticket, b"1")
    assert ledger.head.sequence == 1


def test_a_ticket_of_another_ledger_records_nothing(ledger: Ledger) -> None:
    ticket = Ledger.memory("clinic").charge(charge("q"), [account(1)])
    ledger.charge(charge("q"), [account(1)])
    with pytest.raises(InvalidArgumentError, match="ticket"):
        ledger.record(ticket, b"1")


def test_history_tells_everything_but_the_answer(ledger: Ledger) -> None:
    asked = charge("q")
    ledger.record(ledger.charge(asked, [account(1), account(1, "alice")]), b"secretish")
    created, charged, answered = ledger.history()
    assert (created.kind, created.sequence, created.loss) == ("created", 1, Loss.zero())
    assert (charged.analyst, charged.text, charged.events, charged.question) == (
        "alice",
        "SELECT q",
        asked.events,
        "q",
    )
    assert charged.loss == asked.loss
    assert charged.totals == {"clinic": asked.loss, "alice": asked.loss}
    assert (answered.kind, answered.question, answered.charge) == ("answered", "q", 2)
    assert answered.previous == charged.digest
    assert answered.digest == ledger.head.digest
    assert "secretish" not in repr(ledger.history())


def test_an_export_holds_every_entry_and_the_head(ledger: Ledger, tmp_path: Path) -> None:
    ask(ledger, "q")
    ledger.export(tmp_path / "out.jsonl")
    *entries, head = map(json.loads, (tmp_path / "out.jsonl").read_text().splitlines())
    assert [entry["kind"] for entry in entries] == ["created", "charged", "answered"]
    assert head == {"head": {"sequence": 3, "digest": ledger.head.digest}}


def test_what_an_analyst_writes_comes_back_as_it_was(ledger: Ledger) -> None:
    text = "SELECT 'ü\n\x00 \u2028' \ud800 --"
    ledger.charge(Charge("q", "älice", text, (), Loss.pure(1)), [account(1)])
    assert (ledger.history()[1].text, ledger.history()[1].analyst) == (text, "älice")


def test_the_clock_may_jump(ledger: Ledger, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter(["2031-01-01T00:00:00", "1969-12-31T23:59:59", "2026-06-01T00:00:00", "", "no time at all"])
    with monkeypatch.context() as clock:
        clock.setattr(ledger_clock, "now", lambda: next(times))
        ask(ledger, "one")
        ask(ledger, "two", "0.2", b"2")
    again = Ledger.open(place.url, "clinic")
    assert (again.find("one"), again.find("two")) == (b"42", b"2")
    assert again.spent("clinic").epsilon == Fraction(3, 10)


def test_a_tiny_loss_adds_up_exactly() -> None:
    tiny = Loss.pure("1e-300")
    ledger = Ledger.memory("clinic")
    for number in range(200):
        ledger.charge(charge(f"{number}", "1e-300"), [account(1)])
    assert ledger.spent("clinic") == tiny.times(200)


_LOSSES = st.builds(
    Loss,
    epsilon=st.none() | st.fractions(0, 1),
    rho=st.fractions(0, 1),
    mu_squared=st.none() | st.fractions(0, 1),
    delta=st.just(Fraction(0)),
)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(_LOSSES, st.booleans()), max_size=12))
def test_what_is_spent_is_the_exact_sum_of_what_was_admitted(questions: list[tuple[Loss, bool]]) -> None:
    ledger = Ledger.memory("clinic")
    budget = Filter(Cap(2, "1e-3"))
    everyone, alice = Loss.zero(), Loss.zero()
    for number, (asked, by_alice) in enumerate(questions):
        question = Charge(f"{number}", "alice", "", (), asked)
        loss = question.loss  # its rho and mu squared may have been rounded up; nothing else is
        accounts = [Account("clinic", budget.cap)] + [Account("alice", budget.cap)] * by_alice
        admitted = budget.admits(everyone + loss) and (not by_alice or budget.admits(alice + loss))
        if not admitted:
            with pytest.raises(Refused):
                ledger.charge(question, accounts)
            continue
        ledger.charge(question, accounts)
        everyone = everyone + loss
        alice = alice + loss if by_alice else alice
        assert (ledger.spent("clinic"), ledger.spent("alice")) == (everyone, alice)
    assert ledger.verify() == ledger.head.sequence


def test_many_different_scales_do_not_make_entries_grow() -> None:
    ledger, roomy = Ledger.memory("clinic"), Account("clinic", Cap(10, "1e-6"))
    for scale in range(1_001, 1_201):
        rho = Fraction(1, 2 * scale**2)
        ledger.charge(Charge(f"{scale}", "alice", "", (), Loss.concentrated(rho, 2 * rho)), [roomy])
    exact = sum((Fraction(1, 2 * scale**2) for scale in range(1_001, 1_201)), Fraction(0))
    spent = ledger.spent("clinic")
    assert spent.rho is not None
    assert exact <= spent.rho < exact + Fraction(200, 2**80)
    assert spent.rho.denominator <= 2**80
    assert len(str(exact)) > 1_000 > 10 * len(str(spent.rho))


def test_what_the_database_says_stays_in_the_log(
    ledger: Ledger, place: Place, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_: Connection) -> None:
        raise DatabaseError("secret")

    ticket = ledger.charge(charge("q"), [account(1)])
    monkeypatch.setattr(Connection, "commit", broken)
    with pytest.raises(Refused) as refused, caplog.at_level(logging.ERROR, logger="deniable.curator"):
        ledger.charge(charge("two"), [account(1)])
    assert refused.value.code == "ledger-unavailable"
    assert "secret" not in refused.value.show()
    assert refused.value.__context__ is refused.value.__cause__ is None
    assert "secret" in caplog.text
    with pytest.raises(Failed) as failed, caplog.at_level(logging.ERROR, logger="deniable.curator"):
        ledger.record(ticket, b"1")
    assert failed.value.__context__ is failed.value.__cause__ is None
    monkeypatch.undo()
    assert ledger.spent("clinic").epsilon == Fraction(1, 10)
    assert ledger.find("q") is None
    ledger.record(ticket, b"1")
    assert Ledger.open(place.url, "clinic").verify() == 3


def test_a_commit_that_worked_but_said_otherwise_counts_as_charged(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = Connection.commit

    def liar(connection: Connection) -> None:
        commit(connection)
        raise DatabaseError("disk I/O error")

    monkeypatch.setattr(Connection, "commit", liar)
    with pytest.raises(Failed):
        ledger.charge(charge("q"), [account(1)])
    monkeypatch.undo()
    assert ledger.spent("clinic").epsilon == Fraction(1, 10)


def test_an_outcome_that_cannot_be_looked_up_counts_as_charged(
    ledger: Ledger, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(connection: Connection) -> None:
        place.lose(connection, monkeypatch)
        raise DatabaseError("disk I/O error")

    monkeypatch.setattr(Connection, "commit", broken)
    with pytest.raises(Failed) as failed:
        ledger.charge(charge("q"), [account(1)])
    assert failed.value.__context__ is None


def test_the_same_answer_again_on_a_broken_disk_fails(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise OSError(5, "Input/output error")

    ticket = ledger.charge(charge("q"), [account(1)])
    ledger.record(ticket, b"1")
    monkeypatch.setattr(Anchor, "write", broken)
    with pytest.raises(Failed):
        ledger.record(ticket, b"1")
    assert ledger.find("q") == b"1"


def test_an_anchor_that_cannot_be_written_counts_as_charged(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(Anchor, "write", broken)
    with pytest.raises(Failed):
        ledger.charge(charge("q"), [account(1)])
    monkeypatch.undo()
    assert ledger.spent("clinic").epsilon == Fraction(1, 10)
    ask(ledger, "two")
    assert ledger.verify() == 4


def test_a_closed_ledger_is_closed(ledger: Ledger) -> None:
    ledger.close()
    ledger.close()
    with pytest.raises(Refused) as refused:
        ledger.spent("clinic")
    assert refused.value.code == "ledger-closed"


def test_in_memory_it_is_a_ledger_too() -> None:
    ledger = Ledger.memory("clinic")
    ask(ledger, "q")
    assert (ledger.find("q"), ledger.verify(), repr(ledger)) == (b"42", 3, "<Ledger of 'clinic'>")


def test_an_answer_that_could_not_be_kept_is_not_in_the_log(
    ledger: Ledger, place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    ticket = ledger.charge(charge("q"), [account(1)])
    place.slip(_BREAK[type(place)])
    with pytest.raises(Failed), caplog.at_level(logging.ERROR, logger="deniable.curator"):
        ledger.record(ticket, b"noisy answer")
    assert "broken" in caplog.text
    assert "noisy answer" not in caplog.text


def test_a_forgotten_ledger_lets_go_of_its_file(tmp_path: Path) -> None:
    ask(Ledger.create(f"sqlite:///{tmp_path / 'clinic.ledger'}", "clinic"), "q")
    gc.collect()
    assert not (tmp_path / "clinic.ledger-wal").exists()


# Terms


def _terms(epsilon: str = "1") -> dict[str, object]:
    budget = {"epsilon": epsilon, "delta": "0", "concentrated": "0", "gaussian": "0", "approximate": "0"}
    return {"population": "clinic", "neighbours": "replace", "budget": budget, "analysts": {}, "tables": {}}


def test_terms_that_are_not_those_of_the_ledger_are_not_served() -> None:
    ledger = Ledger.memory("clinic", _terms())
    ledger.require(_terms())
    with pytest.raises(Refused) as refused:
        ledger.require(_terms("2"))
    assert refused.value.code == "policy-changed"


def test_a_charge_under_other_terms_than_those_in_force_is_refused() -> None:
    ledger = Ledger.memory("clinic", _terms())
    now = replace(charge("q"), policy=ledger.policy)
    ledger.record(ledger.charge(now, [account(1)]), b"41")
    ledger.accept(_terms("1/2"), "less")
    for step in (lambda: ledger.charge(replace(now, question="r"), [account(1)]), lambda: ledger.show(now, [_BOB])):
        with pytest.raises(Refused) as refused:
            step()
        assert refused.value.code == "policy-changed"
    assert ledger.spent("clinic").epsilon == Fraction(1, 10)
    assert ledger.spent("bob").epsilon == 0


def test_a_raise_of_what_was_spent_from_must_be_said_to_be_one() -> None:
    ledger = Ledger.memory("clinic", _terms())
    ledger.charge(replace(charge("q"), policy=ledger.policy), [account(1)])
    with pytest.raises(Refused) as refused:
        ledger.accept(_terms("2"), "more", confirmed=True)
    assert refused.value.code == "policy-raised"
    ledger.accept(_terms("2"), "more", raising=True)
    assert len(ledger.raises) == 1


def test_who_is_shown_an_answer_pays_what_it_cost_once(ledger: Ledger) -> None:
    ask(ledger, "q")
    for paid in (Paid.SHARE, Paid.BEFORE):
        assert ledger.show(charge("q"), [account(100), _BOB]) == (b"42", paid)
        assert (ledger.spent("clinic").epsilon, ledger.spent("bob").epsilon) == (Fraction(1, 10), Fraction(1, 10))
    with pytest.raises(Refused):
        ledger.show(charge("q"), [account("0.05", "carol")])


def test_an_older_copy_in_its_place_is_not_opened(ledger: Ledger, place: Place) -> None:
    ask(ledger, "q")
    ask(ledger, "r")
    ledger.close()
    place.by_hand("DELETE FROM entries WHERE sequence > 3", "DELETE FROM places WHERE sequence > 3")
    with pytest.raises(Refused) as refused:
        Ledger.open(place.url, "clinic")
    assert refused.value.code == "ledger-rolled-back"


@pytest.mark.parametrize("forged", ["shown too cheaply", "answer to another question", "a lowered total"])
def test_an_entry_that_does_not_follow_from_those_before_is_not_believed(
    ledger: Ledger, place: Place, forged: str
) -> None:
    """Whoever can write entries with the right digests still cannot make them add up."""
    ask(ledger, "q")
    ticket = ledger.charge(charge("r"), [account(100)])
    cheap = charge("q", "0.001")
    entries = {
        "shown too cheaply": ("shown", cheap.body({"bob": cheap.loss}, ""), None),
        "a lowered total": ("charged", charge("s").body({"clinic": charge("s", "0.01").loss}, ""), None),
        "answer to another question": ("answered", {"charge": ticket.sequence, "question": "s", "written": ""}, b"1"),
    }
    with pytest.raises((Refused, Failed)):
        ledger._chain.append(lambda _, standing: Link.after(standing.head, *entries[forged]))
    with pytest.raises(Refused) as refused:
        Ledger.open(place.url, "clinic")
    assert refused.value.code == "ledger-edited"


def test_nothing_gives_budget_back(ledger: Ledger) -> None:
    ask(ledger, "q")
    with pytest.raises(InvalidArgumentError):
        ledger.charge(replace(charge("r"), loss=Loss(Fraction(-1, 20), None, None)), [account(100)])
    assert ledger.spent("clinic").epsilon == Fraction(1, 10)


_BOB = account("0.5", "bob")
_BREAK = {
    FilePlace: "CREATE TRIGGER broken BEFORE INSERT ON entries BEGIN SELECT RAISE(ABORT, 'broken'); END",
    ServerPlace: "ALTER TABLE entries ADD CONSTRAINT broken CHECK (sequence < 3)",
}


def test_what_an_account_has_not_seen_is_not_even_there(ledger: Ledger) -> None:
    everyone, alice, bob = account(10), account(1, "alice"), account(1, "bob")
    asked = replace(charge("q"), text="profile of clinic")
    ledger.record(ledger.charge(asked, [everyone, alice]), b"noisy")
    assert ledger.seen("profile of ", ["clinic", "alice"]) == ("q", asked.loss, b"noisy")
    assert ledger.seen("profile of ", ["clinic", "bob"]) is None
    assert ledger.seen("another ", ["clinic", "alice"]) is None
    ledger.show(asked, [everyone, bob])
    assert ledger.seen("profile of ", ["clinic", "bob"]) is not None


def test_answers_are_found_by_what_they_are_about_in_the_order_in_which_an_account_saw_them(ledger: Ledger) -> None:
    everyone, alice, bob = account(10), account(2, "alice"), account(2, "bob")
    for name, who in (("p", alice), ("q", bob), ("r", bob)):
        ledger.record(ledger.charge(charge(name), [everyone, who]), name.encode(), about=["visits"])
    ledger.record(ledger.charge(charge("s"), [everyone, bob]), b"s")
    assert ledger.seen_about("visits", ["clinic", "alice"]) == [("p", b"p")]
    assert ledger.seen_about("visits", ["clinic", "bob"]) == [("q", b"q"), ("r", b"r")]
    assert ledger.seen_about("patients", ["clinic", "bob"]) == []
    ledger.show(charge("p"), [everyone, bob])
    assert ledger.seen_about("visits", ["clinic", "bob"]) == [("q", b"q"), ("r", b"r"), ("p", b"p")]
    ledger.verify()


def test_when_an_answer_was_recorded_is_not_seen_from_what_the_last_question_cost(ledger: Ledger) -> None:
    """It is forgotten after so many charges of others, and not sooner because these were answered."""
    everyone, alice, bob = account(100), account(50, "alice"), account(50, "bob")
    ledger.charge(charge("first"), [everyone, alice])
    tickets = [ledger.charge(charge(f"{number}"), [everyone, bob]) for number in range(49)]
    for ticket in tickets:
        assert ledger.balances(["clinic", "alice"]).last is not None
        ledger.record(ticket, b"42")
    assert ledger.balances(["clinic", "alice"]).last is not None
    ledger.charge(charge("one more"), [everyone, bob])
    assert ledger.balances(["clinic", "alice"]).last is None
