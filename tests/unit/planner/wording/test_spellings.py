"""Other spellings: width_bucket is what PostgreSQL says that it is."""

import duckdb
import pytest

from deniable.core.errors import Refused
from deniable.planner import parse
from deniable.planner.wording.spellings import plainly
from tests.support.curators import silence
from tests.support.world import curator, policy, tables

VALUES = (-1e9, -2.5, 0.0, 0.1, 2.49, 2.5, 5.0, 9.99, 10.0, 10.5, 1e9)


def _bucket(value, low, high, many):
    """As PostgreSQL's manual has it, for ends that rise and for ends that fall."""
    if low > high:
        value, low, high = -value, -low, -high
    if value < low:
        return 0
    return many + 1 if value >= high else int((value - low) * many // (high - low)) + 1


@pytest.mark.parametrize(("low", "high", "many"), [(0, 10, 4), (10, 0, 4), (-2.5, 5, 3), (5, -2.5, 1)])
def test_width_bucket(low, high, many):
    tree = parse(f"SELECT width_bucket(x, {low}, {high}, {many}) AS b FROM t")
    listed = ", ".join(f"({value!r})" for value in VALUES)
    rows = duckdb.sql(plainly(tree).sql(dialect="duckdb").replace("FROM t", f"FROM (VALUES {listed}, (NULL)) t(x)"))
    wanted = [*(_bucket(value, low, high, many) for value in VALUES), None]
    assert [found for (found,) in rows.fetchall()] == wanted


def test_what_is_missing_is_in_no_bucket(tmp_path, monkeypatch):
    silence(monkeypatch)
    found = tables(200, seed=5)
    quiet = curator(tmp_path, found, policy(tmp_path, contribution=300))
    known = "SELECT COUNT(score) AS n FROM visits WHERE width_bucket(score, -100, 100, 4) IS NULL"
    unknown = "SELECT COUNT(*) AS n FROM visits WHERE width_bucket(score, -100, 100, 4) IS NULL"
    counts = [quiet.ask(question, epsilon=1).table["n"][0].as_py() for question in (known, unknown)]
    quiet.close()
    assert counts[0] == 0
    assert counts[1] > 10


@pytest.mark.parametrize(
    "ends",
    ["5, 5, 4", "0, 10, 0", "0, 10, -1", "0, 10, 2.5", "0, y, 4", "0, 10, n", "ARRAY[1, 2]", "0, 1e999999999, 4"],
)
def test_what_has_no_buckets_is_refused(ends):
    with pytest.raises(Refused, match="width_bucket takes"):
        parse(f"SELECT width_bucket(x, {ends}) AS b, COUNT(*) FROM t GROUP BY b")


@pytest.mark.parametrize(
    ("written", "known"),
    [
        ("TO_DATE('2025-01-31', 'YYYY-MM-DD')", "CAST('2025-01-31' AS DATE)"),
        ("TO_DATE('2025-01-31 10:00:00', 'YYYY-MM-DD HH24:MI:SS')", "CAST('2025-01-31' AS DATE)"),
        (
            "TO_TIMESTAMP('2025-01-31 10:00:00.000000', 'YYYY-MM-DD HH24:MI:SS.US')",
            "CAST('2025-01-31 10:00:00.000000' AS TIMESTAMP)",
        ),
    ],
)
def test_days_and_moments_are_read_as_tools_write_them(written, known):
    assert plainly(parse(f"SELECT {written} AS x FROM t")).sql("duckdb") == f"SELECT {known} AS x FROM t"


@pytest.mark.parametrize(
    "written",
    ["TO_DATE('31.01.2025', 'DD.MM.YYYY')", "TO_DATE('2025-1-31', 'YYYY-MM-DD')", "TO_TIMESTAMP(day, 'YYYY-MM-DD')"],
)
def test_other_forms_stay_as_they_are(written):
    assert "CAST" not in plainly(parse(f"SELECT {written} AS x FROM t")).sql("duckdb")
