"""Aggregates inside a subquery: as exact as doubles are, so that the interval outside holds what they lose."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from tests.support.curators import curator, silence
from tests.support.tables import policy, visits

PEOPLE, ROWS = 50, 400
COARSE = 2.0**-17
"""The step of a noisy sum of values between -100 and 100."""


@pytest.fixture
def clinic(tmp_path, monkeypatch):
    """Each person has rows that all lie almost half a coarse step above a place of the coarse grid."""
    silence(monkeypatch)
    table = visits(PEOPLE * ROWS, seed=1)
    scores = np.full(PEOPLE * ROWS, (2**13 + 0.49) * COARSE)
    people = pa.array(np.repeat(np.arange(PEOPLE), ROWS))
    table = table.set_column(table.schema.get_field_index("score"), "score", pa.array(scores))
    table = table.set_column(table.schema.get_field_index("patient_id"), "patient_id", people)
    with curator(tmp_path, table, policy(tmp_path, contribution=ROWS, epsilon=1e9)) as opened:
        yield opened


@pytest.mark.parametrize(
    ("inner", "outer", "truth"),
    [
        ("SUM(score)", "AVG(LEAST(GREATEST(s, -100), 100))", ROWS),
        ("SUM(score)", "SUM(LEAST(GREATEST(s, -100), 100))", PEOPLE * ROWS),
        ("AVG(score)", "AVG(s)", 1),
        ("SUM(score) FILTER (WHERE age >= 0)", "AVG(LEAST(GREATEST(s, -100), 100))", ROWS),
    ],
)
def test_what_a_sum_of_a_person_s_rows_loses_is_in_the_interval(clinic, inner, outer, truth):
    sql = f"SELECT {outer} AS a, COUNT(*) AS n FROM (SELECT patient_id, {inner} AS s FROM visits GROUP BY 1) t"
    answer = clinic.ask(sql, epsilon=10**8)
    exact = float(Fraction(2**13 + Fraction(49, 100)) * Fraction(1, 2**17) * truth)
    low, high = (answer.intervals[f"a_{end}"][0].as_py() for end in ("low", "high"))
    assert low <= exact <= high
    assert high - low < truth * COARSE / 4 or truth == 1, "and the interval is narrower than what a coarse grid loses"
