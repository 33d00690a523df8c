"""With the noise taken out, quantiles, most common values and distinct counts equal plain DuckDB's."""

from math import ceil

import pytest

from tests.support.curators import silence
from tests.support.plain import beside_plain
from tests.support.tables import visits

ROWS = 4_001

QUANTILES = [
    ("MEDIAN(age)", "QUANTILE_DISC(age, 0.5)", 0),
    ("QUANTILE_CONT(age, 0.1)", "QUANTILE_DISC(age, 0.1)", 0),
    ("QUANTILE_DISC(age, 0.9999)", "QUANTILE_DISC(age, 0.9999)", 0),
    ("PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY age)", "QUANTILE_DISC(age, 0.9)", 0),
    ("PERCENTILE_DISC(0.25) WITHIN GROUP (ORDER BY age DESC)", "QUANTILE_DISC(age, 0.75)", 1),
    ("APPROX_QUANTILE(age - 3 * 7, 0.5)", "QUANTILE_DISC(age - 21, 0.5)", 0),
    ("QUANTILE(cost, 0.5)", "QUANTILE_DISC(cost, 0.5)", 0.005),
    ("MEDIAN(score)", "QUANTILE_DISC(score, 0.5)", 0.0313),
    ("MEDIAN(cost * 2 + age)", "QUANTILE_DISC(cost * 2 + age, 0.5)", 0.25),
    ("MEDIAN(cost) FILTER (WHERE urgent)", "QUANTILE_DISC(cost, 0.5) FILTER (WHERE urgent)", 0.005),
    ("MEDIAN(CASE WHEN urgent THEN age END)", "QUANTILE_DISC(age, 0.5) FILTER (WHERE urgent)", 0),
    ("MEDIAN(day - DATE '2025-01-01')", "QUANTILE_DISC(day - DATE '2025-01-01', 0.5)", 0),
]
COUNTS = [
    "COUNT(DISTINCT age)",
    "COUNT(DISTINCT reason)",
    "COUNT(DISTINCT score)",
    "COUNT(DISTINCT day) FILTER (WHERE age < 40)",
    "COUNT(DISTINCT region)",
    "COUNT(DISTINCT age // 7)",
    "SUM(DISTINCT age)",
    "SUM(DISTINCT age - 50) FILTER (WHERE urgent)",
    "AVG(DISTINCT age // 7)",
    "SUM(DISTINCT cost)",
]


@pytest.fixture(scope="module", params=[None, 100_000], ids=["rows", "patients"])
def asked(request, tmp_path_factory):
    """A quiet curator, and plain DuckDB over the rows that it may see."""
    with beside_plain(tmp_path_factory.mktemp("choices"), visits(ROWS, seed=2), request.param) as both:
        yield both


def _both(asked, ours, theirs, monkeypatch, spend):
    """The column by region, from both."""
    quiet, plain = asked
    silence(monkeypatch)
    answer = quiet.ask(f"SELECT region, {ours} AS x FROM visits GROUP BY region", **spend)
    wanted = dict(plain.sql(f"SELECT region, {theirs} AS x FROM visits GROUP BY region").fetchall())
    return {row["region"]: row["x"] for row in answer.table.to_pylist()}, wanted


@pytest.mark.parametrize("spend", [{"epsilon": 1}, {"rho": 1}], ids=["epsilon", "rho"])
@pytest.mark.parametrize(("ours", "theirs", "within"), QUANTILES)
def test_quantiles_equal_plain_duckdb(asked, ours, theirs, within, spend, monkeypatch):
    found, wanted = _both(asked, ours, theirs, monkeypatch, spend)
    assert found.keys() == wanted.keys()
    for region, value in found.items():
        assert value == pytest.approx(wanted[region], abs=within + 1e-9)


@pytest.mark.parametrize("column", COUNTS)
def test_distinct_counts_equal_plain_duckdb(asked, column, monkeypatch):
    found, wanted = _both(asked, column, column, monkeypatch, {"epsilon": 1})
    assert found == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize(
    ("column", "value", "order", "within"),
    [
        ("MIN(age)", "age", "ASC", 0),
        ("MAX(age)", "age", "DESC", 0),
        ("MIN(score)", "score", "ASC", 0.0313),
        ("QUANTILE_CONT(cost, 1)", "cost", "DESC", 0.0051),
    ],
)
def test_extremes_are_as_many_rows_from_the_end_as_they_say(asked, column, value, order, within, monkeypatch):
    quiet, plain = asked
    silence(monkeypatch)
    for epsilon in (1, 10_000):
        answer = quiet.ask(f"SELECT {column} AS x FROM visits", epsilon=epsilon)
        (part,) = answer.plan.noise
        rows = plain.sql(f"SELECT {value} FROM visits WHERE {value} IS NOT NULL ORDER BY 1 {order}").fetchall()
        place = min(ceil(part.ranks), len(rows)) - 1
        low, high = sorted(entry for (entry,) in (rows[place], rows[min(place + 1, len(rows) - 1)]))
        if part.ranks > len(rows):  # nothing is known of so few rows: the answer is the other bound
            low, high = (float(end) for end in (part.choice.cells.low, part.choice.cells.high))
        (found,) = answer.table["x"].to_pylist()
        assert low - within <= found <= high + within


@pytest.mark.parametrize("value", ["region", "age", "urgent", "age // 10", "day", "UPPER(region)"])
def test_most_common_values_are_as_common_as_plain_duckdbs(asked, value, monkeypatch):
    quiet, plain = asked
    silence(monkeypatch)
    if value == "UPPER(region)":
        value = "CASE WHEN region = 'north' THEN 'N' WHEN region = 'east' THEN 'E' ELSE 'other' END"
    (row,) = quiet.ask(
        f"SELECT MODE({value}) AS m, APPROX_TOP_K({value}, 2) AS t FROM visits", epsilon=1
    ).table.to_pylist()
    sizes = dict(plain.sql(f"SELECT {value}, COUNT(*) FROM visits WHERE ({value}) IS NOT NULL GROUP BY 1").fetchall())
    first, second = sorted(sizes.values(), reverse=True)[:2]
    assert sizes[row["m"]] == sizes[row["t_1"]] == first
    assert sizes[row["t_2"]] == second
    assert row["t_1"] != row["t_2"]


def test_lists_become_columns(asked, monkeypatch):
    quiet, plain = asked
    silence(monkeypatch)
    question = "SELECT urgent, QUANTILE_CONT(age, [0.25, 0.5, 0.999]) AS a, MODE(region) FROM visits GROUP BY urgent"
    table = quiet.ask(question, epsilon=1).table
    assert table.column_names == ["urgent", "a_p25", "a_p50", "a_p99_9", "mode(region)"]
    ((wanted,),) = plain.sql("SELECT QUANTILE_DISC(age, [0.25, 0.5, 0.999]) FROM visits WHERE urgent").fetchall()
    assert [[row["a_p25"], row["a_p50"], row["a_p99_9"]] for row in table.to_pylist() if row["urgent"]] == [wanted]
