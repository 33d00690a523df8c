"""Private multiplicative weights: what it costs, what it learns, and that its one bound holds."""

from fractions import Fraction

import numpy as np
import pytest

from deniable.mechanisms import Mechanism
from deniable.releases import Workload
from deniable.releases.linear.domain import Attribute, Domain
from deniable.releases.linear.reader import sums_of
from deniable.releases.linear.strategies import choose
from deniable.releases.linear.strategies.mwem import Mwem
from tests.support.curators import silence
from tests.support.workloads import marginals_of, noise, task

DOMAIN = Domain((Attribute("a", tuple(range(12)), ordered=True), Attribute("b", tuple(range(12)), ordered=True)))
WORK = task(Workload.ranges("a", "b"), DOMAIN)


def people(count: int) -> np.ndarray:
    chance = np.random.default_rng(4)
    cells = np.zeros((12, 12), dtype=np.int64)
    places = (chance.normal(4, 1, count).clip(0, 11).astype(int), chance.normal(8, 2, count).clip(0, 11).astype(int))
    np.add.at(cells, places, 1)
    return cells


@pytest.mark.parametrize("spend", [{"epsilon": 1}, {"rho": "0.5"}], ids=["pure", "concentrated"])
@pytest.mark.parametrize("contribution", [None, 3])
def test_the_spend_covers_every_step(spend, contribution):
    kind = noise(**spend, contribution=contribution)
    design = choose("mwem", WORK, kind)
    parts = [Mechanism.recall(event).loss for event in design.events]
    form = "epsilon" if kind.pure else "rho"
    assert sum(getattr(part, form) for part in parts) == getattr(design.loss, form)
    assert kind.spend * Fraction(999, 1000) <= getattr(design.loss, form) <= kind.spend


@pytest.mark.parametrize("contribution", [None, 3])
def test_it_learns(contribution, monkeypatch):
    silence(monkeypatch)
    cells, kind = people(400), noise(epsilon=20, contribution=contribution)
    (piece,) = WORK.pieces
    design = Mwem(rounds=30).design(WORK, kind)
    solution = design.solve(design.release(marginals_of(cells, kind)))
    exact = sums_of(cells.astype(float), piece)
    even = sums_of(np.full(cells.shape, cells.mean()), piece)
    assert np.abs(design.answers(solution, piece) - exact).max() < 0.35 * np.abs(even - exact).max()


@pytest.mark.parametrize("spend", [{"epsilon": 5}, {"rho": "2"}], ids=["pure", "concentrated"])
def test_its_bound_holds_for_all_queries_at_once(spend):
    """At 1 - 1e-7 in each of three runs: false alarm below 1e-6."""
    cells, kind = people(300), noise(**spend)
    (piece,) = WORK.pieces
    exact = sums_of(cells.astype(float), piece)
    design = choose("mwem", WORK, kind)
    for _ in range(3):
        solution = design.solve(design.release(marginals_of(cells, kind)))
        off = np.abs(design.answers(solution, piece) - exact)
        assert (off <= design.radius(solution, piece, 1 - 1e-7)).all()


def test_before_the_data_nothing_is_promised_and_the_best_is_another():
    design = choose("mwem", WORK, noise(epsilon=1))
    assert np.isinf(design.total)
    assert np.isinf(design.radius(None, WORK.pieces[0], 0.95)).all()
    assert choose("best", WORK, noise(epsilon=1)).name != "mwem"
