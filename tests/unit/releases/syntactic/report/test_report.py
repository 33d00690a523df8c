"""The report says what the release gives away, and renders everywhere."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from rich.console import Console

from deniable.core.errors import InvalidArgumentError
from deniable.releases import anonymize, hierarchy
from tests.unit.releases.syntactic.tables import TREES, records, table_of

HOSPITAL = pa.table(
    {
        "zip": [
            "13053",
            "13068",
            "13068",
            "13053",
            "14853",
            "14853",
            "14850",
            "14850",
            "13053",
            "13053",
            "13068",
            "13068",
        ],
        "age": [28, 29, 21, 23, 50, 55, 47, 49, 31, 37, 36, 35],
        "condition": ["Heart", "Heart", "Viral", "Viral", "Cancer", "Heart", "Viral", "Viral"] + ["Cancer"] * 4,
    }
)
KNOWN = {"zip": hierarchy.mask(5), "age": hierarchy.cuts([30, 40])}


def hospital(**asked: object):
    return anonymize(HOSPITAL, quasi_identifiers=KNOWN, sensitive="condition", **({"k": 4} | asked))


def test_the_hospital_gives_cancer_away():
    report = hospital().report
    exposure = report.exposures[0]
    assert exposure.certain == (4, 8, 12)
    assert exposure.confident == 4
    assert exposure.guess == pytest.approx((2 + 4 + 2) / 12)
    assert exposure.blind == pytest.approx(5 / 12)
    assert (exposure.skewed, exposure.skew) == ("Cancer", pytest.approx(12 / 5))
    assert "4 rows give their sensitive value away" in report.verdict


def test_risks_before_and_after():
    report = hospital().report
    assert (report.before.prosecutor, report.before.alone) == (1.0, 12)
    assert (report.after.prosecutor, report.after.journalist, report.after.marketer) == (0.25, 0.25, 0.25)
    sampled = hospital(population=1200).report.after
    assert (sampled.prosecutor, sampled.journalist, sampled.marketer) == pytest.approx((0.25, 0.0025, 0.0025))


def test_suppressed_rows_are_one_class_for_whoever_looks_for_somebody():
    table = pa.table({"q": ["x"] * 9 + ["y"], "s": list(range(10))})
    result = anonymize(table, quasi_identifiers={"q": None}, sensitive="s", k=5, suppression=0.1)
    assert result.table["q"].to_pylist().count("*") == 1
    assert result.report.after.prosecutor == 1.0
    assert result.about({"q": "y"}) == {"s": {9: 1}}
    assert "one of 1 suppressed rows" in str(result.report)


@given(rows=records)
@settings(max_examples=20, deadline=None)
def test_two_releases_leave_only_what_both_leave_open(rows):
    table = table_of(rows)
    asked = {"quasi_identifiers": TREES, "sensitive": "secret", "k": min(3, len(rows)), "suppression": 0.2}
    first, second = anonymize(table, **asked), anonymize(table, method="mondrian", **asked)
    values = set(table["secret"].to_pylist())
    certain, together, open_together = 0, 0, 0
    for row in rows:
        person = dict(zip(("letter", "number", "sex"), row, strict=False))
        said = [
            values if _hidden(release, person) else set(release.about(person)["secret"]) for release in (first, second)
        ]
        certain += len(said[0]) == 1
        together += len(said[0] & said[1]) == 1
        open_together += len(said[0] & said[1])
    found = first.report.compositions[0]
    assert (found.alone, found.together) == (certain, together)
    assert found.open_together == pytest.approx(open_together / len(rows))


def _hidden(release, person) -> bool:
    codes = [
        [str(value) for value in column.values].index(str(person[column.name])) for column in release.cells.columns
    ]
    point = np.flatnonzero(
        np.all([known == code for known, code in zip(release.cells.codes, codes, strict=True)], axis=0)
    )
    return bool(release.recoding.suppressed[release.recoding.of[point[0]]])


@pytest.mark.parametrize("method", ["optimal", "local", "mondrian"])
def test_the_page_stands_alone_and_says_what_is_not_promised(tmp_path, method):
    report = hospital(l=2, method=method, suppression=0.4).report
    text = report.save(tmp_path / "report.html").read_text()
    assert text.startswith("<!doctype html>")
    assert not re.search(r"(src|href)\s*=|https?://", text.replace("http://www.w3.org/2000/svg", ""))
    for words in (
        "NOT PROMISED",
        "homogeneity",
        "background knowledge",
        "skewness",
        "second release",
        "prosecutor",
        "marketer",
    ):
        assert words in text
    assert text.count("<svg") == 2 * 3
    assert text.count("<section") == text.count("</section>")
    assert list(tmp_path.iterdir()) == [tmp_path / "report.html"]


def test_what_a_table_holds_cannot_become_markup(tmp_path):
    table = pa.table({"<b>q": ["<script>alert(1)</script>"] * 2, "s'": ["[red]x[/red]", "</table>"]})
    result = anonymize(table, quasi_identifiers={"<b>q": None}, sensitive="s'", k=2)
    page = result.report.save(tmp_path / "page.html").read_text()
    assert "<script>" not in page
    assert "<b>" not in page
    assert "s'" in str(result.report)
    skewed = pa.table({"q": ["x", "x", "y", "y"], "s": ["[red]x[/red]", "b", "c", "c"]})
    assert "[red]x[/red]" in str(anonymize(skewed, quasi_identifiers={"q": None}, sensitive="s", k=2).report)


def test_notebooks_terminals_and_pictures():
    result = hospital(method="local")
    assert "<article" in result._repr_html_()
    console = Console(record=True, width=100)
    console.print(result)
    assert "NOT PROMISED" in console.export_text()
    assert len(result.plot().axes) == 6


def test_a_release_in_which_everything_is_suppressed_has_a_report():
    result = hospital(k=12, suppression=1, l=3, loss="class size")
    assert "What holds" in str(result.report)
    table = pa.table({"q": ["x", "y"], "s": [1, 2]})
    lost = anonymize(table, quasi_identifiers={"q": None}, sensitive="s", l=2, t=0, suppression=1, loss="ncp")
    assert "What holds" in str(lost.report)


def test_a_release_without_sensitive_columns_has_a_report():
    result = anonymize(HOSPITAL, quasi_identifiers=KNOWN, k=4)
    assert result.report.compositions == []
    assert "homogeneity" not in str(result.report)


def test_nobody_is_asked_about_who_is_not_there():
    result = hospital()
    with pytest.raises(InvalidArgumentError, match="not in the table"):
        result.about({"zip": "13053", "age": 99})
    with pytest.raises(InvalidArgumentError, match="needs a value for 'age'"):
        result.about({"zip": "13053"})
