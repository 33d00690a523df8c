"""A refusal names settings that suffice, and none nearer does."""

from __future__ import annotations

import pyarrow as pa
import pytest

from deniable.core.errors import Refused
from deniable.releases import Distinct, Entropy, Equal, Infeasible, Ordered, anonymize, hierarchy

ROWS = pa.table({"q": ["a"] * 5 + ["b"] * 3 + ["c"] * 2, "s": [1, 2, 3, 1, 1, 1, 2, 1, 3, 3]})


def refusal(table: pa.Table, **asked: object) -> Infeasible:
    with pytest.raises(Infeasible) as caught:
        anonymize(table, **asked)
    return caught.value


def test_what_even_the_whole_table_does_not_meet():
    found = refusal(ROWS, quasi_identifiers={"q": None}, sensitive="s", k=2, l=Entropy(3))
    assert isinstance(found, Refused)
    assert found.code == "infeasible"
    assert "suppression" not in found.settings  # all rows would have to go
    assert found.settings["s: Entropy"] == "entropy 2-diversity of s is feasible"
    assert "k" not in found.settings


CAPPED = {"quasi_identifiers": {"q": hierarchy.flat().at_most(0)}, "sensitive": "s"}
"""Classes of 5, 3 and 2 rows, with the values 1 1 1 2 3, 1 1 2 and 3 3."""


@pytest.mark.parametrize("method", ["optimal", "local"])
@pytest.mark.parametrize(
    ("asked", "settings"),
    [
        ({"k": 4}, {"suppression": "suppression=0.5 suffices (5 of 10 rows)", "k": "k=2 is feasible"}),
        (
            {"k": 4, "suppression": 0.2},
            {"suppression": "suppression=0.5 suffices (5 of 10 rows)", "k": "k=3 is feasible"},
        ),
        (
            {"k": 1, "l": 3, "suppression": 0.2},
            {
                "suppression": "suppression=0.5 suffices (5 of 10 rows)",
                "s: Distinct": "distinct 2-diversity of s is feasible",
            },
        ),
        (  # the distances of the classes from the whole are 0.1, 0.233 and 0.7
            {"k": 1, "t": 0.09, "suppression": 0.5},
            {"s: Equal": "0.1-closeness (equal distance) of s is feasible"},
        ),
    ],
)
def test_the_settings_named_suffice_and_are_nearest(method, asked, settings):
    assert refusal(ROWS, **CAPPED, **asked, method=method).settings == settings


@pytest.mark.parametrize("asked", [{"k": 4}, {"k": 2, "l": 2}, {"k": 1, "l": Entropy(2)}, {"k": 1, "t": Ordered(0.2)}])
def test_the_least_suppression_suffices_and_no_less(asked):
    found = refusal(ROWS, **CAPPED, **asked)
    share = float(found.settings["suppression"].split("=")[1].split()[0])
    assert anonymize(ROWS, **CAPPED, **asked, suppression=share).checked.holds
    refusal(ROWS, **CAPPED, **asked, suppression=share - 0.001)


def test_the_hint_is_a_sentence_and_nothing_was_weakened():
    found = refusal(ROWS, **CAPPED, k=4)
    assert found.show() == (
        "refused (infeasible): No release has 4-anonymity with at most 0 of the rows suppressed.\n"
        "hint: suppression=0.5 suffices (5 of 10 rows); or k=2 is feasible"
    )


def test_mondrian_never_speaks_of_suppression():
    found = refusal(ROWS, quasi_identifiers={"q": None}, sensitive="s", k=1, l=Entropy(3), method="mondrian")
    assert "suppression" not in found.settings
    assert found.settings["s: Entropy"] == "entropy 2-diversity of s is feasible"


def test_models_that_the_whole_table_meets_are_always_feasible():
    """So closeness, size and distinct values are never refused: one class of all rows is as close as can be."""
    for model in (Equal(0), Ordered(0), Distinct(3)):
        asked = {"l": model} if isinstance(model, Distinct) else {"t": model}
        assert anonymize(ROWS, quasi_identifiers={"q": None}, sensitive="s", k=10, **asked).checked.holds
