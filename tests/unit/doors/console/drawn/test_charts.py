"""Pictures fit the shape of an answer, and hold nothing but numbers and escaped words."""

import pyarrow as pa
import pytest

from deniable.curator import protect
from deniable.doors.console.drawn.charts import chart_of, falling


@pytest.fixture(scope="module")
def curator():
    size = 400
    rows = {
        "town": ["<b>", "south"] * (size // 2),
        "hour": [row % 24 for row in range(size)],
        "kind": ["a", "b", "c", "d"] * (size // 4),
    }
    values = {"town": ["<b>", "south"], "kind": ["a", "b", "c", "d"]}
    with protect(pa.table(rows), epsilon=100, bounds={"hour": (0, 23)}, values=values) as opened:
        yield opened


def drawn(curator, sql):
    return chart_of(curator.ask(sql, epsilon=1))


def test_groups_are_bars_with_whiskers_and_names_are_text(curator):
    found = drawn(curator, "SELECT town, COUNT(*) AS n FROM data GROUP BY town")
    assert found.svg.count('class="bar"') == 3
    assert found.svg.count('class="whisker"') == 3
    assert "<b>" not in found.svg
    assert "&lt;b&gt;" in found.svg


def test_what_is_ordered_is_a_line_in_its_own_order_with_a_band(curator):
    found = drawn(curator, "SELECT hour, COUNT(*) AS n FROM data GROUP BY hour ORDER BY n DESC")
    assert found.svg.count("<polyline") == found.svg.count('class="band"') == 1
    points = found.svg.split('class="line" points="')[1].split('"')[0].split()
    places = [float(point.split(",")[0]) for point in points]
    assert places == sorted(places)


def test_a_second_key_is_a_series_and_a_single_number_is_no_picture(curator):
    found = drawn(curator, "SELECT kind, town, COUNT(*) AS n FROM data GROUP BY kind, town")
    assert set(found.series) == {"<b>", "south", "NULL"}
    assert drawn(curator, "SELECT COUNT(*) AS n FROM data") is None


@pytest.mark.parametrize("points", [[], [("2025-01-01", 0.5)], [("2025-01-01", 0.5), ("2025-01-02", 1.0)]])
def test_an_account_falls_by_a_step_for_each_charge_and_never_below_nothing(points):
    svg = falling(points, 1.0, "epsilon")
    corners = svg.split('class="fall" points="')[1].split('"')[0].split()
    assert len(corners) == 2 + 2 * len(points)
    heights = [float(corner.split(",")[1]) for corner in corners]
    assert heights == sorted(heights)
    assert max(heights) <= 160
