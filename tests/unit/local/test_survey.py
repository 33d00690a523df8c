"""Surveys: what a file may say, and what it costs to answer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from deniable.core.errors import InvalidArgumentError
from deniable.local.survey import Survey
from deniable.policy import InvalidPolicyError
from tests.support.surveys import TEXT


@pytest.fixture
def survey(tmp_path: Path) -> Survey:
    return loaded(tmp_path, TEXT)


def loaded(folder: Path, text: str) -> Survey:
    (folder / "survey.toml").write_text(text)
    return Survey.load(folder / "survey.toml")


def test_the_losses_of_the_questions_add_up(survey: Survey) -> None:
    assert [float(question.protocol.epsilon) for question in survey.questions] == [1.0, 0.5, 0.1]
    assert survey.loss.epsilon == sum(question.protocol.epsilon for question in survey.questions)
    assert [type(question.protocol).__name__ for question in survey.questions] == [
        "WarnerResponse",
        "KaryResponse",
        "Hybrid",
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("students", "pupils"),
        ("epsilon = 0.5", "epsilon = 0.6"),
        ('"later"', '"third"'),
        ("[0, 80]", "[0, 81]"),
        ("[survey]", "[survey]\nversion = 2"),
    ],
)
def test_the_fingerprint_changes_with_what_reports_mean(survey: Survey, tmp_path: Path, old: str, new: str) -> None:
    assert loaded(tmp_path, TEXT).fingerprint == survey.fingerprint
    assert loaded(tmp_path, TEXT.replace(old, new)).fingerprint != survey.fingerprint


def test_the_fingerprint_does_not_change_with_the_words_of_a_question(survey: Survey, tmp_path: Path) -> None:
    assert loaded(tmp_path, TEXT.replace("ever cheat", "cheat")).fingerprint == survey.fingerprint


def test_answers_come_back_as_estimates(survey: Survey) -> None:
    people = 30_000
    answers = {
        "cheated": np.array(["yes", "no", "no"] * 10_000),
        "year": np.array(["first"] * people),
        "hours": np.full(people, 20),
    }
    found = survey.estimate(survey.perturb(answers))
    assert abs(found["cheated"].value - 1 / 3) < 0.1  # eight standard deviations and more, each
    assert abs(found["year"].value[0] - 1) < 0.2
    assert found["hours"].interval[0] <= found["hours"].value <= found["hours"].interval[1]


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"cheated": ["maybe"]}, "cheated must be answered with yes or no"),
        ({"cheated": [2]}, "cheated must lie between 0 and 1"),
        ({"year": ["fourth"]}, "year must be one of 'first', 'second', 'later', not 'fourth'"),
        ({"hours": [81.0]}, "hours must lie between 0 and 80"),
        ({"hours": [float("nan")]}, "hours must lie between 0 and 80"),
        ({"hours": ["many"]}, "hours must be answered with numbers"),
        ({"hours": [None]}, "hours is not always answered"),
        ({"year": [None]}, "year is not always answered"),
        ({"year": ["first", "second"]}, "answers must be as many for each question"),
    ],
)
def test_what_is_no_answer_is_refused_before_anything_is_drawn(
    survey: Survey, changed: dict[str, list[object]], problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.urandom", lambda _: pytest.fail("drew"))
    answers = {"cheated": ["yes"], "year": ["first"], "hours": [3.5]} | changed
    with pytest.raises(InvalidArgumentError, match=f"^{problem}"):
        survey.perturb(answers)


def test_a_missing_column_is_named(survey: Survey) -> None:
    with pytest.raises(InvalidArgumentError, match=r"^answers have no column year, hours"):
        survey.perturb({"cheated": ["yes"]})


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('name = "students"', "", "survey.name: is missing"),
        ("epsilon = 1.0", "", "questions.cheated.epsilon: is missing"),
        ("epsilon = 1.0", "epsilon = 0", "questions.cheated.epsilon: must be a positive number"),
        ("epsilon = 1.0", "epsilon = 1e-12", "questions.cheated.epsilon: must be at least 1e-9"),
        ('kind = "yes-no"', 'kind = "yesno"', "questions.cheated.kind: cannot be"),
        ('values = ["first", "second", "later"]', "", "questions.year.values: is missing"),
        ('["first", "second", "later"]', '["first", "first"]', "questions.year.values: must have at least two values"),
        ('["first", "second", "later"]', "[1, 2]", "questions.year.values: must be a list of texts"),
        ('["first", "second", "later"]', str([str(n) for n in range(501)]), "questions.year.values: are more than 500"),
        ("bounds = [0, 80]", "bounds = [80, 0]", "questions.hours.bounds: must be two numbers"),
        ("bounds = [0, 80]", "bounds = 80", "questions.hours.bounds: must be two numbers"),
        ("bounds = [0, 80]", "", "questions.hours.bounds: is missing"),
        ('kind = "yes-no"', 'kind = "yes-no"\nvalues = ["a"]', "questions.cheated.values: is not a key here"),
        ("[survey]", "[surveys]", "surveys: is not a key here"),
        (TEXT.split("[questions.cheated]")[1], "", "questions.cheated.text: is missing"),
        ("[questions.cheated]" + TEXT.split("[questions.cheated]")[1], "[questions]", "questions: are none"),
    ],
)
def test_what_is_wrong_with_a_file_is_named(tmp_path: Path, old: str, new: str, problem: str) -> None:
    with pytest.raises(InvalidPolicyError) as error:
        loaded(tmp_path, TEXT.replace(old, new))
    assert problem in str(error.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidPolicyError, match=r"name a survey file, such as survey.toml"):
        Survey.load(tmp_path / "missing.toml")
