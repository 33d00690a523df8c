"""Bad input gets a clear error, and nothing is charged."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import deniable
from deniable.core.errors import InvalidArgumentError, Refused
from deniable.policy import InvalidPolicyError

POLICY = """
[population]
name = "bad"
[budget]
epsilon = 1.0
[tables.visits]
source = "visits.parquet"
[tables.visits.columns]
age = { type = "integer", bounds = [0, 110] }
cost = { type = "number", bounds = [0, 500] }
"""


@pytest.fixture
def path(tmp_path):
    pq.write_table(pa.table({"age": [30, 40], "cost": [1.5, 2.5]}), tmp_path / "visits.parquet")
    policy = tmp_path / "bad.toml"
    policy.write_text(POLICY)
    return policy


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("[budget]", "[budget", "line"),
        ("epsilon = 1.0", "epsilon = 0", "budget.epsilon"),
        ("epsilon = 1.0", "epsilon = nan", "budget.epsilon"),
        ("bounds = [0, 110]", "bounds = [110, 0]", "tables.visits.columns.age.bounds"),
        ("visits.parquet", "nowhere.parquet", "tables.visits"),
        ("cost = {", "costs = {", "tables.visits.columns.costs"),
        ('type = "integer"', 'type = "date"', "tables.visits.columns.age"),
        ('type = "integer"', 'type = "whole"', "tables.visits.columns.age.type"),
        ("epsilon = 1.0", "epsilon = 1.0\nseed = 7", "budget.seed"),
    ],
)
def test_policies_that_cannot_be_are_named(path, old, new, named):
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(InvalidPolicyError, match=named.replace(".", r"\.")):
        deniable.create(path)
    assert not list(path.parent.glob("*.ledger*"))


def test_text_in_a_number_column_is_named(path):
    pq.write_table(pa.table({"age": [30, 40], "cost": ["1.5", "much"]}), path.parent / "visits.parquet")
    with pytest.raises(InvalidPolicyError, match="VARCHAR"):
        deniable.create(path)


def test_a_missing_policy_is_named(tmp_path):
    with pytest.raises(InvalidPolicyError, match=r"none\.toml"):
        deniable.open(tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("sql", "spend", "code"),
    [
        ("", {"epsilon": 1}, "empty"),
        ("SELECT COUNT(*) FROM visits", {"epsilon": 0}, "bad-spend"),
        ("SELECT COUNT(*) FROM visits", {"epsilon": -1}, "bad-spend"),
        ("SELECT COUNT(*) FROM visits", {"epsilon": float("nan")}, "bad-spend"),
        ("SELECT COUNT(*) FROM visits", {"epsilon": "1.0001"}, "over-budget"),
        ("SELECT COUNT(*) FROM visits", {"rho": "0.1"}, "over-budget"),
        ("SELECT COUNT(*) FROM visits", {"accuracy": "0.001"}, "over-budget"),
        ("SELECT COUNT(*) FROM visits", {}, "bad-spend"),
    ],
)
def test_questions_that_cannot_be_cost_nothing(path, sql, spend, code):
    with deniable.create(path) as curator:
        with pytest.raises(Refused) as caught:
            curator.ask(sql, **spend)
        assert caught.value.code == code
        assert curator.budget().spent.epsilon == 0
        assert len(curator.history()) == 1


def test_a_file_that_vanishes_costs_nothing(path):
    with deniable.create(path) as curator:
        (path.parent / "visits.parquet").unlink()
        with pytest.raises(Refused) as caught:
            curator.ask("SELECT COUNT(*) FROM visits", epsilon="0.1")
        assert caught.value.code == "data-unavailable"
        assert curator.budget().spent.epsilon == 0


@pytest.mark.parametrize("spoiled", ["no parquet at all", None])
def test_a_file_that_is_spoiled_costs_nothing_and_its_words_stay_inside(path, spoiled):
    with deniable.create(path) as curator:
        file = path.parent / "visits.parquet"
        if spoiled is None:
            pq.write_table(pa.table({"secret": ["bob"]}), file)
        else:
            file.write_text(spoiled)
        with pytest.raises(Refused) as caught:
            curator.ask("SELECT COUNT(age) FROM visits", epsilon="0.1")
        assert caught.value.code == "data-unavailable"
        assert str(path.parent) not in caught.value.show()
        assert caught.value.__cause__ is None
        assert caught.value.__context__ is None
        assert curator.budget().spent.epsilon == 0


def test_a_second_ledger_is_not_made_over_the_first(path):
    deniable.create(path).close()
    with pytest.raises(Refused) as caught:
        deniable.create(path)
    assert caught.value.code == "ledger-exists"


@pytest.mark.parametrize("frame", [None, 7, "visits.parquet", [1, 2]])
def test_only_frames_can_be_protected(frame):
    with pytest.raises(InvalidArgumentError, match="frame"):
        deniable.protect(frame, epsilon=1)


@pytest.mark.parametrize("said", [{"bounds": {"agee": (0, 110)}}, {"values": {"Age": [1, 2]}}, {"steps": {"x": 1}}])
def test_what_is_said_of_a_column_that_is_not_there_is_no_slip_that_passes(said):
    with pytest.raises(InvalidArgumentError, match="about which something is said: it has age, town"):
        deniable.protect(pa.table({"age": [1, 2], "town": ["a", "b"]}), epsilon=1, **said)


def test_protecting_guesses_nothing():
    frame = pa.table({"age": [1, 2, 3], "town": ["a", "b", "c"]})
    with deniable.protect(frame, epsilon=1) as curator:
        for sql, code in (
            ("SELECT AVG(age) FROM data", "needs-bounds"),
            ("SELECT town, COUNT(*) FROM data GROUP BY town", "private-keys"),
        ):
            with pytest.raises(Refused) as caught:
                curator.ask(sql, epsilon="0.1")
            assert caught.value.code == code
