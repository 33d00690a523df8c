"""`deniable attack`: what it prints and writes, on made-up people, on files, and on a curator."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import deniable
from deniable.apps.attack import tour as subject
from deniable.apps.attack.commands import app
from deniable.apps.attack.lecture import CHAPTERS, Chapter, Stop
from deniable.apps.attack.page import page
from deniable.apps.attack.svg import draw
from deniable.apps.attack.target import numbers_in
from deniable.attacks import Differencing, Homogeneity, Ranking
from deniable.attacks.picture import Bars, Graph, Mark, MarkedTable, dots, histogram, line
from deniable.attacks.textbook import FOUR_ANONYMOUS, HOSPITAL_A, HOSPITAL_B
from deniable.core.errors import InvalidArgumentError

POLICY = """
[population]
name = "clinic"
[budget]
epsilon = 3
[tables.patients]
source = "patients.parquet"
unit = "patient_id"
contribution = 1
[tables.patients.columns]
patient_id = { type = "integer" }
smoker = { type = "boolean", nulls = false }
"""


def run(*arguments: str, stdin: str = "", code: int = 0) -> str:
    """What the command prints, on a wide terminal."""
    result = CliRunner().invoke(app, arguments, env={"COLUMNS": "200"}, input=stdin)
    assert result.exit_code == code, result.output
    return result.output


def fails(*arguments: str) -> str:
    """The error that the command line would print."""
    result = CliRunner().invoke(app, arguments)
    assert isinstance(result.exception, InvalidArgumentError), result.output
    return str(result.exception)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Release files and a public list, and a clinic."""
    monkeypatch.chdir(tmp_path)
    pyarrow.csv.write_csv(FOUR_ANONYMOUS, "four.csv")
    pq.write_table(HOSPITAL_A, "a.parquet")
    pq.write_table(HOSPITAL_B, "b.parquet")
    voters = pa.table({"name": ["Alice", "Bob"], "zip": [13012, 13053], "age": [28, 31]})
    pyarrow.csv.write_csv(voters, "voters.csv")
    return tmp_path


# ---------------------------------------------------------------------------------------------- made-up people


def test_the_list_has_every_attack_and_defence() -> None:
    output = run("list")
    for chapter in CHAPTERS:
        for stop in chapter.stops:
            assert stop.attack.name in output
            assert all(name in output for name in stop.attack.defences(1))


def test_one_defence_gives_one_row_with_the_number() -> None:
    output = run("differencing", "--n", "20", "--defence", "query-set-size")
    assert "100%" in output
    assert "20 of 20 blood sugars" in output
    assert "rounding" not in output


def test_without_a_defence_all_that_fit_are_fought_and_bounds_stand_beside() -> None:
    output = run("ranking", "--n", "400")
    assert all(name in output for name in ("deterministic", "randomized-response", "exponential"))
    assert "73%" in output


@pytest.mark.parametrize(
    "arguments",
    [
        ("pairs", "--n", "40", "--defence", "exact"),
        ("averaging", "--way", "split", "--defence", "rounding"),
        ("singling-out", "--n", "20", "--defence", "subsample"),
        ("months", "--n", "10", "--defence", "input-noise"),
        ("max-refusals", "--n", "40", "--defence", "max-audit"),
        ("bit-refusals", "--n", "8", "--defence", "bit-audit"),
        ("reconstruct", "--n", "30", "--defence", "rounding"),
        ("uniqueness", "--n", "500", "--defence", "deidentified"),
        ("linkage", "--n", "100", "--defence", "deidentified"),
        ("homogeneity", "--n", "100", "--defence", "l-diverse"),
        ("background", "--n", "100", "--defence", "t-close"),
        ("skewness", "--n", "200", "--defence", "k-anonymous"),
        ("composition", "--n", "100", "--defence", "k-anonymous"),
        ("resemblance", "--questions", "8", "--defence", "copied-rows"),
        ("membership", "--columns", "200", "--defence", "exact"),
        ("model", "--features", "50", "--defence", "noisy-gradients"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_every_command_ends_with_a_number_and_a_picture(arguments: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / "picture.svg"
    output = run(*arguments, "--seed", "7", "--plot", str(path))
    assert re.search(r"\d%", output)
    assert ET.fromstring(path.read_text()).tag.endswith("svg")  # noqa: S314 - our own file


def test_a_seed_gives_the_same_people_again() -> None:
    first, second = (run("homogeneity", "--n", "200", "--defence", "k-anonymous", "--seed", "3") for _ in range(2))
    assert first == second


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("differencing", "--defence", "prayer"), "defence must be one of exact"),
        (("reconstruct", "--n", "30", "--decoder", "exhaustive"), "at most 14 for the exhaustive attack"),
        (("differencing", "--defence", "exact", "--plot", "x.png"), "must end in .svg"),
        (("ranking", "--n", "10", "--plot", "x.svg"), "needs one defence"),
        (("differencing", "--defence", "exact", "--plot", "no/such/folder/x.svg"), "could not be written"),
        (("tour", "--output", "no/such/folder/tour.html"), "folder that exists"),
        (("differencing", "--defence", "curator", "--epsilon", "0"), "epsilon must be positive"),
    ],
)
def test_bad_input_says_why(arguments: tuple[str, ...], says: str) -> None:
    assert says in fails(*arguments)


# ---------------------------------------------------------------------------------------------------- real files


@pytest.mark.usefixtures("folder")
def test_linkage_joins_a_release_with_a_list() -> None:
    output = run("linkage", "four.csv", "--public", "voters.csv", "--sensitive", "disease")
    assert "just one disease is left" in output
    assert re.search(r"Bob\s+│ cancer", output)
    # Bob's class is all cancer, Alice's is half heart disease: (1 + 1/2) / 2; of all 12 rows, five are cancer
    assert "from the rows that fit: 75.0% right on average" in output
    assert "always saying 'cancer', without looking for anybody: 41.7%" in output
    assert "Alice" not in output


@pytest.mark.usefixtures("folder")
def test_composition_intersects_two_releases() -> None:
    output = run("composition", "a.parquet", "b.parquet", "--sensitive", "disease", "--public", "voters.csv")
    assert re.search(r"Alice\s+│ AIDS", output)
    assert output == run("composition", "a.parquet", "b.parquet", "--public", "voters.csv")  # the last column, by habit
    assert re.search(
        r"one disease left for whoever is in both\s+│ 3 │ 75.0%",
        run("composition", "a.parquet", "b.parquet", "--sensitive", "disease"),
    )


@pytest.mark.usefixtures("folder")
def test_the_other_tables_attacks_read_files_too() -> None:
    assert re.search(
        r"rows whose class has one disease\s+│  4 │ 33.3%", run("homogeneity", "four.csv", "--sensitive", "disease")
    )
    known = run("background", "four.csv", "--sensitive", "disease", "--not", "heart disease")
    assert re.search(r"not heart disease\s+│  8 │ 66.7%", known)
    assert re.search(r"cancer\s+│\s+41.7% │\s+100.0%", run("skewness", "four.csv", "--sensitive", "disease"))
    assert re.search(r"zip \+ age\s+│\s+2 │ 100.0%", run("uniqueness", "voters.csv", "--on", "zip,age"))


@pytest.mark.usefixtures("folder")
def test_categories_make_similar_values_one() -> None:
    Path("diverse.csv").write_text("zip,disease\n1,ulcer\n1,gastritis\n2,flu\n2,ulcer\n")
    Path("kinds.csv").write_text("value,category\nulcer,stomach\ngastritis,stomach\n")
    output = run("homogeneity", "diverse.csv", "--sensitive", "disease", "--categories", "kinds.csv")
    assert re.search(r"has one disease\s+│ 0", output)
    assert re.search(r"has one category\s+│ 2", output)


@pytest.mark.usefixtures("folder")
def test_means_losses_and_clicks_are_read_from_files() -> None:
    facts = [f"f{number}" for number in range(40)]
    Path("means.csv").write_text(",".join(facts) + "\n" + ",".join(["0.9"] * 20 + ["0.1"] * 20) + "\n")
    Path("reference.csv").write_text(",".join(facts) + "\n" + ",".join(["0.5"] * 40) + "\n")
    Path("people.csv").write_text(
        ",".join(facts) + "\n" + ",".join(["1"] * 20 + ["0"] * 20) + "\n" + ",".join(["0"] * 20 + ["1"] * 20) + "\n"
    )
    output = run("membership", "means.csv", "--people", "people.csv", "--reference", "reference.csv", "--size", "3")
    assert "1 of 2: yes" in output
    Path("own.csv").write_text("loss,member\n0.1,1\n0.2,1\n0.9,0\n1.1,0\n")
    Path("losses.csv").write_text("loss\n0.05\n2\n")
    assert "1 of 2: yes" in run("model", "losses.csv", "--shadow", "own.csv")
    Path("made.csv").write_text("a,b,c\n1,x,2\n3,y,4\n")
    Path("in.csv").write_text("a,b,c\n1,x,2\n3,y,5\n")
    Path("out.csv").write_text("a,b,c\n9,z,8\n7,z,6\n")
    output = run("resemblance", "made.csv", "--people", "in.csv", "--others", "out.csv")
    assert re.search(r"a made-up row is just like them\W+1\b", output)
    Path("planted.csv").write_text("group,ad\n0,skates\n0,skates\n1,pension\n1,pension\n")
    Path("clicks.csv").write_text("ad\npension\nskates\npension\n")
    assert "2 of 3: yes" in run("ranking", "clicks.csv", "--planted", "planted.csv")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("linkage", "nowhere.csv", "--public", "voters.csv"), "release cannot be read: there is no file"),
        (("linkage", "four.csv"), "public is needed"),
        (
            ("linkage", "four.csv", "--public", "voters.csv", "--on", "town", "--sensitive", "disease"),
            "no column 'town'",
        ),
        (("linkage", "four.csv", "--public", "voters.csv", "--sensitive", "salary"), "no column 'salary'"),
        (("linkage", "empty.csv", "--public", "voters.csv"), "is empty"),
        (("linkage", "broken.parquet", "--public", "voters.csv"), "cannot be read"),
        (("linkage", "twice.csv", "--public", "voters.csv"), "two columns named"),
        (("linkage", "other.csv", "--public", "voters.csv"), "on has no column"),
        (("composition", "a.parquet"), "other is needed"),
        (("linkage", "voters.csv", "--public", "voters.csv"), "sensitive must be named"),
        (("background", "four.csv", "--sensitive", "disease", "--not", "plague"), "'plague' is no disease"),
        (("uniqueness", "wide.csv"), "at most 6"),
        (("membership", "four.csv"), "need --people"),
        (("model", "four.csv"), "need --shadow"),
        (("model", "four.csv", "--shadow", "four.csv"), "no column 'loss'"),
        (("resemblance", "four.csv"), "needs --people and --others"),
        (("ranking", "four.csv"), "need --planted"),
        (("reconstruct", "--curator", "clinic.toml"), "secret is needed"),
        (("reconstruct", "--curator", "clinic.toml", "--secret", "smoker"), "table is needed"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_bad_files_say_why(arguments: tuple[str, ...], says: str) -> None:
    Path("empty.csv").write_text("zip,disease\n")
    Path("broken.parquet").write_bytes(b"not a table")
    Path("twice.csv").write_text("zip,zip\n1,2\n")
    Path("other.csv").write_text("colour,disease\nred,flu\n")
    Path("wide.csv").write_text("a,b,c,d,e,f,g\n1,2,3,4,5,6,7\n")
    assert says in fails(*arguments)


# ------------------------------------------------------------------------------------------------- a real curator


@pytest.fixture
def clinic(folder: Path) -> Path:
    chance = np.random.default_rng()
    pq.write_table(pa.table({"patient_id": np.arange(1, 41), "smoker": chance.random(40) < 0.5}), "patients.parquet")
    Path("clinic.toml").write_text(POLICY)
    deniable.create("clinic.toml").close()
    return folder


ASK = ("--table", "patients", "--person", "patient_id", "--people", "1-12", "--curator", "clinic.toml", "--factor", "2")


def spent() -> float:
    with deniable.open("clinic.toml") as curator:
        return float(curator.budget().spent.epsilon)


@pytest.mark.usefixtures("clinic")
def test_a_curator_is_attacked_for_what_was_agreed_and_the_guesses_are_scored() -> None:
    output = run("reconstruct", *ASK, "--secret", "smoker", "--spend", "0.5", "--truth", "patients.parquet", "--yes")
    assert "24 of 24 questions were answered" in output
    assert "of 12 people" in output
    assert "at most 73.1%" in output  # an exchange is a removal and an addition: twice 0.5
    assert spent() == 0.5


@pytest.mark.usefixtures("clinic")
def test_averages_and_differences_are_taken_from_a_curator_too() -> None:
    ask = ASK[:-2]
    output = run("averaging", *ask, "--secret", "smoker", "--spend", "0.5", "--way", "split", "--yes")
    assert "claimed: smoker" in output
    number = "CASE WHEN smoker THEN 1 ELSE 0 END"
    output = run("differencing", *ask, "--secret", number, "--spend", "0.25", "--yes")
    assert re.search(r"12 │ +-?[\d.,e+]+ │", output)
    assert spent() == 0.75


@pytest.mark.usefixtures("clinic")
def test_numbers_are_scored_and_a_wrong_answer_sheet_costs_nothing() -> None:
    named = "LEAST(GREATEST(patient_id, 0), 50)"
    ask = ("differencing", *ASK[:-2], "--secret", named, "--spend", "0.25", "--yes", "--truth")
    assert "has no column" in fails(*ask, "patients.parquet")
    assert spent() == 0
    pq.write_table(pa.table({"patient_id": np.arange(1, 41), named: np.arange(1, 41)}), "numbers.parquet")
    assert "always saying the mean of all: off by 3" in run(*ask, "numbers.parquet")
    assert spent() == 0.25


def test_people_in_a_file_are_isolated(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("town,job\n" + "a,x\n" * 12 + "a,y\n" + "b,x\n" * 12)
    assert "1 of 25 people are isolated by two sets of at least 10" in run("pairs", str(path), "--on", "town,job")


@pytest.mark.usefixtures("clinic")
def test_without_a_yes_nothing_is_spent() -> None:
    assert "Go on?" in run("reconstruct", *ASK, "--secret", "smoker", "--spend", "0.5", stdin="n\n", code=1)
    assert spent() == 0


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (("--secret", "smokr", "--spend", "1"), "There is no column 'smokr'"),
        (("--secret", "smoker", "--spend", "-1"), "spend must be positive"),
        (("--secret", "smoker", "--spend", "1", "--people", "all"), "such as 1-200"),
    ],
)
@pytest.mark.usefixtures("clinic")
def test_a_target_that_cannot_be_asked_costs_nothing(more: tuple[str, ...], says: str) -> None:
    assert says in fails("reconstruct", *ASK, *more, "--yes")
    assert spent() == 0


def test_too_many_people_are_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="at most 2,000"):
        numbers_in("1-999999999")


# ------------------------------------------------------------------------------------------ the page and pictures


def test_the_tour_is_one_page_that_needs_nothing_else(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    short = (Chapter("Some", "Text.", (Stop(Ranking(n=200), "A <story>."), Stop(Homogeneity(n=200), "Another."))),)
    monkeypatch.setattr(subject, "CHAPTERS", short)
    path = tmp_path / "tour.html"
    output = run("tour", "--output", str(path))
    assert "deterministic" in output
    text = path.read_text()
    assert text.count("<svg") == 5  # the k-anonymous table of the textbook is one more
    assert "A &lt;story&gt;." in text
    assert "Allowed at epsilon 1: 73% on average. Kept." in text
    assert "3 of these numbers have a bound" in text  # the two rankings that promise something, and the noisy counts
    assert "none of them is above it by more than chance explains" in text
    assert not re.search(r"<script|<link|src=|@import|url\(", text)
    assert not [link for link in re.findall(r"https?://[^\"' <]+", text) if link != "http://www.w3.org/2000/svg"]
    assert sorted(tmp_path.iterdir()) == [path]


def test_every_stop_is_visited_once_per_defence() -> None:
    assert subject.length(1) == sum(len(stop.attack.defences(1)) for chapter in CHAPTERS for stop in chapter.stops)
    heard: list[tuple[str, str]] = []
    short = (Chapter("Some", "", (Stop(Ranking(n=50), ""),)),)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subject, "CHAPTERS", short)
        travelled = subject.travel(1, 1, lambda attack, defence: heard.append((attack, defence)))
    assert [defence for _, defence in heard] == ["deterministic", "randomized-response", "exponential"]
    assert page(travelled).startswith("<!doctype html>")


@pytest.mark.parametrize(
    "picture",
    [
        Graph(
            "a < b",
            "x",
            "y",
            (line("l", [0, 1], [0, 1]), dots("d", [0], [float("nan")])),
            (Mark(1, "m", upright=True),),
        ),
        Graph("flat", "x", "y", (line("l", [3, 3], [3, 3]),)),
        Graph("nothing", "x", "y", ()),
        Graph("steps", "x", "y", (histogram("h", np.array([0.5]), np.linspace(0, 1, 4)),)),
        Bars("bars & more", "share", (("a", 0.5), ("b", 1.2)), (Mark(0.9, "m"),)),
        Bars("none", "share", ()),
        MarkedTable("table", ("", "b"), (("1", "<2>"),), frozenset({(0, 1)})),
    ],
    ids=lambda picture: picture.title,
)
def test_pictures_are_well_formed(picture) -> None:
    root = ET.fromstring(draw(picture))  # noqa: S314 - our own file
    assert root.tag.endswith("svg")
    assert "nan" not in draw(picture)


def test_differencing_draws_what_it_found() -> None:
    outcome = Differencing(n=10).against_named("exact", 1, np.random.default_rng())
    assert draw(outcome.pictures[0]).count("<circle") == 10


def test_a_number_above_its_bound_is_judged_by_its_interval() -> None:
    made = Ranking().against_named("exponential", 1, np.random.default_rng(1))
    few, many = (replace(made, right=0.75 * trials, trials=trials) for trials in (20, 20_000))
    assert few.value == many.value > few.bound == many.bound
    assert few.kept
    assert not many.kept
    chapter = Chapter("Some", "", (Stop(Ranking(), ""),))
    broken = subject.Tour(1, ((chapter, (subject.Visited(chapter.stops[0], {"exponential": many}),)),))
    assert "1 of them is above it by more than chance explains: ranking against exponential" in subject.verdict(broken)


def test_enough_rounds_are_fought_and_added_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject, "CHAPTERS", (Chapter("Some", "", (Stop(Ranking(n=10, visits=5), ""),)),))
    travelled = subject.travel(1, 1, lambda *_: None, trials=25)
    ((_, (visited,)),) = travelled.chapters
    assert {(outcome.trials, outcome.rounds) for outcome in visited.outcomes.values()} == {(30, 3)}
    assert visited.outcomes["deterministic"].right == 30


def test_pictures_side_by_side_share_their_scale() -> None:
    small, large = (Graph("t", "x", "share", (dots("d", [1, 2], [0, top]),)) for top in (0.1, 0.9))
    ticks = [re.findall(r">([\d.]+%)<", draw(picture, (small, large))) for picture in (small, large)]
    assert ticks[0] == ticks[1]
    assert ticks[0] != re.findall(r">([\d.]+%)<", draw(small))


def test_counts_have_whole_ticks() -> None:
    counted = Graph("t", "questions", "y", (line("l", [1, 2, 3], [0.5, 0.25, 0.1]),))
    assert ">1.5<" not in draw(counted)
    assert all(f">{number}<" in draw(counted) for number in (1, 2, 3))
