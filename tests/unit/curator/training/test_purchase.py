"""Trainings on the one path: neighbouring tables through the engine, joins, missing values, refusals, free repeats."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import deniable
from deniable.core.algebra.query import WEIGHT, VectorSums
from deniable.core.errors import Failed, Refused
from deniable.core.vectors.design import Encoding
from deniable.core.vectors.every import ClassSums, ColumnSums, Gram, Hits, NearestCentres, Residuals
from deniable.core.vectors.residuals import rounded, turned
from deniable.curator import Curator
from deniable.learn import LinearRegression, LogisticRegression
from deniable.learn.inputs import vectors_of
from deniable.learn.learner import PaidSum
from deniable.mechanisms import Gaussian
from deniable.planner.vectors import plan_vectors
from deniable.releases.linear.measurement import together
from tests.support.curators import silence

SQL = "SELECT age, cost, region, ill FROM data"
EXTREME = [
    {"age": 10**9, "cost": 1e300, "region": "north", "ill": True},
    {"age": -(10**9), "cost": -1e300, "region": "", "ill": False},
    {"age": 110, "cost": float("nan"), "region": None, "ill": True},
    {"age": None, "cost": float("inf"), "region": "south", "ill": None},
    {"age": 0, "cost": 0.0, "region": "nörth", "ill": False},
]
BLOCKS = [(0, 0), (1, 0), (3, 0), (4, 1), (50, 0), (50, None), (7, 3), (2000, None)]
"""How many rows one person more has, and which: the first block has nobody more, so it is a neighbour of all others."""


def visits(heavy: int = 0, extreme: int | None = None, block: int = 0) -> pa.Table:
    """Sixty people with a row or two each; and, if wanted, one more, with rows of one extreme kind or of all."""
    chance = np.random.default_rng(4)
    rows = [
        {
            "who": f"p{place % 60} of {block}",
            "age": int(chance.integers(0, 100)),
            "cost": float(chance.uniform(0, 500)),
            "region": str(chance.choice(["north", "south"])),
            "ill": bool(chance.random() < 0.4),
        }
        for place in range(90)
    ]
    kinds = [EXTREME[place % len(EXTREME) if extreme is None else extreme] for place in range(heavy)]
    rows += [{"who": f"more of {block}", **kind} for kind in kinds]
    types = {"who": pa.string(), "age": pa.int64(), "cost": pa.float64(), "region": pa.string(), "ill": pa.bool_()}
    table = pa.Table.from_pylist(rows, schema=pa.schema(list(types.items())))
    return table.append_column("block", pa.array([block] * len(rows)))


def protected(table: pa.Table, unit: str | None = "who") -> Curator:
    return deniable.protect(
        table,
        epsilon=100,
        delta=1e-6,
        unit=unit,
        contribution=3 if unit else None,
        bounds={"age": (0, 110), "cost": (0, 500), "block": (0, 20)},
        values={"region": ["north", "south"]},
    )


@pytest.fixture(scope="module")
def blocks():
    """Tables that are neighbours of each other, in one, told apart by their block."""
    tables = [visits(heavy, extreme, block) for block, (heavy, extreme) in enumerate(BLOCKS)]
    with protected(pa.concat_tables(tables)) as curator:
        yield curator


@pytest.fixture(scope="module")
def curator():
    with protected(visits(heavy=5)) as found:
        yield found


def sums(curator: Curator, block: int) -> list[tuple[int, np.ndarray]]:
    """What each kernel adds up over a block, and how far it says that one unit moves it."""
    planned = plan_vectors(f"{SQL} WHERE block = {block}", "ill", curator.policy, Encoding(classes=True))
    design, size = planned.design, planned.design.size
    some = rounded(np.linspace(-4, 4, size))
    kernels = (
        Gram(design),
        ColumnSums(design),
        ClassSums(design),
        Residuals(design, some, design.radius // 2, turned(np.eye(size) + 0.5)),
        NearestCentres(design, ((0,) * size, (2000,) * size), design.radius // 2),
        Hits(design, some),
    )
    found = []
    for kernel in kernels:
        query = VectorSums(planned.source, planned.fields, kernel)
        curator.engine.check(query)
        found.append((kernel.sensitivity, curator.engine.run(query)["total"].to_numpy()))
    return found


def moved(curator: Curator, block: int) -> list[float]:
    """How far one person more moves each sum, as a part of what it says."""
    pairs = zip(sums(curator, 0), sums(curator, block), strict=True)
    return [float(((one - other).astype(object) ** 2).sum()) ** 0.5 / claimed for (claimed, one), (_, other) in pairs]


@pytest.mark.parametrize("block", range(1, len(BLOCKS)))
def test_nobody_moves_a_sum_farther_than_it_says(block: int, blocks: Curator) -> None:
    assert max(moved(blocks, block)) <= 1


def test_a_full_contribution_moves_sums_nearly_as_far_as_they_say(blocks: Curator) -> None:
    assert min(moved(blocks, BLOCKS.index((3, 0)))[:3]) > 0.95


@pytest.mark.parametrize("unit", ["who", None])
def test_rows_are_the_vectors_that_predictions_are_made_for(unit: str | None) -> None:
    """What the engine adds up is what `vectors_of` gives for the same rows, weighed."""
    table = visits(heavy=3)
    with protected(table, unit) as curator:
        planned = plan_vectors("SELECT age, cost, region FROM data", None, curator.policy, Encoding())
        kernel = ColumnSums(planned.design)
        found = curator.engine.run(VectorSums(planned.source, planned.fields, kernel))["total"].to_numpy()
    rows = table.select(["age", "cost", "region"]).to_pydict()
    expected = vectors_of(planned.design, {name: np.array(value, dtype=object) for name, value in rows.items()})
    assert np.abs(found * kernel.worth - expected.sum(axis=0)).max() < 1e-9


def test_the_weight_of_a_row_is_that_of_any_question(blocks: Curator) -> None:
    """Fifty rows of somebody who may have three count as three; rows without a target count as none."""
    for block, rows in ((0, 90), (BLOCKS.index((50, 0)), 93), (BLOCKS.index((7, 3)), 90)):
        counted = sums(blocks, block)[-1][1][1]
        assert counted / WEIGHT == pytest.approx(rows, abs=0.01)


def test_joined_and_filtered_rows_can_be_learned_from(curator: Curator) -> None:
    """A table joined with itself, along the person; and a condition."""
    dearest = "SELECT who, MAX(cost) AS cost FROM data GROUP BY who"
    sql = f"SELECT a.age, b.cost, a.ill FROM data a JOIN ({dearest}) b ON a.who = b.who WHERE a.age > 20"
    model = LogisticRegression().fit(curator, sql, target="ill", rho=1)
    assert model.coef_.shape == (1, 2)


def test_without_a_select_every_column_is_used_but_the_persons(curator: Curator) -> None:
    model = LinearRegression().fit(curator, target="cost", rho=1)
    assert model.feature_names_in_.tolist() == ["age", "region", "ill", "block"]


def test_another_table_is_another_model() -> None:
    with protected(visits()) as one, protected(visits(heavy=1)) as other:
        coefficients = [LinearRegression().fit(curator, SQL, target="cost", rho=1).coef_ for curator in (one, other)]
    assert not np.array_equal(*coefficients)


@pytest.mark.parametrize("kind", [LinearRegression, LogisticRegression])
def test_the_ledger_says_what_each_sum_was_paid(kind, curator: Curator) -> None:
    target = "cost" if kind is LinearRegression else "ill"
    model = kind().fit(curator, SQL, target=target, rho="1.5")
    events = [entry.events for entry in curator.history() if entry.events][-1]
    assert [event.settings["sensitivity"] for event in events] == [step.sensitivity for step in model.trained_.steps]
    assert sum(event.settings["rho"] for event in events) == Fraction("1.5")
    design = model.design
    assert model.trained_.steps[0].sensitivity == 5 * 3 * design.square


class Greedy(LinearRegression):
    """Asks for more than it has rehearsed, once it has seen something."""

    def training(self, design):
        seen = yield PaidSum(ColumnSums(design), Fraction(1, 2))
        more = Fraction(1, 2) if (seen.values == 0).all() else Fraction(2)
        yield PaidSum(ColumnSums(design), more)
        return {}


def test_what_was_not_paid_for_is_not_summed(curator: Curator) -> None:
    before = len(curator.history())
    with pytest.raises(Failed):
        Greedy().fit(curator, SQL, target="cost", rho=1)
    assert len(curator.history()) == before + 1


def test_every_step_has_noise_of_its_own(curator: Curator, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of all that a training draws, nothing is drawn twice."""
    drawn, noise = [], Gaussian._noise

    def kept(self, size, bits):
        drawn.append(noise(self, size, bits))
        return drawn[-1]

    monkeypatch.setattr(Gaussian, "_noise", kept)
    LogisticRegression().fit(curator, SQL, target="ill", rho=2)
    assert len(drawn) == 17
    assert len({tuple(one.tolist()) for one in drawn}) == 17


def test_without_noise_it_is_ordinary_least_squares(monkeypatch: pytest.MonkeyPatch) -> None:
    silence(monkeypatch)
    chance = np.random.default_rng(0)
    table = pa.table({"x": chance.uniform(0, 1, 4000), "z": chance.uniform(0, 1, 4000)})
    y = 3 * table["x"].to_numpy() - 2 * table["z"].to_numpy() + 1 + chance.normal(0, 0.1, 4000)
    with deniable.protect(
        table.append_column("y", pa.array(y)), epsilon=50, delta=1e-6, bounds={"x": (0, 1), "z": (0, 1), "y": (-2, 5)}
    ) as curator:
        model = LinearRegression().fit(curator, target="y", rho=10)
    design = np.c_[table["x"], table["z"], np.ones(4000)]
    plain = np.linalg.lstsq(design, y, rcond=None)[0]
    assert np.abs([*model.coef_, model.intercept_] - plain).max() < 0.03
    assert model.residual_ * 7 == pytest.approx(0.1, rel=0.1)
    assert not model.biased_


@pytest.mark.parametrize(
    ("payment", "code"),
    [
        ({}, "bad-spend"),
        ({"epsilon": 1}, "bad-spend"),
        ({"accuracy": 1}, "bad-spend"),
        ({"rho": 1, "delta": 1e-9}, "bad-spend"),
        ({"epsilon": 1e-200, "delta": 1e-9}, "least-spend"),
        ({"rho": 1e-9}, "least-spend"),
        ({"rho": 10**6}, "over-budget"),
    ],
)
def test_refused_payments_cost_nothing(payment: dict[str, float], code: str, curator: Curator) -> None:
    before = curator.budget().spent.rho
    with pytest.raises(Refused) as refusal:
        LinearRegression().fit(curator, SQL, target="cost", **payment)
    assert refusal.value.code == code
    assert curator.budget().spent.rho == before


def test_epsilon_and_delta_are_kept(curator: Curator) -> None:
    model = LinearRegression().fit(curator, SQL, target="cost", epsilon=1, delta="1e-7")
    spent = [Gaussian(sensitivity=step.sensitivity, rho=step.rho).loss for step in model.trained_.steps]
    assert 0.99 < together(spent).at("1e-7").epsilon <= 1
