"""`deniable collect`: from a survey to a page, to reports, to estimates; and what is refused on the way."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path

import pytest
from typer.testing import CliRunner

from deniable.apps.collect.commands import app
from deniable.apps.collect.files import read_reports
from deniable.core.errors import InvalidArgumentError
from deniable.local.survey import Survey
from tests.support.surveys import TEXT

PEOPLE = 3000


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A survey, and the answers of three thousand."""
    (tmp_path / "survey.toml").write_text(TEXT)
    rows = [f"{number},{'yes' if number % 3 == 0 else 'no'},first,{number % 40}.5" for number in range(PEOPLE)]
    (tmp_path / "answers.csv").write_text("\n".join(["id,cheated,year,hours", *rows]) + "\n")
    return tmp_path


def run(folder: Path, *words: str) -> str:
    """What the command prints; names of files are in the folder."""
    result = CliRunner().invoke(
        app, [str(folder / word) if "." in word else word for word in words], env={"COLUMNS": "200"}
    )
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.stdout


@pytest.fixture
def reports(folder: Path) -> Path:
    run(folder, "perturb", "survey.toml", "answers.csv", "--output", "reports.jsonl")
    return folder / "reports.jsonl"


def test_the_design_names_questions_losses_and_the_total(folder: Path) -> None:
    output = run(folder, "design", "survey.toml", "--people", "5000")
    for word in ("Did you ever cheat", "WarnerResponse", "KaryResponse", "Hybrid", "± with 5,000 people"):
        assert word in output
    assert "total: epsilon 1.6 for one respondent" in output
    assert (folder / "survey.html").read_text().startswith("<!doctype html>")
    assert sorted(file.name for file in folder.iterdir()) == ["answers.csv", "survey.html", "survey.toml"]


def test_the_page_cannot_be_broken_out_of(folder: Path) -> None:
    text = TEXT.replace("Did you ever cheat in an exam?", "</script><script>alert(1)</script><!--")
    (folder / "survey.toml").write_text(text)
    run(folder, "design", "survey.toml", "--page", "page.html")
    assert "alert(1)</script>" not in (folder / "page.html").read_text()
    assert (folder / "page.html").read_text().count("</script>") == 2


def test_the_page_names_no_address(folder: Path) -> None:
    run(folder, "design", "survey.toml")
    page = (folder / "survey.html").read_text()
    assert "http:" not in page
    assert "https:" not in page
    assert "default-src 'none'" in page


def test_reports_are_one_line_each_and_hold_no_answer(reports: Path) -> None:
    head, *lines = reports.read_text().splitlines()
    assert json.loads(head)["count"] == len(lines) == PEOPLE
    first = json.loads(lines[0])
    assert first.keys() == {"format", "survey", "version", "fingerprint", "answers"}
    assert first["answers"].keys() == {"cheated", "year", "hours"}
    assert not list(reports.parent.glob("*.unfinished"))


def test_the_estimate_is_a_table_per_question(folder: Path, reports: Path) -> None:
    output = run(folder, "estimate", "survey.toml", reports.name, "--plot", "picture.png")
    for word in ("Did you ever cheat", "yes", "first", "mean", "3,000 people", "each respondent lost epsilon 1.6"):
        assert word in output
    assert (folder / "picture.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("form", ["csv", "json"])
def test_the_estimate_is_written_for_programs_too(folder: Path, reports: Path, form: str) -> None:
    output = run(folder, "estimate", "survey.toml", reports.name, "--format", form, "--consistent")
    rows = json.loads(output) if form == "json" else list(csv.DictReader(StringIO(output)))
    assert [row["value"] for row in rows] == ["yes", "first", "second", "later", "mean"]
    yes = rows[0]
    assert abs(float(yes["estimate"]) - 1 / 3) < 0.35  # eleven standard deviations
    assert float(yes["low"]) <= float(yes["estimate"]) <= float(yes["high"]) or float(yes["estimate"]) < 0
    assert sum(float(row["consistent"]) for row in rows[1:4]) == pytest.approx(1)


def test_json_answers_are_read_as_well(folder: Path) -> None:
    rows = [{"cheated": True, "year": "later", "hours": 3}, {"cheated": False, "year": "first", "hours": 4}]
    (folder / "a.json").write_text(json.dumps(rows))
    (folder / "b.jsonl").write_text("\n".join(map(json.dumps, rows)))
    for name in ("a.json", "b.jsonl"):
        assert "wrote 2 reports" in run(folder, "perturb", "survey.toml", name, "-o", "out.txt")


def test_files_of_reports_are_put_together(folder: Path, reports: Path) -> None:
    survey = Survey.load(folder / "survey.toml")
    both = folder / "both.jsonl"
    both.write_text(reports.read_text() + reports.read_text() + reports.read_text().splitlines()[1] + "\n")
    assert len(read_reports([both, reports], survey)["year"]) == 3 * PEOPLE + 1


@pytest.mark.parametrize("lost", [1, 5, 40, 100_000, 10**9])
def test_a_truncated_file_is_refused(folder: Path, reports: Path, lost: int) -> None:
    whole = reports.read_bytes()
    reports.write_bytes(whole[: max(0, len(whole) - 1 - lost)])
    with pytest.raises(InvalidArgumentError, match=r"^reports in .* (are incomplete or damaged|must be at least one)"):
        run(folder, "estimate", "survey.toml", reports.name)


def test_a_file_cut_at_the_end_of_a_line_is_refused_too(folder: Path, reports: Path) -> None:
    reports.write_text("".join(line + "\n" for line in reports.read_text().splitlines()[:-7]))
    with pytest.raises(InvalidArgumentError, match=r"^reports in .* are incomplete or damaged"):
        run(folder, "estimate", "survey.toml", reports.name)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('"survey": "students"', '"survey": "pupils"', "of another survey: survey is pupils, not students"),
        ('"version": 1', '"version": 2', "of another survey: version is 2, not 1"),
        ('"format": 1', '"format": 9', "of another survey: format is 9, not 1"),
        ('"year": ', '"yeer": ', "have a line without a report for year"),
        ('"cheated": 1', '"cheated": 7', "hold a message that this protocol cannot have sent"),
        ('"cheated": 1', '"cheated": -1', "have a line without a report for cheated"),
        ('"cheated": 1', '"cheated": "x"', "are incomplete or damaged"),
        ('"cheated": 1', '"cheated": 0.5', "are incomplete or damaged"),
    ],
)
def test_reports_from_elsewhere_are_refused(folder: Path, reports: Path, old: str, new: str, problem: str) -> None:
    reports.write_text(reports.read_text().replace(old, new))
    with pytest.raises(InvalidArgumentError, match=rf"^reports .*{problem}"):
        run(folder, "estimate", "survey.toml", reports.name)


def test_reports_of_a_survey_that_has_changed_are_refused(folder: Path, reports: Path) -> None:
    (folder / "survey.toml").write_text(TEXT.replace("epsilon = 1.0", "epsilon = 1.1"))
    with pytest.raises(InvalidArgumentError, match=r"^reports .* are of another survey: fingerprint is"):
        run(folder, "estimate", "survey.toml", reports.name)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("1,maybe,first,3", "cheated must be answered with yes or no"),
        ("1,yes,tenth,3", "year must be one of"),
        ("1,yes,first,99", "hours must lie between 0 and 80"),
        ("1,yes,,3", "year is not always answered"),
        ("1,yes,first", "answers cannot be read from .*: line 3 does not have 4 cells"),
    ],
)
def test_bad_answers_write_nothing(folder: Path, line: str, problem: str) -> None:
    (folder / "answers.csv").write_text(f"id,cheated,year,hours\n0,no,first,1\n{line}\n")
    with pytest.raises(InvalidArgumentError, match=rf"^{problem}"):
        run(folder, "perturb", "survey.toml", "answers.csv", "-o", "reports.jsonl")
    assert sorted(file.name for file in folder.iterdir()) == ["answers.csv", "survey.toml"]


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("perturb", "survey.toml", "none.csv"), "answers cannot be read: there is no file"),
        (("perturb", "survey.toml", "none.json"), "answers could not be read"),
        (("perturb", "survey.toml", "survey.toml"), "answers "),
        (("estimate", "survey.toml", "none.jsonl"), "reports could not be read"),
        (("estimate", "survey.toml", "survey.toml"), "reports in .* are incomplete or damaged"),
        (("design", "survey.toml", "--page", "no/page.html"), "path could not be written"),
    ],
)
def test_files_that_cannot_be_used_are_named(folder: Path, words: tuple[str, ...], problem: str) -> None:
    with pytest.raises(InvalidArgumentError, match=rf"^{problem}"):
        run(folder, *words)


def test_the_students_are_counted_twice(tmp_path: Path) -> None:
    result = CliRunner().invoke(
        app, ["students", "--people", "20000", "--plot", str(tmp_path / "students.png")], env={"COLUMNS": "200"}
    )
    rows = {line.split("│")[1].strip(): line for line in result.output.splitlines() if line.startswith("│")}
    cells = [cell.strip() for cell in rows["randomized response"].strip("│").split("│")]
    assert cells[4:] == ["45,187", "nobody"]
    assert abs(float(cells[1]) - 0.2) < 0.15  # ten standard deviations
    assert float(cells[2]) <= float(cells[1]) <= float(cells[3])
    laplace = [cell.strip() for cell in rows["Laplace"].strip("│").split("│")]
    assert laplace[4:] == ["300", "the curator"]
    assert abs(float(laplace[1]) - 0.2) < 0.05  # the students themselves are drawn
    assert (tmp_path / "students.png").read_bytes().startswith(b"\x89PNG")
