"""What every engine must do: over all that `deniable.engines` exports, a new one is held to it at once.

Nothing is skipped: a module that cannot be imported fails here. An engine that nobody checks is worse than none.
"""

from __future__ import annotations

import inspect
import pkgutil
import re
from importlib import import_module

import pytest

import deniable.engines
from deniable.engines import Engine
from deniable.engines.duckdb.functions import FUNCTIONS
from deniable.planner.expressions.functions import FUNCTIONS as ALLOWED

LABELS = ["Sees", "Isolation", "Numbers", "Limits", "Caution", "Gaps", "Needs", "Example"]
KINDS = [
    kind
    for name in deniable.engines.__all__
    if inspect.isclass(kind := getattr(deniable.engines, name)) and not inspect.isabstract(kind)
]
SPELLED = {"DuckDB": FUNCTIONS}
"""Where each engine keeps its spellings."""

every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)


MODULES = [module.name for module in pkgutil.walk_packages(deniable.engines.__path__, "deniable.engines.")]


def test_there_are_engines() -> None:
    assert KINDS


@pytest.mark.parametrize("module", MODULES)
def test_every_module_can_be_imported_and_no_engine_is_left_out(module: str) -> None:
    found = vars(import_module(module)).values()
    engines = [kind for kind in found if inspect.isclass(kind) and issubclass(kind, Engine)]
    assert {kind for kind in engines if not inspect.isabstract(kind)} <= set(KINDS)


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
    assert set(SPELLED[kind.__name__]) == set(ALLOWED)
