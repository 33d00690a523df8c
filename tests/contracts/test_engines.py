"""What every engine must do: over every folder of `deniable.engines`, so that a new one is held to it at once.

Nothing is skipped: a module that cannot be imported fails here. An engine that nobody checks is worse than none.
"""

from __future__ import annotations

import inspect
import pkgutil
import re
from contextlib import suppress
from dataclasses import fields
from importlib import import_module

import pytest

import deniable.engines
from deniable.core.algebra.expression import Kind
from deniable.engines import Engine
from deniable.engines.engine import GapError
from deniable.engines.sql.dialect import Dialect
from deniable.engines.sql.functions import FUNCTIONS
from deniable.engines.sql.primitives import PRIMITIVES
from deniable.planner.expressions.allow_list import FUNCTIONS as ALLOWED
from deniable.policy.settings import KINDS as KNOWN

LABELS = ["Sees", "Isolation", "Numbers", "Limits", "Caution", "Gaps", "Needs", "Example"]
FOLDERS = [one.name for one in pkgutil.iter_modules(deniable.engines.__path__) if one.ispkg and one.name != "sql"]
"""One for each engine."""


def concrete(folder: str, module: str, base: type) -> list[type]:
    """The classes of a kind that a module of an engine's folder defines."""
    found = vars(import_module(f"deniable.engines.{folder}.{module}")).values()
    kinds = [one for one in found if inspect.isclass(one) and issubclass(one, base) and not inspect.isabstract(one)]
    return [kind for kind in kinds if kind.__module__ == f"deniable.engines.{folder}.{module}"]


KINDS = [kind for folder in FOLDERS for kind in concrete(folder, "engine", Engine)]
DIALECTS = [kind for folder in FOLDERS for kind in concrete(folder, "dialect", Dialect)]

every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
every_dialect = pytest.mark.parametrize("kind", DIALECTS, ids=lambda kind: kind.__name__)


MODULES = [module.name for module in pkgutil.walk_packages(deniable.engines.__path__, "deniable.engines.")]


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_folder_has_an_engine_and_a_dialect(folder: str) -> None:
    assert len(concrete(folder, "engine", Engine)) == 1
    assert concrete(folder, "dialect", Dialect)


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_policy_can_name_every_engine_and_it_is_opened_by_its_folder(folder: str) -> None:
    assert folder in KNOWN
    assert callable(import_module(f"deniable.engines.{folder}.engine").opened)


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


def test_every_function_of_the_allow_list_is_spelled() -> None:
    assert set(FUNCTIONS) == set(ALLOWED)


@every_dialect
@pytest.mark.parametrize("name", PRIMITIVES)
def test_every_dialect_has_every_part(kind: type[Dialect], name: str) -> None:
    """A part that is missing raises, and so does a pattern with more arguments than the longest takes.

    What the engine cannot compute is said as a gap, which docs/engines.md lists.
    """
    spelling = kind.spellings.get(name)
    arguments = len(inspect.signature(spelling).parameters) if callable(spelling) else 3
    with suppress(GapError):
        assert kind().primitive(name, *(f"a{place}" for place in range(arguments)))


@every_dialect
def test_a_dialect_is_frozen_and_has_no_state(kind: type[Dialect]) -> None:
    assert kind() == kind()
    assert not fields(kind())
    assert kind.__dataclass_params__.frozen


@every_dialect
def test_a_dialect_knows_every_kind(kind: type[Dialect]) -> None:
    assert set(kind.types) == set(Kind)
