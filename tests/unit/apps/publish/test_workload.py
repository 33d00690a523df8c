"""`deniable workload`: from two files to a third, and nothing paid for what cannot be."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from matplotlib.figure import Figure
from typer.testing import CliRunner

import deniable
from deniable.apps.cli import app
from deniable.apps.publish.pictures import _maps
from deniable.core.errors import InvalidArgumentError, Refused
from deniable.core.loss import Loss
from deniable.releases.linear.toml import read_workload
from tests.support.tables import visits

POLICY = """
[population]
name = "tests"
[budget]
epsilon = 2.0
delta = 1e-6
[tables.visits]
source = "visits.parquet"
[tables.visits.columns]
age = { type = "integer", bounds = [0, 110], nulls = false }
region = { type = "text", values = ["north", "east", "south", "west"] }
day = { type = "date", bounds = ["2025-01-01", "2025-12-31"] }
"""
WORKLOAD = """
[[parts]]
ranges = ["age // 10"]
[[parts]]
histogram = ["region", "age // 10"]
weight = 2
[[parts]]
prefixes = ["day"]
[[parts]]
conditions = ["region = 'north'"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pq.write_table(visits(300, seed=3), tmp_path / "visits.parquet")
    (tmp_path / "clinic.toml").write_text(POLICY)
    (tmp_path / "workload.toml").write_text(WORKLOAD)
    deniable.create(tmp_path / "clinic.toml").close()
    return tmp_path


def run(folder: Path, *options: str):
    files = [str(folder / "clinic.toml"), str(folder / "workload.toml")]
    return CliRunner().invoke(app, ["workload", *files, *options], env={"COLUMNS": "200"})


def rho_spent(folder: Path) -> float:
    with deniable.open(folder / "clinic.toml") as curator:
        return float(curator.budget().spent.rho or 0)


def test_a_workload_becomes_a_file_and_a_page(folder: Path) -> None:
    target, page = folder / "release.parquet", folder / "release.html"
    result = run(folder, "--rho", "0.01", "-o", str(target), "--pictures", str(page))
    assert result.exit_code == 0, result.output
    table = pq.read_table(target)
    assert table.num_rows == 78 + 60 + 365 + 1
    assert {"part", "count", "deviation", "low", "high"} <= set(table.column_names)
    assert page.read_text().count("data:image/png;base64,") == 4
    assert "://" not in page.read_text()  # no letters of a picture can spell this
    assert "Privacy budget spent: ρ 0.01." in page.read_text()
    assert "Loss(" not in page.read_text()
    assert not list(folder.glob(".*.part"))
    assert rho_spent(folder) == pytest.approx(0.01)
    again = run(folder, "--rho", "0.01", "-o", str(folder / "again.csv"))
    assert "free" in again.output
    assert rho_spent(folder) == pytest.approx(0.01)


def test_no_panel_has_one_flat_colour_and_every_axis_is_labelled() -> None:
    counts = np.arange(12.0).reshape(3, 4)
    values = [["a", "b", "c"], [1, 2, 3, None]]
    for radius, panels in ((np.full((3, 4), 5.0), 1), (counts + 1, 2), (np.full((3, 4), 5.0) + 1e-12 * counts, 1)):
        figure = _maps(Figure, counts, radius, values, ("letter", "number"))
        maps = [axes for axes in figure.axes if axes.images]
        assert len(maps) == panels
        assert all({axes.get_xlabel(), axes.get_ylabel()} == {"letter", "number"} for axes in maps)
        assert [len(axes.texts) for axes in maps] == [12] * panels
        assert "(missing)" in [label.get_text() for label in maps[0].get_yticklabels()]


def test_prices_are_words() -> None:
    assert str(Loss.pure("0.5")) == "ε 0.5"
    assert str(Loss.approximate(1, "1e-6")) == "ε 1, δ 1e-6"
    assert str(Loss.concentrated(Fraction(1, 100), None)) == "ρ 0.01"


def test_explaining_pays_nothing(folder: Path) -> None:
    result = run(folder, "--rho", "0.01", "--explain")
    assert result.exit_code == 0, result.output
    assert "ranges of age // 10" in result.output
    assert "each query alone" in result.output
    assert rho_spent(folder) == 0


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ([], "output"),
        (["-o", "release.txt"], "parquet"),
        (["-o", "nowhere/release.csv"], "folder"),
        (["--pictures", "page.pdf"], "html"),
    ],
)
def test_a_file_that_cannot_be_written_is_named_before_paying(folder: Path, options: list[str], named: str) -> None:
    result = run(folder, "--rho", "0.01", *options)
    assert isinstance(result.exception, InvalidArgumentError)
    assert named in str(result.exception)
    assert rho_spent(folder) == 0


def test_a_spend_beyond_the_budget_costs_nothing(folder: Path) -> None:
    result = run(folder, "--rho", "5", "-o", str(folder / "release.csv"))
    assert isinstance(result.exception, Refused)
    assert not (folder / "release.csv").exists()
    assert rho_spent(folder) == 0


@pytest.mark.parametrize(
    "written",
    [
        {},
        {"parts": []},
        {"parts": {"ranges": ["a"]}},
        {"parts": [{}]},
        {"parts": [{"ranges": "a"}]},
        {"parts": [{"ranges": ["a"], "histogram": ["a"]}]},
        {"parts": [{"ranges": ["a"], "order": 2}]},
        {"parts": [{"marginals": ["a", "b"]}]},
        {"parts": [{"marginals": ["a", "b"], "order": 3}]},
        {"parts": [{"product": ["a"]}]},
        {"parts": [{"product": {"a": "slices"}}]},
        {"parts": [{"ranges": ["a"], "weight": 0}]},
        {"parts": [{"slices": ["a"]}]},
        {"parts": [{"ranges": ["a"]}], "seed": 7},
        {"parts": [{"ranges": ["a"]}], "where": "b"},
        {"parts": [{"ranges": ["a"]}], "table": 7},
    ],
)
def test_workloads_that_cannot_be_are_named(written: dict[str, object]) -> None:
    with pytest.raises(InvalidArgumentError):
        read_workload(written)


def test_a_workload_can_say_everything() -> None:
    work = read_workload(
        {
            "table": "visits",
            "where": "urgent",
            "parts": [
                {"product": {"age": "ranges", "region": "values"}, "weight": "0.5"},
                {"marginals": ["a", "b", "c"], "order": 2},
                {"prefixes": ["a"]},
                {"histogram": ["a"]},
                {"conditions": ["a > 1"]},
            ],
        }
    )
    assert (work.table, work.where, len(work.parts)) == ("visits", "urgent", 7)


@pytest.mark.parametrize("text", ["[[parts", "\udcff"])
def test_a_file_that_cannot_be_read_is_named(folder: Path, text: str) -> None:
    (folder / "workload.toml").write_bytes(text.encode("utf-8", "surrogatepass"))
    result = run(folder, "--rho", "0.01", "-o", str(folder / "release.csv"))
    assert isinstance(result.exception, InvalidArgumentError)
    assert "workload" in str(result.exception)
