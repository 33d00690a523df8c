"""What is made of a profile's noisy numbers: intervals that hold, shares that are cut, suggestions, a page.

Where noise is drawn, a test has 120 runs and raises a false alarm with probability at most 1e-8 (binomial tail): below
1e-6 for the whole file.
"""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import binom

from deniable.core.algebra.expression import Kind
from deniable.core.loss import Loss
from deniable.policy import Policy
from deniable.releases.profile.cells import row_edges, value_edges
from deniable.releases.profile.histogram import ValueHistogram
from deniable.releases.profile.measured import MeasuredCells, RunningSums
from deniable.releases.profile.people import RowsPerPerson
from deniable.releases.profile.profile import ListedValues, Profile, TableProfile
from deniable.releases.profile.suggest import Suggestion, applied, best_contribution, suggestions, untold

RUNS = 120
LEAST = binom.ppf(1e-8, RUNS, 0.95)
CONFIDENCE = Fraction(19, 20)
PAID = Loss.concentrated(Fraction(1, 50), None)
CHANCE = np.random.default_rng(19)
ROWS = CHANCE.multinomial(300_000, (weights := CHANCE.gamma(0.7, 1, 4_000)) / weights.sum())
ROWS = ROWS[ROWS > 0]
COSTS = np.round(CHANCE.lognormal(4, 1, 4_000), 2)


def people(sigma=10.0):
    counts = np.bincount(np.searchsorted(row_edges(), ROWS, side="right") - 1, minlength=len(row_edges()))
    return RowsPerPerson(row_edges(), measured(counts[::-1], sigma, descending=True), CONFIDENCE)


def values(sigma=15.0, missing=100):
    edges = [float(edge) for edge in value_edges(Kind.NUMBER)]
    counts = np.bincount(np.searchsorted(edges, COSTS, side="right"), minlength=len(edges) + 2)
    counts[-1] = missing
    return ValueHistogram("cost", Kind.NUMBER, value_edges(Kind.NUMBER), measured(counts, sigma), CONFIDENCE)


def measured(counts, sigma, *, descending=False):
    """As the curator measures them: `sigma` is that of one count, if nothing else were measured."""
    strategy = RunningSums(len(counts))
    wide = sigma * strategy.norm_squared**0.5
    return MeasuredCells(strategy.sums(counts) + np.random.default_rng().normal(0, wide, len(counts)), wide, descending)


def held(numbers, truth):
    return sum(number.low <= truth <= number.high for number in numbers)


def test_cells_of_rows_are_at_most_a_fifth_wide_and_cover_all():
    edges = row_edges()
    assert edges[0] == 1
    assert all(after - 1 <= 1.2 * before for before, after in pairwise(edges))
    assert edges[-1] > 100_000


@pytest.mark.parametrize("kind", [Kind.INTEGER, Kind.NUMBER, Kind.DATE, Kind.TIMESTAMP, Kind.TIME])
def test_cells_of_values_are_in_order(kind):
    edges = value_edges(kind)
    assert list(edges) == sorted(set(edges))


def test_nobody_moves_the_sums_farther_than_the_longest_column():
    strategy = RunningSums(40)
    for _ in range(200):
        one, other = (np.random.default_rng().multinomial(1 << 12, np.full(40, 1 / 40)) for _ in range(2))
        exact, swapped = strategy.sums(one), strategy.sums(one) - strategy.sums(other)
        assert (exact**2).sum() <= (1 << 24) * strategy.norm_squared
        assert (swapped**2).sum() <= 2 * (1 << 24) * strategy.norm_squared
    alone = np.zeros(40, dtype=np.int64)
    alone[0] = 1
    assert (strategy.sums(alone) ** 2).sum() == strategy.norm_squared


@pytest.mark.parametrize("contribution", [1, 10, 50, 150])
def test_the_share_that_a_contribution_cuts_is_within_its_interval(contribution):
    found = [people() for _ in range(RUNS)]
    holds = 0
    for one in found:
        rows = ROWS[one.known >= ROWS]
        truth = np.maximum(0, rows - contribution).sum() / rows.sum()
        cut = one.cut(contribution)
        holds += cut.low <= truth <= cut.high and (one.known < ROWS).sum() <= one.beyond
    assert holds >= LEAST


def test_people_and_their_rows_are_within_their_intervals():
    found = [people() for _ in range(RUNS)]
    assert held([one.people for one in found], len(ROWS)) >= LEAST
    assert held([one.more_than(100) for one in found], (ROWS > 100).sum()) >= LEAST
    assert sum(one.rows().low <= ROWS[one.known >= ROWS].sum() <= one.rows().high for one in found) >= LEAST
    for part in (0.25, 0.5, 0.9):
        truth = np.quantile(ROWS, part, method="inverted_cdf")
        ends = [one.quantile(part) for one in found]
        assert sum(low <= truth <= (high or np.inf) for low, high in ends) >= LEAST
        assert max(high / low for low, high in ends if high is not None) < 2


@pytest.mark.parametrize("bounds", [(0, 500), (10, 100), (7, 333), (None, 60), (20, None)])
def test_shares_outside_of_bounds_are_within_their_intervals(bounds):
    low, high = bounds
    truth = (((low or 0) > COSTS) | ((high or np.inf) < COSTS)).mean()
    given = [None if bound is None else Fraction(bound) for bound in bounds]
    assert held([values().outside(*given) for _ in range(RUNS)], truth) >= LEAST


def test_missing_values_and_quantiles_are_within_their_intervals():
    found = [values() for _ in range(RUNS)]
    assert held([one.missing for one in found], 100 / 4_100) >= LEAST
    for share in (0.05, 0.5, 0.95):
        truth = np.quantile(COSTS, share)
        ends = [one.quantile(share) for one in found]
        assert sum(low <= truth <= high for _, low, high in ends) >= LEAST
        assert all(low <= value <= high for value, low, high in ends)


def test_suggested_bounds_are_friendly_and_leave_little_outside():
    for _ in range(20):
        low, high = values().bounds(0.005)
        assert {low, high} <= set(value_edges(Kind.NUMBER))
        assert ((float(low) > COSTS) | (float(high) < COSTS)).mean() < 0.1
        assert high <= 10_000


def test_bounds_that_noise_has_chosen_are_not_suggested():
    """Sixteen times as much noise as there are people: what is said of bounds would be about the noise alone."""
    table = TableProfile("visits", None, {"cost": values(), "few": values(sigma=65_000)})
    one = Profile({"visits": table}, PAID, free=True, confidence=CONFIDENCE, release="0" * 12)
    assert [(found.column, found.setting) for found in suggestions(one, Fraction(1))] == [("cost", "bounds")]
    (words,) = untold(one)
    assert words.startswith("tables.visits.columns.few: no bounds suggested, too much noise for so few people")


def test_the_best_contribution_grows_with_the_spend():
    one = people(sigma=1)
    assert best_contribution(one, noise=1000) < best_contribution(one, noise=10) <= one.known
    assert best_contribution(one, noise=10, part=0.01) < best_contribution(one, noise=10)
    assert best_contribution(one, noise=1e-9, most=7) == 7


def profile():
    table = TableProfile("visits", people(), {"cost": values()})
    return Profile(
        {"visits": table},
        Loss.concentrated(Fraction(1, 50), None),
        free=False,
        confidence=CONFIDENCE,
        release="0123456789abcdef",
    )


POLICY = """[population]
name = "clinic"
[budget]
epsilon = 1
[tables.visits]
source = "visits.parquet"
unit = "patient"
contribution = 10              # your decision
[tables.visits.columns]
patient = { type = "integer" }
cost = { type = "number", bounds = [1, 2], nulls = false }   # FROM THE DATA: replace
"""


def test_suggestions_are_written_into_the_lines_that_they_are_about(tmp_path):
    found = suggestions(profile(), Fraction(1, 10))
    text, left = applied(POLICY, found, "0123456789abcdef")
    assert left == ()
    assert "FROM THE DATA" not in text
    assert "private profile 0123456789ab" in text
    import tomllib  # noqa: PLC0415 - beside its use

    rules = Policy.from_mapping(tomllib.loads(text), origin="tests", folder=tmp_path)
    assert rules.tables["visits"].columns["cost"].low < rules.tables["visits"].columns["cost"].high
    assert rules.tables["visits"].columns["cost"].nulls is False
    assert rules.tables["visits"].contribution > 1


ODD = ('say "hi"', "tab\there", "caf\u00e9 \U0001f600", "\x7f", "a]b")


def test_texts_that_were_found_and_nulls_that_there_are_become_settings():
    import tomllib  # noqa: PLC0415 - beside its use

    counts = (500.0, 300.0, 200.0, 100.0, 100.0, 60.0, 400.0)
    note = ListedValues("note", ODD, counts, off=10.0, together=11.0, found=True)
    told = ListedValues("kind", ("a", "b"), (500.0, 300.0, 3.0, 2.0), off=10.0, together=11.0)
    table = TableProfile("visits", None, {}, {"note": note, "kind": told})
    one = Profile({"visits": table}, Loss.zero(), free=True, confidence=CONFIDENCE, release="0" * 12)
    both = {("visits", "note"), ("visits", "kind")}
    assert [(found.column, found.setting) for found in suggestions(one, Fraction(1))] == [("note", "values")]
    found = suggestions(one, Fraction(1), both)
    assert [(one.column, one.setting) for one in found] == [("note", "values"), ("note", "nulls")]  # of kind, who knows
    lines = 'note = { type = "text", nulls = false }\nkind = { type = "text", values = ["a", "b"] }\n'
    text, left = applied(f"[tables.visits.columns]\n{lines}", found, "0" * 12)
    assert left == ()
    declared = tomllib.loads(text)["tables"]["visits"]["columns"]
    assert declared["note"] == {"type": "text", "values": list(ODD), "nulls": True}
    assert "others; 23.0% to 25.2% of the values are missing" in text
    assert tomllib.loads(applied(text, found, "0" * 12)[0]) == tomllib.loads(text)
    share = note.missing
    assert share.low < 400 / 1660 < share.high
    assert share.value == pytest.approx(400 / 1660)
    assert note.others.low < 60 / 1660 < note.others.high


@pytest.mark.parametrize("key", [r'"the \"real\" cost"', r'"a\u0009b"', "'a.b'", '"a = {b}"', "plain", '"stra\u00dfe"'])
def test_a_column_is_found_by_whatever_name_and_comment_it_has(key):
    import tomllib  # noqa: PLC0415 - beside its use

    (name,) = tomllib.loads(f"{key} = 0")
    line = f'{key} = {{ type = "text", values = ["}}", "#"] }}   # FROM THE DATA: {{ "it\'s" }}\n'
    found = [Suggestion("visits", name, "nulls", "true", "some {are} missing")]
    text, left = applied(f"[tables.visits.columns]\nother = 3\n{line}", found, "0" * 12)
    assert left == ()
    columns = tomllib.loads(text)["tables"]["visits"]["columns"]
    assert columns == {"other": 3, name: {"type": "text", "values": ["}", "#"], "nulls": True}}
    assert tomllib.loads(applied(text, found, "0" * 12)[0]) == tomllib.loads(text)


def test_what_has_no_plain_line_is_left_to_people():
    found = suggestions(profile(), Fraction(1, 10))
    text, left = applied(POLICY.replace("cost = {", "price = {"), found, "0")
    assert [one.column for one in left] == ["cost"]
    assert "price = { type" in text


def test_the_page_needs_nothing_else_and_escapes_names(tmp_path):
    table = TableProfile("<script>", people(), {"cost": values()})
    odd = Profile(
        {"x": table}, Loss.concentrated(Fraction(1, 50), None), free=False, confidence=CONFIDENCE, release="0"
    )
    text = odd.to_html(tmp_path / "profile.html").read_text()
    assert "<script>" not in text
    assert "://" not in text
    assert "rows per person" in text
    assert text.count("<line") == text.count("<rect") > 0  # an error bar for each
    assert odd.table.num_rows == 1
    assert "cost" in repr(odd)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_all_that_is_shown_has_both_ends_and_breaks_no_word(width, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    towns = ListedValues("town", ("Ulm", "Bonn"), (10.0, 800.0, 40.0, 150.0), 20.0, 25.0)
    table = TableProfile("visits", people(0.01), {"cost": values(0.01)}, {"town": towns})
    one = Profile({"visits": table}, PAID, free=False, confidence=CONFIDENCE, release="0")
    text = repr(one)
    assert max(map(len, text.splitlines())) <= width
    for cell in ("11.9% to 18.4%", "50 to 60", "2.4% to 2.4%", "(rows per", " 39 to 46"):
        assert cell in text
    words = " ".join(text.split())
    assert "visits.town: Bonn 73.8% to 86.8%; Ulm 0.0% to 3.7%; others 1.4% to 6.8%" in words
    files = one.with_intervals.to_pylist()[0]
    assert files["missing_low"] <= files["missing"] <= files["missing_high"]
    assert (files["median_low"], files["median_high"]) == ("50", "60")
