"""What can be asked, what cannot, and how answers are made tidy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from deniable.core.errors import InvalidArgumentError, Refused
from deniable.releases import Workload
from deniable.releases.linear.domain import Attribute, Domain
from deniable.releases.linear.nonnegative import tidied
from tests.support.workloads import task


def pairs(letter, many):
    return Workload.marginals([f"{letter}{number}" for number in range(many)], order=2)


def test_workloads_are_joined_and_weighed():
    work = 3 * (Workload.ranges("a") | Workload.histogram("a", "b") * "0.5")
    assert [float(part.weight) for part in work.parts] == [3, 1.5]
    assert work.attributes == ("a", "b")
    assert len(Workload.marginals(list("abcde"), order="2").parts) == 10


@pytest.mark.parametrize(
    "make",
    [
        lambda: Workload.ranges(),
        lambda: Workload.histogram("a", "a"),
        lambda: Workload.histogram(""),
        lambda: Workload.marginals(["a"], order=2),
        lambda: Workload.marginals(["a"], order=0),
        lambda: Workload.product({"a": "slices"}),
        lambda: Workload.conditions([]),
        lambda: Workload.conditions(["a > 1", ""]),
        lambda: 0 * Workload.ranges("a"),
        lambda: Workload.ranges("a") * float("nan"),
        lambda: Workload.ranges("a").on("one") | Workload.ranges("a").on("two"),
        lambda: Workload().check(),
        lambda: Workload.marginals([f"a{number}" for number in range(60)], order=30),
        lambda: pairs("a", 200) | pairs("b", 40),
    ],
)
def test_what_cannot_be_is_named(make):
    with pytest.raises(InvalidArgumentError):
        make()


def test_an_order_is_needed_for_ranges():
    with pytest.raises(Refused, match="no order"):
        task(Workload.ranges("b"))


@pytest.mark.parametrize("attributes", [1, 1_500])
def test_queries_beyond_all_tables_are_refused(attributes):
    """Also where there are so many that Python does not write their number."""
    domain = Domain(tuple(Attribute(f"a{place}", tuple(range(10_000)), ordered=True) for place in range(attributes)))
    with pytest.raises(Refused, match="queries") as caught:
        task(Workload.ranges(*(one.name for one in domain.attributes)), domain)
    assert caught.value.code == "too-many-queries"


@given(arrays(np.float64, st.integers(1, 40), elements=st.floats(-1e6, 1e6)))
def test_tidy_cells_are_whole_not_negative_and_keep_the_total(cells):
    tidy = tidied(cells, nonnegative=True, whole=True)
    assert (tidy >= 0).all()
    assert (tidy == np.rint(tidy)).all()
    assert tidy.sum() == pytest.approx(max(0, cells.sum()), abs=0.51 + 1e-6)
    assert tidied(cells, nonnegative=False, whole=False) is not None
    lowered = tidied(cells, nonnegative=True, whole=False)
    assert ((lowered - np.maximum(cells, 0)) ** 2).sum() <= ((cells - np.maximum(cells, 0)) ** 2).sum() + abs(
        cells
    ).sum() ** 2  # nearer than leaving everything at zero
