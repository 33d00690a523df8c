"""The respondent's page in a real browser: its odds, its draws, its report, and that it speaks to nobody."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from deniable.apps.collect.files import read_reports
from deniable.apps.collect.page import page as build
from deniable.local.survey import Survey
from tests.support.browser import Page, browser, installed
from tests.support.laws import Event, unlikely
from tests.support.surveys import TEXT

TOWNS = [f"town <{number}>" for number in range(20)]
WITH_TOWNS = f"""{TEXT}
[questions."your town"]
text = "Where do you live?"
kind = "choice"
values = {json.dumps(TOWNS)}
epsilon = 1
"""

pytestmark = pytest.mark.skipif(installed() is None, reason="no chromium; `make programs` installs it where it can")


@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> Survey:
    file = tmp_path_factory.mktemp("survey") / "survey.toml"
    file.write_text(WITH_TOWNS)
    return Survey.load(file)


@pytest.fixture(scope="module")
def running() -> Iterator[Page]:
    with browser(installed() or "") as opened:
        yield opened


@pytest.fixture
def window(running: Page, survey: Survey, tmp_path: Path) -> Page:
    """The page, as it is when it is opened."""
    file = tmp_path / "survey.html"
    file.write_text(build(survey))
    running.open(file)
    return running


def answer(window: Page) -> None:
    """As a person would."""
    window.evaluate(
        """(() => {
            document.querySelector('[name=cheated][value="1"]').click();
            document.querySelector('[name=year][value="2"]').click();
            document.querySelector('[name="your town"][value="3"]').click();
            const hours = document.querySelector('[name=hours]');
            hours.value = "12.5";
            hours.dispatchEvent(new Event("input", { bubbles: true }));
        })()"""
    )


def test_the_odds_that_are_shown_are_the_protocols_own(window: Page, survey: Survey) -> None:
    shown = {
        box["question"]: box
        for box in window.evaluate("[...document.querySelectorAll('.odds')].map(box => ({ ...box.dataset }))")
    }
    protocols = {question.name: question.protocol for question in survey.questions}
    assert float(shown["cheated"]["truth"]) == pytest.approx(float(protocols["cheated"].keep), abs=1e-11)
    for name in ("year", "your town"):
        assert float(shown[name]["truth"]) == pytest.approx(float(protocols[name].truth), abs=1e-11)
        assert float(shown[name]["lie"]) == pytest.approx(float(protocols[name].lie), abs=1e-11)
    hybrid = protocols["hours"]
    assert float(shown["hours"]["piecewise"]) == pytest.approx(float(hybrid.piecewise_chance), abs=1e-11)
    assert float(shown["hours"]["keep"]) == pytest.approx(float(hybrid.bit.keep), abs=1e-11)
    assert float(shown["hours"]["truth"]) == pytest.approx(float(hybrid.piecewise.truth), abs=1e-11)
    assert "epsilon 2.6 in total" in window.evaluate("document.getElementById('total').textContent")


def test_only_what_can_happen_is_told(window: Page) -> None:
    told = window.evaluate(
        "Object.fromEntries([...document.querySelectorAll('.odds')].map(b => [b.dataset.question, b.textContent]))"
    )
    assert told["hours"].startswith('The report is only "low" or "high"')  # so small an epsilon has the bit alone
    assert not any(words in text for text in told.values() for words in ("100%", "Otherwise", " 0%", "NaN"))
    number = '{ piecewise: ["%d", "4"], keep: ["3", "4"], truth: ["5", "8"] }'
    said = [window.evaluate(f"numberOdds({number % part})") for part in (0, 1, 4)]
    assert ["low" in text for text in said] == [True, True, False]
    assert ["a number, from a wide window" in text for text in said] == [False, True, True]
    assert said[1].startswith("With chance 75% the report is only")
    assert "With chance 25% it is a number" in said[1]


def test_what_is_not_certain_is_never_called_so(window: Page) -> None:
    parts = [0, 1e-9, 0.0004, 0.001, 0.123456, 0.5, 0.9994, 0.9999999, 1]
    assert window.evaluate(f"{parts}.map(percent)") == [
        "0%",
        "less than 0.1%",
        "less than 0.1%",
        "0.1%",
        "12.3%",
        "50%",
        "99.9%",
        "more than 99.9%",
        "100%",
    ]


def test_the_chances_that_it_draws_with_are_exactly_the_protocols_own(window: Page, survey: Survey) -> None:
    given = {question["name"]: question for question in window.evaluate("survey.questions")}
    protocols = {question.name: question.protocol for question in survey.questions}
    assert given["cheated"]["truth"] == [
        str(protocols["cheated"].keep.numerator),
        str(protocols["cheated"].keep.denominator),
    ]
    town = protocols["your town"]
    assert given["your town"]["truth"] == [str(town.truth.numerator), str(town.truth.denominator)]
    assert [set(part) for part in given["your town"]["parts"]] == [set(town.part(name).tolist()) for name in TOWNS]
    assert given["your town"]["labels"] == TOWNS


def test_its_draws_follow_the_protocols_laws(window: Page, survey: Survey) -> None:
    # false alarms: 1e-6, by exact binomial tails, for all reports of all listed questions together
    trials = 8000
    drawn = window.evaluate(
        f"""(() => {{
            const found = [];
            const given = {{ cheated: 1, year: 2, hours: 12.5, "your town": 3 }};
            for (let i = 0; i < {trials}; i++) found.push(perturb(given));
            return found;
        }})()"""
    )
    protocols = {question.name: question.protocol for question in survey.questions}
    events = []
    for name, value in (("cheated", 1), ("year", "later"), ("your town", TOWNS[3])):
        law, seen = protocols[name].law(value), Counter(row[name] for row in drawn)
        assert seen.keys() <= law.keys()
        events += [Event(f"{name} {report}", seen[report], trials, float(chance)) for report, chance in law.items()]
    hybrid = protocols["hours"]
    part = 12.5 / 80
    one = part * float(hybrid.bit.keep) + (1 - part) * (1 - float(hybrid.bit.keep))
    assert hybrid.piecewise_chance == 0  # so small an epsilon has the bit alone
    events.append(Event("high", sum(row["hours"] == 1 for row in drawn), trials, one))
    assert not unlikely(events)


def test_numbers_from_a_window_follow_their_law(window: Page) -> None:
    # false alarms: 1e-6; a small question of its own, with the page's own code
    trials = 20_000
    question = '{ low: 0, high: 1, cells: 4, window: 2, piecewise: ["1", "2"], keep: ["3", "4"], truth: ["5", "8"] }'
    drawn = Counter(
        window.evaluate(
            f"(() => {{ const q = {question}, found = []; for (let i = 0; i < {trials}; i++) "
            "found.push(protocols.hybrid(q, 0.375)); return found; })()"
        )
    )
    one = 0.375 * 0.75 + 0.625 * 0.25
    near, far = 0.625 / 2, 0.375 / 4  # in the window of the point 1 or 2, each with chance 1/2
    law = {0: (1 - one) / 2, 1: one / 2}
    for report in range(6):
        inside = [point <= report < point + 2 for point in (1, 2)]
        law[2 + report] = sum(near if held else far for held in inside) / 4
    assert sum(law.values()) == pytest.approx(1)
    assert drawn.keys() <= law.keys()
    assert not unlikely([Event(str(report), drawn[report], trials, chance) for report, chance in law.items()])


def test_nothing_can_be_sent_before_everything_is_answered(window: Page) -> None:
    assert window.evaluate("document.getElementById('draw').disabled")
    answer(window)
    assert not window.evaluate("document.getElementById('draw').disabled")
    for bad in ("81", "-1", "", "nan"):
        window.evaluate(f"document.querySelector('[name=hours]').value = '{bad}'")
        window.evaluate("document.getElementById('form').dispatchEvent(new Event('input'))")
        assert window.evaluate("document.getElementById('draw').disabled"), bad


def test_a_report_is_drawn_once_and_read_by_the_collector(window: Page, survey: Survey, tmp_path: Path) -> None:
    answer(window)
    window.evaluate("document.getElementById('draw').click()")
    line = window.evaluate("document.getElementById('report').value")
    assert window.evaluate("document.getElementById('draw').disabled && !document.getElementById('result').hidden")
    window.evaluate("document.getElementById('draw').click()")
    assert window.evaluate("document.getElementById('report').value") == line
    (tmp_path / "one.jsonl").write_text(line)
    (tmp_path / "three.jsonl").write_text(3 * line)
    reports = read_reports([tmp_path / "one.jsonl", tmp_path / "three.jsonl"], survey)
    assert {len(column) for column in reports.values()} == {4}
    assert survey.estimate(reports)["cheated"].people == 4
    assert window.evaluate("document.querySelectorAll('#meaning li').length") == 4


def test_the_page_speaks_to_nobody(window: Page) -> None:
    refused = window.evaluate(
        """new Promise((done) => {
            document.addEventListener("securitypolicyviolation", (event) => done(event.effectiveDirective));
            fetch("https://example.org/").catch(() => {});
            setTimeout(() => done("nothing"), 10000);
        })"""
    )
    assert refused == "connect-src"  # by the page's own policy, before any network is asked
    assert all(url.startswith(("file:", "data:", "blob:")) for url in window.requests if "example.org" not in url)
    assert (
        window.evaluate("performance.getEntriesByType('resource').filter(e => !e.name.includes('example.org')).length")
        == 0
    )
