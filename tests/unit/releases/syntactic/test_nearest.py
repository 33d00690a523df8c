"""A refusal names settings that suffice, and none nearer does."""

from __future__ import annotations

import pyarrow as pa
import pytest

from deniable.core.errors import Refused
from deniable.releases import Distinct, Entropy, Equal, Infeasible, Ordered, Recursive, anonymize, hierarchy

ROWS = pa.table({"q": ["a"] * 5 + ["b"] * 3 + ["c"] * 2, "s": [1, 2, 3, 1, 1, 1, 2, 1, 3, 3]})
NULLS = pa.table({"q": ["a", "a", "a", "b", "b", None], "s": [1, 2, 3, 1, 2, 3]})


def refusal(table: pa.Table, **asked: object) -> Infeasible:
    with pytest.raises(Infeasible) as caught:
        anonymize(table, **asked)
    return caught.value


def test_what_even_the_whole_table_does_not_meet():
    found = refusal(ROWS, quasi_identifiers={"q": None}, sensitive="s", k=2, l=Entropy(3))
    assert isinstance(found, Refused)
    assert found.code == "infeasible"
    assert found.settings["suppression"] == "suppression=1 suffices (10 of 10 rows)"
    assert found.settings["s: Entropy"] == "entropy 2-diversity of s is feasible"
    assert "k" not in found.settings


class _Fixed(hierarchy.Hierarchy):
    """A hierarchy that ends below '*' would not need it; this one has no levels."""

    def levels(self, values):
        del values
        return []


@pytest.mark.parametrize("model", [Entropy(3), Recursive(2, "0.9"), Recursive(3, 1)])
def test_the_settings_named_suffice_and_are_nearest(model):
    asked = {"quasi_identifiers": {"q": None}, "sensitive": "s", "k": 1}
    found = refusal(ROWS, **asked, l=model)
    text = found.settings["suppression"]
    share = float(text.split("=")[1].split()[0])
    assert anonymize(ROWS, **asked, l=model, suppression=share).checked.holds
    if share > 0.001:
        refusal(ROWS, **asked, l=model, suppression=share - 0.001)


def test_the_hint_is_a_sentence_and_nothing_was_weakened():
    found = refusal(ROWS, quasi_identifiers={"q": None}, sensitive="s", k=1, l=Recursive(3, "0.5"))
    assert (
        found.reason
        == "No release has 1-anonymity and recursive (0.5, 3)-diversity of s with at most 0 of the rows suppressed."
    )
    assert "suffices" in found.hint


def test_mondrian_never_speaks_of_suppression():
    found = refusal(ROWS, quasi_identifiers={"q": None}, sensitive="s", k=1, l=Entropy(3), method="mondrian")
    assert "suppression" not in found.settings
    assert found.settings["s: Entropy"] == "entropy 2-diversity of s is feasible"


def test_models_that_the_whole_table_meets_are_always_feasible():
    """So closeness, size and distinct values are never refused: one class of all rows is as close as can be."""
    for model in (Equal(0), Ordered(0), Distinct(3)):
        asked = {"l": model} if isinstance(model, Distinct) else {"t": model}
        assert anonymize(ROWS, quasi_identifiers={"q": None}, sensitive="s", k=10, **asked).checked.holds
    assert anonymize(NULLS, quasi_identifiers={"q": _Fixed()}, sensitive="s", k=6).checked.holds
