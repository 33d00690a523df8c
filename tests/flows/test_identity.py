"""The identity of a question: whatever changes what an answer means makes a new charge; what is charged is what ran."""

from fractions import Fraction
from functools import reduce
from itertools import pairwise
from operator import add

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import deniable
from deniable.mechanisms import Mechanism
from deniable.releases import Workload

POLICY = """
[population]
name = "identity"
[budget]
epsilon = 1000.0
delta = 1e-5
delta_for_keys = 4e-6
[tables.visits]
source = "visits.parquet"
[tables.visits.columns]
age = { type = "integer", bounds = [0, 110] }
cost = { type = "number", bounds = [0, 500] }
word = { type = "text" }
town = { type = "text", values = ["north", "south"] }
"""

COUNT = "SELECT COUNT(*) AS n, SUM(cost) AS s FROM visits"
MEDIAN = "SELECT MEDIAN(age) AS m FROM visits"
SEVERAL = (
    "SELECT QUANTILE_CONT(age, 0.25) AS a, QUANTILE_CONT(age, 0.5) AS b, QUANTILE_CONT(age, 0.75) AS c FROM visits"
)
COMMON = "SELECT MODE(town) AS m FROM visits"
WORDS = "SELECT word, COUNT(*) AS n FROM visits GROUP BY word"
TOWNS = "SELECT town, COUNT(*) AS n, AVG(cost) AS s FROM visits GROUP BY town"
QUESTIONS = [COUNT, MEDIAN, SEVERAL, COMMON, WORDS, TOWNS]
BASE = {"epsilon": "0.5", "delta": "1e-7", "confidence": "0.95"}
CHANGES = {
    "epsilon": {"epsilon": "0.6"},
    "rho": {"epsilon": None, "rho": "0.1"},
    "delta": {"delta": "2e-7"},
    "more sure": {"confidence": "0.999"},
    "less sure": {"confidence": "0.5"},
    "weights": {"weights": {"n": 3, "m": 3, "a": 3}},
}


@pytest.fixture
def clinic(tmp_path):
    write(tmp_path, 100)
    path = tmp_path / "identity.toml"
    path.write_text(POLICY)
    deniable.create(path).close()
    return path


def write(folder, rows):
    numbers = range(rows)
    columns = {
        "age": list(numbers),
        "cost": [float(n) for n in numbers],
        "word": ["a"] * rows,
        "town": ["north"] * rows,
    }
    pq.write_table(pa.table(columns), folder / "visits.parquet")


def charged(house, before):
    """The entries that were added, and what they were charged for."""
    return [entry for entry in house.history()[before:] if entry.kind == "charged"]


def paid(entry):
    """What the events that were charged lose, each worked out again from its own settings."""
    return reduce(add, (Mechanism.recall(event).loss for event in entry.events))


@pytest.mark.parametrize("text", QUESTIONS)
def test_what_is_charged_is_what_ran(clinic, text):
    with deniable.open(clinic) as house:
        for spend in ({"epsilon": "0.5", "delta": "1e-7"}, {"rho": "0.1", "delta": "1e-7"}):
            before = len(house.history())
            answer = house.ask(text, **spend)
            (entry,) = charged(house, before)
            own = paid(entry)
            assert len(entry.events) == len(answer.plan.events)
            drawn = [
                part.choice.uses + bool(part.around) if hasattr(part, "choice") else 1 for part in answer.plan.noise
            ]
            assert sum(drawn) + (answer.plan.selection is not None) == len(entry.events)
            for form in ("epsilon", "rho", "mu_squared", "delta"):
                kept, lost = getattr(entry.loss, form), getattr(own, form)
                assert kept == lost or lost < kept < lost + Fraction(1, 2**79)  # kept in 80 binary digits, rounded up
                assert getattr(answer.loss, form) == lost


def test_a_batch_is_charged_with_its_delta(clinic):
    with deniable.open(clinic) as house:
        before = len(house.history())
        texts = [f"SELECT COUNT(*) FROM visits WHERE age > {age}" for age in range(40)]
        house.ask_all(texts, epsilon=1, delta="1e-6")
        (entry,) = charged(house, before)
        assert (entry.loss.epsilon <= 1, entry.loss.delta) == (True, Fraction(1, 10**6))
        assert paid(entry).epsilon > 1  # more than one epsilon by itself: only the delta makes it one


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("text", QUESTIONS)
def test_each_part_of_a_payment_makes_a_new_charge_or_leaves_the_numbers_valid(clinic, text, change):
    with deniable.open(clinic) as house:
        first = house.ask(text, **BASE)
        assert house.ask(text, **BASE).free
        payment = {name: value for name, value in (BASE | CHANGES[change]).items() if value is not None}
        if "weights" in payment:
            shown = {name: weight for name, weight in payment["weights"].items() if name in first.table.column_names}
            payment = payment | {"weights": shown}
        spent = house.budget().spent
        second = house.ask(text, **payment)
        assert second.free == (house.budget().spent == spent)
        if not second.free:
            return
        assert second.noisy.equals(first.noisy)  # the same numbers, of the same noise
        assert second.plan.events == first.plan.events
        for part in second.plan.noise:
            held = [other for other in first.plan.noise if other.names == part.names]
            sure = [getattr(other, "confidence", None) for other in (*held, part)]
            assert len(set(sure)) == 1  # an interval that was drawn holds as surely as it says
        wider = change == "more sure"
        for name, one in first.intervals.to_pydict().items():
            for before, after in zip(one, second.intervals[name].to_pylist(), strict=True):
                if before is None or after is None:  # a group that may be empty has no mean, and no interval of one
                    continue
                assert before == after or (name.endswith("_low") == wider) == (after < before)


def test_other_data_another_policy_and_another_batch_are_other_questions(clinic):
    def price(change):
        change()
        with deniable.open(clinic) as house:
            spent = house.budget().spent.epsilon
            house.ask(COUNT, epsilon="0.5")
            return house.budget().spent.epsilon - spent

    half = Fraction(1, 2)
    assert price(lambda: None) == half
    assert price(lambda: None) == 0
    assert price(lambda: write(clinic.parent, 101)) == half
    with deniable.open(clinic) as house:
        texts = [COUNT, MEDIAN], [COUNT, COMMON], [COUNT]
        spent = [house.budget().spent.epsilon]
        for batch in (*texts, *texts):
            house.ask_all(batch, epsilon="0.25")
            spent.append(house.budget().spent.epsilon)
    assert [b - a for a, b in pairwise(spent)] == [Fraction(1, 4)] * 3 + [0] * 3


def test_each_setting_of_a_release_makes_a_new_charge(clinic):
    work, other = Workload.histogram("age // 10"), Workload.ranges("age // 10")
    asked = [
        (work, {"epsilon": "0.5", "strategy": "identity"}),
        (work, {"epsilon": "0.5", "strategy": "marginals"}),
        (work, {"epsilon": "0.25", "strategy": "identity"}),
        (work, {"rho": "0.1", "strategy": "identity"}),
        (other, {"epsilon": "0.5", "strategy": "mwem"}),
    ]
    with deniable.open(clinic) as house:
        for many in (True, False):
            for workload, payment in asked:
                before = len(house.history())
                assert house.release(workload, **payment).free is not many
                assert len(charged(house, before)) == many
