"""The optimum equals a search through every node; every pruning follows from a bound that holds."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable.releases.syntactic.hierarchies.kinds import FlatHierarchy
from deniable.releases.syntactic.models.closeness import Equal, Ordered
from deniable.releases.syntactic.models.demands import Demands
from deniable.releases.syntactic.models.diversity import Distinct, Entropy, Recursive
from deniable.releases.syntactic.search.cells import cells
from deniable.releases.syntactic.search.lattice import Lattice
from deniable.releases.syntactic.search.losses import LOSSES, loss_of
from deniable.releases.syntactic.search.optimum import judge, optimum
from tests.unit.releases.syntactic import reference
from tests.unit.releases.syntactic.tables import NAMES, TREES, balanced, records, table_of

MODELS = {
    "distinct": lambda l: Distinct(l),
    "entropy": lambda l: Entropy(l),
    "recursive": lambda l, c: Recursive(l, c),
    "equal": lambda t: Equal(t),
    "ordered": lambda t: Ordered(t),
}

demand = st.one_of(
    st.tuples(st.just("distinct"), st.integers(1, 4)),
    st.tuples(st.just("entropy"), st.integers(1, 4)),
    st.tuples(st.just("recursive"), st.integers(1, 4), st.sampled_from([Fraction(1, 2), 1, 2, Fraction(7, 2)])),
    st.tuples(st.just("equal"), st.sampled_from([0, 0.1, 0.25, 0.5, 0.75, 1])),
    st.tuples(st.just("ordered"), st.sampled_from([0, 0.1, 0.25, 0.5, 0.75, 1])),
)


def lattice_of(rows: list[tuple]) -> Lattice:
    return Lattice(cells(table_of(rows), {name: tree or FlatHierarchy() for name, tree in TREES.items()}, ["secret"]))


def demands_of(rows: list[tuple], k: int, wanted: list[tuple]) -> Demands:
    """Those that the table as a whole could meet; others are refused before any search."""
    most = len({row[-1] for row in rows})
    fair = [(kind, *given) for kind, *given in wanted if kind in ("equal", "ordered") or given[0] <= most]
    models = tuple(("secret", MODELS[kind](*given)) for kind, *given in fair)
    return Demands(min(k, len(rows)), models, ("secret",), Fraction(0)), fair


QUESTIONS = {
    "rows": records | balanced,
    "k": st.integers(1, 6),
    "wanted": st.lists(demand, max_size=2),
    "share": st.sampled_from([0, 0.1, 0.3, 0.6, 1]),
    "loss": st.sampled_from(sorted(LOSSES)),
}


@given(**QUESTIONS)
@settings(max_examples=400, deadline=None)
def test_the_optimum_is_that_of_all_nodes(rows, k, wanted, share, loss):
    compare_with_all_nodes(rows, k, wanted, share, loss)


@pytest.mark.deep
@given(**QUESTIONS)
@settings(max_examples=4_000, deadline=None)
def test_the_optimum_is_that_of_all_nodes_on_many_tables(rows, k, wanted, share, loss):
    compare_with_all_nodes(rows, k, wanted, share, loss)


def compare_with_all_nodes(rows, k, wanted, share, loss):
    lattice = lattice_of(rows)
    demands, fair = demands_of(rows, k, wanted)
    limit = int(share * len(rows))
    found = optimum(lattice, demands.bound(lattice.cells), loss_of(loss, lattice.cells), limit)
    best = None
    for node in reference.nodes([3, 4, 2]):
        lost = reference.suppressed(rows, node, NAMES, demands.k, fair)
        if len(lost) <= limit:
            worth = reference.loss(loss, rows, node, NAMES, lost)
            best = worth if best is None else min(best, worth)
    assert (found is None) == (best is None)
    if found is not None:
        assert found.loss == pytest.approx(best, abs=1e-9)


@given(rows=records | balanced, k=st.integers(1, 3), wanted=st.lists(demand, min_size=1, max_size=2), data=st.data())
@settings(max_examples=400, deadline=None)
def test_every_finer_node_suppresses_at_least_what_a_node_says(rows, k, wanted, data):
    lattice = lattice_of(rows)
    demands, _ = demands_of(rows, k, wanted)
    models = demands.bound(lattice.cells)
    coarse = tuple(data.draw(st.integers(0, height - 1)) for height in lattice.shape)
    fine = tuple(data.draw(st.integers(0, level)) for level in coarse)
    assert judge(lattice, fine, models).suppressed >= judge(lattice, coarse, models).least - 1e-6


@given(rows=records, loss=st.sampled_from(sorted(LOSSES)), data=st.data())
@settings(max_examples=200, deadline=None)
def test_no_loss_is_below_its_floor(rows, loss, data):
    lattice = lattice_of(rows)
    measured = loss_of(loss, lattice.cells)
    fine = tuple(data.draw(st.integers(0, height - 1)) for height in lattice.shape)
    coarse = tuple(data.draw(st.integers(level, height - 1)) for level, height in zip(fine, lattice.shape, strict=True))
    classes = lattice.classes(coarse)
    kept = np.array(data.draw(st.lists(st.booleans(), min_size=classes.number, max_size=classes.number)))
    lost = measured.of(coarse, classes, kept)
    assert lost >= measured.floor()[coarse] - 1e-9
    assert lost >= measured.rising(lattice.classes(fine)) - 1e-9


def test_suppression_by_closeness_is_not_monotone():
    """Why no node is ruled out because a coarser one fails: here the finer one is the better."""
    rows = [("a", 0, "m", secret) for secret in (1, 2) * 10] + [("b", 0, "m", 1)] * 4
    lattice = lattice_of(rows)
    models = Demands(1, (("secret", Equal("0.09")),), ("secret",), Fraction(0)).bound(lattice.cells)
    fine, coarse = judge(lattice, (0, 0, 0), models), judge(lattice, (1, 0, 0), models)
    assert (fine.suppressed, coarse.suppressed) == (4, 0)
    models = Demands(3, (("secret", Entropy(2)),), ("secret",), Fraction(0)).bound(lattice.cells)
    fine, coarse = judge(lattice, (0, 0, 0), models), judge(lattice, (1, 0, 0), models)
    assert (fine.suppressed, coarse.suppressed) == (4, 24)


def test_few_nodes_are_judged_on_a_large_lattice():
    random = np.random.default_rng(1)
    rows = [
        (str(a), int(b), str(c), int(d))
        for a, b, c, d in zip(
            random.choice(list("abcd"), 3000),
            random.integers(0, 8, 3000),
            random.choice(list("mf"), 3000),
            random.integers(1, 5, 3000),
            strict=True,
        )
    ]
    lattice = lattice_of(rows)
    found = optimum(
        lattice, Demands(200, (), ("secret",), Fraction(0)).bound(lattice.cells), loss_of("ncp", lattice.cells), 0
    )
    assert found is not None
    assert found.judged < lattice.size / 2
