"""What one unit moves: every measurement of a synthetic table, on neighbours that are as far apart as can be."""

from fractions import Fraction

import numpy as np
import pytest

from deniable.core.algebra.expression import Kind
from deniable.core.algebra.query import WEIGHT
from deniable.core.errors import InvalidArgumentError
from deniable.core.sensitivity import Neighbours
from deniable.mechanisms import Gaussian
from deniable.releases.synthetic.certificate import Certificate
from deniable.releases.synthetic.drawn.likeness import counts_of
from deniable.releases.synthetic.measured.domain import ColumnDomain
from deniable.releases.synthetic.measured.portion import FINE, Portion, Vectors
from deniable.releases.synthetic.recipe import Recipe

SIZES = (6, 5, 4)
COLUMNS = tuple(ColumnDomain(f"c{place}", Kind.INTEGER, tuple(range(size)), True) for place, size in enumerate(SIZES))  # noqa: FBT003 - ordered


class Spy:
    """Every vector that a Gaussian mechanism was given, and what it was told to give out."""

    def __init__(self, monkeypatch, outcomes=None):
        self.seen, self._outcomes, self._release = [], iter(outcomes or []), Gaussian.release
        monkeypatch.setattr(Gaussian, "release", lambda mechanism, values: self._spied(mechanism, values))

    def _spied(self, mechanism, values):
        out = next(self._outcomes, None)
        out = self._release(mechanism, values) if out is None else out
        self.seen.append((mechanism, np.asarray(values, dtype=np.float64), out))
        return out


def _world(extra):
    """A thousand people who are all alike, a hundred of every kind, and these."""
    chance = np.random.default_rng(1)
    rows = np.concatenate([np.zeros((1000, 3), np.int64), chance.integers(0, SIZES, (100, 3)), extra])
    return list(rows.T)


def _measure(recipe, people):
    """All four measurements; the made-up rows are the same for everybody who sees the same noisy numbers."""
    exact = [np.bincount(column, minlength=size) * WEIGHT for column, size in zip(people, SIZES, strict=True)]
    counted = recipe.counted(recipe.one_way.measure(exact))
    codes = [own[column] for own, column in zip(counted.finest, people, strict=True)]
    sizes = [int(own.max()) + 1 for own in counted.finest]
    counted.pairs.measure(
        {(a, b): counts_of(codes[a], codes[b], (sizes[a], sizes[b])) * WEIGHT for a, b in recipe.pairs}
    )
    made = [np.zeros(1000, dtype=np.int64)] * 3
    tables = {(a, b): counts_of(people[a], people[b], (SIZES[a], SIZES[b])) * WEIGHT for a, b in recipe.pairs}
    certificate = Certificate(1200.0, 1.0, tuple(recipe.pairs), recipe.for_certificate)
    certificate.measure(tables, made)  # of 1200 rows, so those of all who are alike are too few


NEIGHBOURS = {
    Neighbours.ADD_REMOVE: (np.zeros((0, 3), np.int64), np.array([[5, 4, 3]])),
    Neighbours.REPLACE: (np.zeros((1, 3), np.int64), np.array([[5, 4, 3]])),
}


@pytest.mark.parametrize("neighbours", list(Neighbours))
def test_no_measurement_moves_farther_than_was_paid_for_and_each_nearly_so_far(neighbours, monkeypatch):
    recipe = Recipe(COLUMNS, Fraction(100), WEIGHT, neighbours)
    left, right = (_world(extra) for extra in NEIGHBOURS[neighbours])
    first = Spy(monkeypatch)
    _measure(recipe, left)
    monkeypatch.undo()
    second = Spy(monkeypatch, [out for _, _, out in first.seen])
    _measure(recipe, right)
    assert [mechanism.event for mechanism, _, _ in first.seen] == [each.event for each in recipe.mechanisms]
    for (mechanism, mine, _), (_, yours, _) in zip(first.seen, second.seen, strict=True):
        moved = float(np.linalg.norm(mine - yours))
        assert moved <= float(mechanism.distance)
    certificate, mine, _ = first.seen[-1]
    assert float(np.linalg.norm(mine - second.seen[-1][1])) > 0.95 * float(certificate.distance)
    counts, mine, _ = first.seen[0]
    reached = 0.9 if neighbours is Neighbours.ADD_REMOVE else 0.8  # whoever is replaced is still one: all rows stay
    assert float(np.linalg.norm(mine - second.seen[0][1])) > reached * float(counts.distance)


def test_which_pairs_are_measured_follows_from_noisy_scores_alone(monkeypatch):
    recipe = Recipe(COLUMNS, Fraction(100), WEIGHT, Neighbours.ADD_REMOVE)
    chance = np.random.default_rng(1)
    first = chance.integers(0, 4, 3000)
    people = [first, first, first]
    spy = Spy(monkeypatch)
    _measure(recipe, people)
    assert len(spy.seen) == 4
    counts = spy.seen[0][2]
    monkeypatch.undo()
    silent = Spy(monkeypatch, [counts, np.zeros(6, dtype=np.int64)])
    _measure(recipe, people)
    assert len(silent.seen) == 3, "no score, no table"


@pytest.mark.parametrize("neighbours", list(Neighbours))
@pytest.mark.parametrize("kind", list(Vectors))
def test_weights_are_what_was_paid_for_and_no_more(kind, neighbours, monkeypatch):
    spy = Spy(monkeypatch)
    portion = Portion(Fraction(1), WEIGHT, kind, neighbours)
    one = np.array([WEIGHT])
    far = {(Vectors.COUNTS, Neighbours.REPLACE): 2**0.5, (Vectors.DISTANCES, Neighbours.REPLACE): 2}.get(
        (kind, neighbours), 1
    )
    portion.measure([one, one], [FINE // 2, FINE // 2])
    ((mechanism, vector, _),) = spy.seen
    assert float(np.linalg.norm(vector)) * far <= float(mechanism.distance)
    with pytest.raises(InvalidArgumentError):
        portion.measure([one, one], [FINE, FINE // 2])
