"""With units that weigh too much, the exact answer equals a slow, obvious reference."""

from collections import Counter, defaultdict

import pytest

from tests.support.curators import curator, silence
from tests.support.tables import REGIONS, policy, visits

WEIGHT = 1 << 20
CONTRIBUTION = 3


@pytest.fixture(scope="module")
def bounded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bounded")
    table = visits(1_500, seed=2)
    quiet = curator(folder, table, policy(folder, contribution=CONTRIBUTION))
    yield quiet, [row for row in table.to_pylist() if row["patient_id"] is not None]
    quiet.close()


def _weights(rows):
    """What each row weighs, by the number of its unit's rows."""
    counts = Counter(row["patient_id"] for row in rows)
    return [min(WEIGHT, CONTRIBUTION * WEIGHT // counts[row["patient_id"]]) / WEIGHT for row in rows]


def test_some_units_are_over_their_contribution(bounded):
    _, rows = bounded
    assert max(Counter(row["patient_id"] for row in rows).values()) > CONTRIBUTION


def test_counts_and_sums_by_region(bounded, monkeypatch):
    quiet, rows = bounded
    silence(monkeypatch)
    answer = quiet.ask(
        "SELECT region, COUNT(*) AS n, SUM(cost) AS total, AVG(cost) AS mean FROM visits GROUP BY region", epsilon=1
    )
    n, total = defaultdict(float), defaultdict(float)
    for row, weight in zip(rows, _weights(rows), strict=True):
        n[row["region"]] += weight
        total[row["region"]] += weight * row["cost"]
    found = {row["region"]: row for row in answer.table.to_pylist()}
    assert set(found) == {*REGIONS, None}
    for region, row in found.items():
        assert row["n"] == pytest.approx(n[region], abs=0.51)
        assert row["total"] == pytest.approx(total[region], rel=1e-4, abs=0.5)
        assert row["mean"] == pytest.approx(total[region] / n[region], rel=1e-4)


def test_filtered_rows_do_not_weigh(bounded, monkeypatch):
    quiet, rows = bounded
    silence(monkeypatch)
    kept = [row for row in rows if row["age"] >= 50]
    answer = quiet.ask("SELECT COUNT(*) AS n, SUM(age) AS total FROM visits WHERE age >= 50", epsilon=1)
    weights = _weights(kept)
    assert answer.table["n"][0].as_py() == pytest.approx(sum(weights), abs=0.51)
    total = sum(weight * row["age"] for row, weight in zip(kept, weights, strict=True))
    assert answer.table["total"][0].as_py() == pytest.approx(total, rel=1e-4)


def test_units_are_counted_once(bounded, monkeypatch):
    quiet, rows = bounded
    silence(monkeypatch)
    answer = quiet.ask("SELECT COUNT(DISTINCT patient_id) AS n FROM visits WHERE urgent", epsilon=1)
    assert answer.table["n"][0].as_py() == len({row["patient_id"] for row in rows if row["urgent"]})


def test_units_by_group_weigh_by_their_groups(bounded, monkeypatch):
    quiet, rows = bounded
    silence(monkeypatch)
    answer = quiet.ask("SELECT region, COUNT(DISTINCT patient_id) AS n FROM visits GROUP BY region", epsilon=1)
    groups = defaultdict(set)
    for row in rows:
        groups[row["patient_id"]].add(row["region"])
    wanted = defaultdict(float)
    for found in groups.values():
        for region in found:
            wanted[region] += min(1, CONTRIBUTION / len(found))
    for row in answer.table.to_pylist():
        assert row["n"] == pytest.approx(wanted[row["region"]], abs=0.51)


def test_variance_is_of_weighed_rows(bounded, monkeypatch):
    quiet, rows = bounded
    silence(monkeypatch)
    answer = quiet.ask("SELECT VAR_POP(age) AS v FROM visits", epsilon=1)
    weights = _weights(rows)
    n = sum(weights)
    mean = sum(weight * row["age"] for row, weight in zip(rows, weights, strict=True)) / n
    wanted = sum(weight * (row["age"] - mean) ** 2 for row, weight in zip(rows, weights, strict=True)) / n
    assert answer.table["v"][0].as_py() == pytest.approx(wanted, rel=1e-4)
