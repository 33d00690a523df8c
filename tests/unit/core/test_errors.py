"""A refusal says what, where and what instead; in one text, and as values."""

import pickle
import subprocess
import sys

import pytest

from deniable.core.errors import Failed, Refused, asking

QUESTION = "SELECT region,\n       AVG(agee) FROM visits"
REFUSED = Refused("unknown-column", "There is no column 'agee'.", "Did you mean 'age'?", (26, 30), QUESTION)


def test_an_uncaught_refusal_ends_with_the_code_the_place_and_the_hint():
    assert str(REFUSED).splitlines() == [
        "There is no column 'agee'. (unknown-column)",
        "         AVG(agee) FROM visits",
        "             ^^^^",
        "hint: Did you mean 'age'?",
    ]
    script = "from deniable import Refused; raise Refused('code', 'No.', 'Yes.', (7, 9), 'SELECT ag')"
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False).stderr
    assert shown.endswith("Refused: No. (code)\n  SELECT ag\n         ^^\nhint: Yes.\n")


def test_without_a_place_or_a_hint_nothing_is_made_up():
    assert str(Refused("code", "No.")) == "No. (code)"
    assert str(Refused("code", "No.", "", (0, 3))) == "No. (code)"
    assert Refused("code", "No.").show("SELECT 1") == "refused (code): No."


def test_a_text_at_hand_comes_before_the_one_that_is_known():
    assert REFUSED.show().splitlines()[1:3] == str(REFUSED).splitlines()[1:3]
    assert Refused("code", "No.", "", (0, 6), "other").show("SELECT 1").splitlines()[1:] == ["  SELECT 1", "  ^^^^^^"]


def test_as_values():
    assert REFUSED.to_dict() == {
        "code": "unknown-column",
        "reason": "There is no column 'agee'.",
        "hint": "Did you mean 'age'?",
        "position": [26, 30],
    }
    assert Refused("code", "No.").to_dict()["position"] is None


def test_a_refusal_can_travel():
    again = pickle.loads(pickle.dumps(REFUSED))  # noqa: S301 - our own
    assert (str(again), again.to_dict()) == (str(REFUSED), REFUSED.to_dict())


@pytest.mark.parametrize(
    ("question", "position", "lines"),
    [
        ("SELECT 東京, ag", (11, 13), ["  SELECT 東京, ag", "               ^^"]),
        ("SELECT\tag\x1b[31m", (7, 9), ["  SELECT ag [31m", "         ^^"]),
        ("SELECT ag", (7, 99), ["  SELECT ag", "         ^^"]),
        ("SELECT ag", (9, 9), ["  SELECT ag", "           ^"]),
        ("a\nbc", (0, 4), ["  a", "  ^"]),
    ],
)
def test_the_place_stands_below_the_words(question, position, lines):
    assert Refused("code", "No.", "", position, question).show().splitlines()[1:] == lines


def test_of_a_long_line_the_part_around_the_place_is_shown():
    question = f"SELECT {', '.join(f'column{number}' for number in range(200))} FROM t"
    start = question.index("column150")
    line, mark = Refused("code", "No.", "", (start, start + 9), question).show().splitlines()[1:]
    assert len(line) <= 104
    assert line[mark.index("^") : mark.rindex("^") + 1] == "column150"
    assert line.strip().startswith("…")
    assert line.endswith("…")


def test_a_refusal_learns_the_text_that_it_is_about_once():
    with pytest.raises(Refused) as caught, asking("outer"), asking("inner"):
        raise Refused("code", "No.", "", (0, 5))
    assert str(caught.value).splitlines()[1:] == ["  inner", "  ^^^^^"]
    assert str(Failed()) == "the question could not be answered; what it cost stays spent"
