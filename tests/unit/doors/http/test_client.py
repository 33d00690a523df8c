"""`deniable.connect`: what a notebook has from a server is what it has from a local curator."""

import pytest

import deniable
from deniable.core.errors import InvalidArgumentError, Refused
from tests.support.doors import http

BY_REGION = "SELECT region, COUNT(*) AS n FROM visits GROUP BY region"
WRONG = "deniable_x"


@pytest.fixture(scope="module")
def door(tmp_path_factory):
    with http(tmp_path_factory.mktemp("clinic"), pace=None) as opened:
        yield opened


def test_an_answer_is_that_of_the_local_curator(door):
    local = door.service.populations["clinic"].curator
    with deniable.connect(door.url, token=door.tokens["alice"]) as curator:
        quote = curator.explain(BY_REGION, epsilon="0.5")
        answer = curator.ask(BY_REGION, epsilon="0.5")
        again = curator.ask(BY_REGION, epsilon="0.5")
        history, budget = curator.history(), curator.budget()
    same = local.ask(BY_REGION, analyst="alice", epsilon="0.5")
    assert answer.table == same.table
    assert answer.intervals == same.intervals
    assert answer.with_intervals == same.with_intervals
    assert answer.loss.epsilon == same.loss.epsilon == quote.loss.epsilon
    assert (answer.free, again.free) == (False, True)
    assert (answer.confidence, answer.meaning, answer.notes) == (same.confidence, same.meaning, same.notes)
    assert repr(again) == repr(same)
    assert (
        repr(quote).splitlines()[:4] == repr(local.explain(BY_REGION, analyst="alice", epsilon="0.5")).splitlines()[:4]
    )
    assert answer.to_pandas()["region"].to_list()[:2] == ["north", "south"]
    assert [line["question"] for line in history] == [BY_REGION]
    assert budget["analyst:alice"]["spent"]["epsilon"] == 0.5


def test_a_refusal_is_that_of_the_local_curator(door):
    local = door.service.populations["clinic"].curator
    question = "SELECT COUNT(*) FROM visits WHERE agee > 3"
    with deniable.connect(door.url, token=door.tokens["alice"]) as curator, pytest.raises(Refused) as caught:
        curator.ask(question, epsilon=1)
    with pytest.raises(Refused) as expected:
        local.ask(question, analyst="alice", epsilon=1)
    assert str(caught.value) == str(expected.value)


def test_a_wrong_token_is_refused(door):
    with deniable.connect(door.url, token=WRONG) as curator, pytest.raises(Refused, match="No such analyst"):
        curator.budget()


def test_a_token_is_not_sent_where_others_could_read_it():
    with pytest.raises(InvalidArgumentError, match="https"):
        deniable.connect("http://example.org", token=WRONG)
