"""Requests for more and their answers are entries like any other: checked, in checkpoints, answered once."""

import pytest

from deniable.core.cap import Cap
from deniable.core.errors import InvalidArgumentError, Refused
from deniable.core.loss import Loss
from deniable.ledger import Charge, Ledger
from deniable.ledger.entries.checkpoint import EVERY
from deniable.policy import Account


def test_a_request_and_its_answer_change_no_sum():
    ledger = Ledger.memory("clinic")
    ledger.charge(Charge("7f", "alice", "SELECT", (), Loss.pure(1)), [Account("clinic", Cap(3))])
    entry = ledger.request("alice", "2", "a study")
    ledger.reply(entry, "carol", "it is worth it", granted=True)
    assert ledger.spent("clinic").epsilon == 1
    *_, asked, replied = ledger.history()
    assert (asked.kind, asked.analyst, asked.details["wanted"], asked.details["reason"]) == (
        "requested",
        "alice",
        "2",
        "a study",
    )
    assert (replied.kind, replied.analyst, replied.details["request"], replied.details["granted"]) == (
        "replied",
        "alice",
        entry,
        True,
    )
    assert ledger.verify() == 4


def test_a_request_is_answered_once_and_only_if_there_is_one():
    ledger = Ledger.memory("clinic")
    entry = ledger.request("alice", "", "a study")
    ledger.reply(entry, "carol", "no", granted=False)
    for number in (entry, entry + 7, 1):
        with pytest.raises(Refused, match="unknown-request"):
            ledger.reply(number, "carol", "yes", granted=True)


def test_nobody_fills_the_ledger_with_requests_and_everybody_says_why():
    ledger = Ledger.memory("clinic")
    for _ in range(5):
        ledger.request("alice", "", "more")
    with pytest.raises(Refused, match="too-many-requests"):
        ledger.request("alice", "", "more")
    entry = ledger.request("bob", "", "mine")
    with pytest.raises(InvalidArgumentError):
        ledger.request("bob", "", " ")
    with pytest.raises(InvalidArgumentError):
        ledger.reply(entry, "carol", "", granted=True)


def test_requests_that_are_open_stand_in_checkpoints(tmp_path):
    url = f"sqlite:///{tmp_path / 'clinic.ledger'}"
    with_open = Ledger.create(url, "clinic")
    entry = with_open.request("alice", "2", "a study")
    for number in range(EVERY):
        with_open.charge(Charge(f"{number}", "bob", "", (), Loss.pure("0.001")), [Account("clinic", Cap(3))])
    assert any(one.kind == "checkpoint" for one in with_open.history())
    with_open.close()
    again = Ledger.open(url, "clinic")
    again.reply(entry, "carol", "it is worth it", granted=True)
    with pytest.raises(Refused, match="unknown-request"):
        again.reply(entry, "carol", "again", granted=True)
    assert again.verify() > EVERY
    again.close()
