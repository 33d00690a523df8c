"""`deniable synthesize`: tables and a page into a folder; prices before paying; rows from the policy alone."""

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import deniable
from deniable.apps.cli import app
from deniable.core.errors import InvalidArgumentError, Refused


@pytest.fixture
def policy(visits, monkeypatch):
    monkeypatch.setattr("deniable.releases.synthetic.drawn.field._SWEEPS", 4)
    return visits


def _run(*words):
    return CliRunner().invoke(app, ["synthesize", *map(str, words)])


def test_tables_and_a_page_that_needs_no_network(policy):
    deniable.create(policy).close()
    folder = policy.parent / "out"
    result = _run(policy, "--rho", "0.5", "--rows", "300", "-o", folder)
    assert result.exit_code == 0, result.output
    assert "paid ρ 0.5" in result.output
    assert pq.read_table(folder / "visits.parquet").num_rows == 300
    page = (folder / "report.html").read_text()
    assert "<svg" in page
    assert "standard errors" in page.lower()
    assert "://" not in page
    assert "<script" not in page
    assert "<b>west" not in page
    again = _run(policy, "--rho", "0.5", "--rows", "300", "-o", folder)
    assert "free, because it was asked before" in again.output


def test_the_price_comes_first_and_spends_nothing(policy):
    deniable.create(policy).close()
    result = _run(
        policy, "--columns", "age,town", "--tables", "visits", "--epsilon", "1", "--delta", "1e-9", "--explain"
    )
    assert result.exit_code == 0, result.output
    assert "tables of pairs" in result.output
    with deniable.open(policy) as curator:
        assert curator.budget().spent.rho == 0


def test_dummies_come_from_the_policy_alone(policy):
    (policy.parent / "visits.parquet").unlink()
    folder = policy.parent / "dummy"
    result = _run(policy, "--dummy", "--rows", "50", "-o", folder)
    assert result.exit_code == 0, result.output
    made = pq.read_table(folder / "visits.parquet")
    assert made.column_names == ["person", "age", "town", "urgent"]
    assert made.num_rows >= 50


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("--rho", "1"), InvalidArgumentError),
        (("--rho", "1", "-o", "no/such/folder"), InvalidArgumentError),
        (("--dummy", "--tables", "nothing", "-o", "x"), InvalidArgumentError),
        (("--epsilon", "1", "--explain"), Refused),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_paid(policy, monkeypatch, words, error):
    deniable.create(policy).close()
    monkeypatch.chdir(policy.parent)
    assert isinstance(_run(policy, *words).exception, error)
    with deniable.open(policy) as curator:
        assert curator.budget().spent.rho == 0
