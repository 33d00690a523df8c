"""A table with a picture: what is drawn where, and what is not drawn at all."""

from __future__ import annotations

import sys
from io import StringIO
from math import inf, nan
from pathlib import Path

import pytest
from rich.console import Console

from deniable.apps.chart import Chart
from deniable.core.errors import InvalidArgumentError

LINES = {"one": [(1.0, 1.0), (10.0, 10.0), (100.0, 100.0)], "two": [(1.0, 100.0), (100.0, 1.0)]}


def shown(chart: Chart, width: int = 120) -> str:
    console = Console(file=StringIO(), width=width)
    chart.show(console)
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def chart(lines: dict[str, list[tuple[float, float]]], rows: list[list[str]] | None = None) -> Chart:
    return Chart("Title", ["what", "much"], rows or [["a", "1"], ["b", "2"]], lines, "people", "error", ["a note"])


def test_everything_is_there() -> None:
    text = shown(chart(LINES))
    for word in ("Title", "what", "much", "● one", "▲ two", "people", "error", "a note"):
        assert word in text


def test_the_axes_are_logarithmic() -> None:
    lines = shown(chart({"one": LINES["one"]})).splitlines()
    picture = [line[11:] for line in lines if line[9:11] == " │"]
    places = {row: line.index("●") for row, line in enumerate(picture) if "●" in line}
    assert list(places) == [0, 8, 15]  # equal factors are equal steps
    assert sorted(places.values(), reverse=True) == list(places.values()) == [65, 32, 0]


def test_the_ends_of_the_axes_are_labelled() -> None:
    lines = shown(chart({"one": [(20.0, 0.5), (4000.0, 8.0)]})).splitlines()
    assert any(line.strip().startswith("8 │") for line in lines)
    assert any(line.strip().startswith("0.5 │") for line in lines)
    assert any(line.split() == ["20", "4000"] for line in lines)


@pytest.mark.parametrize("number", [0.0, -1.0, inf, nan])
def test_a_number_without_a_logarithm_is_left_out(number: float) -> None:
    assert shown(chart({"one": [(1.0, 1.0), (2.0, number), (number, 2.0)]})).count("●") == 2  # one point, one legend


def test_one_point_is_enough_and_none_is_no_picture() -> None:
    assert "●" in shown(chart({"one": [(5.0, 5.0)]}))
    assert "●" not in shown(chart({"one": [(0.0, 0.0)]}))
    assert "└─" not in shown(chart({})).replace("└──", "", 1)


def test_a_narrow_terminal_folds_numbers_and_never_cuts_them() -> None:
    text = shown(chart({}, [["a", "1,234,567,890,123"]]), width=24)
    assert "…" not in text
    digits = "".join(character for character in text if character.isdigit() or character == ",")
    assert digits == "1,234,567,890,123"


def test_a_picture_is_a_file_of_the_format_its_name_says(tmp_path: Path) -> None:
    path = tmp_path / "chart.png"
    chart(LINES).save(path)
    assert path.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


@pytest.mark.parametrize("place", ["missing/chart.png", "chart.xyz", "folder.png"])
def test_a_place_that_cannot_be_written_is_refused_by_name(place: str, tmp_path: Path) -> None:
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(InvalidArgumentError, match=r"^plot could not be written to "):
        chart(LINES).save(tmp_path / place)


def test_a_name_without_an_ending_has_no_format(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgumentError, match=r"^plot must end in .png, .svg or .pdf"):
        chart(LINES).save(tmp_path / "chart")
    assert not list(tmp_path.iterdir())


def test_without_matplotlib_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(InvalidArgumentError, match=r"^plot needs matplotlib: pip install 'deniable\[plot\]'"):
        chart(LINES).save(tmp_path / "chart.png")
