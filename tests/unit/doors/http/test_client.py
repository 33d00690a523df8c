"""`deniable.connect`: what a notebook has from a server is what it has from a local curator."""

import pytest

import deniable
from deniable.core.errors import InvalidArgumentError, Refused
from deniable.releases.linear.toml import read_workload
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
    assert [(line.text, line.analyst, line.loss.epsilon) for line in history] == [(BY_REGION, "alice", 0.5)]
    mine = local.budget("alice")
    assert (budget.spent.epsilon, budget.remaining.epsilon) == (0.5, mine.remaining.epsilon)
    assert (budget.notes, budget.rules, budget.largest_rho) == (mine.notes, mine.rules, mine.largest_rho)
    assert budget.table["left"].to_pylist()[0] == 499.5
    assert "Budget of alice" in repr(budget)


def test_a_batch_and_a_release_are_those_of_the_local_curator(door):
    local = door.service.populations["clinic"].curator
    questions = ["SELECT day, COUNT(*) AS n FROM visits WHERE day < '2025-01-04' GROUP BY day", BY_REGION]
    with deniable.connect(door.url, token=door.tokens["alice"]) as curator:
        first, second = curator.ask_all(questions, epsilon="0.5")
        work = {"table": "visits", "parts": [{"histogram": ["region"]}]}
        released = curator.release(work, epsilon="0.5")
        with pytest.raises(Refused) as caught:
            curator.ask_all(["SELECT age FROM visits"], epsilon="0.5")
    same = local.ask_all(questions, analyst="alice", epsilon="0.5")
    assert [first.with_intervals, second.with_intervals] == [answer.with_intervals for answer in same]
    assert repr(first).splitlines()[:5] == repr(same[0]).splitlines()[:5]
    again = local.release(read_workload(work), analyst="alice", epsilon="0.5")
    assert again.free
    assert released.table == again.table
    assert released.loss.epsilon == again.loss.epsilon
    assert caught.value.code == "not-grouped"


def test_a_question_about_public_tables_is_exact_and_free(door):
    with deniable.connect(door.url, token=door.tokens["bob"]) as curator:
        answer = curator.ask("SELECT city FROM hospitals ORDER BY city")
    assert answer.to_pandas()["city"].to_list() == ["Basel", "Bern", "Chur"]
    assert answer.free
    assert "exact" in repr(answer)


def test_a_question_that_takes_long_is_asked_for_again(door, monkeypatch):
    monkeypatch.setattr("deniable.doors.http.questions._PATIENCE", 0.0)
    monkeypatch.setattr("deniable.doors.http.client._WAIT", 0.05)
    with deniable.connect(door.url, token=door.tokens["alice"]) as curator:
        answer = curator.ask("SELECT COUNT(*) AS n FROM visits WHERE age > 44", epsilon="0.5")
    assert answer.table.num_rows == 1


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
