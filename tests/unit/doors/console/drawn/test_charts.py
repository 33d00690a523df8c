"""Pictures fit the shape of an answer, and hold nothing but numbers and escaped words."""

import json
from itertools import pairwise

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


def test_time_stands_along_the_axis_and_so_does_what_would_be_too_many_series(curator):
    found = drawn(curator, "SELECT kind, hour, COUNT(*) AS n FROM data GROUP BY kind, hour")
    assert set(found.series) == {"a", "b", "c", "d", "NULL"}
    assert found.caption.startswith("n by hour")


def test_long_names_lose_their_middle_and_stay_apart():
    names = [f"Oberunterwaldkirchen-{number:02d}" for number in range(30)]
    with protect(pa.table({"town": names * 4}), epsilon=100, values={"town": names}) as opened:
        found = drawn(opened, "SELECT town, COUNT(*) AS n FROM data GROUP BY town")
    shown = {text.split("</text>")[0] for text in found.svg.split('rotate(-32)">')[1:]}
    assert len(shown) > 10
    assert all(len(one) <= 14 for one in shown)


def test_months_stand_below_their_bars_without_a_day():
    days = pa.array([20089 + row % 100 for row in range(400)], pa.int32()).cast(pa.date32())
    bounds = {"day": ("2025-01-01", "2025-04-10")}
    with protect(pa.table({"day": days}), epsilon=100, bounds=bounds) as opened:
        found = drawn(opened, "SELECT DATE_TRUNC('month', day) AS month, COUNT(*) AS n FROM data GROUP BY month")
    assert ">2025-02</text>" in found.svg
    assert "2025-02-01</text>" not in found.svg


def test_the_numbers_of_a_long_line_are_there_to_be_looked_at_closely():
    days = pa.array([20089 + row % 100 for row in range(400)], pa.int32()).cast(pa.date32())
    bounds = {"day": ("2025-01-01", "2025-04-10")}
    with protect(pa.table({"day": days}), epsilon=100, bounds=bounds) as opened:
        found = drawn(opened, "SELECT day, COUNT(*) AS n FROM data GROUP BY day")
    said = json.loads(found.closely)
    assert said["time"]
    assert said["names"] == ["n"]
    assert len(said["along"]) == len(said["series"][0]["low"]) == 100  # without what is missing
    assert {later - sooner for sooner, later in pairwise(said["along"])} == {86400.0}
    assert all(one["low"][0] <= one["value"][0] <= one["high"][0] for one in said["series"])


@pytest.mark.parametrize("points", [[], [("2025-01-01", 0.5)], [("2025-01-01", 0.5), ("2025-01-02", 1.0)]])
def test_an_account_falls_by_a_step_for_each_charge_and_never_below_nothing(points):
    svg = falling(points, 1.0, "epsilon")
    corners = svg.split('class="fall" points="')[1].split('"')[0].split()
    assert len(corners) == 2 + 2 * len(points)
    heights = [float(corner.split(",")[1]) for corner in corners]
    assert heights == sorted(heights)
    assert max(heights) <= 160
