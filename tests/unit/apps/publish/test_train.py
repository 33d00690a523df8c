"""`deniable train`: a model into a file with its card; prices before paying; the same again for nothing."""

import json

import pytest
from typer.testing import CliRunner

import deniable
from deniable.apps.cli import app
from deniable.core.errors import InvalidArgumentError

MODEL = 'model = "NaiveBayes"\nselect = "SELECT age, town, urgent FROM visits"\ntarget = "urgent"\n'


@pytest.fixture
def policy(visits):
    visits.with_name("model.toml").write_text(MODEL)
    deniable.create(visits).close()
    return visits


def _run(policy, *words):
    return CliRunner().invoke(app, ["train", str(policy), str(policy.parent / "model.toml"), *map(str, words)])


def test_a_model_a_card_and_what_it_cost(policy):
    explained = _run(policy, "--rho", "0.1", "--explain")
    assert explained.exit_code == 0, explained.output
    assert "counts by class" in explained.output
    model, card = policy.parent / "urgent.json", policy.parent / "urgent.html"
    result = _run(policy, "--rho", "0.1", "-o", model, "--card", card)
    assert result.exit_code == 0, result.output
    assert "unit: person" in result.output
    assert json.loads(model.read_text())["model"] == "NaiveBayes"
    assert "<b>west" not in card.read_text()
    assert "cost nothing more" in _run(policy, "--rho", "0.1").output
    with deniable.open(policy) as curator:
        assert float(curator.budget().spent.rho) == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("text", "argument"),
    [
        ("model = 3", "model"),
        ('model = "os"', "model"),
        ('model = "PCA"\nselect = 3', "select"),
        ('model = "PCA"\nother = 3', "other"),
        ('model = "PCA"\n[settings]\nepsilon = 3', "epsilon"),
        ("model = ", "model"),
    ],
)
def test_files_that_ask_for_no_model(policy, text, argument):
    (policy.parent / "model.toml").write_text(text)
    result = _run(policy, "--rho", "0.1")
    assert isinstance(result.exception, InvalidArgumentError)
    assert result.exception.argument == argument
    with deniable.open(policy) as curator:
        assert curator.budget().spent.rho == 0
