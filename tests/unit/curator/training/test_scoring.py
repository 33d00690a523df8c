"""A model's score on private rows is a paid question, with the interval of its noise."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import deniable
from deniable.core.errors import InvalidArgumentError, Refused
from deniable.learn import PCA, BoostedStumps, LinearRegression, LogisticRegression, NaiveBayes, choose
from tests.support.curators import silence


def people(count: int = 3000) -> pa.Table:
    chance = np.random.default_rng(8)
    age = chance.integers(0, 100, count)
    return pa.table(
        {
            "age": age,
            "cost": np.clip(age * 4.0 + chance.normal(0, 30, count), 0, 500),
            "ill": chance.random(count) < np.where(age > 50, 0.95, 0.05),
            "half": np.arange(count) % 2,
        }
    )


@pytest.fixture(scope="module")
def curator():
    bounds = {"age": (0, 100), "cost": (0, 500), "half": (0, 1)}
    with deniable.protect(people(), epsilon=100, delta=1e-5, bounds=bounds) as found:
        yield found


@pytest.mark.parametrize("kind", [LogisticRegression, BoostedStumps, NaiveBayes])
def test_the_score_of_a_classifier(kind, curator) -> None:
    model = kind().fit(curator, "SELECT age, ill FROM data", target="ill", rho=1)
    before = curator.budget().spent.rho
    paid = model.score(curator, rho="0.1")
    assert curator.budget().spent.rho - before == pytest.approx(0.1)
    rows = people()
    exact = model.score({"age": rows["age"].to_numpy()}, rows["ill"].to_numpy())
    assert paid.low <= exact <= paid.high
    assert paid.high - paid.low < 0.05
    assert float(paid) == paid.value
    assert model.score(curator, rho="0.1").free
    assert curator.budget().spent.rho - before == pytest.approx(0.1)


def test_the_score_of_a_regression(curator, monkeypatch) -> None:
    model = LinearRegression().fit(curator, "SELECT age, cost FROM data", target="cost", rho=1)
    rows = people()
    exact = model.score({"age": rows["age"].to_numpy()}, rows["cost"].to_numpy())
    paid = model.score(curator, rho=1)
    assert paid.low <= paid.value <= paid.high
    assert paid.value == pytest.approx(exact, abs=0.05)
    silence(monkeypatch)
    assert model.score(curator, rho=2).value == pytest.approx(exact, abs=0.03)


def test_other_columns_are_refused(curator) -> None:
    model = LogisticRegression().fit(curator, "SELECT age, ill FROM data", target="ill", rho=1)
    before = curator.budget().spent.rho
    with pytest.raises(Refused) as refusal:
        model.score(curator, "SELECT age, cost, ill FROM data", rho=1)
    assert refusal.value.code == "other-features"
    with pytest.raises(InvalidArgumentError):
        curator.score(PCA().fit(curator, "SELECT age, cost FROM data", rho=1), rho=1)
    assert curator.budget().spent.rho == before + 1


def test_the_best_of_several_is_chosen_for_one_spend(curator) -> None:
    """Each is charged its part, and no more."""
    before = curator.budget().spent.rho
    train, test = (f"SELECT age, ill FROM data WHERE half = {half}" for half in (0, 1))
    found = choose([NaiveBayes(), LogisticRegression()], curator, train=train, holdout=test, target="ill", rho=2)
    assert curator.budget().spent.rho - before == 2
    assert len(found.scores) == 2
    assert found.best.predict({"age": [10, 90]}).tolist() == [False, True]
    with pytest.raises(InvalidArgumentError):
        choose([], curator, train=train, holdout=test, target="ill", rho=1)
