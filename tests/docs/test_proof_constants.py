"""The numbers in the proofs are those of the code: a page writes `NAME = number`, and the module must agree.

NAME is looked up in the modules that the page's `Code:` names; of another module it is written `module.NAME`. Every
constant that a mechanism or an accountant compares or computes with is written on its page.
"""

from __future__ import annotations

import ast
import importlib
import re
from fractions import Fraction
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs" / "proofs").glob("*.md"))
STATED = re.compile(r"`(?:(\w+)\.)?(_?[A-Z][A-Z_]*) = ([^`\n]+)`")
MECHANISMS = [path for path in sorted((ROOT / "src/deniable/mechanisms").glob("*.py")) if path.stem != "__init__"]
SHARED = {"additive", "mechanism", "selection", "ranks", "running_counts"}
"""Modules that belong to several mechanisms; a page of their own they have not."""

every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)


def value(text: str) -> Fraction:
    """A number as the pages write it: 5, 1e-10, 1/1000, 2^-63, 2000."""
    top, _, bottom = text.partition("/")
    number, _, power = top.partition("^")
    return Fraction(number) ** int(power or 1) / Fraction(bottom or 1)


def module(path: Path) -> ModuleType:
    return importlib.import_module(".".join(path.relative_to(ROOT / "src").with_suffix("").parts))


def code(page: Path) -> list[Path]:
    """The files of ours that the page is about."""
    text = "\n".join(re.findall(r"^Code:.*?\n\n", page.read_text(), flags=re.MULTILINE | re.DOTALL))
    named = [ROOT / name for name in re.findall(r"`(src/deniable/[\w/]+(?:\.py|/))`", text)]
    files = [file for path in named for file in (sorted(path.rglob("*.py")) if path.is_dir() else [path])]
    return files + [files[0].parent / name for name in re.findall(r"`(\w+\.py)`", text)]


def stated(page: Path) -> list[tuple[str, object, str]]:
    """(name, what the code has, what the page says) for every constant on a page."""
    found = []
    for stem, name, text in STATED.findall(page.read_text()):
        files = sorted((ROOT / "src").rglob(f"{stem}.py")) if stem else code(page)
        holders = [holder for holder in map(module, files) if name in vars(holder)]
        assert holders, f"{page.name} speaks of {name}, which no module has"
        found += [(name, getattr(holder, name), text) for holder in holders[:1]]
    return found


def constants(path: Path) -> set[str]:
    """The numbers that a module gives a name in capitals."""
    names = [
        target.id
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name) and target.id.isupper()
    ]
    return {name for name in names if isinstance(getattr(module(path), name), int | float | Fraction)}


@every_page
def test_the_page_says_what_the_code_has(page: Path) -> None:
    for name, number, text in stated(page):
        expected = value(text)
        assert float(expected) == number if isinstance(number, float) else expected == number, f"{page.name}: {name}"


@pytest.mark.parametrize("path", [path for path in MECHANISMS if path.stem not in SHARED], ids=lambda path: path.stem)
def test_every_constant_of_a_mechanism_is_on_its_page(path: Path) -> None:
    page = ROOT / "docs" / "proofs" / f"{path.stem}.md"
    assert constants(path) <= {name for name, _, _ in stated(page)}


@pytest.mark.parametrize("name", ["pld", "loss_distribution"])
def test_every_constant_of_distributions_is_on_their_page(name: str) -> None:
    path = ROOT / "src/deniable/accounting" / f"{name}.py"
    assert constants(path) <= {name for name, _, _ in stated(ROOT / "docs/proofs/pld.md")}


def test_some_are_found() -> None:
    assert sum(len(stated(page)) for page in PAGES) >= 20


@pytest.mark.parametrize(
    ("text", "number"),
    [("5", 5), ("1/1000", Fraction(1, 1000)), ("2^-63", Fraction(1, 2**63)), ("1e-10", Fraction(1, 10**10))],
)
def test_numbers_are_read_as_pages_write_them(text: str, number: Fraction) -> None:
    assert value(text) == number
