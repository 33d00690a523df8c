"""`deniable init` and `check`: where a draft goes, and whom it protects."""

from __future__ import annotations

import gzip
import os
import pty
import subprocess
import sys
import tomllib
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from deniable.apps.cli import app
from deniable.apps.custodian.policies import _asked
from deniable.apps.exits import ExitCode
from deniable.curator.custodian.draft import Candidate
from tests.unit.apps.conftest import printed

CANDIDATES = [Candidate("patient_id", 50, 200), Candidate("visit_id", 200, 200)]


@pytest.mark.parametrize(
    ("source", "draft"),
    [
        ("visits.csv", "visits.toml"),
        ("visits.csv.gz", "visits.toml"),
        ("parts/", "parts.toml"),
        ("parts", "parts.toml"),
        ("parts/p-*.parquet", "parts/p.toml"),
        ("parts/*.parquet", "parts/parts.toml"),
    ],
)
def test_a_draft_lies_where_its_source_is_named_from(
    source: str, draft: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "parts").mkdir()
    for number in (1, 2):
        pq.write_table(pa.table({"age": [number]}), tmp_path / f"parts/p-{number}.parquet")
    Path("visits.csv").write_text("age\n1\n2\n")
    Path("visits.csv.gz").write_bytes(gzip.compress(b"age\n1\n2\n"))
    assert f"wrote {draft}" in printed("init", source)
    assert "what analysts can do" in printed("check", draft)
    assert isinstance(CliRunner().invoke(app, ["init", source]).exception, ValueError), "it is there already"


@pytest.mark.parametrize("named", [".", "../parts", "deep/.."])
def test_a_folder_may_be_named_from_inside(named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "parts/deep").mkdir(parents=True)
    (tmp_path / "parts/p.csv").write_text("age\n1\n2\n")
    monkeypatch.chdir(tmp_path / "parts")
    printed("init", named)
    assert 'source = "parts/"' in (tmp_path / "parts.toml").read_text()


def test_of_a_wide_table_only_what_needs_doing_is_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The column that does not fit, and of 200 that lie outside of their bounds some, with how many there are."""
    monkeypatch.chdir(tmp_path)
    names = [f"measure{number}" for number in range(200)]
    pq.write_table(pa.table({name: [1, 5, 9] for name in names}), "t.parquet")
    lines = "".join(f'{name} = {{ type = "integer", bounds = [0, 8] }}\n' for name in [*names, "measure_x"])
    policy = '[population]\nname = "p"\n[budget]\nepsilon = 1\n[tables.t]\nsource = "t.parquet"\n'
    Path("t.toml").write_text(f"{policy}[tables.t.columns]\n{lines}")
    run = CliRunner(env={"COLUMNS": "120"}).invoke
    short, long = (run(app, ["check", "t.toml", *more]) for more in ((), ("--all",)))
    assert (short.exit_code, long.exit_code) == (1, 1)
    assert "200 columns fit (200 integer)" in short.output
    assert "200 columns, such as measure" in " ".join(short.output.replace("│", " ").split())
    assert "and 180 more" in short.output
    assert short.output.count("1 of 3 rows lie outside") == 20
    assert long.output.count("1 of 3 rows lie outside") == 200
    assert short.output.count("\n") < 50 < long.output.count("\n")


def test_a_wrong_answer_is_asked_again(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    said, offered = iter(["nobody", "visit_id", "-"]), []

    def prompt(text: str, default: str) -> str:
        offered.append((text, default))
        return next(said)

    monkeypatch.setattr("typer.prompt", prompt)
    assert _asked(CANDIDATES) == "visit_id"
    assert _asked(CANDIDATES) is None
    assert _asked([]) is None
    assert {default for _, default in offered} == {"patient_id"}
    assert "patient_id: 50 different values in 200 rows" in capsys.readouterr().out


def test_on_a_terminal_the_custodian_is_asked(tmp_path: Path) -> None:
    rows = {"patient_id": list(range(50)) * 4, "ward_no": [1, 2, 3, 4] * 50}
    pq.write_table(pa.table(rows), tmp_path / "t.parquet")
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "deniable", "init", str(tmp_path / "t.parquet")]
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    os.write(ours, b"ward_no\n")
    seen = b""
    with suppress(OSError):  # how a terminal says that there is no more
        while piece := os.read(ours, 1024):
            seen += piece
    os.close(ours)
    assert process.wait(60) == ExitCode.ANSWERED, seen
    assert b"whose rows these are" in seen
    assert tomllib.loads((tmp_path / "t.toml").read_text())["tables"]["t"]["unit"] == "ward_no"
