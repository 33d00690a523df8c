"""Every linear strategy, against its matrices written out: norms, errors, and answers without noise."""

import numpy as np
import pytest

from deniable.releases.linear.design import LinearDesign
from deniable.releases.linear.strategies import STRATEGIES, choose
from deniable.releases.linear.task import ListedQueries
from tests.support.curators import silence
from tests.support.workloads import MARGINALS, MIXED, SMALL, dense, marginals_of, measured, noise, task

CHANCE = np.random.default_rng(3)
CONDITIONS = ListedQueries((0, 2), CHANCE.random((5, 8, 4)) < 0.5, 1.0)
TASKS = {"mixed": task(MIXED), "marginals": task(MARGINALS), "conditions": task(MARGINALS, SMALL, CONDITIONS)}
NOISES = {
    "laplace": noise(epsilon=1),
    "gaussian": noise(rho="0.5"),
    "laplace, units, replace": noise(epsilon=1, contribution=3, replaced=True),
    "gaussian, units, replace": noise(rho=1, contribution=3, replaced=True),
}
CASES = [
    pytest.param(name, work, kind, id=f"{name} {work} {kind}")
    for name, strategy in STRATEGIES.items()
    for work, one in TASKS.items()
    if strategy.refusal(one) is None and name != "mwem"
    for kind in NOISES
]


@pytest.mark.parametrize(("name", "work", "kind"), CASES)
def test_norms_are_those_of_the_matrices(name, work, kind):
    design = choose(name, TASKS[work], NOISES[kind])
    assert isinstance(design, LinearDesign)
    for one in design.measurements:
        matrix = measured(one.block)
        assert one.block.taxi == one.block.scale * np.abs(matrix).sum(axis=0).max()
        assert one.block.square == one.block.scale**2 * (matrix**2).sum(axis=0).max()
        assert one.block.least <= one.block.scale**2 * (matrix.T @ matrix).min() + 1e-6


@pytest.mark.parametrize(("name", "work", "kind"), CASES)
def test_errors_are_those_of_least_squares(name, work, kind):
    design = choose(name, TASKS[work], NOISES[kind])
    blocks = [(measured(one.block), one.deviation) for one in design.measurements]
    matrix = np.vstack([block for block, _ in blocks])
    precision = np.concatenate([np.full(len(block), deviation**-2) for block, deviation in blocks])
    covariance = np.linalg.pinv((matrix.T * precision) @ matrix, rcond=1e-11)
    for piece in TASKS[work].pieces:
        deviations = design.deviations(None, piece)
        if name != "alone":
            queries = dense(piece)
            assert np.allclose(deviations**2, np.einsum("ij,jk,ik->i", queries, covariance, queries), rtol=1e-4)
        assert np.isclose(design.squares(piece), (deviations**2).sum())


@pytest.mark.parametrize(("name", "work", "kind"), CASES)
def test_without_noise_every_query_is_answered_exactly(name, work, kind, monkeypatch):
    silence(monkeypatch)
    cells = np.random.default_rng(5).integers(0, 1000, SMALL.shape)
    design = choose(name, TASKS[work], NOISES[kind])
    solution = design.solve(design.release(marginals_of(cells, NOISES[kind])))
    for piece in TASKS[work].pieces:
        assert np.allclose(design.answers(solution, piece), dense(piece) @ cells.reshape(-1), atol=1e-5)


@pytest.mark.parametrize(("name", "work", "kind"), CASES)
def test_the_whole_spend_is_used_and_no_more(name, work, kind):
    loss = choose(name, TASKS[work], NOISES[kind]).loss
    assert (loss.epsilon if NOISES[kind].pure else loss.rho) == NOISES[kind].spend


@pytest.mark.parametrize("kind", NOISES)
@pytest.mark.parametrize("work", TASKS)
def test_the_best_is_the_one_that_errs_least(work, kind):
    able = [name for name, strategy in STRATEGIES.items() if strategy.refusal(TASKS[work]) is None]
    errors = {name: choose(name, TASKS[work], NOISES[kind]).total for name in able}
    best = choose("best", TASKS[work], NOISES[kind])
    assert best.total == min(errors.values())
    assert best.total < errors["alone"]
