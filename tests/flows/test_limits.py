"""The policy's limits on the whole path: explain and ask refuse alike, nothing is spent, and a day has an end."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import deniable
from deniable.apps.cli import app
from deniable.core.errors import Refused
from deniable.ledger import clock
from deniable.ledger.entries import checkpoint
from deniable.releases import Workload
from tests.support.ledgers import everywhere

POLICY = """
[population]
name = "town"
[budget]
epsilon = 1.0
delta = 1e-6
delta_for_keys = 5e-7
[limits]
most_spend = 0.5
answer_size = 300
questions_per_day = 3
[tables.people]
source = "people.parquet"
[tables.people.columns]
age = { type = "integer", bounds = [0, 110], nulls = false }
street = { type = "text", nulls = false }
"""
SHARES = "[analysts.alice]\nepsilon = 0.9\n[analysts.bob]\nepsilon = 0.9\n"
COUNT = "SELECT COUNT(*) AS n FROM people"
BY_AGE = "SELECT age, {} FROM people GROUP BY age"


@pytest.fixture(autouse=True)
def _noon(monkeypatch: pytest.MonkeyPatch) -> None:
    """No day ends during a test."""
    monkeypatch.setattr(clock, "now", lambda: "2025-12-29T12:00:00+00:00")


@pytest.fixture
def town(tmp_path: Path, ledger_section: str) -> Path:
    people = {"age": list(range(100)) * 10, "street": ["Main Street", "High Street"] * 500}
    pq.write_table(pa.table(people), tmp_path / "people.parquet")
    path = tmp_path / "town.toml"
    path.write_text(POLICY + ledger_section)
    return path


def older(number: int) -> str:
    return f"{COUNT} WHERE age > {number}"


@pytest.mark.parametrize(
    ("sql", "payment", "code", "hint"),
    [
        (COUNT, {"epsilon": "1e-6"}, "least-spend", "Spend at least epsilon 1e-4."),
        (COUNT, {"rho": "1e-9"}, "least-spend", "Spend at least rho "),
        (COUNT, {"epsilon": "0.6"}, "most-spend", "Spend at most epsilon 0.5."),
        (COUNT, {"accuracy": 1}, "most-spend", "Spend at most epsilon 0.5."),
        (BY_AGE.format("COUNT(*) AS n, SUM(age) AS a, MAX(age) AS m"), {"epsilon": "0.1"}, "answer-size", "Group by"),
    ],
)
def test_explain_and_ask_refuse_alike_and_for_nothing(town, sql, payment, code, hint):
    with deniable.create(town) as curator:
        for step in (curator.explain, curator.ask):
            with pytest.raises(Refused) as caught:
                step(sql, **payment)
            assert caught.value.code == code
            assert caught.value.hint.startswith(hint)
        assert len(curator.history()) == 1
        assert curator.budget().asked == (0, 3)


@pytest.mark.parametrize(("payment", "code"), [({"epsilon": "1e-6"}, "least-spend"), ({"epsilon": 1}, "most-spend")])
def test_batches_and_releases_are_charges_like_others(town, payment, code):
    with deniable.create(town) as curator:
        for step in (
            lambda: curator.explain_all([COUNT], **payment),
            lambda: curator.ask_all([COUNT], **payment),
            lambda: curator.explain(Workload.histogram("age"), **payment),
            lambda: curator.release(Workload.histogram("age"), **payment),
        ):
            with pytest.raises(Refused) as caught:
                step()
            assert caught.value.code == code
        assert len(curator.history()) == 1


def test_a_release_is_too_large_by_the_noisy_numbers_that_it_needs(town):
    town.write_text(town.read_text().replace("answer_size = 300", "answer_size = 110"))
    with deniable.create(town) as curator:
        for step in (curator.explain, curator.release):
            with pytest.raises(Refused, match="answer-size"):
                step(Workload.histogram("age"), strategy="identity", epsilon="0.1")
        assert len(curator.history()) == 1


def test_a_release_by_accuracy_costs_at_least_the_least(town):
    with deniable.create(town) as curator:
        quote = curator.explain(Workload.histogram("age"), accuracy=10**7)
        assert quote.loss.epsilon == curator.policy.budget.epsilon / 10_000
        assert any("the least that may be spent" in note for note in quote.notes)
        assert curator.release(Workload.histogram("age"), accuracy=10**7).loss == quote.loss


def test_values_that_are_selected_first_must_be_affordable_before_anything_is_spent(town):
    """A tenth of the spend finds them, in a charge of its own: that is what must not be too small."""
    with deniable.create(town) as curator:
        with pytest.raises(Refused) as caught:
            curator.release(Workload.histogram("street"), epsilon="0.0009", delta="1e-7")
        assert caught.value.hint == "Spend at least epsilon 0.001."
        assert len(curator.history()) == 1


def test_a_day_has_so_many_questions_and_repeats_are_none(town):
    with deniable.create(town) as curator:
        for number in range(3):
            curator.ask(older(number), epsilon="0.01")
            assert curator.ask(older(number), epsilon="0.01").free
        with pytest.raises(Refused) as caught:
            curator.ask(older(3), epsilon="0.01")
        assert caught.value.code == "questions-per-day"
        assert float(curator.budget().spent.epsilon) == pytest.approx(0.03)
        assert curator.ask(older(2), epsilon="0.01").free
        assert curator.budget().asked == (3, 3)
        assert "this would be refused" in curator.budget().warns(curator.explain(older(3), epsilon="0.01").loss)[0]


def test_the_next_day_begins_anew(town, monkeypatch):
    with deniable.create(town) as curator:
        for day in ("2025-12-30", "2025-12-31"):
            monkeypatch.setattr(clock, "now", lambda day=day: f"{day}T12:00:00+00:00")
            for number in range(3):
                curator.ask(older(number), epsilon="0.01" if day == "2025-12-30" else "0.02")
            with pytest.raises(Refused, match="questions-per-day"):
                curator.ask(older(9), epsilon="0.01")


@everywhere
def test_no_two_get_the_last_question_of_a_day(town):
    start = Barrier(12)
    with deniable.create(town) as curator, ThreadPoolExecutor(12) as pool:

        def ask(number: int) -> str:
            start.wait()
            try:
                curator.ask(older(number), epsilon="0.01")
            except Refused as refusal:
                return refusal.code
            return "answered"

        outcomes = list(pool.map(ask, range(12)))
        assert sorted(outcomes) == ["answered"] * 3 + ["questions-per-day"] * 9
        assert [entry.kind for entry in curator.history()].count("charged") == 3


def test_each_analyst_has_a_day_and_what_is_shown_counts(town):
    town.write_text(town.read_text() + SHARES)
    with deniable.create(town) as curator:
        for number in range(3):
            curator.ask(older(number), epsilon="0.01", analyst="alice")
        for number in range(2):
            curator.ask(older(number), epsilon="0.01", analyst="bob")
            assert curator.ask(older(number), epsilon="0.01", analyst="bob").free
        assert [entry.kind for entry in curator.history()].count("shown") == 2
        curator.ask(older(7), epsilon="0.01", analyst="bob")
        for number in (2, 8):
            with pytest.raises(Refused, match="questions-per-day"):
                curator.ask(older(number), epsilon="0.01", analyst="bob")
        assert curator.budget("bob").asked == (3, 3)
        assert curator.budget().asked is None


@pytest.mark.parametrize("every", [2, 3, 512])
def test_the_day_is_known_to_whoever_opens_the_ledger(town, every, monkeypatch):
    monkeypatch.setattr(checkpoint, "EVERY", every)
    with deniable.create(town) as curator:
        for number in range(3):
            curator.ask(older(number), epsilon="0.01")
    with deniable.open(town) as curator:
        assert curator.budget().asked == (3, 3)
        with pytest.raises(Refused, match="questions-per-day"):
            curator.ask(older(3), epsilon="0.01")
        assert curator.ledger.verify() == len(curator.history())


def test_the_command_line_says_them_in_words(town):
    deniable.create(town).close()
    said = {}
    for command in (["budget", str(town)], ["check", str(town)]):
        output = " ".join(CliRunner().invoke(app, command, env={"COLUMNS": "200"}).output.split())
        assert "A question costs at least ε 1e-4 or ρ" in output
        assert "and at most ε 0.5 or ρ" in output
        assert "at most 300 noisy numbers" in output
        said[command[0]] = output
    assert "Everybody together may ask 3 questions a day." in said["check"]
    assert "Questions today: 0 of 3." in said["budget"]
    quoted = CliRunner().invoke(app, ["explain", str(town), COUNT, "--epsilon", "0.1"]).output
    assert "price" in quoted
    assert "costs at least" not in quoted, "a price says what concerns it"


@pytest.mark.parametrize(
    "buy",
    [
        lambda one: one.release(Workload.histogram("town"), rho="0.2", delta=1e-8),
        lambda one: one.release(Workload.histogram("town"), epsilon="1.5", delta=1e-8),
        lambda one: one.synthesize(rho="0.2", delta=1e-8),
        lambda one: one.profile(rho="0.2", delta=1e-8),
    ],
    ids=["workload in rho", "workload in epsilon", "synthetic tables", "profile"],
)
def test_what_has_no_room_as_a_whole_does_not_begin(buy):
    """The tenth that would find values first has room: it is not paid, unless the rest has room, too."""
    rows = pa.table({"town": ["north"] * 500 + ["south"] * 500, "age": [40] * 1000})
    with deniable.protect(rows, epsilon=1, delta=1e-6, bounds={"age": (0, 110)}) as one:
        with pytest.raises(Refused) as caught:
            buy(one)
        assert caught.value.code == "over-budget"
        assert one.budget().spent.epsilon == one.budget().spent.delta == 0
