"""tests/unit mirrors src/deniable, and where it does not, a reason stands here.

The rule (CONTRIBUTING.md, *Tests*): what `a/b.py` decides on its own is tested in `tests/unit/a/test_b.py`, what a room
`a/b/` does together in `tests/unit/a/test_b.py` too. A question that belongs to no one module is a topic, below. What
needs no file of its own is driven by the tests that stand in for its room, below.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE, UNIT = ROOT / "src/deniable", ROOT / "tests/unit"

TOPICS = {
    "doors/console/test_hostile.py": "whoever means harm, on every page of the console",
    "engines/duckdb/test_stored_times.py": "moments, days and times of day, as any module of the engine reads them",
    "engines/postgres/test_one_row.py": "what one row could bring about, whichever module it would be",
    "accounting/test_true_losses.py": "claimed losses of batches against exact oracles, whichever module claims them",
    "accounting/test_worst_analyst.py": "the filter against all strategies of a menu",
    "apps/test_startup.py": "what any command loads before it does anything",
    "attacks/test_bounds.py": "one theorem for all attacks",
    "attacks/test_wins.py": "one statement for all attacks, each with its victim",
    "audit/test_planted_bugs.py": "mechanisms that are broken on purpose, which no module holds",
    "core/test_theorems.py": "classic theorems of the field, by enumeration, which no one module states",
    "curator/test_batch.py": "batches, from the planner's price to the ledger's one charge",
    "doors/postgres/test_clients.py": "real clients, each of which meets all of the room",
    "doors/postgres/test_other_clients.py": "clients from elsewhere, each of which meets all of the room",
    "doors/postgres/test_tools.py": "what tools ask of the catalogue, whichever module answers it",
    "doors/console/test_looks.py": "how every page looks, whichever module makes it",
    "doors/http/test_openapi.py": "all that is described, whichever module does it",
    "doors/test_wrapped.py": "questions as tools wrap them, through both doors",
    "doors/postgres/test_statements.py": "every statement that a connection understands",
    "doors/postgres/test_wire.py": "messages byte by byte, whichever module reads them",
    "engines/duckdb/test_files.py": "files as the engine meets them: spoiled, changed, of every kind",
    "engines/duckdb/test_reliance.py": "what we rely on in DuckDB itself",
    "mechanisms/test_floats.py": "floats on the grid, for every mechanism that takes them",
    "planner/test_refusals.py": "every refusal of every pass, in one list, as docs/sql.md has them",
    "policy/test_fuzz.py": "mangled policies, whichever part is mangled",
    "releases/linear/test_sensitivity.py": "one theorem for all strategies",
    "releases/synthetic/test_sensitivity.py": "one theorem for all measurements of a table",
}
"""Tests of a question that belongs to no one module, and why."""

STANDS_IN = {
    "accounting": "tests/unit/accounting/test_compose.py",
    "display": "tests/contracts/test_shown.py",
    "files": "tests/unit/files/test_tables.py",
    "mechanisms": "tests/contracts/test_mechanisms.py",
    "engines": "tests/contracts/test_engines.py",
    "local": "tests/contracts/test_protocols.py",
    "attacks": "tests/contracts/test_attacks.py",
    "planner": "tests/plans/test_plans.py",
    "curator": "tests/flows/test_questions.py",
    "ledger": "tests/unit/ledger/test_ledger.py",
    "policy": "tests/unit/policy/test_policy.py",
    "audit": "tests/unit/audit/test_auditor.py",
    "service": "tests/unit/service/test_session.py",
    "doors/postgres": "tests/unit/doors/postgres/test_clients.py",
    "doors/http": "tests/unit/doors/http/test_app.py",
    "doors/console": "tests/unit/doors/console/test_asking.py",
    "apps": "tests/unit/apps/test_cli.py",
    "core": "tests/contracts/test_mechanisms.py",
    "learn": "tests/contracts/test_learners.py",
    "releases/linear": "tests/statistics/test_releases.py",
    "releases/syntactic": "tests/unit/releases/syntactic/test_anonymize.py",
}
"""Rooms whose modules need no file of their own, and the tests that drive all of them.

The first four are kinds of plug-ins: their contract finds a new one by itself. The planner's passes have golden plans,
beside tests/conformance, which compares every accepted question with the plain engine. The others hold values, text and
steps of one path, which is walked from end to end.
"""

TESTS = sorted(str(path.relative_to(UNIT)) for path in UNIT.rglob("test_*.py"))
MODULES = sorted(str(path.relative_to(SOURCE)) for path in SOURCE.rglob("[!_]*.py"))


def _mirrored(test: str) -> bool:
    """Whether a test is named after a module, or after a room."""
    path = Path(test)
    named = SOURCE / path.parent / path.name.removeprefix("test_")
    return named.is_file() or (named.with_suffix("") / "__init__.py").is_file()


def _tested(module: str) -> bool:
    """Whether a module has a test of its own name, or of its room's."""
    path = Path(module)
    rooms = [UNIT / room.parent / f"test_{room.name}.py" for room in path.parents if room.name]
    return any(test.is_file() for test in (UNIT / path.parent / f"test_{path.name}", *rooms))


@pytest.mark.parametrize("test", TESTS)
def test_every_test_mirrors_a_module_or_is_a_topic_with_a_reason(test: str) -> None:
    assert _mirrored(test) != (test in TOPICS), f"{test}: move it beside its module, or say in TOPICS what it is about"


def test_no_topic_is_out_of_date() -> None:
    assert set(TOPICS) <= set(TESTS)


@pytest.mark.parametrize("module", MODULES)
def test_every_module_is_tested_by_name_or_by_what_stands_in_for_its_room(module: str) -> None:
    rooms = {str(room) for room in Path(module).parents}
    assert _tested(module) or rooms & set(STANDS_IN), f"nothing stands in for a test of {module}"


@pytest.mark.parametrize("test", sorted(set(STANDS_IN.values())))
def test_what_stands_in_exists(test: str) -> None:
    assert (ROOT / test).is_file()


@pytest.mark.parametrize("module", MODULES)
def test_every_path_that_a_docstring_names_exists(module: str) -> None:
    """From the root, from src/deniable, or from the room itself."""
    here = SOURCE / module
    texts = [
        ast.get_docstring(node) or ""
        for node in ast.walk(ast.parse(here.read_text()))
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
    ]
    for path in re.findall(r"(?<![\w./:])((?:[\w-]+/)+[\w-]+\.(?:py|md))\b", "\n".join(texts)):
        assert any((base / path).exists() for base in (ROOT, SOURCE, *here.parents)), f"{module} names {path}"
