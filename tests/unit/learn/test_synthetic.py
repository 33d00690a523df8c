"""Any estimator on synthetic rows: columns are encoded, the release is paid for, caveats are said."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import deniable
from deniable.core.errors import InvalidArgumentError
from deniable.learn import on_synthetic


@pytest.fixture(scope="module")
def curator():
    chance = np.random.default_rng(3)
    age = chance.integers(0, 100, 3000)
    people = pa.table(
        {
            "age": age,
            "town": np.array(["north", "south"])[chance.integers(0, 2, 3000)],
            "ill": chance.random(3000) < np.where(age > 50, 0.95, 0.05),
        }
    )
    values = {"town": ["north", "south"]}
    with deniable.protect(people, epsilon=50, delta=1e-5, bounds={"age": (0, 100)}, values=values) as found:
        yield found


def test_any_estimator_learns_from_made_up_rows(curator) -> None:
    tree = pytest.importorskip("sklearn.tree").DecisionTreeClassifier(max_depth=3, random_state=0)
    model = on_synthetic(tree, curator, "data", "ill", rho=1)
    assert float(curator.budget().spent.rho) == pytest.approx(1)
    rows = {"age": [10, 90, None], "town": ["north", "nowhere", None]}
    assert model.predict(rows).tolist()[:2] == [False, True]
    assert model.predict_proba(rows).shape == (3, 2)
    assert model.score({"age": [5, 95], "town": ["south", "south"]}, [False, True]) == 1
    assert model.encoded(rows).shape in ((3, 3), (3, 4))  # made-up rows may have a town that is none of these
    assert any("made-up rows" in one for one in model.caveats)


def test_a_target_that_is_not_there_costs_nothing(curator) -> None:
    before = curator.budget().spent.rho
    with pytest.raises(deniable.Refused):
        on_synthetic(object(), curator, "data", "weight", columns=["age"], rho=1)
    assert curator.budget().spent.rho == before
    with pytest.raises(InvalidArgumentError):
        on_synthetic(object(), curator, "data", "nothing", rho=1)
