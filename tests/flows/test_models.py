"""A model from the demonstration's clinic to predictions, through the command line and Python, on one account."""

from __future__ import annotations

import numpy as np
from typer.testing import CliRunner

import deniable
import deniable.learn
from deniable.apps.cli import app
from deniable.apps.demo.clinic import make_clinic

MODEL = """
model = "LogisticRegression"
select = "SELECT p.age, p.region, v.cost, p.smoker FROM visits v JOIN patients p ON v.patient_id = p.patient_id"
target = "smoker"
"""


def test_a_new_user_trains_on_the_clinic(tmp_path, monkeypatch) -> None:
    """Sees the price, trains, reads the card, predicts, sees the budget fall, and gets the same again for nothing."""
    monkeypatch.setattr("deniable.apps.demo.clinic._PATIENTS", 3000)
    make_clinic(tmp_path)
    policy, wanted, saved = tmp_path / "clinic.toml", tmp_path / "model.toml", tmp_path / "smoker.json"
    deniable.create(policy, reason="made up").close()
    wanted.write_text(MODEL)

    def run(*words: object) -> str:
        result = CliRunner().invoke(app, ["train", str(policy), str(wanted), *map(str, words)])
        assert result.exit_code == 0, result.output
        return result.output

    assert "gradient" in run("--rho", "0.05", "--explain")
    first = run("--rho", "0.05", "-o", saved)
    assert "patient_id" in first
    assert "charged once" in first
    model = deniable.learn.load(saved)
    chances = model.predict_proba({"age": [40, 5], "region": ["north", "west"], "cost": [100.0, 10.0]})
    assert np.allclose(chances.sum(axis=1), 1)
    with deniable.open(policy) as curator:
        assert float(curator.budget().spent.rho) == 0.05
        again = deniable.learn.LogisticRegression().fit(curator, _select(), target="smoker", rho=0.05)
        assert again.trained_.free
        assert np.array_equal(again.weights_, model.weights_)
        assert float(curator.budget().spent.rho) == 0.05
        assert any("LogisticRegression on SELECT p.age" in entry.text for entry in curator.history())


def _select() -> str:
    return MODEL.split('select = "')[1].split('"', maxsplit=1)[0]
