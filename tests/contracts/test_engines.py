"""What every engine must do: over all that `deniable.engines` exports, a new one is held to it at once."""

from __future__ import annotations

import inspect
import re

import pytest

import deniable.engines
from deniable.engines import Engine
from deniable.engines.duckdb.functions import FUNCTIONS

LABELS = ["Sees", "Isolation", "Numbers", "Limits", "Caution", "Gaps", "Needs", "Example"]
KINDS = [
    kind
    for name in deniable.engines.__all__
    if inspect.isclass(kind := getattr(deniable.engines, name)) and not inspect.isabstract(kind)
]
SPELLED = {"DuckDB": FUNCTIONS}
"""Where each engine keeps its spellings."""

every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)


def test_there_are_engines() -> None:
    assert KINDS


@every_kind
def test_the_docstring_has_every_label_in_order(kind: type[Engine]) -> None:
    text = inspect.cleandoc(kind.__doc__ or "")
    assert re.findall(r"^([A-Z][a-z ]+):", text, re.MULTILINE) == LABELS
    assert ">>>" in text.rpartition("Example:")[2]


@every_kind
def test_the_rule_about_errors_is_nobodys_to_change(kind: type[Engine]) -> None:
    assert kind.run is Engine.run


@every_kind
def test_every_function_of_the_allow_list_is_spelled(kind: type[Engine]) -> None:
    planner = pytest.importorskip("deniable.planner.expressions.functions")
    assert set(planner.FUNCTIONS) == set(SPELLED[kind.__name__])
