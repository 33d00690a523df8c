"""The budget and the service around it: nothing is free unless it was paid before, and only the answer is said."""

import logging
import shutil
import sqlite3
import subprocess
import sys
import threading
from dataclasses import replace
from fractions import Fraction

import pytest

import deniable
from deniable.core.errors import Failed, Refused
from deniable.curator import Curator
from deniable.engines import Engine
from deniable.ledger import Ledger, clock, refusals
from tests.support.neighbours import SOMEONE, house, outcome, pair, people, row, rules

COUNT = "SELECT COUNT(*) AS n FROM visits"
POLICY = """
[population]
name = "adversary"
[budget]
epsilon = 1.0
[tables.visits]
source = "visits.parquet"
[tables.visits.columns]
age = { type = "integer", bounds = [0, 110] }
[tables.again]
source = "visits.parquet"
[tables.again.columns]
age = { type = "integer", bounds = [0, 110] }
[analysts.alice]
epsilon = 1.0
[analysts.bob]
epsilon = 1.0
"""


@pytest.fixture
def clinic(tmp_path):
    """A policy file with a table, the same table by another name, two analysts, and a new ledger."""
    house(tmp_path, people()).close()
    path = tmp_path / "clinic.toml"
    path.write_text(POLICY)
    deniable.create(path).close()
    return path


@pytest.fixture
def small(tmp_path):
    """A curator with one epsilon to spend."""
    policy = rules(tmp_path, epsilon=1, delta=0, delta_for_keys=0)
    with house(tmp_path, people(), policy) as curator:
        yield curator


@pytest.mark.parametrize("name", ["epsilon", "rho", "accuracy"])
@pytest.mark.parametrize(
    "value", [0, -1, float("nan"), float("inf"), "1e308", "-0", "x", "", "1/0", True, "1e999999999", "٣e" * 9]
)
def test_60_spends_that_are_no_number(small, name, value, monkeypatch):
    monkeypatch.setattr(Engine, "run", lambda *_: pytest.fail("data was read"))
    found = outcome(small, COUNT, **{name: value})
    assert (found.status, found.text[0], found.charged) == ("refused", "bad-spend", 0)


def test_61_tiny_spends_add_up_exactly(small):
    assert outcome(small, COUNT, epsilon="1e-300").text[0] == "least-spend"
    assert outcome(small, COUNT, epsilon="1e-80").text[0] == "bad-spend"
    for place in range(10):
        assert outcome(small, f"{COUNT} WHERE age > {place}", epsilon="1e-12").charged == Fraction(1, 10**12)
    assert small.budget().spent.epsilon == Fraction(1, 10**11)


def test_62_no_drift_at_the_cap(small):
    for place in range(10):
        assert outcome(small, f"{COUNT} WHERE age > {place}", epsilon=0.1).status == "answered"
    assert small.budget().remaining.epsilon == 0
    found = outcome(small, f"{COUNT} WHERE age > 99", epsilon="1e-15")
    assert (found.status, found.text[0]) == ("refused", "over-budget")


def test_63_fifty_at_once_for_the_last_of_the_budget(small):
    small.ask(COUNT, epsilon="0.9")
    seen = []
    threads = [
        threading.Thread(target=lambda place=place: seen.append(_status(small, f"{COUNT} WHERE age > {place}")))
        for place in range(50)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(seen) == ["answered"] + ["refused"] * 49
    assert small.budget().spent.epsilon == 1


def _status(curator, sql):
    try:
        curator.ask(sql, epsilon="0.1")
    except Refused:
        return "refused"
    return "answered"


CHILD = """
import sys, deniable
from deniable.core.errors import Refused
won = 0
with deniable.open(sys.argv[1]) as house:
    for place in range(12):
        try:
            sql = f"SELECT COUNT(*) FROM visits WHERE age > {place} AND age <> 40 + {sys.argv[2]}"
            house.ask(sql, epsilon="0.1", analyst=sys.argv[3])
            won += 1
        except Refused as refusal:
            assert refusal.code == "over-budget", refusal.code
print(won)
"""


def test_64_two_processes_for_one_budget(clinic):
    """Each by itself could spend it all."""
    command = [sys.executable, "-c", CHILD, str(clinic)]
    children = [
        subprocess.Popen([*command, number, who], stdout=subprocess.PIPE, text=True)
        for number, who in (("1", "alice"), ("2", "bob"))
    ]
    won = [int(child.communicate(timeout=60)[0]) for child in children]
    assert sum(won) == 10
    with deniable.open(clinic) as curator:
        assert curator.budget().remaining.epsilon == 0


def test_66_no_room_for_the_charge(small, monkeypatch):
    monkeypatch.setattr(Engine, "run", lambda *_: pytest.fail("data was read"))
    monkeypatch.setattr(Ledger, "charge", _no_room)
    found = outcome(small, COUNT, epsilon="0.5")
    assert (found.status, found.charged) == ("refused", 0)


def _no_room(*_):
    raise refusals.unavailable()


def test_67_no_room_for_the_answer(small, monkeypatch):
    monkeypatch.setattr(Ledger, "record", _failed)
    found = outcome(small, COUNT, epsilon="0.5")
    assert (found.status, found.charged) == ("failed", Fraction(1, 2))


def _failed(*_):
    raise Failed


def test_68_clocks_do_not_matter(small, monkeypatch):
    first = small.ask(COUNT, epsilon="0.5")
    for now in ("1970-01-01T00:00:00+00:00", "9999-12-31T23:59:59+00:00", ""):
        monkeypatch.setattr(clock, "now", lambda now=now: now)
        assert small.ask(COUNT, epsilon="0.5").table == first.table
    small.ask(f"{COUNT} WHERE age > 3", epsilon="0.5")
    assert small.budget().remaining.epsilon == 0
    assert small.ledger.verify() == 5


def test_69_a_replay_is_identical_and_free(small):
    first = small.ask(COUNT, epsilon="0.5")
    question = small.history()[-1].question
    recorded = small.ledger.find(question)
    again = small.ask(COUNT, epsilon="0.5")
    assert (again.free, again.table) == (True, first.table)
    assert small.ledger.find(question) == recorded
    assert small.budget().spent.epsilon == Fraction(1, 2)


@pytest.mark.parametrize(
    "other",
    [
        {"sql": f"{COUNT} WHERE age > 30"},
        {"epsilon": "0.25"},
        {"sql": "SELECT COUNT(age) AS n FROM visits"},
        {"sql": "SELECT town, COUNT(*) AS n FROM visits GROUP BY town"},
        {"sql": "SELECT SUM(CASE WHEN TRUE THEN 1 END) AS n FROM visits"},
    ],
)
def test_70_another_question_is_never_served_from_the_record(small, other):
    small.ask(COUNT, epsilon="0.5")
    asked = {"sql": COUNT, "epsilon": "0.5"} | other
    answer = small.ask(asked.pop("sql"), **asked)
    assert not answer.free
    assert small.budget().spent.epsilon == Fraction(1, 2) + Fraction(asked["epsilon"])


def test_70_another_policy_is_another_question(tmp_path):
    """The same words over other bounds, or over rows that are read otherwise, must not be answered from the record."""
    plain = rules(tmp_path)
    keyed = replace(plain, tables={"visits": replace(plain.tables["visits"], key="age")})
    others = [
        rules(tmp_path, **change) for change in ({"contribution": 2}, {"contribution": 3}, {"neighbours": "replace"})
    ]
    with house(tmp_path, people(), plain) as one:
        names = [
            Curator(policy, one.engine, one.ledger).name(COUNT, epsilon=1) for policy in (plain, plain, keyed, *others)
        ]
    assert names[0] == names[1]
    assert len(set(names)) == 5


SAME = [
    "select   count( * )   from   visits",
    "SELECT COUNT(*) AS other FROM visits AS v",
    "SELECT COUNT(*) /* again */ FROM visits -- and again",
    "SELECT COUNT(*) FROM Visits;",
    "SELECT COUNT(*) + 1 FROM visits ORDER BY 1 LIMIT 5",
    "SELECT ((COUNT(*))) AS n FROM visits HAVING COUNT(*) > 5",
]


def test_71_the_same_question_in_other_words_is_free(small):
    small.ask(COUNT, epsilon=1)
    assert all(small.ask(same, epsilon=1).free for same in SAME)
    assert small.budget().spent.epsilon == 1


def test_72_changed_data_are_charged_again(clinic):
    with deniable.open(clinic) as curator:
        curator.ask(COUNT, epsilon="0.4", analyst="alice")
        house(clinic.parent, [*people(), row(SOMEONE)]).close()
        assert not curator.ask(COUNT, epsilon="0.4", analyst="alice").free
        with pytest.raises(Refused) as caught:
            curator.ask(f"{COUNT} WHERE age > 1", epsilon="0.4", analyst="bob")
    assert caught.value.code == "over-budget"


def _codes(path):
    """Why the ledger refuses to serve."""
    with pytest.raises(Refused) as caught, deniable.open(path) as curator:
        curator.ask(COUNT, epsilon="0.1", analyst="alice")
    return caught.value.code


@pytest.fixture
def spent(clinic):
    """Most of the budget is gone; and a copy of the ledger from before."""
    file = clinic.parent / "clinic.ledger"
    assert file.exists()
    with deniable.open(clinic) as curator:
        curator.ask(COUNT, epsilon="0.1", analyst="alice")
    shutil.copy(file, clinic.parent / "old")
    with deniable.open(clinic) as curator:
        curator.ask(f"{COUNT} WHERE age > 3", epsilon="0.8", analyst="alice")
    return clinic


@pytest.mark.parametrize("harm", ["edited", "cut", "restored"])
def test_73_a_ledger_that_was_tampered_with(spent, harm):
    file = spent.parent / "clinic.ledger"
    if harm == "restored":
        shutil.copy(spent.parent / "old", file)
    else:
        hand = sqlite3.connect(file)
        for (trigger,) in hand.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            hand.execute(f'DROP TRIGGER "{trigger}"')
        if harm == "cut":
            hand.execute("DELETE FROM entries WHERE sequence > 3")
        else:
            hand.execute("UPDATE entries SET body = REPLACE(body, '4/5', '1/5') WHERE sequence = 4")
        hand.commit()
        hand.close()
    assert _codes(spent).startswith("ledger-")


def test_74_a_missing_ledger(spent):
    for file in spent.parent.glob("*.ledger*"):
        file.unlink()
    assert _codes(spent) == "ledger-missing"


def test_75_analysts_together_stay_within_the_cap(clinic):
    with deniable.open(clinic) as curator:
        curator.ask(COUNT, epsilon="0.6", analyst="alice")
        for analyst in ("alice", "bob"):
            with pytest.raises(Refused) as caught:
                curator.ask(f"{COUNT} WHERE age > 2", epsilon="0.6", analyst=analyst)
            assert caught.value.code == "over-budget"
        assert curator.ask(COUNT, epsilon="0.6", analyst="bob").share
        for stranger in ("mallory", "population", "", None, "analyst:alice", "Alice"):
            with pytest.raises(Refused) as caught:
                curator.ask(COUNT, epsilon="0.6", analyst=stranger)
            assert caught.value.code == "unknown-analyst"


def test_76_the_same_data_by_another_name(clinic):
    with deniable.open(clinic) as curator:
        curator.ask(COUNT, epsilon="0.6", analyst="alice")
        with pytest.raises(Refused) as caught:
            curator.ask("SELECT COUNT(*) AS n FROM again", epsilon="0.6", analyst="bob")
    assert caught.value.code == "over-budget"


def test_77_nothing_can_be_seeded(tmp_path):
    with house(tmp_path, people()) as one, house(tmp_path, people()) as other:
        for name in ("seed", "random_state", "bits", "rng"):
            with pytest.raises((TypeError, Refused)):
                one.ask(COUNT, epsilon=1, **{name: 1})
        question = "SELECT age, COUNT(*) AS n FROM visits GROUP BY age"
        drawn = [curator.ask(question, epsilon="0.01").table["n"].to_pylist() for curator in (one, other)]
        assert drawn[0] != drawn[1]  # 112 draws of scale 100: alike once in more than 10^200 runs


CHEATS = ["row 17 has cost 4711", "Could not convert string '4711' to INT32", "4711"]


@pytest.mark.parametrize("said", CHEATS)
def test_78_an_engines_words_reach_nobody(tmp_path, monkeypatch, caplog, capfd, said):
    def broken(*_):
        raise RuntimeError(said)

    caplog.set_level(logging.DEBUG)
    with house(tmp_path, people()) as curator:
        monkeypatch.setattr(type(curator.engine), "fetch", broken)
        found = outcome(curator, COUNT, epsilon="0.5")
    assert (found.status, found.charged) == ("failed", Fraction(1, 2))
    assert found.text[1:] == (None, None)
    said_elsewhere = caplog.text + "".join(capfd.readouterr())
    assert "4711" not in said_elsewhere + str(found)


def test_78_an_ordinary_question_leaves_no_number_in_the_log(tmp_path, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    rows = [row(number, serial=987_654_321, word="Rumpelstilzchen") for number in range(30)]
    with house(tmp_path, rows) as curator:
        for sql in (
            COUNT,
            "SELECT word, COUNT(*) AS n FROM visits GROUP BY word",
            "SELECT COUNT(*) FROM visits WHERE x",
        ):
            outcome(curator, sql, epsilon="0.001", delta="1e-9")
        curator.explain(COUNT, epsilon=1)
    said = caplog.text + "".join(capfd.readouterr())
    assert "987654321" not in said
    assert "Rumpelstilzchen" not in said


def test_79_other_peoples_tables_look_like_none(tmp_path):
    """Whether a file lies there makes no difference to the words."""
    found = pair(tmp_path, row(SOMEONE))
    shutil.copy(tmp_path / "having" / "visits.parquet", tmp_path / "having" / "salaries.parquet")
    try:
        for name in (
            "salaries",
            '"salaries.parquet"',
            "'salaries.parquet'",
            "main.salaries",
            "other.visits",
            "salaries()",
        ):
            found.refused(f"SELECT COUNT(*) FROM {name}")
        found.refused("SELECT SUM(hidden) FROM visits", "unknown-column")
    finally:
        found.close()


def test_explaining_reads_nothing_and_costs_nothing(small, monkeypatch):
    monkeypatch.setattr(Engine, "run", lambda *_: pytest.fail("data was read"))
    monkeypatch.setattr(type(small.engine), "fetch", lambda *_: pytest.fail("data was read"))
    monkeypatch.setattr(type(small.engine), "version", lambda *_: pytest.fail("data was read"))
    assert small.explain(COUNT, epsilon=5).loss.epsilon == 5
    assert small.budget().spent.epsilon == 0
    assert len(small.history()) == 1
