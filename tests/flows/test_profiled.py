"""From a file without bounds to answers: profiled, suggestions applied, notes and quotes held against the truth.

The notes' intervals hold with 95% each, which no test may rest on: the profile is paid so much here that noise is below
a hundredth of a person, and what is left of an interval is the width of its cells.
"""

import re

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import deniable
from deniable.curator import adopt, create
from deniable.releases.profile.suggest import applied, suggestions

DRAFT = """
[population]
name = "flights"
[budget]
epsilon = 4000
delta = 1e-6
[limits]
most_spend = 1
[tables.flights]
source = "flights.parquet"
unit = "plane"
contribution = 1
[tables.flights.columns]
plane = { type = "integer" }
carrier = { type = "text", values = ["one", "two", "three"], nulls = false }
delay = { type = "number", nulls = false }
"""
BY_CARRIER = "SELECT carrier, COUNT(*) AS n, AVG(delay) AS delay FROM flights GROUP BY carrier"


@pytest.fixture(scope="module")
def planes():
    """Rows per plane with a long tail; the first carrier has most of them."""
    random = np.random.default_rng(4)
    return np.minimum(np.ceil(random.lognormal(2, 1, 800)), 200).astype(int), random.choice(3, 800, p=[0.6, 0.3, 0.1])


@pytest.fixture(scope="module")
def policy(tmp_path_factory, planes):
    folder = tmp_path_factory.mktemp("profiled")
    often, owner = planes
    plane = np.repeat(np.arange(800), often)
    delay = np.random.default_rng(5).gamma(2, 10, plane.size) - 5
    carriers = pa.array(["one", "two", "three"]).take(pa.array(owner[plane]))
    pq.write_table(pa.table({"plane": plane, "carrier": carriers, "delay": delay}), folder / "flights.parquet")
    path = folder / "flights.toml"
    path.write_text(DRAFT)
    with create(path, reason="a test") as one:
        with pytest.raises(deniable.Refused):  # nothing is known of delays, so nothing is added up
            one.explain(BY_CARRIER, epsilon=1)
        profile = one.profile(rho=2000)
    text, left = applied(path.read_text(), suggestions(profile, 1), profile.release)
    assert not left
    path.write_text(text)
    adopt(path, "suggestions of the profile")
    return path


def test_notes_state_the_true_cut(policy, planes):
    often, _ = planes
    with deniable.open(policy) as one:
        for most in (5, 20):
            notes = one.explain("SELECT COUNT(*) AS n FROM flights", epsilon=1, contribution=most).notes
            note = next(note for note in notes if note.startswith(f"profile: contribution {most} leaves out"))
            low, high = (float(share) / 100 for share in re.findall(r"([\d.]+)%", note)[:2])
            assert low - 0.001 <= np.maximum(0, often - most).sum() / often.sum() <= high + 0.001


def test_the_profile_survives_what_it_suggested(policy):
    with deniable.open(policy) as one:
        assert one.profile(rho=2000).free
        assert one.policy.tables["flights"].columns["delay"].expression.range.high is not None


def test_an_average_costs_about_the_error_that_was_quoted_for_its_group(policy):
    """The quote has the sizes of the actual groups. At this epsilon the interval's width hardly depends on noise."""
    with deniable.open(policy) as one:
        quote = one.explain(BY_CARRIER, epsilon=40, contribution=10)
        answer = one.ask(BY_CARRIER, epsilon=40, contribution=10)
    (line,) = [line for line in quote.lines if line.column == "delay"]
    ends = answer.intervals.to_pydict()
    paid = [(high - low) / 2 for low, high in zip(ends["delay_low"], ends["delay_high"], strict=True)]
    middle = int(np.argsort(answer.table["n"].to_numpy())[1])
    assert line.error / 1.5 <= paid[middle] <= line.error * 1.5
    assert any("error of delay in groups of" in text for text in quote.sizes)


def test_the_trade_off_of_smaller_contributions_is_said(policy):
    with deniable.open(policy) as one:
        notes = one.explain("SELECT COUNT(*) AS n FROM flights", epsilon=1, contribution=30).notes
    assert any("contribution=10 leaves out" in note and "33% of the noise" in note for note in notes)


@pytest.mark.parametrize("what", ["COUNT(*)", "SUM(delay)"])
def test_the_best_contribution_for_a_question_is_named_and_can_be_asked_with(policy, planes, what):
    """The total error of the named one is the least, up to the width of the profile's cells."""
    often, _ = planes
    sql = f"SELECT carrier, {what} AS n FROM flights GROUP BY carrier"
    with deniable.open(policy) as one:
        quote = one.explain(sql, epsilon="0.5", contribution=100)
        (note,) = [note for note in quote.notes if "best for this question" in note]
        best = int(re.search(r"contribution=(\d+)", note)[1])
        left, noise = (float(number.replace(",", "")) for number in re.findall(r"(?:out|±) ([\d,]+)", note)[:2])
        asked = one.explain(sql, epsilon="0.5", contribution=best)
        assert one.ask(sql, epsilon="0.5", contribution=best).quote.lines == asked.lines
    assert asked.lines[0].error == pytest.approx(noise, rel=0.01, abs=0.5)
    each = quote.lines[0].error / 100
    row = 1 if what == "COUNT(*)" else 15  # the mean of delays

    def off(most):
        return row * np.maximum(0, often - most).sum() / 3 + each * most

    assert left + noise == pytest.approx(off(best), rel=0.15)
    assert off(best) <= 1.1 * min(off(most) for most in range(1, 101))


def test_averages_are_quoted_where_the_profile_found_their_mean(policy):
    """Delays lie near the lower bound, where the noise of the count weighs more than in the middle."""
    with deniable.open(policy) as one:
        quote = one.explain(BY_CARRIER, epsilon=40, contribution=10)
        plain = one.explain(BY_CARRIER, epsilon=40, contribution=10, rows=quote.rows)
        answer = one.ask(BY_CARRIER, epsilon=40, contribution=10)
    middle = int(np.argsort(answer.table["n"].to_numpy())[1])
    ends = answer.intervals
    paid = (ends["delay_high"][middle].as_py() - ends["delay_low"][middle].as_py()) / 2
    errors = [next(line.error for line in found.lines if line.column == "delay") for found in (quote, plain)]
    assert errors[0] == pytest.approx(paid, rel=0.15)
    assert abs(errors[0] - paid) <= abs(errors[1] - paid) + 0.01 * paid


def test_a_question_of_averages_is_told_what_the_least_noise_would_mean(policy):
    with deniable.open(policy) as one:
        notes = one.explain("SELECT AVG(delay) AS m FROM flights", epsilon=1, contribution=30).notes
        conditional = one.explain("SELECT COUNT(*) AS n FROM flights WHERE delay > 3", epsilon=1, contribution=30).notes
    assert any("contribution=1; then each person weighs one row" in note for note in notes)
    assert not any("best for this question" in note for note in conditional)  # the profile is about all rows
