"""`deniable anonymize`: a table out, or a refusal and nothing written."""

from __future__ import annotations

import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from deniable.apps.cli import main

PATIENTS = """zip,age,nationality,visits,condition
13053,28,Russian,1,Heart
13068,29,American,2,Heart
13068,21,Japanese,3,Viral
13053,23,American,4,Viral
14853,50,Indian,5,Cancer
14853,55,Russian,6,Heart
14850,47,American,7,Viral
14850,49,American,8,Viral
"""
POLICY = """
k = 4
suppression = 0.1
[quasi_identifiers]
zip = { mask = 5 }
age = { cuts = [[30, 40]] }
nationality = { tree = "nationality.csv" }
[sensitive]
condition = { distinct = 2 }
"""


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "patients.csv").write_text(PATIENTS)
    (tmp_path / "anonymize.toml").write_text(POLICY)
    (tmp_path / "nationality.csv").write_text("Russian;Asia\nJapanese;Asia\nIndian;Asia\nAmerican;America\n")
    return tmp_path


def run(monkeypatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["deniable", "anonymize", *words])
    with pytest.raises(SystemExit) as stopped:
        main()
    return int(stopped.value.code or 0)


def test_a_table_a_report_and_a_check(folder, monkeypatch, capsys):
    asked = ["--settings", "anonymize.toml"]
    assert run(monkeypatch, "patients.csv", *asked, "-o", "out.parquet", "--report", "report.html") == 0
    assert "NOT PROMISED" in capsys.readouterr().out
    assert pq.read_table(folder / "out.parquet").column_names == ["zip", "age", "nationality", "condition"]
    assert (folder / "report.html").read_text().startswith("<!doctype html>")
    assert run(monkeypatch, "check", "out.parquet", *asked) == 0
    assert "4-anonymity: holds" in capsys.readouterr().out
    assert run(monkeypatch, "check", "out.parquet", *asked, "--k", "5") == 1
    assert run(monkeypatch, "table", "patients.csv", *asked, "--k", "2", "--method", "mondrian", "-o", "out.csv") == 0
    assert run(monkeypatch, "check", "out.csv", *asked, "--k", "2") == 0


def test_options_come_before_the_policy(folder, monkeypatch):
    options = ["--k", "2", "--l", "2", "--t", "0.3", "--suppression", "0.5", "--loss", "entropy", "--method", "local"]
    assert run(monkeypatch, "--settings", "anonymize.toml", *options, "-o", "out.parquet", "patients.csv") == 0
    assert (folder / "out.parquet").exists()


def test_a_draft_can_be_run_as_it_is(folder, monkeypatch):
    assert run(monkeypatch, "draft", "patients.csv", "-o", "draft.toml") == 0
    text = (folder / "draft.toml").read_text()
    assert '"zip" = { mask = 5 }' in text
    assert '"age" = { interval = [5, 10, 20, 40] }' in text
    assert run(monkeypatch, "patients.csv", "--settings", "draft.toml", "-o", "out.parquet") == 0
    assert run(monkeypatch, "draft", "patients.csv", "-o", "draft.toml") == 2


@pytest.mark.parametrize(
    ("change", "words", "message"),
    [
        ("", ["--k", "0"], "at least 1"),
        ("", ["--k", "9"], "only 8 rows"),
        ("", ["--t", "2"], "between 0 and 1"),
        ("", ["--method", "magic"], "must be one of"),
        ("", ["-o", "out.xlsx"], "must end in .parquet or .csv"),
        ("", ["-o", "patients.csv"], "must not be the original"),
        ("kk = 3\n", [], "did you mean 'k'"),
        ("[quasi_identifiers", [], "is not TOML"),
        ("quasi_identifiers = 3\n", [], "must be a table"),
        ("[quasi_identifiers]\nzip = { mask = 4 }\n", ["--k", "2"], "5 characters"),
        ("[quasi_identifiers]\nzip = { mask = 5, date = [] }\n", [], "not several"),
        ("[quasi_identifiers]\nzip = { masc = 5 }\n", [], "did you mean 'mask'"),
        ("[quasi_identifiers]\nzip = 5\n", [], "must be a table such as"),
        ("[quasi_identifiers]\nzip = { interval = 5 }\n", [], "cannot be understood"),
        ("[quasi_identifiers]\nzip = { tree = 'no.csv' }\n", [], "cannot be read"),
        ("[quasi_identifiers]\nzipp = {}\n", ["--k", "2"], "no column 'zipp'"),
        ("k = 1\n[quasi_identifiers]\nzip = {}\n", ["--l", "3"], "needs a sensitive column"),
        (
            "[quasi_identifiers]\nzip = {}\n[sensitive]\ncondition = { entropy = 3 }\n",
            [],
            "hint: entropy 2-diversity of condition is feasible",
        ),
    ],
)
def test_what_cannot_be_is_told_and_nothing_is_written(folder, monkeypatch, capsys, change, words, message):
    if change:
        (folder / "anonymize.toml").write_text(change)
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    asked = ["patients.csv", "--settings", "anonymize.toml", *words]
    code = 3 if message.startswith("hint") else 2  # refused, or not even a request
    assert run(monkeypatch, *asked, *([] if "-o" in words else ["-o", "out.parquet"])) == code
    said = capsys.readouterr().err
    assert message in said
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before


def test_every_model_can_be_written_in_a_policy(folder, monkeypatch, capsys):
    (folder / "anonymize.toml").write_text(
        """k = 2
        keep = ["visits"]
        population = 100
        [quasi_identifiers]
        zip = {}
        age = { interval = [10, 20], origin = 5 }
        [sensitive.condition]
        recursive = 2
        c = 3
        equal = 0.5
        ordered = 0.5
        order = ["Viral", "Heart", "Cancer"]
        hierarchical = 0.5
        tree = "conditions.csv"
        """
    )
    (folder / "conditions.csv").write_text("Heart;organ\nCancer;organ\nViral;other\n")
    assert run(monkeypatch, "patients.csv", "--settings", "anonymize.toml", "-o", "out.parquet") == 0
    said = capsys.readouterr().out
    assert "recursive (3, 2)-diversity" in said
    assert "sample of 100 people" in said
    assert pq.read_table(folder / "out.parquet").num_columns == 4


def test_a_terminal_obeys_no_name_and_no_value(folder, monkeypatch, capsys):
    """Columns and values come from whoever made the table: control characters are spelled out, markup stays text."""
    name, value, kept = "[red]con\x1b[31mdition", "\x1b]0;owned\x07", "no\x9bte[/red]"
    text = PATIENTS.replace("condition\n", f"{name}\n").replace("Viral", value).replace("visits", kept)
    (folder / "patients.csv").write_text(text)
    rules = POLICY.replace("condition = {", '"[red]con\\u001b[31mdition" = {')
    rules = rules.replace("k = 4\n", 'k = 4\nkeep = ["no\\u009bte[/red]"]\n')
    (folder / "anonymize.toml").write_text(rules)
    asked = ["--settings", "anonymize.toml"]
    assert run(monkeypatch, "patients.csv", *asked, "-o", "[red]out.parquet") == 0
    assert run(monkeypatch, "check", "[red]out.parquet", *asked) == 0
    output = capsys.readouterr().out
    assert not [one for one in output if not one.isprintable() and one != "\n"]
    folded = "".join(output.split()).replace("│", "")
    assert "wrote[red]out.parquet" in folded
    assert "[red]con\\x1b[31mdition" in folded
    assert "no\\x9bte[/red]" in folded
