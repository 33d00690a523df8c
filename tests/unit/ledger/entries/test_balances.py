from __future__ import annotations

import json
from typing import Any

import pytest

from deniable.core.errors import Refused
from deniable.core.loss import Loss
from deniable.ledger.charge import Ticket
from deniable.ledger.entries.balances import Standing
from deniable.ledger.entries.canon import loss_to_json
from deniable.ledger.entries.chain import Chain
from deniable.ledger.entries.entry import NOTHING, Link
from tests.unit.ledger.asking import charge

_CREATED = Link.after(NOTHING, "created", {"population": "clinic", "written": ""})
_ASKED = charge("q")
_BODY = _ASKED.body({"clinic": _ASKED.loss}, "")
_CHARGED = Link.after(_CREATED.head, "charged", _BODY)
_ANSWERED = Link.after(_CHARGED.head, "answered", {"charge": 2, "question": "q", "written": ""}, b"1")


def _code(*links: Link, standing: Standing | None = None) -> str:
    with pytest.raises(Refused) as refused:
        (standing or Standing("clinic")).follow(links)
    return refused.value.code


def test_it_stands_where_the_entries_lead() -> None:
    standing = Standing("clinic")
    standing.follow([_CREATED, _CHARGED, _ANSWERED])
    assert standing.head == _ANSWERED.head
    assert standing.spent("clinic") == _ASKED.loss
    assert standing.spent("nobody") == Loss.zero()


def test_it_goes_on_from_where_it_was() -> None:
    standing = Standing("clinic")
    standing.follow([_CREATED])
    standing.follow([_CREATED, _CHARGED])
    assert standing.head == _CHARGED.head


def test_what_it_has_seen_must_still_be_there() -> None:
    standing = Standing("clinic")
    standing.follow([_CREATED, _CHARGED])
    assert _code(standing=standing) == "ledger-rolled-back"
    other = Link.after(_CREATED.head, "charged", _BODY | {"text": "another"})
    assert _code(other, standing=standing) == "ledger-edited"
    forged = Link(2, "charged", other.body, None, _CHARGED.previous, _CHARGED.digest)
    assert _code(forged, standing=standing) == "ledger-edited"


def test_every_entry_must_follow_the_one_before() -> None:
    assert _code(_CREATED, _ANSWERED) == "ledger-edited"
    assert _code(_CHARGED) == "ledger-edited"
    assert _code(_CREATED, Link(2, "charged", _CHARGED.body, b"", _CREATED.digest, _CHARGED.digest)) == "ledger-edited"


@pytest.mark.parametrize(
    "change",
    [
        {"totals": {"clinic": loss_to_json(Loss.pure("0.01"))}},
        {"totals": {}},
        {"totals": None},
        {"loss": {}},
        {"loss": {"epsilon": "1/0", "rho": None, "mu_squared": None, "delta": "0"}},
        {"loss": loss_to_json(Loss.pure("0.01"))},
    ],
)
def test_a_charge_must_add_up_even_if_its_digest_fits(change: dict[str, Any]) -> None:
    assert _code(_CREATED, Link.after(_CREATED.head, "charged", _BODY | change)) == "ledger-edited"


@pytest.mark.parametrize(
    ("kind", "body", "payload"),
    [
        ("answered", {"charge": 1, "question": "q"}, b"1"),
        ("answered", {"charge": 2, "question": "another"}, b"1"),
        ("answered", {"charge": 2, "question": "q"}, None),
        ("answered", {}, b"1"),
        ("created", {"population": "clinic"}, None),
        ("refunded", {"charge": 2}, None),
    ],
)
def test_an_entry_must_make_sense(kind: str, body: dict[str, Any], payload: bytes | None) -> None:
    assert _code(_CREATED, _CHARGED, Link.after(_CHARGED.head, kind, body, payload)) == "ledger-edited"


class _Known:
    """A past in which the one question was answered, for what it was charged."""

    def price(self, question: str) -> Loss | None:
        return _ASKED.loss if question == "q" else None


@pytest.mark.parametrize(
    ("question", "epsilon", "fits"),
    [("q", "0.1", True), ("q", "0.01", False), ("q", "0.2", False), ("r", "0.1", False)],
)
def test_an_answer_is_shown_at_the_price_of_its_charge(question: str, epsilon: str, fits: bool) -> None:  # noqa: FBT001
    said = charge(question, epsilon)
    shown = Link.after(_ANSWERED.head, "shown", said.body({"bob": said.loss}, ""))
    standing = Standing("clinic")
    standing.follow([_CREATED, _CHARGED, _ANSWERED])
    if fits:
        standing.step(shown, _Known())
        assert standing.spent("bob") == _ASKED.loss
    else:
        with pytest.raises(Refused):
            standing.step(shown, _Known())
        assert standing.spent("bob") == Loss.zero()


def test_no_charge_pays_for_two_answers() -> None:
    again = Link.after(_ANSWERED.head, "answered", {"charge": 2, "question": "q"}, b"2")
    assert _code(_CREATED, _CHARGED, _ANSWERED, again) == "ledger-edited"


def test_the_first_entry_names_the_population() -> None:
    assert _code(_CREATED, standing=Standing("school")) == "ledger-other-population"
    assert _code(Link.after(NOTHING, "charged", _BODY)) == "ledger-edited"


def test_what_does_not_fit_changes_nothing() -> None:
    standing = Standing("clinic")
    standing.follow([_CREATED, _CHARGED])
    bad = Link.after(_CHARGED.head, "charged", _BODY)  # its total forgets the first charge
    assert _code(_CHARGED, bad, standing=standing) == "ledger-edited"
    assert (standing.head, standing.spent("clinic")) == (_CHARGED.head, _ASKED.loss)


def test_a_checkpoint_says_where_the_entries_lead() -> None:
    standing = Standing("clinic")
    standing.follow([_CREATED, _CHARGED])
    resumed = Standing.at("clinic", standing.checkpoint())
    assert resumed.spent("clinic") == _ASKED.loss
    assert resumed.is_open(Ticket(2, "q", _CHARGED.digest))
    assert resumed.head == resumed.mark == standing.checkpoint().head
    standing.step(standing.checkpoint())
    for each in (resumed, standing):
        answer = Link.after(each.head, "answered", {"charge": 2, "question": "q", "written": ""}, b"1")
        each.step(answer)
        assert not each.is_open(Ticket(2, "q", _CHARGED.digest))
        assert (each.digest(3), each.digest(4), each.digest(5)) == (None, answer.digest, None)
    assert resumed.checkpoint() == standing.checkpoint()


@pytest.mark.parametrize(
    "change",
    [
        {"totals": {}},
        {"totals": {"clinic": loss_to_json(Loss.pure("0.01"))}},
        {"unanswered": []},
        {"previous": [1, _CREATED.digest]},
        {"more": 1},
    ],
)
def test_a_checkpoint_must_add_up_even_if_its_digest_fits(change: dict[str, Any]) -> None:
    standing = Standing("clinic")
    standing.follow([_CREATED, _CHARGED])
    honest = standing.checkpoint()
    forged = Link.after(standing.head, "checkpoint", json.loads(honest.body) | change, honest.payload)
    assert _code(_CHARGED, forged, standing=standing) == "ledger-edited"
    without = Link.after(standing.head, "checkpoint", json.loads(honest.body), (honest.payload or b"")[32:])
    assert _code(_CHARGED, without, standing=standing) == "ledger-edited"


def test_nobody_begins_at_what_is_no_checkpoint_of_this_population() -> None:
    standing = Standing("clinic")
    standing.follow([_CREATED, _CHARGED])
    honest = standing.checkpoint()
    torn = Link(3, "checkpoint", honest.body, b"", honest.previous, honest.digest)
    for population, link, code in (
        ("school", honest, "ledger-other-population"),
        ("clinic", _CHARGED, "ledger-edited"),
        ("clinic", torn, "ledger-edited"),
        ("clinic", Link.after(_CHARGED.head, "checkpoint", {}), "ledger-edited"),
    ):
        with pytest.raises(Refused) as refused:
            Standing.at(population, link)
        assert refused.value.code == code


def test_nothing_follows_an_account_that_has_moved() -> None:
    standing = Standing("clinic")
    standing.step(Link.after(NOTHING, "created", {"population": "clinic", "written": ""}))
    standing.step(Link.after(standing.head, "moved", {"to": "postgresql://there/x", "written": ""}))
    assert standing.moved == "postgresql://there/x"
    asked = charge("q")
    for link in (
        Link.after(standing.head, "charged", asked.body({"clinic": asked.loss}, "")),
        Link.after(standing.head, "moved", {"to": "postgresql://elsewhere/x", "written": ""}),
        standing.checkpoint(),
    ):
        with pytest.raises(Refused) as refused:
            standing.step(link)
        assert refused.value.code == "ledger-edited"


def test_an_account_moves_somewhere_and_not_before_it_is_there() -> None:
    with pytest.raises(Refused):
        Standing("clinic").step(Link.after(NOTHING, "moved", {"to": "postgresql://there/x", "written": ""}))
    standing = Standing("clinic")
    standing.step(Link.after(NOTHING, "created", {"population": "clinic", "written": ""}))
    with pytest.raises(Refused):
        standing.step(Link.after(standing.head, "moved", {"to": "", "written": ""}))


def test_nothing_is_added_after_the_account_has_moved() -> None:
    chain = Chain.memory("clinic", Link.after(NOTHING, "created", {"population": "clinic", "written": ""}))
    chain.append(lambda _, standing: Link.after(standing.head, "moved", {"to": "there", "written": ""}))
    asked = charge("q")
    with pytest.raises(Refused) as refused:
        chain.append(lambda _, standing: Link.after(standing.head, "charged", asked.body({"clinic": asked.loss}, "")))
    assert refused.value.code == "ledger-moved"
    assert chain.read(lambda _, standing: standing.head.sequence) == 2
