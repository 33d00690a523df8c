"""Earth mover's distances equal SciPy's, and the paper's."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import wasserstein_distance

from deniable.core.errors import InvalidArgumentError
from deniable.releases import Equal, Hierarchical, Ordered, check, hierarchy
from deniable.releases.syntactic.search.cells import Sensitive
from deniable.releases.syntactic.search.classes import ClassValues
from tests.unit.releases.syntactic.reference import transport

LEAVES = ["a", "b", "c", "d", "e", "f"]
TREE = hierarchy.tree({"left": {"ab": ["a", "b"], "c-": ["c"]}, "right": {"de": ["d", "e"], "f-": ["f"]}})
PATHS = {
    "a": ("ab", "left"),
    "b": ("ab", "left"),
    "c": ("c-", "left"),
    "d": ("de", "right"),
    "e": ("de", "right"),
    "f": ("f-", "right"),
}


def heights() -> np.ndarray:
    """Of the lowest name that two leaves share, over that of the tree."""
    ground = np.ones((6, 6))
    for i, one in enumerate(LEAVES):
        for j, other in enumerate(LEAVES):
            shared = [
                level
                for level, names in enumerate(zip(PATHS[one], PATHS[other], strict=True), 1)
                if names[0] == names[1]
            ]
            ground[i, j] = 0 if i == j else min([*shared, 3]) / 3
    return ground


GROUND = {
    "equal": 1 - np.eye(6),
    "ordered": np.abs(np.subtract.outer(range(6), range(6))) / 5,
    "hierarchical": heights(),
}
MODELS = {"equal": Equal(0.5), "ordered": Ordered(0.5, order=LEAVES), "hierarchical": Hierarchical(0.5, TREE)}


def distance(kind: str, inside: list[int], everything: list[int]) -> np.ndarray:
    """Of one class that has these counts, and of a second one with a single value."""
    bound = MODELS[kind].bound(0, Sensitive("secret", pa.array(LEAVES), np.array(everything)))
    value = np.flatnonzero(inside)
    pairs = ClassValues(np.r_[0 * value, 1], np.r_[value, value[0]], np.r_[np.array(inside)[value], 3], 6)
    return bound.distance.of(pairs, np.array([sum(inside), 3])), bound.distance


counts = st.lists(st.integers(0, 9), min_size=6, max_size=6).filter(any)


@pytest.mark.parametrize("kind", sorted(MODELS))
@given(inside=counts, extra=st.lists(st.integers(1, 9), min_size=6, max_size=6))
@settings(max_examples=60, deadline=None)
def test_distances_are_those_of_the_linear_program(kind, inside, extra):
    everything = np.add(inside, extra)
    found, measured = distance(kind, inside, everything)
    expected = transport(np.divide(inside, sum(inside)), everything / everything.sum(), GROUND[kind])
    assert found[0] == pytest.approx(expected, abs=1e-9)
    single = np.eye(6)[np.flatnonzero(inside)[0]]
    assert found[1] == pytest.approx(transport(single, everything / everything.sum(), GROUND[kind]), abs=1e-9)
    assert found.max() <= measured.largest + 1e-12


@given(inside=counts, extra=st.lists(st.integers(1, 9), min_size=6, max_size=6))
@settings(max_examples=100, deadline=None)
def test_ordered_distance_is_that_of_scipy(inside, extra):
    everything = np.add(inside, extra)
    found, _ = distance("ordered", inside, everything)
    assert found[0] == pytest.approx(wasserstein_distance(range(6), range(6), inside, everything) / 5, abs=1e-9)


@pytest.mark.parametrize("kind", ["equal", "hierarchical"])
@given(
    inside=counts,
    extra=st.lists(st.integers(1, 9), min_size=6, max_size=6),
    kept=st.lists(st.integers(0, 9), min_size=6, max_size=6),
)
@settings(max_examples=100, deadline=None)
def test_no_part_of_a_class_is_closer_than_its_missing_values_allow(kind, inside, extra, kept):
    part = np.minimum(inside, kept)
    if not part.any():
        return
    everything = np.add(inside, extra)
    value = np.flatnonzero(inside)
    pairs = ClassValues(0 * value, value, np.array(inside)[value], 6)
    _, measured = distance(kind, inside, everything)
    found, _ = distance(kind, list(part), everything)
    assert found[0] >= measured.least(pairs, 1)[0] - 1e-12


def test_the_salaries_of_the_paper():
    """Li, Li, Venkatasubramanian 2007, section 4.2: 0.375 for {3, 4, 5} and 0.167 for {6, 8, 11}, of 3 to 11."""
    staff = pa.table({"zip": list("aaabbbccc"), "salary": [3, 4, 5, 6, 11, 8, 7, 9, 10]})
    first = check(staff.slice(0, 9), quasi_identifiers=["zip"], sensitive="salary", t=Ordered(0.375))
    assert first.findings[1].reached == pytest.approx(0.375)
    assert first.holds
    bound = Ordered(0.375).bound(0, Sensitive("salary", pa.array(range(3, 12)), np.ones(9, int)))
    pairs = ClassValues(np.repeat([0, 1], 3), np.array([0, 1, 2, 3, 5, 8]), np.ones(6, int), 9)
    assert bound.distance.of(pairs, np.array([3, 3])) == pytest.approx([0.375, 1 / 6])


def test_an_order_has_to_be_known():
    texts = pa.table({"q": ["x", "x"], "s": ["low", "high"]})
    with pytest.raises(InvalidArgumentError, match="needs an order"):
        check(texts, quasi_identifiers=["q"], sensitive="s", t=Ordered(0.1))
    with pytest.raises(InvalidArgumentError, match="no place for 'high'"):
        check(texts, quasi_identifiers=["q"], sensitive="s", t=Ordered(0.1, order=["low"]))
    assert check(texts, quasi_identifiers=["q"], sensitive="s", t=Ordered(0.1, order=["low", "high"]))
    missing = pa.table({"q": ["x", "x"], "s": [1, None]})
    with pytest.raises(InvalidArgumentError, match="no place for NULL"):
        check(missing, quasi_identifiers=["q"], sensitive="s", t=Ordered(0.1))


def test_a_column_with_one_value_is_close():
    table = pa.table({"q": ["x", "y"], "s": [1, 1]})
    assert check(table, quasi_identifiers=["q"], sensitive="s", t=Ordered(0))
    assert check(table, quasi_identifiers=["q"], sensitive="s", t=0)
