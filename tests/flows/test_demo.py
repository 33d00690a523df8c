"""The tour of a made-up clinic, on each engine that is a server: the same steps, to the end."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from deniable.apps.cli import app


@pytest.fixture(params=["postgres", "spark"])
def server(request: pytest.FixtureRequest) -> tuple[str, str]:
    return request.param, request.getfixturevalue({"postgres": "database", "spark": "sail"}[request.param])


def test_the_tour_on_a_server(server: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deniable.apps.demo.clinic._PATIENTS", 5000)
    kind, url = server
    tour = CliRunner().invoke(app, ["demo", str(tmp_path / "clinic"), "--engine", kind, "--url", url])
    assert tour.exit_code == 0, tour.output
    assert "free, because it was asked before" in tour.output
    assert "checkup" in tour.output
    assert "audit passed" in tour.output
    assert f'kind = "{kind}"' in (tmp_path / "clinic" / "clinic.toml").read_text()


@pytest.mark.parametrize("kind", ["postgres", "spark"])
def test_a_tour_without_a_server_says_how_to_start_one(kind: str, tmp_path: Path) -> None:
    tour = CliRunner().invoke(app, ["demo", str(tmp_path / "clinic"), "--engine", kind])
    assert tour.exit_code
    assert "start one: " in str(tour.exception)
    assert not (tmp_path / "clinic").exists()
