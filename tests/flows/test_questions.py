"""A question's way through the house: charged before it is looked up, recorded before it is seen."""

import json
import os
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import deniable
from deniable.core.errors import Failed, Refused
from deniable.engines import Engine
from deniable.releases import Workload
from tests.support.curators import curator
from tests.support.tables import policy, visits

COUNT = "SELECT COUNT(*) AS n FROM visits"
WORK = Workload.histogram("age // 10")

POLICY = """
[population]
name = "flows"
[budget]
epsilon = 1.0
[tables.visits]
source = "visits.parquet"
[tables.visits.columns]
age = { type = "integer", bounds = [0, 110] }
[analysts.alice]
epsilon = 0.6
[analysts.bob]
epsilon = 0.6
"""


@pytest.fixture
def clinic(tmp_path):
    """A policy file with a small table and a new ledger."""
    pq.write_table(pa.table({"age": list(range(100))}), tmp_path / "visits.parquet")
    path = tmp_path / "flows.toml"
    path.write_text(POLICY)
    deniable.create(path).close()
    return path


def test_an_answer_is_paid_recorded_and_free_when_repeated(clinic):
    with deniable.open(clinic) as house:
        first = house.ask(COUNT, epsilon="0.5", analyst="alice")
        assert not first.free
        assert house.budget().spent.epsilon == Fraction(1, 2)
        again = house.ask("select count( * ) as other from visits", epsilon="0.5", analyst="bob")
        assert (again.free, again.share) == (False, True)
        assert again.table["other"].to_pylist() == first.table["n"].to_pylist()
        assert house.budget().spent.epsilon == Fraction(1, 2)
    with deniable.open(clinic) as house:
        assert house.ask(COUNT, epsilon="0.5", analyst="alice").table == first.table
        assert [entry.kind for entry in house.history()] == ["created", "charged", "answered", "shown"]


def test_the_shares_and_the_cap_both_hold(clinic):
    with deniable.open(clinic) as house:
        house.ask(COUNT, epsilon="0.6", analyst="alice")
        with pytest.raises(Refused) as alone:
            house.ask(f"{COUNT} WHERE age > 1", epsilon="0.1", analyst="alice")
        assert alone.value.code == "over-budget"
        with pytest.raises(Refused) as together:
            house.ask(COUNT, epsilon="0.5", analyst="bob")
        assert together.value.code == "over-budget"
        house.ask(COUNT, epsilon="0.4", analyst="bob")
        assert house.budget().remaining.epsilon == 0
        assert house.budget("bob").spent.epsilon == Fraction(2, 5)


def test_an_analyst_is_named_once(clinic):
    with deniable.open(clinic, analyst="alice") as house:
        assert house.explain(COUNT, epsilon="0.5").loss.epsilon == Fraction(1, 2)
        assert house.explain_all([COUNT], epsilon="0.5").loss.epsilon == Fraction(1, 2)
        assert house.explain(WORK, epsilon="0.1").loss.epsilon == Fraction(1, 10)
        house.ask(COUNT, epsilon="0.1")
        house.ask_all([COUNT, f"{COUNT} WHERE age > 1"], epsilon="0.1")
        house.release(WORK, epsilon="0.1")
        house.table("visits").agg(n=deniable.count()).where(age__gt=2).ask(epsilon="0.1")
        assert {entry.analyst for entry in house.history() if entry.kind == "charged"} == {"alice"}
        assert (house.budget().name, house.budget().spent.epsilon) == ("analyst:alice", Fraction(2, 5))
        house.ask(COUNT, epsilon="0.2", analyst="bob")
        assert (house.budget("bob").spent.epsilon, house.budget().spent.epsilon) == (Fraction(1, 5), Fraction(2, 5))
        with pytest.raises(Refused) as caught:
            house.ask(COUNT, epsilon="0.3")
        assert caught.value.code == "over-budget"
        with pytest.raises(Refused) as caught:
            house.ask(COUNT, epsilon="0.1", analyst="mallory")
        assert caught.value.code == "unknown-analyst"
    with deniable.open(clinic) as house:
        assert (house.budget().name, house.budget().spent.epsilon) == ("population", Fraction(3, 5))


@pytest.mark.parametrize("analyst", ["mallory", "", "population"])
def test_nothing_is_opened_or_created_for_strangers(clinic, analyst):
    with pytest.raises(Refused) as caught:
        deniable.open(clinic, analyst=analyst)
    assert caught.value.code == "unknown-analyst"
    for file in clinic.parent.glob("*.ledger*"):
        file.unlink()
    with pytest.raises(Refused) as caught:
        deniable.create(clinic, analyst=analyst)
    assert caught.value.code == "unknown-analyst"
    assert not list(clinic.parent.glob("*.ledger*"))
    with deniable.create(clinic, analyst="bob", reason="nothing was asked") as house:
        assert house.budget().name == "analyst:bob"


def test_without_shares_an_analyst_is_only_noted(tmp_path):
    rules = policy(tmp_path, contribution=None, epsilon=1.0)
    with replace(curator(tmp_path, visits(20, seed=3), rules), analyst="alice") as house:
        house.ask(COUNT, epsilon="0.1")
        assert house.history()[1].analyst == "alice"
        assert house.budget().name == "population"


@pytest.mark.parametrize("analyst", [None, "mallory", "population"])
def test_strangers_are_refused(clinic, analyst):
    with deniable.open(clinic) as house:
        for step in (house.ask, house.explain):
            with pytest.raises(Refused) as caught:
                step(COUNT, epsilon="0.1", analyst=analyst)
            assert caught.value.code == "unknown-analyst"
        assert house.budget().spent.epsilon == 0


def test_explaining_costs_nothing_and_reads_nothing(clinic, monkeypatch):
    with deniable.open(clinic) as house:
        monkeypatch.setattr(Engine, "run", lambda *_: pytest.fail("data was read"))
        assert house.explain(COUNT, epsilon="0.5", analyst="alice").loss.epsilon == Fraction(1, 2)
        assert house.budget().spent.epsilon == 0
        assert len(house.history()) == 1


def test_refused_questions_leave_no_trace(clinic):
    with deniable.open(clinic) as house:
        for sql in ("SELECT * FROM visits", "SELECT AVG(x) FROM visits", ""):
            with pytest.raises(Refused):
                house.ask(sql, epsilon="0.1", analyst="alice")
        assert len(house.history()) == 1


def test_changed_data_is_a_new_question_on_the_old_budget(clinic):
    with deniable.open(clinic) as house:
        house.ask(COUNT, epsilon="0.5", analyst="alice")
        pq.write_table(pa.table({"age": list(range(90))}), clinic.parent / "visits.parquet")
        answer = house.ask(COUNT, epsilon="0.5", analyst="bob")
        assert not answer.free
        assert house.budget().remaining.epsilon == 0


def test_an_engine_that_fails_is_charged_and_says_nothing(clinic, monkeypatch):
    def broken(_self, _sql):
        raise RuntimeError("row 17 holds the value 4711")

    with deniable.open(clinic) as house:
        monkeypatch.setattr(type(house.engine), "fetch", broken)
        with pytest.raises(Failed) as caught:
            house.ask(COUNT, epsilon="0.5", analyst="alice")
        assert "4711" not in str(caught.value)
        assert caught.value.__cause__ is None
        assert caught.value.__context__ is None
        assert house.budget().spent.epsilon == Fraction(1, 2)


def test_what_cannot_be_recorded_is_not_answered(clinic, monkeypatch):
    with deniable.open(clinic) as house:
        monkeypatch.setattr(type(house.ledger), "record", _fails)
        with pytest.raises(Failed):
            house.ask(COUNT, epsilon="0.5", analyst="alice")
        assert house.budget().spent.epsilon == Fraction(1, 2)


def _fails(*_):
    raise Failed


def test_the_charge_is_on_disk_before_the_engine_runs(clinic, monkeypatch):
    seen = []
    with deniable.open(clinic) as house:
        run = Engine.run

        def watched(engine, query):
            with deniable.open(clinic) as other:
                seen.append(other.budget().spent.epsilon)
            return run(engine, query)

        monkeypatch.setattr(Engine, "run", watched)
        house.ask(COUNT, epsilon="0.5", analyst="alice")
    assert seen == [Fraction(1, 2)]


def test_as_many_win_as_fit(tmp_path):
    rules = policy(tmp_path, contribution=None, epsilon=1.0)
    house = curator(tmp_path, visits(200, seed=3), rules)
    outcomes = []

    def ask(number):
        try:
            house.ask(f"{COUNT} WHERE age > {number}", epsilon="0.1")
            outcomes.append("answered")
        except Refused as refusal:
            outcomes.append(refusal.code)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(25)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    house.close()
    assert sorted(outcomes) == ["answered"] * 10 + ["over-budget"] * 15


CHILD = """
import sys, deniable
with deniable.open(sys.argv[1]) as house:
    for number in range(1000):
        answer = house.ask(f"SELECT COUNT(*) AS n FROM visits WHERE age > {number}", epsilon="0.001", analyst="alice")
        print(number, answer.table["n"][0].as_py(), flush=True)
"""


def test_killed_at_any_moment_it_gives_no_free_answer(clinic):
    """kill -9 a few times in the middle of questions: every answer that came out was charged before."""
    answered = 0
    for delay in (0.02, 0.05, 0.11):
        words = [sys.executable, "-c", CHILD, str(clinic)]
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as child:
            seen = [child.stdout.readline()]
            threading.Event().wait(delay)
            os.kill(child.pid, signal.SIGKILL)
            seen += child.stdout.readlines()
        answered = max(answered, sum(1 for line in seen if line.endswith("\n")))
    with deniable.open(clinic) as house:
        house.ledger.verify()
        charged = sum(entry.kind == "charged" for entry in house.history())
        assert charged >= answered > 0
        assert house.budget().spent.epsilon == charged * Fraction(1, 1000)


def test_a_missing_ledger_refuses_to_serve(clinic):
    for file in clinic.parent.glob("*.ledger*"):
        file.unlink()
    with pytest.raises(Refused) as caught:
        deniable.open(clinic)
    assert caught.value.code == "ledger-missing"


def test_the_command_line_asks_and_shows(clinic, tmp_path):
    binary = [sys.executable, "-m", "deniable"]

    def run(*words):
        return subprocess.run([*binary, *words], capture_output=True, text=True, check=False)

    asked = run("ask", str(clinic), COUNT, "--epsilon", "0.5", "--analyst", "alice", "--format", "json")
    assert asked.returncode == 0, asked.stderr
    found = json.loads(asked.stdout)
    assert found["rows"][0]["n_low"] <= found["rows"][0]["n"] <= found["rows"][0]["n_high"]
    assert found["loss"]["epsilon"] == 0.5
    for form, name in (("csv", "a.csv"), ("parquet", "a.parquet"), ("table", "a.txt"), ("arrow", "a.arrow")):
        out = tmp_path / name
        again = run(
            "ask", str(clinic), COUNT, "--epsilon", "0.5", "--analyst", "alice", "--format", form, "-o", str(out)
        )
        assert again.returncode == 0, again.stderr
        assert out.stat().st_size > 0
    assert "0.5" in run("budget", str(clinic)).stdout
    listed = run("ledger", "list", str(clinic)).stdout
    for word in ("charged", "alice", "ε 0.5", " ".join(COUNT.split()[:2])):
        assert word in listed
    assert "fit together" in run("ledger", "verify", str(clinic)).stdout
    assert run("ledger", "export", str(clinic), str(tmp_path / "e.jsonl")).returncode == 0
    refused = run("ask", str(clinic), "SELECT AVG(agee) FROM visits", "--epsilon", "0.1", "--analyst", "alice")
    assert refused.returncode == 3
    assert "^^^^" in refused.stderr
    over = run("ask", str(clinic), COUNT, "--epsilon", "0.9", "--analyst", "alice")
    assert (over.returncode, "over-budget" in over.stderr) == (4, True)
    assert run("explain", str(clinic), COUNT, "--epsilon", "0.1", "--analyst", "bob").returncode == 0


def test_a_draft_can_be_checked_and_asked(tmp_path):
    pq.write_table(visits(300, seed=4), tmp_path / "visits.parquet")
    run = lambda *words: subprocess.run(  # noqa: E731 - our own words
        [sys.executable, "-m", "deniable", *words], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    drafted = run("init", "visits.parquet")
    assert drafted.returncode == 0, drafted.stderr
    text = Path(tmp_path / "visits.toml").read_text()
    assert "FROM THE DATA" in text
    assert run("init", "visits.parquet").returncode == 2
    assert run("check", "visits.toml").returncode == 0
    assert run("ask", "visits.toml", COUNT, "--epsilon", "0.1").returncode == 3
    assert run("ledger", "create", "visits.toml").returncode == 0
    assert run("ask", "visits.toml", COUNT, "--epsilon", "0.1").returncode == 0


@pytest.mark.parametrize("spend", [{"epsilon": 4}, {"rho": 4}], ids=["laplace", "gaussian"])
def test_a_surer_interval_is_never_narrower(tmp_path, spend):
    """Of a sum of two counts, whose noise has few steps; and nobody can be surer than but for 1e-12."""
    sql = "SELECT COUNT(*) FILTER (WHERE age > 40) + COUNT(score) AS x FROM visits"
    asked, before = curator(tmp_path, visits(200, seed=1), policy(tmp_path, contribution=None)), 0.0
    for digits in range(1, 13):
        answer = asked.ask(sql, **spend, confidence=1 - Fraction(1, 10**digits))
        (ends,) = answer.intervals.to_pylist()
        assert ends["x_high"] - ends["x_low"] >= max(2.0, before)
        before = ends["x_high"] - ends["x_low"]
    assert asked.ask(sql, **spend).free
    with pytest.raises(Refused, match="at most 1 - 1e-12"):
        asked.ask(sql, **spend, confidence=1 - Fraction(1, 10**13))


@pytest.mark.parametrize("cost", [20, 250, 480])
def test_an_average_is_as_exact_as_it_was_bought_wherever_its_values_lie(cost):
    """Its width follows the noisy count of rows: a tenth more of it would be an error of ten scales. At most 1e-9."""
    rows = pa.table({"cost": [cost] * 28_000})
    with deniable.protect(rows, epsilon=1, bounds={"cost": (0, 500)}) as one:
        answer = one.ask("SELECT AVG(cost) AS m FROM data", accuracy=5, rows=28_000)
    low, high = answer.intervals["m_low"][0].as_py(), answer.intervals["m_high"][0].as_py()
    assert high - low <= 10 * 1.1
