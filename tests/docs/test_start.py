"""The first page of the site works: everything that it tells a newcomer to type, in its order, on its own file."""

import datetime as dt
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pyarrow as pa

import deniable
from deniable.curator.custodian.draft import draft

PAGE = Path(__file__).parents[2] / "docs/start/index.md"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text(), flags=re.MULTILINE | re.DOTALL)


def commands() -> list[list[str]]:
    lines = [line[2:] for block in blocks("console") for line in block.splitlines() if line.startswith("$ deniable ")]
    return [shlex.split(line)[1:] for line in lines]


def test_a_newcomer_gets_an_answer_by_typing_what_the_page_says(tmp_path: Path) -> None:
    (script,) = blocks("python")
    (policy,) = blocks("toml")
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=True)
    printed = {}
    for words in commands():
        if words in (["--help"], ["demo"]):
            continue
        typed = [sys.executable, "-m", "deniable", *words]
        done = subprocess.run(typed, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        if words[0] == "init":
            drafted = (tmp_path / "visits.toml").read_text()
            assert 'unit = "patient"' in drafted
            (tmp_path / "visits.toml").write_text(policy)
        printed[" ".join(words[:2])] = done.stdout
    assert "warning" not in printed["check visits.toml"]
    assert re.search(r"north +[\d,]+ ± 20\d ", printed["ask visits.toml"])
    assert "paid ε 0.2" in printed["ask visits.toml"]
    assert re.search(r"epsilon \(pure\) +1 +0.2 +0.8", printed["budget visits.toml"])


def test_days_are_drafted_as_the_page_says(tmp_path: Path) -> None:
    (tmp_path / "visits.csv").write_text("patient;day\n1;31.12.2025\n2;\n3;01.02.2024\n")
    drafted = draft(tmp_path / "visits.csv")
    (said,) = re.findall(r"`csv = \{ (dates = .*?) \}`", PAGE.read_text())
    assert f'csv = {{ delimiter = ";", {said} }}' in drafted
    assert 'day = { type = "date", bounds = ["2024-02-01", "2025-12-31"] }' in drafted


def test_the_first_questions_of_the_page_on_sql_have_a_price() -> None:
    (questions,) = re.findall(r"^```sql\n(.*?)^```", (PAGE.parents[1] / "sql.md").read_text(), re.MULTILINE | re.DOTALL)
    visits = {"patient_id": [1, 1], "age": [40, 41], "cost": [1.0, 2.0], "region": ["north", "south"]}
    table = pa.table({**visits, "day": [dt.date(2025, 1, 1), dt.date(2025, 2, 1)]})
    bounds = {"age": (0, 110), "cost": (0, 500), "day": ("2025-01-01", "2025-12-31")}
    regions = {"region": ["north", "south"]}
    with deniable.protect(
        table, epsilon=1, unit="patient_id", contribution=10, bounds=bounds, values=regions, name="visits"
    ) as curator:
        assert [curator.explain(question, epsilon=1).loss.epsilon for question in questions.splitlines()] == [1] * 4
