"""The profile beside the rows themselves: with the noise taken out, everybody weighs one row in counts of values."""

from fractions import Fraction

import numpy as np
import pytest

from tests.support.curators import curator, silence
from tests.support.tables import policy, visits


def test_everybody_weighs_one_row_in_counts_of_values(tmp_path, monkeypatch):
    table = visits(500, seed=9)
    silence(monkeypatch)
    with curator(tmp_path, table, policy(tmp_path, contribution=5)) as one:
        found = one.profile(rho=Fraction(1, 50)).tables["visits"]
    people = len(np.unique(table["patient_id"].drop_null().to_numpy()))
    assert found.people.people.value == pytest.approx(people)
    for column in found.columns.values():
        assert float(column.measured.counts.sum()) == pytest.approx(people, rel=1e-4)
    assert sum(found.listed["region"].noisy) == pytest.approx(people, rel=1e-4)
