"""Questions on the command line: files before payment, and a warning before a sum is closed for good."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import deniable
from deniable.apps.cli import app
from deniable.core.errors import InvalidArgumentError
from tests.unit.apps.conftest import COUNT, printed


def spent() -> float:
    with deniable.open("clinic.toml") as curator:
        return float(curator.budget().spent.rho or 0)


@pytest.mark.usefixtures("clinic")
def test_the_same_answer_in_every_format() -> None:
    ask = ("ask", "clinic.toml", COUNT, "--epsilon", "0.5", "-o")
    for name in ("a.json", "a.csv", "a.parquet", "a.arrow", "a.txt"):
        assert printed(*ask, name) == ""
    (row,) = json.loads(Path("a.json").read_text())["rows"]
    assert pyarrow.csv.read_csv("a.csv").to_pylist() == [row]
    assert pq.read_table("a.parquet").to_pylist() == [row]
    assert pa.ipc.open_file("a.arrow").read_all().to_pylist() == [row]
    assert row["n_low"] <= row["n"] <= row["n_high"]
    assert f"{row['n']} ±" in Path("a.txt").read_text()


@pytest.mark.usefixtures("clinic")
@pytest.mark.parametrize("options", [["-o", "a.xls"], ["-o", "no/a.csv"], ["-o", "a.csv", "--format", "json"]])
def test_a_file_that_cannot_be_written_is_named_before_paying(options: list[str]) -> None:
    result = CliRunner().invoke(app, ["ask", "clinic.toml", COUNT, "--epsilon", "0.5", *options])
    assert isinstance(result.exception, InvalidArgumentError)
    assert spent() == 0


@pytest.mark.usefixtures("clinic")
@pytest.mark.parametrize(
    ("spend", "warning"),
    [
        (["--epsilon", "0.1"], None),
        (["--rho", "0.001"], "this would close the sum of epsilon"),
        (["--epsilon", "0.9"], "the sum of rho"),
        (["--epsilon", "1.1"], "would be refused"),
    ],
)
def test_explain_warns_of_what_cannot_be_undone(spend: list[str], warning: str | None) -> None:
    output = " ".join(printed("explain", "clinic.toml", COUNT, *spend).split())
    assert ("warning" in output) == (warning is not None)
    assert warning is None or warning in output
    assert spent() == 0


@pytest.mark.usefixtures("clinic")
def test_a_sum_that_is_closed_already_is_not_warned_of_again() -> None:
    printed("ask", "clinic.toml", COUNT, "--rho", "0.001")
    assert "warning" not in printed("explain", "clinic.toml", "SELECT SUM(age) AS s FROM visits", "--rho", "0.001")


@pytest.mark.usefixtures("clinic")
def test_values_of_parameters_by_order_and_by_name() -> None:
    """The same question, however its values are given."""
    plain = printed("ask", "clinic.toml", f"{COUNT} WHERE age = 7", "--epsilon", "0.1", "--format", "json")
    apart = ("ask", "clinic.toml", "--epsilon", "0.1", "--format", "json")
    by_order = printed(*apart, f"{COUNT} WHERE age = ?", "--param", "7")
    by_name = printed(*apart, f"{COUNT} WHERE age = :age", "--param", "age=7")
    rows = [json.loads(output)["rows"] for output in (plain, by_order, by_name)]
    assert rows[0] == rows[1] == rows[2]
    assert json.loads(by_name)["free"]


@pytest.mark.usefixtures("clinic")
def test_all_intervals_at_once_and_steps_after_the_noise() -> None:
    words = ("--simultaneous", "--after", "nonnegative", "--after", "whole", "--rows", "100")
    said = " ".join(printed("ask", "clinic.toml", COUNT, "--epsilon", "0.5", *words).split())
    assert "all at once" in said
    assert "whole, after the noise" in said
    assert "all intervals" in " ".join(printed("explain", "clinic.toml", COUNT, "--epsilon", "0.5", *words).split())


@pytest.mark.usefixtures("clinic")
def test_totals_are_made_consistent() -> None:
    sql = "SELECT age > 40 AS old, COUNT(*) AS n FROM visits GROUP BY ROLLUP (old)"
    asked = printed("ask", "clinic.toml", sql, "--epsilon", "0.5", "--after", "consistent", "--format", "json")
    *parts, total = (row["n"] for row in json.loads(asked)["rows"])
    assert sum(parts) == total


@pytest.mark.usefixtures("clinic")
def test_the_statements_are_those_of_the_question_as_it_would_be_paid_for() -> None:
    """An accuracy of an average has a price only with the number of rows that is expected."""
    mean = ("explain", "clinic.toml", "SELECT AVG(age) AS age FROM visits", "--accuracy", "5", "--rows", "1000")
    assert "SELECT" in printed(*mean, "--statements")
