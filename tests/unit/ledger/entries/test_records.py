"""Entries that are found by what they are about, before and after checkpoints; every fourth entry has one here."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from deniable.core.errors import Refused
from deniable.core.loss import Loss
from deniable.core.paid import Paid
from deniable.ledger import Ledger, Ticket
from deniable.ledger.entries import checkpoint
from deniable.ledger.entries.balances import Standing
from deniable.ledger.entries.chain import Chain
from deniable.ledger.entries.entry import NOTHING, Link
from deniable.ledger.entries.records import Records
from deniable.policy import digest_of
from tests.support.ledgers import FilePlace, Place
from tests.unit.ledger.asking import account, ask, charge

_QUESTIONS = [f"{number}" for number in range(12)]


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoint, "EVERY", 4)


@pytest.fixture
def written(place: Place, often: None) -> Place:  # noqa: ARG001 - entries are written with it
    ledger = Ledger.create(place.url, "clinic")
    for question in _QUESTIONS:
        ask(ledger, question, answer=question.encode())
    ledger.close()
    return place


def _code(ledger: Ledger, question: str) -> str:
    with pytest.raises(Refused) as refused:
        ledger.find(question)
    return refused.value.code


def test_an_answer_is_found_by_its_question_and_by_its_charge() -> None:
    created = Link.after(NOTHING, "created", {"population": "clinic", "written": ""})
    chain = Chain.memory("clinic", created)
    asked = charge("q")
    chain.append(lambda _, standing: Link.after(standing.head, "charged", asked.body({"clinic": asked.loss}, "")))
    answered = chain.append(
        lambda _, standing: Link.after(standing.head, "answered", {"charge": 2, "question": "q", "written": ""}, b"1")
    )

    def look(past: Records, standing: Standing) -> None:
        assert past.find("q") == past.answer_to(Ticket(2, "q", "")) == past.entry(standing.head.sequence) == answered
        assert past.find("another") is past.answer_to(Ticket(3, "q", "")) is past.price("another") is None
        assert past.price("q") == asked.loss
        assert [past.has_seen(*who) for who in (("clinic", "q"), ("clinic", "p"), ("alice", "q"))] == [
            True,
            False,
            False,
        ]

    chain.read(look)


def test_everything_is_found_from_any_checkpoint(written: Place) -> None:
    ledger = Ledger.open(written.url, "clinic")
    kinds = [entry.kind for entry in ledger.history()]
    assert kinds.count("checkpoint") > 5
    assert len(kinds) == ledger.verify() == ledger.head.sequence
    assert [ledger.find(question) for question in reversed(_QUESTIONS)] == [
        question.encode() for question in reversed(_QUESTIONS)
    ]
    assert ledger.spent("clinic").epsilon == Fraction(12, 10)
    assert ledger.history()[kinds.index("checkpoint")].totals["clinic"].epsilon == Fraction(2, 10)


def test_a_ticket_outlives_checkpoints_and_processes(written: Place) -> None:
    ledger = Ledger.open(written.url, "clinic")
    ticket = ledger.charge(charge("late"), [account(100)])
    for number in range(10):
        ask(ledger, f"between {number}")
    ledger.close()
    again = Ledger.open(written.url, "clinic")
    again.record(ticket, b"at last")
    again.record(ticket, b"at last")
    assert (again.find("late"), again.spent("clinic").epsilon) == (b"at last", Fraction(23, 10))
    assert again.verify() == again.head.sequence


def test_who_has_seen_an_answer_before_a_checkpoint_sees_it_for_nothing_after(written: Place) -> None:
    ledger = Ledger.open(written.url, "clinic")
    payers = [account(100), account(1, "bob")]
    for paid in (Paid.SHARE, Paid.BEFORE):
        assert ledger.show(charge("0"), payers) == (b"0", paid)
    for number in range(10):
        ask(ledger, f"between {number}")
    ledger.close()
    again = Ledger.open(written.url, "clinic")
    assert again.show(charge("0"), payers) == (b"0", Paid.BEFORE)
    assert again.spent("bob").epsilon == Fraction(1, 10)
    assert [entry.kind for entry in again.history()].count("shown") == 1


def test_opening_reads_no_entry_before_the_last_checkpoint(written: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    length, read = Ledger.open(written.url, "clinic").head.sequence, []
    sound = Link.is_sound
    monkeypatch.setattr(Link, "is_sound", lambda link: read.append(link.sequence) or sound(link))
    Ledger.open(written.url, "clinic").close()
    assert min(read) > length - 5
    assert len(read) <= 6


@pytest.mark.parametrize("change", ["payload = x'00'", "body = body || ' '", "digest = 'none'", "kind = 'charged'"])
def test_an_edit_before_the_checkpoint_is_found_when_the_entry_is_read(written: Place, change: str) -> None:
    written.by_hand(f"UPDATE entries SET {change} WHERE sequence = 3")
    ledger = Ledger.open(written.url, "clinic")
    assert ledger.find("11") == b"11"
    assert _code(ledger, "0") == "ledger-edited"
    for look in (ledger.verify, ledger.history):
        with pytest.raises(Refused, match="entry 3"):
            look()


def test_an_edited_sum_in_an_old_checkpoint_vouches_for_nothing(written: Place) -> None:
    written.by_hand("UPDATE entries SET body = replace(body, '1/5', '1/9') WHERE sequence = 5 AND kind = 'checkpoint'")
    ledger = Ledger.open(written.url, "clinic")
    assert ledger.spent("clinic").epsilon == Fraction(12, 10)
    assert _code(ledger, "0") == "ledger-edited"
    with pytest.raises(Refused, match="entry 5"):
        ledger.verify()


def test_an_edit_of_the_last_checkpoint_or_after_it_is_found_at_opening(written: Place) -> None:
    ledger = Ledger.open(written.url, "clinic")
    history = ledger.history()
    ledger.close()
    last = max(entry.sequence for entry in history if entry.kind == "checkpoint")
    for sequence in range(last, len(history) + 1):
        written.by_hand(f"UPDATE entries SET body = body || ' ' WHERE sequence = {sequence}")
        with pytest.raises(Refused) as refused:
            Ledger.open(written.url, "clinic")
        assert refused.value.code == "ledger-edited"
        written.by_hand(f"UPDATE entries SET body = substr(body, 1, length(body) - 1) WHERE sequence = {sequence}")
    Ledger.open(written.url, "clinic").close()


def test_a_place_that_was_made_up_gives_no_answer_away(written: Place) -> None:
    """To let another answer pass for one's own, or to have seen what one has not paid for."""
    written.by_hand(
        """INSERT INTO places VALUES ('["new","answered"]', 3), ('["late","answered"]', -1)""",
        """INSERT INTO places VALUES ('["0","seen","bob"]', 2), ('["","about","visits"]', 3)""",
    )
    ledger = Ledger.open(written.url, "clinic")
    assert _code(ledger, "new") == _code(ledger, "late") == "ledger-edited"
    with pytest.raises(Refused, match="entry 2"):
        ledger.show(charge("0"), [account(1, "bob")])
    with pytest.raises(Refused, match="entry 3"):
        ledger.seen_about("visits", ["clinic"])
    with pytest.raises(Refused, match="index"):
        ledger.verify()


def test_a_place_that_is_lost_costs_a_repeat_and_is_found_by_verify(written: Place) -> None:
    written.by_hand("""DELETE FROM places WHERE key = '["0","answered"]'""")
    ledger = Ledger.open(written.url, "clinic")
    assert ledger.find("0") is None
    with pytest.raises(Refused, match="index"):
        ledger.verify()


def test_checkpoints_that_are_not_in_the_index_cost_time_only(written: Place) -> None:
    written.by_hand("""DELETE FROM places WHERE key = '["","checkpoint"]'""")
    ledger = Ledger.open(written.url, "clinic")
    assert (ledger.find("0"), ledger.spent("clinic").epsilon) == (b"0", Fraction(12, 10))


def test_a_checkpoint_ahead_of_its_anchor_is_not_believed_but_computed_again(written: Place) -> None:
    """Else whoever can append could append a checkpoint with nothing spent, and a crash is what it would look like."""
    before = written.anchor.read_bytes()
    ledger = Ledger.open(written.url, "clinic")
    for number in range(3):
        ask(ledger, f"more {number}")
    head = ledger.head
    ledger.close()
    written.anchor.write_bytes(before)
    Ledger.open(written.url, "clinic").close()
    forged = Standing("clinic")
    forged.follow([Link.after(NOTHING, "created", {"population": "clinic"})])
    forged.head = head
    link = forged.checkpoint()
    written.anchor.write_bytes(before)
    written.insert(link)
    written.by_hand(f"""INSERT INTO places VALUES ('["","checkpoint"]', {link.sequence})""")
    with pytest.raises(Refused) as refused:
        Ledger.open(written.url, "clinic")
    assert refused.value.code == "ledger-edited"


@pytest.mark.parametrize("every", [4, 512])
def test_a_ledger_from_before_checkpoints_opens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, every: int) -> None:
    old = FilePlace(tmp_path / "old.ledger")
    ledger = Ledger.create(old.url, "clinic")
    for question in _QUESTIONS:
        ask(ledger, question, answer=question.encode())
    ledger.close()
    old.by_hand("DROP TABLE places")
    monkeypatch.setattr(checkpoint, "EVERY", every)
    for _ in range(2):
        ledger = Ledger.open(old.url, "clinic")
        assert (ledger.find("0"), ledger.spent("clinic").epsilon) == (b"0", Fraction(12, 10))
        assert ledger.verify() == 25 + (every == 4)
        ledger.close()


def test_an_edited_ledger_from_before_checkpoints_does_not_open(tmp_path: Path) -> None:
    old = FilePlace(tmp_path / "old.ledger")
    ledger = Ledger.create(old.url, "clinic")
    ask(ledger, "0")
    ledger.close()
    old.by_hand("DROP TABLE places", "UPDATE entries SET payload = x'00' WHERE sequence = 3")
    for _ in range(2):
        with pytest.raises(Refused, match="entry 3"):
            Ledger.open(old.url, "clinic")


def test_verify_tells_how_far_it_is(written: Place) -> None:
    told: list[tuple[int, int]] = []
    ledger = Ledger.open(written.url, "clinic")
    count = ledger.verify(lambda done, of: told.append((done, of)))
    assert told == [(number, count) for number in range(1, count + 1)]


def test_every_account_is_in_every_checkpoint(written: Place) -> None:
    ledger = Ledger.open(written.url, "clinic")
    ledger.charge(charge("one more"), [account(100), account(1, "bob")])
    for number in range(4):
        ask(ledger, f"between {number}")
    ledger.close()
    again = Ledger.open(written.url, "clinic")
    assert (again.spent("bob"), again.spent("clinic").epsilon) == (Loss.pure("0.1"), Fraction(17, 10))


def test_terms_and_raises_outlive_checkpoints(place: Place, often: None) -> None:  # noqa: ARG001 - as above
    budget = dict.fromkeys(("delta", "concentrated", "gaussian", "approximate"), "0")
    terms = {"population": "clinic", "neighbours": "replace", "analysts": {}, "tables": {}}
    first, second = ({**terms, "budget": {**budget, "epsilon": epsilon}} for epsilon in ("1", "2"))
    ledger = Ledger.create(place.url, "clinic", first)
    for epsilon in (first, second):
        for number in range(6):
            ledger.charge(replace(charge(f"{number}"), policy=digest_of(epsilon)), [account(100)])
        if epsilon is first:
            ledger.accept(second, "decided", raising=True)
    before = ledger.raises
    ledger.close()
    again = Ledger.open(place.url, "clinic")
    assert again.raises == before
    assert len(before) == 1
    again.require(second)
    with pytest.raises(Refused):
        again.require(first)
    assert again.verify() == again.head.sequence
